# Under sanitizers, in build folders of their own. tests/run shows every report of every process. asan: the whole suite; tsan: what has
# more than one thread, alone and in a terminal.
asan:
	TEST_TIMEOUT=1800 $(MAKE) B=build-asan SAN=address,undefined CFLAGS="-O1 -g" test
TSAN_TESTS ?= tests/unit/test_worker tests/core/test_attention tests/contract/test_monkey $(SCREEN_TESTS:$(B)/%=%)
tsan:
	$(MAKE) B=build-tsan SAN=thread CFLAGS="-O1 -g" tsan-run
tsan-run: all $(TSAN_TESTS:%=$(B)/%)
	@TEST_TIMEOUT=1800 POSVIZ=$(B)/posviz tests/run $(TSAN_TESTS:%=$(B)/%)
debug:
	$(MAKE) B=build-debug CFLAGS="-O0 -g3" all

.PHONY: asan tsan tsan-run debug
