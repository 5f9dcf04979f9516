pic/src/figure/wrap.o: src/figure/wrap.c src/figure/wrap.h src/base/mem.h \
 src/base/utf8.h
src/figure/wrap.h:
src/base/mem.h:
src/base/utf8.h:
