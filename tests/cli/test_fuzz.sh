#!/bin/sh
# Every kind of input with some changes of it (make fuzz does the same for hours). If it fails, a broken file, a request or a typed line
# crashes the program. POSVIZ_FUZZ_RUNS: changed inputs a target.
posviz=${POSVIZ:-./posviz}
build=$(dirname "$posviz")/tests/fuzz
runs=${POSVIZ_FUZZ_RUNS:-150}
n=0
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c | sed 's/^fuzz_//')
    n=$((n + 1))
    if POSVIZ_FUZZ_FILE=$dir/input "$build/replay_$name" "$runs" $(tests/fuzz/seeds "$name") >"$dir/out" 2>&1; then
        echo "ok $n - $name: seeds and $runs changed inputs"
    else
        echo "not ok $n - $name: seeds and $runs changed inputs"
        tail -15 "$dir/out" | sed 's/^/# /'
        head -c 600 "$dir/input" | od -c | head -20 | sed 's/^/# /'
    fi
done
echo "1..$n"
