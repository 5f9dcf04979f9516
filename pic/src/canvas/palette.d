pic/src/canvas/palette.o: src/canvas/palette.c src/canvas/palette.h \
 src/base/lang.h
src/canvas/palette.h:
src/base/lang.h:
