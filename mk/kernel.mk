# The inner loops of attention: products and sums may fuse (no other liberty with floating point is taken).
$(B)/src/core/kernel.o: ALL_CFLAGS += -O3 -ffp-contract=fast
