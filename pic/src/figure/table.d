pic/src/figure/table.o: src/figure/table.c src/figure/table.h \
 src/figure/figure.h src/canvas/palette.h src/core/field.h \
 src/core/encoding.h src/base/err.h src/base/lang.h src/core/table.h \
 src/core/layer.h src/figure/axis.h src/base/mem.h src/base/utf8.h \
 src/figure/ints.h src/figure/wrap.h
src/figure/table.h:
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
src/figure/ints.h:
src/figure/wrap.h:
