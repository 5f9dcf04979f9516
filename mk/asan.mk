# The suite under sanitizers, in a build folder of its own.
asan:
	$(MAKE) B=build-asan SAN=address,undefined CFLAGS="-O1 -g" test
debug:
	$(MAKE) B=build-debug CFLAGS="-O0 -g3" all

.PHONY: asan debug
