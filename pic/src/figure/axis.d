pic/src/figure/axis.o: src/figure/axis.c src/figure/axis.h src/base/buf.h \
 src/base/mem.h src/base/utf8.h
src/figure/axis.h:
src/base/buf.h:
src/base/mem.h:
src/base/utf8.h:
