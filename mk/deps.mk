# make deps: installs what is missing on Debian and Ubuntu; prints the names for other systems.
# BUILD_DEPS: to build and run. PICTURE_DEPS: png, svg, pdf. TEST_DEPS: the suite.
BUILD_DEPS   := gcc make pkg-config libncurses-dev libcjson-dev libopenblas-dev gettext ncurses-bin
PICTURE_DEPS := libcairo2-dev libpango1.0-dev fonts-dejavu-core fonts-noto-cjk
TEST_DEPS    := clang libclang-rt-14-dev libcmocka-dev libvterm-dev tmux
BENCH_DEPS   := python3-numpy python3-matplotlib

deps:
	@tools/deps $(BUILD_DEPS) $(PICTURE_DEPS) $(TEST_DEPS)
deps-bench:
	@tools/deps $(BENCH_DEPS)

run: all
	@./posviz

.PHONY: deps deps-bench run
