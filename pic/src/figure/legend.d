pic/src/figure/legend.o: src/figure/legend.c src/figure/legend.h \
 src/base/lang.h src/figure/figure.h src/canvas/palette.h \
 src/core/field.h src/core/encoding.h src/base/err.h src/core/table.h \
 src/core/layer.h src/figure/axis.h src/base/utf8.h
src/figure/legend.h:
src/base/lang.h:
src/figure/figure.h:
src/canvas/palette.h:
src/core/field.h:
src/core/encoding.h:
src/base/err.h:
src/core/table.h:
src/core/layer.h:
src/figure/axis.h:
src/base/utf8.h:
