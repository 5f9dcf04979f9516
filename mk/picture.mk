# The module of pictures (png, svg, pdf): cairo and pango in a shared object of their own, loaded when the first picture is written. It has
# its own copies of the few files that it shares with the program. Without the packages everything else still builds.

PICTURE        := $(B)/posviz-picture.so
PICTURE_LIBDIR := $(PREFIX)/lib/posviz
PICTURE_CFLAGS := $(shell $(PKGCONF) --cflags pangocairo 2>/dev/null)
PICTURE_LIBS   := $(shell $(PKGCONF) --libs pangocairo 2>/dev/null)
PICTURE_SRC    := $(wildcard src/export/picture/*.c) src/figure/axis.c src/figure/figure.c src/figure/legend.c src/figure/layout.c \
                  src/figure/table.c src/figure/wrap.c \
                  src/canvas/palette.c src/base/buf.c src/base/digits.c src/base/err.c src/base/lang.c src/base/mem.c src/base/message.c \
                  src/base/utf8.c src/base/width.c
PICTURE_OBJ     = $(patsubst %.c,$(B)/pic/%.o,$(PICTURE_SRC)) $(B)/pic/catalogue.o
PICTURE_FLAGS   = -fPIC -fvisibility=hidden

ifneq ($(PICTURE_LIBS),)
all: $(PICTURE)
else
all: no-picture
no-picture:
	@echo "without pictures (png, svg, pdf): pkg-config finds no pangocairo; make deps installs it"
.PHONY: no-picture
endif

$(PICTURE): $(PICTURE_OBJ)
	$(CC) -shared $(if $(SAN),,-Wl,-z,defs) $(ALL_LDFLAGS) -o $@ $^ $(PICTURE_LIBS) -lm
$(B)/pic/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(PICTURE_CFLAGS) $(PICTURE_FLAGS) -c -o $@ $<
$(B)/pic/catalogue.o: $(B)/gen/catalogue.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(PICTURE_FLAGS) -c -o $@ $<

$(B)/src/export/picture.o: ALL_CFLAGS += -DPOSVIZ_LIBDIR='"$(PICTURE_LIBDIR)"'

-include $(patsubst %.c,$(B)/pic/%.d,$(PICTURE_SRC))
