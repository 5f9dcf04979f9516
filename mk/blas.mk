# OpenBLAS is opened with the first product (src/core/blas.c says why). A program that does nothing, linked with it, tells the name under which the
# system knows it; tools/deb and tools/bundle read there what posviz needs.
ifneq ($(BLAS),plain)
NEEDS_BLAS := $(B)/gen/needs-blas
$(NEEDS_BLAS):
	@mkdir -p $(@D)
	echo 'int main(void) { return 0; }' | $(CC) -x c -o $@ - -Wl,--no-as-needed $(BLAS_LIBS)
$(B)/src/core/blas.o: $(NEEDS_BLAS)
$(B)/src/core/blas.o: ALL_CFLAGS += -DBLAS_LIBRARY='"$(shell LC_ALL=C objdump -p $(NEEDS_BLAS) | awk '$$1 == "NEEDED" { print $$2; exit }')"'
endif
