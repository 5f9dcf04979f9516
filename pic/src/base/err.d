pic/src/base/err.o: src/base/err.c src/base/err.h src/base/lang.h \
 src/base/utf8.h
src/base/err.h:
src/base/lang.h:
src/base/utf8.h:
