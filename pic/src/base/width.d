pic/src/base/width.o: src/base/width.c src/base/utf8.h
src/base/utf8.h:
