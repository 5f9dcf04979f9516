pic/src/figure/figure.o: src/figure/figure.c src/figure/figure.h \
 src/canvas/palette.h src/core/field.h src/core/encoding.h src/base/err.h \
 src/base/lang.h src/core/table.h src/core/layer.h src/figure/axis.h \
 src/base/mem.h src/base/utf8.h
src/figure/figure.h:
src/canvas/palette.h:
src/core/field.h:
src/core/encoding.h:
src/base/err.h:
src/base/lang.h:
src/core/table.h:
src/core/layer.h:
src/figure/axis.h:
src/base/mem.h:
src/base/utf8.h:
