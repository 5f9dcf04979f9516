# make deb, bundle, reproducible, coverage, valgrind. PACKAGES: where deb and bundle put what they make.
PACKAGES ?= $(B)

# The same bytes from every folder: no path of the builder in them.
ALL_CFLAGS += -ffile-prefix-map=$(CURDIR)=.

# A binary package of what `make install` puts in place.
deb: all
	rm -rf $(PACKAGES)/deb
	$(MAKE) -s install PREFIX=/usr DESTDIR=$(abspath $(PACKAGES))/deb
	tools/deb $(PACKAGES)/deb $(VERSION) $(PACKAGES)

# One folder that runs from anywhere, without root: the program, its module and the libraries they need but those of glibc. The old form of
# the path (DT_RPATH) holds for libraries of libraries too.
bundle: all $(B)/bundle/posviz
	tools/bundle $(B)/bundle/posviz $(PICTURE) $(PACKAGES)/posviz-$(VERSION)-$(shell uname -m)
$(B)/bundle/posviz: $(LIB_OBJ) $(call OBJ,src/main.c)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/lib' -o $@ $^ $(LIBS)

# Two builds of the last commit in two folders must be equal.
reproducible:
	tools/reproducible

# Lines that the suite runs, by folder; TESTS and CLI_TESTS narrow it.
coverage:
	-$(MAKE) B=build-coverage CFLAGS="-O0 -g --coverage" LDFLAGS=--coverage test
	tools/coverage build-coverage

# Tests of plain computation under valgrind (VALGRIND_TESTS=...): the tests' own exit status, and no error of memory.
VALGRIND_TESTS ?= $(CORE_TESTS) $(B)/tests/unit/test_model
valgrind: $(VALGRIND_TESTS)
	for t in $(VALGRIND_TESTS); do OPENBLAS_NUM_THREADS=1 valgrind -q --leak-check=full --error-exitcode=9 $$t || exit 1; done

.PHONY: deb bundle reproducible coverage valgrind
