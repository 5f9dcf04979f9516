pic/src/base/buf.o: src/base/buf.c src/base/buf.h src/base/mem.h \
 src/base/utf8.h
src/base/buf.h:
src/base/mem.h:
src/base/utf8.h:
