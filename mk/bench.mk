# make bench: the program's own work timed beside numpy and matplotlib (make deps-bench installs them; without them: not measured).
bench: all
	$(B)/posviz bench

# make speed: the same, and 131 072 tokens exactly, into the tables of README and docs/speed.md. On a machine that has nothing else to do.
speed: all
	$(B)/posviz bench --json > $(B)/speed.json
	$(B)/posviz bench long --json >> $(B)/speed.json
	tools/speed $(B)/speed.json en README.md
	tools/speed $(B)/speed.json zh README.zh-CN.md
	tools/speed $(B)/speed.json en docs/speed.md

.PHONY: bench speed
