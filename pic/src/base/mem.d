pic/src/base/mem.o: src/base/mem.c src/base/mem.h
src/base/mem.h:
