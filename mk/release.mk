# make deb, bundle, reproducible, coverage, valgrind. PACKAGES: where deb and bundle put what they make.
PACKAGES ?= $(B)

# The same bytes from every folder: no path of the builder in them.
ALL_CFLAGS += -ffile-prefix-map=$(CURDIR)=.

# A binary package of what `make install` puts in place.
deb: all
	rm -rf $(PACKAGES)/deb
	$(MAKE) -s install PREFIX=/usr DESTDIR=$(abspath $(PACKAGES))/deb
	tools/deb $(PACKAGES)/deb $(VERSION) $(PACKAGES) $(NEEDS_BLAS)

# One folder that runs from anywhere, without root: the program, its module and the libraries they need but those of glibc. The old form of
# the path (DT_RPATH) holds for libraries of libraries too.
bundle: all $(B)/bundle/posviz
	tools/bundle $(B)/bundle/posviz $(PICTURE) $(PACKAGES)/posviz-$(VERSION)-$(shell uname -m) $(NEEDS_BLAS)
$(B)/bundle/posviz: $(LIB_OBJ) $(call OBJ,src/main.c)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/lib' -o $@ $^ $(LIBS)

# Two builds of the last commit in two folders must be equal.
reproducible:
	tools/reproducible

# Lines that the suite runs, by folder; TESTS and CLI_TESTS narrow it.
coverage:
	-TEST_TIMEOUT=1800 $(MAKE) B=build-coverage CFLAGS="-O0 -g --coverage" LDFLAGS=--coverage test
	tools/coverage build-coverage

# What computes and reads, and runs of the program, under valgrind: minutes, the longest first.
VALGRIND_LONG   = $(B)/tests/unit/test_model $(B)/tests/core/test_attention $(B)/tests/unit/test_wizard_view $(B)/tests/unit/test_command_line
VALGRIND_TESTS ?= $(VALGRIND_LONG) $(filter-out $(VALGRIND_LONG),$(CORE_TESTS) $(filter $(B)/tests/unit/% $(B)/tests/golden/%,$(LIB_TESTS)))
valgrind: all $(VALGRIND_TESTS)
	tools/valgrind $(B)/posviz $(VALGRIND_TESTS)

.PHONY: deb bundle reproducible coverage valgrind
