# The terminfo entries of posviz.ti, compiled and written as C: a binary copied alone still knows them.
$(B)/gen/terminfo.c: src/term/posviz.ti tools/embed
	@mkdir -p $(@D)
	tools/embed terminfo $< > $@
