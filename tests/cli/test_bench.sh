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

POSVIZ_KERNEL=any $POSVIZ bench machine | grep -qE '^exp any .* G/s$'
passes "the inner loops can be chosen by name" $?

$POSVIZ bench nothing >/dev/null 2>"$dir/err"
status=$?
passes "an unknown benchmark ends with 2 and names those there are" \
    "$([ $status -eq 2 ] && grep -q "nothing.*machine, attention" "$dir/err"; echo $?)"
$POSVIZ bench --help | grep -q "numpy"
passes "its help says what it compares with" $?
plan
