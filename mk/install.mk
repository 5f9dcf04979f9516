# make docs, install, uninstall, dist.
docs: all
	tools/docs $(B)/posviz en README.md
	tools/docs $(B)/posviz zh README.zh-CN.md
	tools/model-keys $(B)/posviz > docs/model-keys.md

BINDIR  = $(DESTDIR)$(PREFIX)/bin
LIBDIR  = $(DESTDIR)$(PREFIX)/lib/posviz
MANDIR  = $(DESTDIR)$(PREFIX)/share/man
BASHDIR = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSHDIR  = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISHDIR = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

# Presets, lessons, catalogue and terminal descriptions are in the binary; only the picture module stands beside it.
install: all
	install -d $(BINDIR) $(LIBDIR) $(MANDIR)/man1 $(MANDIR)/zh_CN/man1 $(BASHDIR) $(ZSHDIR) $(FISHDIR)
	install -m 755 $(B)/posviz $(BINDIR)/posviz
	if [ -e $(B)/posviz-picture.so ]; then install -m 644 $(B)/posviz-picture.so $(LIBDIR)/; fi
	$(B)/posviz generate man --lang en > $(MANDIR)/man1/posviz.1
	$(B)/posviz generate man --lang zh > $(MANDIR)/zh_CN/man1/posviz.1
	$(B)/posviz generate complete-bash > $(BASHDIR)/posviz
	$(B)/posviz generate complete-zsh > $(ZSHDIR)/_posviz
	$(B)/posviz generate complete-fish > $(FISHDIR)/posviz.fish

uninstall:
	rm -f $(BINDIR)/posviz $(LIBDIR)/posviz-picture.so $(MANDIR)/man1/posviz.1 $(MANDIR)/zh_CN/man1/posviz.1
	rm -f $(BASHDIR)/posviz $(ZSHDIR)/_posviz $(FISHDIR)/posviz.fish
	-rmdir $(LIBDIR) 2>/dev/null

# The source of this version as one file, the same bytes every time.
dist:
	git archive --format=tar --prefix=posviz-$(VERSION)/ HEAD | gzip -n > posviz-$(VERSION).tar.gz

.PHONY: docs install uninstall dist
