# make bench: the program's own work timed beside numpy and matplotlib (make deps-bench installs them; without them: not measured).
bench: all
	$(B)/posviz bench

.PHONY: bench
