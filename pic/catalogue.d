pic/catalogue.o: gen/catalogue.c
