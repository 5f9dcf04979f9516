# make deb, bundle, reproducible, coverage, valgrind.

# The same bytes from every folder: no path of the builder in them.
ALL_CFLAGS += -ffile-prefix-map=$(CURDIR)=.

# A binary package of what `make install` puts in place; what it depends on is asked of dpkg.
deb: all
	rm -rf $(B)/deb
	$(MAKE) -s install PREFIX=/usr DESTDIR=$(CURDIR)/$(B)/deb
	tools/deb $(B)/deb $(VERSION) $(B)

# One folder that runs from anywhere, without root: the program, its module and the libraries it needs but those of glibc.
bundle: all
	tools/bundle $(B) $(B)/posviz-$(VERSION)-$(shell uname -m)

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
