# make screenshots: the pictures of screenshots/list, from the real program in a virtual terminal. build/shot alone makes one.
SHOT_CFLAGS := $(shell $(PKGCONF) --cflags pangocairo vterm 2>/dev/null)
SHOT_LIBS   := $(shell $(PKGCONF) --libs pangocairo vterm 2>/dev/null)

$(B)/tools/shot.o: ALL_CFLAGS += $(SHOT_CFLAGS) -Itests/screen
$(B)/shot: $(B)/tools/shot.o $(B)/tests/screen/vt.o $(call OBJ,$(wildcard src/base/*.c)) $(B)/gen/catalogue.o
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(SHOT_LIBS) -lutil -lm

screenshots: all $(B)/shot
	@B=$(B) tools/screenshots screenshots/list screenshots

-include $(B)/tools/shot.d
.PHONY: screenshots
