# posviz: `make deps run` starts it on a fresh machine, `make deps test` proves it. See README.md.
# Overridable: CC, CFLAGS, PREFIX, DESTDIR, BLAS=plain, B=build folder, WERROR=1, SAN=address,undefined|thread

CC       ?= cc
B        ?= build
PREFIX   ?= /usr/local
VERSION  := 0.1.0
PKGCONF  ?= pkg-config

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
            -Wwrite-strings -Wformat=2 -Wundef
CFLAGS   ?= -O2 -g
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -DPOSVIZ_VERSION='"$(VERSION)"' $(WARNINGS) $(if $(WERROR),-Werror) \
             $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=undefined) \
             -Isrc -Iviews $(CURSES_CFLAGS) $(CJSON_CFLAGS) $(BLAS_CFLAGS) $(CFLAGS) -MMD -MP
ALL_LDFLAGS = $(if $(SAN),-fsanitize=$(SAN)) $(LDFLAGS)

CURSES_CFLAGS := $(shell $(PKGCONF) --cflags ncursesw 2>/dev/null)
CURSES_LIBS   := $(shell $(PKGCONF) --libs ncursesw 2>/dev/null || echo -lncursesw -ltinfo)
CJSON_CFLAGS  := $(shell $(PKGCONF) --cflags libcjson 2>/dev/null)
CJSON_LIBS    := $(shell $(PKGCONF) --libs libcjson 2>/dev/null || echo -lcjson)
ifeq ($(BLAS),plain)
BLAS_CFLAGS   := -DBLAS_PLAIN
BLAS_LIBS     :=
else
BLAS_CFLAGS   := $(shell $(PKGCONF) --cflags openblas 2>/dev/null)
BLAS_LIBS     := $(shell $(PKGCONF) --libs openblas 2>/dev/null || echo -lopenblas)
endif

# Every folder of sources is found by wildcard: adding a file needs no edit here.
CORE_SRC := $(wildcard src/base/*.c src/core/*.c src/encodings/*.c)
LIB_SRC  := $(CORE_SRC) $(wildcard src/json/*.c src/canvas/*.c src/figure/*.c src/scenario/*.c src/model/*.c \
            src/wizard/*.c src/export/*.c src/term/*.c src/app/*.c src/command/*.c views/*.c)
GEN_SRC  := $(B)/gen/catalogue.c $(B)/gen/presets.c $(B)/gen/terminfo.c
OBJ       = $(patsubst %.c,$(B)/%.o,$(1))
CORE_OBJ  = $(call OBJ,$(CORE_SRC)) $(B)/gen/catalogue.o
LIB_OBJ   = $(call OBJ,$(LIB_SRC)) $(GEN_SRC:.c=.o)
LIBS      = $(CURSES_LIBS) $(CJSON_LIBS) -ldl -lpthread -lm

all: $(B)/posviz
ifeq ($(B),build)
all: posviz
posviz: $(B)/posviz
	@ln -sf $(B)/posviz posviz
endif

# Everything compiled, not linked.
objects: $(LIB_OBJ) $(call OBJ,$(wildcard src/main.c))

$(B)/posviz: $(LIB_OBJ) $(call OBJ,src/main.c)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<
# The man page's date.
EPOCH := $(or $(SOURCE_DATE_EPOCH),$(if $(wildcard .git),$(shell git log -1 --format=%ct 2>/dev/null)))
$(B)/src/command/man.o: ALL_CFLAGS += -DPOSVIZ_EPOCH='"$(EPOCH)"'
$(B)/gen/%.o: $(B)/gen/%.c
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

# Catalogue and presets become part of the binary, so that a binary copied alone still works.
$(B)/gen/zh.mo: po/zh.po
	@mkdir -p $(@D)
	msgfmt --check-format -o $@ $<
$(B)/gen/catalogue.c: $(B)/gen/zh.mo tools/embed
	tools/embed catalogue $< > $@
$(B)/gen/presets.c: $(shell find presets -name '*.json' 2>/dev/null) tools/embed
	@mkdir -p $(@D)
	tools/embed presets presets > $@

include $(wildcard tests/tests.mk mk/*.mk)

clean:
	rm -rf build build-* posviz

-include $(patsubst %.c,$(B)/%.d,$(LIB_SRC) src/main.c)

.PHONY: all objects clean
