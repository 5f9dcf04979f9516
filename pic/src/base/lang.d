pic/src/base/lang.o: src/base/lang.c src/base/lang.h
src/base/lang.h:
