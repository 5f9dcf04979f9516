#!/bin/sh
# The verb bench. If this fails, published numbers come from a program that cannot be run again, or scripts that read its rows break.
set -u
. tests/support/tap.sh

out=$($POSVIZ bench fields --json)
passes "bench fields ends with 0" $?
lines=$(echo "$out" | wc -l)
rows=$(echo "$out" | grep -cE '"name":"(similarity|bias) [a-z0-9_]+","n":10000000,"d":128,"heads":1,"threads":1,"seconds":[0-9.e-]+,"peer_seconds":null,"ratio":null,"rss_bytes":[0-9]+,"limit_share":[0-9.e-]+,"limit":"(products|memory)",')
passes "every row has the fields of a row, and what was not measured is null" "$([ "$rows" -ge 5 ] && [ "$rows" -eq "$lines" ]; echo $?)"
first=$(echo "$out" | head -c 2) last=$(echo "$out" | tail -c 3)
passes "the rows are one JSON array" "$([ "$first" = '[{' ] && [ "$last" = '}]' ]; echo $?)"

# Without python3 on the path nothing is invented.
mkdir "$dir/empty"
text=$(PATH="$dir/empty" "$posviz" --lang en bench frame)
passes "without python3 the program itself is timed, and its peers are not" \
    "$(echo "$text" | grep -cE 'first frame .* [0-9.]+ .*(import numpy|matplotlib): not measured$' | grep -qx 2; echo $?)"
rows=$(PATH="$dir/empty" "$posviz" bench frame --json | grep -cE '"seconds":[0-9.e-]+,"peer_seconds":null,"ratio":null,"rss_bytes":[0-9]+')
passes "nor is there a ratio" "$([ "$rows" -eq 2 ]; echo $?)"

# A python3 whose times are known: medians, ratios, and what it is asked.
mkdir "$dir/known"
cat >"$dir/known/python3" <<'END'
#!/bin/sh
[ $# -gt 2 ] && echo "$OPENBLAS_NUM_THREADS $OMP_NUM_THREADS $3 $4 $5 $6" >>"$KNOWN"
printf 'Known\n4 2\n1 9\n8 1\n2 3\n16 4\n'
END
chmod +x "$dir/known/python3"
rows=$(KNOWN=$dir/asked PATH="$dir/known:$PATH" $POSVIZ bench attention --json)
check "numpy computes the same attention, on as many threads" \
    "1 1 alibi 4096 64 0.125,1 1 rope 4096 64 0.125,2 2 alibi 4096 64 0.125,2 2 rope 4096 64 0.125" "$(paste -sd, "$dir/asked")"
check "its time is the median of its runs, and its kernel is named" 4 \
    "$(echo "$rows" | grep -c '"peer_seconds":4,.*"peer_least_seconds":1,"peer_most_seconds":16,"peer":"numpy",.*"peer_cpu_seconds":3,.*"note":"(Known)"')"
check "the ratio is its time by that of the program" 4 \
    "$(echo "$rows" | tr -d '[]' | sed 's/.*"seconds":\([0-9.e-]*\),"peer_seconds":\([0-9.e-]*\),"ratio":\([0-9.e-]*\),.*/\1 \2 \3/' |
       awk '$1 > 0 && ($2 / $1 / $3 - 1) ^ 2 < 1e-12' | wc -l)"

# The numbers of a text against each other: a unit that is wrong in one place does not fit the others. Names take 22 cells; rates and ratios
# have one decimal.
text=$(KNOWN=$dir/asked PATH="$dir/known:$PATH" $POSVIZ --lang en bench attention)
check "the text says the same ratios, of milliseconds" 4 "$(echo "$text" | sed -nE 's/^.{22}(.*)numpy: (.*) ms, (.*)x, CPU (.*) ms, ([^x]*)x.*/\1 \2 \3 \4 \5/p' | awk '
    function near(said, is) { return (said - is) ^ 2 < (0.06 + 0.001 * is) ^ 2 }
    $(NF-3) == 4000 && $(NF-1) == 3000 && near($(NF-2), 4000 / $4) && near($NF, 3000 / $5)' | wc -l)"
text=$($POSVIZ --lang en bench machine)
check "rates are the work by the processor's milliseconds" 4 "$(echo "$text" | sed -nE 's/^(.{22})(.*) (GFLOP|GB|G)\/s$/\2 \1/p' | awk '
    { work = /gemm/ ? 2 * $1 ^ 3 : /memory/ ? 2 * $1 : 256 * $1; is = work / $5 / 1e6 }
    ($8 - is) ^ 2 < (0.06 + 0.002 * is) ^ 2' | wc -l)"
check "memory is in MiB: at least what the work needs, and not a hundred times that" 3 "$(echo "$text" | sed -nE 's/^(sgemm|dgemm|memory copy) *([0-9].*)/\2 \1/p' | awk '
    { need = /sgemm/ ? 12 : /dgemm/ ? 24 : 2 * $1 / 1048576 } $6 >= need && $6 < 100 * need' | wc -l)"

POSVIZ_KERNEL=any $POSVIZ bench machine | grep -qE '^exp any .* G/s$'
passes "the inner loops can be chosen by name" $?

$POSVIZ bench nothing >/dev/null 2>"$dir/err"
status=$?
passes "an unknown benchmark ends with 2 and names those there are" \
    "$([ $status -eq 2 ] && grep -q "nothing.*machine, attention" "$dir/err"; echo $?)"
$POSVIZ bench --help | grep -q "numpy"
passes "its help says what it compares with" $?
plan
