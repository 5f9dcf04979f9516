# Fuzzing. tests/fuzz/fuzz_NAME.c is a target, tests/fuzz/seeds names its seeds. In the suite the seeds and
# some changes of them are tried (tests/fuzz/replay.c, any compiler); `make fuzz` searches with libFuzzer, FUZZ_SECONDS a target.
FUZZ_NAMES   := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_REPLAYS := $(FUZZ_NAMES:%=$(B)/tests/fuzz/replay_%)
FUZZ_SECONDS ?= 60
FUZZ_CC      ?= clang
FUZZ_CORPUS  ?= $(CURDIR)/build-fuzz/corpus

$(FUZZ_REPLAYS): $(B)/tests/fuzz/replay_%: $(B)/tests/fuzz/fuzz_%.o $(B)/tests/fuzz/nowhere.o $(B)/tests/fuzz/replay.o $(LIB_OBJ)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)
tests: $(FUZZ_REPLAYS)

# Where a crash stops the search, the input lies in build-fuzz/crash-NAME-...
fuzz:
	$(MAKE) B=build-fuzz CC="$(FUZZ_CC)" SAN=fuzzer-no-link,address,undefined CFLAGS="-O1 -g" fuzz-run
fuzz-run: $(FUZZ_NAMES:%=fuzz-run-%)
fuzz-run-%: $(B)/tests/fuzz/fuzz_%
	@mkdir -p $(FUZZ_CORPUS)/$* && cp $$(tests/fuzz/seeds $*) $(FUZZ_CORPUS)/$*
	$(CURDIR)/$< -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=3000 -close_fd_mask=3 -print_final_stats=1 \
	    $(patsubst %,-dict=$(CURDIR)/%,$(wildcard tests/fuzz/$*.dict)) \
	    -artifact_prefix=$(CURDIR)/$(B)/crash-$*- $(FUZZ_CORPUS)/$*
$(B)/tests/fuzz/fuzz_%: $(B)/tests/fuzz/fuzz_%.o $(B)/tests/fuzz/nowhere.o $(LIB_OBJ)
	$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS)

-include $(FUZZ_NAMES:%=$(B)/tests/fuzz/fuzz_%.d) $(B)/tests/fuzz/nowhere.d $(B)/tests/fuzz/replay.d
.PHONY: fuzz fuzz-run
