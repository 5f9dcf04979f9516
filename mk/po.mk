# make po: takes every message of the sources into po/zh.po, keeping what is translated. The suite checks that nothing is missing.
PO_SRC = $(sort $(shell find src views -name '*.c' -o -name '*.h' -o -name '*.def'))

$(B)/gen/posviz.pot: $(PO_SRC)
	@mkdir -p $(@D)
	LC_ALL=C.UTF-8 xgettext --language=C --from-code=UTF-8 --keyword= --keyword=N_ --no-location --sort-output -o $@.raw $(filter %.c %.h,$(PO_SRC)) 2>/dev/null
	sed 's/charset=CHARSET/charset=UTF-8/' $@.raw > $@

po: $(B)/gen/posviz.pot
	LC_ALL=C.UTF-8 msgmerge --quiet --no-fuzzy-matching --no-location --sort-output --update --backup=none po/zh.po $<
	msgfmt --check-format --statistics -o /dev/null po/zh.po

.PHONY: po
