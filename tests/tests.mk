# Tests. tests/core/*.c link the core alone (no ncurses, no cJSON); tests/unit/*.c, tests/golden/*.c and tests/screen/*.c link
# everything; tests/cli/*.sh run the built program. Every one of them speaks TAP, and tests/run adds them up.

CMOCKA_LIBS := $(shell $(PKGCONF) --libs cmocka 2>/dev/null || echo -lcmocka)
VTERM_LIBS  := $(shell $(PKGCONF) --libs vterm 2>/dev/null || echo -lvterm)

CORE_TESTS   := $(patsubst %.c,$(B)/%,$(wildcard tests/core/test_*.c))
LIB_TESTS    := $(patsubst %.c,$(B)/%,$(wildcard tests/unit/test_*.c tests/golden/test_*.c tests/contract/test_*.c))
SCREEN_TESTS := $(patsubst %.c,$(B)/%,$(wildcard tests/screen/test_*.c))
SCREEN_SUPPORT := $(filter-out tests/screen/test_%,$(wildcard tests/screen/*.c))
CLI_TESTS    := $(wildcard tests/cli/test_*.sh)
TESTS        := $(CORE_TESTS) $(LIB_TESTS) $(SCREEN_TESTS)

$(CORE_TESTS): $(B)/%: $(B)/%.o $(CORE_OBJ)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(CMOCKA_LIBS) -ldl -lpthread -lm
$(LIB_TESTS): $(B)/%: $(B)/%.o $(LIB_OBJ)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(CMOCKA_LIBS) $(LIBS)
# They see the program from outside, so they link only what draws and shows cells.
TERM_OBJ = $(call OBJ,$(wildcard src/base/*.c src/canvas/*.c src/term/*.c)) $(B)/gen/catalogue.o $(B)/gen/terminfo.o
$(SCREEN_TESTS): $(B)/%: $(B)/%.o $(call OBJ,$(SCREEN_SUPPORT)) $(TERM_OBJ) | $(B)/tests/screen/demo/demo
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(CMOCKA_LIBS) $(VTERM_LIBS) $(CURSES_LIBS) -lutil -lm
# The program that the terminal tests drive.
$(B)/tests/screen/demo/demo: $(B)/tests/screen/demo/demo.o $(TERM_OBJ)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(CURSES_LIBS) -lm

tests: $(TESTS)

# The suite ends with one line: N passed, N failed.
test: all tests
	@POSVIZ=$(B)/posviz tests/run $(TESTS) $(CLI_TESTS)

# One test program or script: make check T=tests/core/test_field
check: all $(if $(filter %.sh,$(T)),,$(B)/$(T))
	@POSVIZ=$(B)/posviz tests/run $(if $(filter %.sh,$(T)),$(T),$(B)/$(T))

-include $(patsubst %,%.d,$(TESTS)) $(patsubst %.c,$(B)/%.d,$(SCREEN_SUPPORT))

.PHONY: tests test check
.SECONDARY:
