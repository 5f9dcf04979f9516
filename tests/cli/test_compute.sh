#!/bin/sh
# `posviz compute`, `list`, `--help` and `--version` from outside. If these fail, a script that feeds requests gets no reply, a reply to
# another request, or an exit status that says the opposite.
. tests/support/tap.sh
ask() { printf '%s\n' "$@" | "$posviz" --lang en compute; }

slopes='"encoding":"alibi","output":"slopes","params":{"num_heads":2}'
reply='"shape":[2],"values":[0.0625,0.00390625]'

check "a request gets its reply" "{\"id\":1,$reply}" "$(ask "{\"id\":1,$slopes}")"
check "any id comes back" "{\"id\":{\"a\":[1,null]},$reply}" "$(ask "{\"id\":{\"a\":[1,null]},$slopes}")"
check "no id is null" "{\"id\":null,$reply}" "$(ask "{$slopes}")"
check "a file of requests" "{\"id\":1,$reply}" "$(f=$(mktemp); echo "{\"id\":1,$slopes}" >"$f"; "$posviz" compute "$f"; rm -f "$f")"
check "one array of requests" "{\"id\":1,$reply}
{\"id\":2,$reply}" "$(ask " [{\"id\":1,$slopes}," "{\"id\":2,$slopes}]")"
check "empty lines are skipped" "{\"id\":1,$reply}" "$(ask "" "  " "{\"id\":1,$slopes}" "")"
check "the last line needs no end" "{\"id\":1,$reply}" "$(printf '%s' "{\"id\":1,$slopes}" | "$posviz" compute)"

out=$(ask "{\"id\":1," "{\"id\":2,\"encoding\":\"alibi\",\"output\":\"slopes\",\"params\":{\"num_heads\":0}}" "{\"id\":3,$slopes}")
check "a bad line does not stop the next" "{\"id\":3,$reply}" "$(printf '%s\n' "$out" | tail -n 1)"
check "each line has one reply" 3 "$(printf '%s\n' "$out" | wc -l | tr -d ' ')"
holds "a broken line says where, under its id" '{"id":1,"error":"not valid JSON, line 1, column 8: ' "$out"
holds "a wrong value says what is allowed" '{"id":2,"error":"num_heads = 0: must be a whole number from 1 to 65536"}' "$out"

holds "an unknown encoding lists those there are" "there is no encoding 'abc'; there are nope, sinusoidal" \
    "$(ask '{"encoding":"abc","output":"x"}')"
holds "a request that is no object" "a request must be an object, this is a number" "$(ask 5)"
holds "ragged lists" "inputs: x: its lists must all be of the same length" \
    "$(ask '{"encoding":"rope","output":"rotated","inputs":{"x":[[1,2],[3]]},"positions":[0,1]}')"
holds "numbers beyond double" "inputs: x: holds a number that is too large" \
    "$(ask '{"encoding":"rope","output":"rotated","inputs":{"x":[[1e999,2]]},"positions":[0]}')"
holds "texts among numbers" "positions: holds a string where a number must be" \
    "$(ask '{"encoding":"rope","output":"cos","positions":[1,"2"]}')"
holds "deep nesting" "levels deep" "$(ask "{\"a\":$(printf '%300s' '' | tr ' ' '[')")"
check "what is not finite is null" '{"id":null,"shape":[1,2],"values":[[null,null]]}' \
    "$(ask '{"encoding":"xpos","output":"rotated","params":{"head_dim":2,"scale_base":1,"length":1000000},"positions":[0],"inputs":{"x":[[1,1]]}}')"
check "what was not used is named" "{\"id\":null,$reply,\"ignored\":[\"slope\"]}" \
    "$(ask '{"encoding":"alibi","output":"slopes","params":{"num_heads":2,"slope":3,"model":"x"}}')"
check "inputs too" "{\"id\":null,$reply,\"ignored\":[\"q\"]}" \
    "$(ask '{"encoding":"alibi","output":"slopes","params":{"num_heads":2},"inputs":{"q":[1,2]}}')"
check "integers are written as such" '{"id":null,"shape":[4],"values":[0,2,1,3]}' \
    "$(ask '{"encoding":"gguf_permute","output":"source_row","params":{"num_heads":1,"head_dim":4}}')"
check "numbers read back equal" '{"id":null,"shape":[1],"values":[0.09090909090909091]}' \
    "$(ask '{"encoding":"rope","output":"inv_freq","params":{"head_dim":2,"rope_type":"linear","factor":11}}')"

out=$({ echo "{$slopes}"; head -c 67108870 /dev/zero | tr '\0' x; echo; echo "{\"id\":3,$slopes}"; } | "$posviz" --lang en compute)
check "a line that is too long gets its reply, and the next too" "{\"id\":null,\"error\":\"longer than the 67108864 bytes that are allowed\"} {\"id\":3,$reply}" \
    "$(echo "$out" | tail -n +2 | paste -sd' ' -)"

ask "{$slopes}" >/dev/null; check "status 0 when all were answered" 0 $?
ask "{$slopes}" x >/dev/null; check "status 1 when one was not" 1 $?
"$posviz" compute /nonexistent >/dev/null 2>&1; check "status 2 without the file" 2 $?
"$posviz" compute --nonsense >/dev/null 2>&1; check "status 2 for an unknown option" 2 $?
ask "{$slopes}" >/dev/full 2>/dev/null; check "status 2 when the output is full" 2 $?
holds "messages in Chinese" "num_heads" "$(printf '{"encoding":"alibi","output":"slopes","params":{"num_heads":0}}' | "$posviz" compute --lang zh)"

# Whatever comes, the reply is one line of JSON in UTF-8, under the id of the request where that can be read, and the next line gets its own.
trap_line() {           # name, status, reply to a line (printf's), the line
    out=$(printf "$4\n{\"id\":\"next\",$slopes}" | "$posviz" --lang en compute)
    check "$1: status $2" "$2" $?
    check "$1" "$3
{\"id\":\"next\",$reply}" "$out"
}
same_id() {             # the id comes back as it was written
    trap_line "id $1" 0 "{\"id\":$1,$reply}" "{\"id\":$(printf '%s' "$1" | sed 's/\\/\\\\/g'),$slopes}"
}
broken() {              # name, id, message, line
    trap_line "$1" 1 "{\"id\":$2,\"error\":\"$3\"}" "$4"
}
for id in 1e999 -1e-400 9007199254740993 123456789012345678901234567890 1.0 -0 '"a\u0000b"' '"\ud83d\ude00"' '"é"' '[{"a":[1e400]}]'; do
    same_id "$id"
done
trap_line "blanks in an id" 0 "{\"id\":{\"a b\":[1,2]},$reply}" "{\"id\": { \"a b\" : [1, 2]\t} ,$slopes}"
trap_line "a byte order mark and CR LF" 0 "{\"id\":5,$reply}" "\\357\\273\\277{\"id\":5,$slopes}\r"
there="cannot stand there"
broken "an id that is no UTF-8" null "not valid JSON, line 1, column 9: byte 0xff $there" "{\"id\":\"a\\377b\",$slopes}"
broken "half a surrogate" null "not valid JSON, line 1, column 8, at '\\\\ud800\\\",\\\"encoding\\\":\\\"ali'" "{\"id\":\"\\\\ud800\",$slopes}"
broken "what is no UTF-8 elsewhere" 5 "not valid JSON, line 1, column 14: byte 0xc3 $there" "{\"id\":5,\"x\":\"\\303\",$slopes}"
broken "a line of NULs" null "not valid JSON, line 1, column 1: byte 0x00 $there" '\0\0\0\0'
broken "a NUL among the keys" 5 "not valid JSON, line 1, column 9: byte 0x00 $there" "{\"id\":5,\\0$slopes}"
broken "a list that is cut" null "not valid JSON, line 1, column 4: the text ends too early" '[1,2'
broken "one bracket" null "not valid JSON, line 1, column 1: the text ends too early" '['
broken "10 000 brackets" null "line 1, column 201: more than 200 levels deep" "$(printf '%10000s' '' | tr ' ' '[')"
broken "an object that is cut" '{"a":1}' "not valid JSON, line 1, column 14: the text ends too early" '{"id":{"a":1},'
broken "an id that is cut" null "not valid JSON, line 1, column 9: the text ends too early" '{"id":123'
broken "a comma too many" 5 "not valid JSON, line 1, column 71: a comma stands before '}'" "{\"id\":5,$slopes,}"
broken "two objects" 5 "not valid JSON, line 1, column 9, at '{}'" '{"id":5}{}'
for number in 0x10 010 NaN -Infinity 1. .5 +1; do
    out=$(ask "{\"id\":5,\"encoding\":\"alibi\",\"output\":\"slopes\",\"params\":{\"num_heads\":$number}}")
    holds "$number is no number" '{"id":5,"error":"not valid JSON, line 1, column 6' "$out"
done
twice='stands there twice; write it once'
broken "an id twice" null "\\\"id\\\" $twice" "{\"id\":1,\"id\":2,$slopes}"
broken "a parameter twice" 1 "\\\"params.num_heads\\\" $twice" "{\"id\":1,\"params\":{\"num_heads\":2,\"num_heads\":4}}"
broken "a parameter twice, once escaped" 1 "\\\"params.num_heads\\\" $twice" "{\"id\":1,\"params\":{\"num_heads\":2,\"num\\\\u005fheads\":4}}"
broken "an input twice" 1 "\\\"inputs.x\\\" $twice" "{\"id\":1,\"inputs\":{\"x\":[1],\"x\":[2]}}"
holds "a name with a NUL is not the name before it" "there is no encoding 'alibi?x'" "$(ask '{"encoding":"alibi\u0000x","output":"slopes"}')"
check "a misspelt key is named" "{\"id\":1,$reply,\"ignored\":[\"positons\"]}" "$(ask "{\"id\":1,$slopes,\"positons\":[1],\"note\":\"x\"}")"
wrong_type() {          # name, message, encoding, output, params
    check "$1" "{\"id\":null,\"error\":\"$2\"}" "$(ask "{\"encoding\":\"$3\",\"output\":\"$4\",\"params\":{$5},\"positions\":[0,1],\"inputs\":{\"x\":[[1,2],[3,4]]}}")"
}
wrong_type "a text where a number must be" "head: must be a number" rope rotated '"head_dim":2,"head":"1"'
wrong_type "a number where a text must be" "side: must be a text" rope rotated '"head_dim":2,"side":1'
wrong_type "true is no number of heads" "num_heads: must be a number" alibi slopes '"num_heads":true'
wrong_type "true is no base" "rope_theta: must be a number" rope inv_freq '"head_dim":2,"rope_theta":true'
wrong_type "a number where a list must be" "pairs: must be a list of numbers" rope cos_sin '"head_dim":2,"pairs":0'
holds "a seed beyond the largest" "seed = 1e+12: must be a whole number from 0 to 1000000000" "$(ask '{"encoding":"alibi","output":"attention","params":{"length":2,"num_heads":1,"head_dim":2,"seed":1e12}}')"
holds "a number for a choice is repeated as given" "rope_type = 1048577: allowed are" "$(ask '{"encoding":"rope","output":"cos","params":{"head_dim":2,"rope_type":1048577},"positions":[1]}')"
holds "a position that no double holds" "positions: 9007199254740992 is beyond 2^53" "$(ask '{"encoding":"rope","output":"cos","params":{"head_dim":2},"positions":[9007199254740993]}')"
wrong_type "a width that follows from others" "num_heads = 3, head_dim = 5: d_model = 15: must be even, half sines and half cosines" transformer_xl bias '"num_heads":3,"head_dim":5'
wrong_type "a head that follows from the model's width" "hidden_size = 6, num_heads = 2: head_dim = 3: must be even" xpos rotated '"num_heads":2,"hidden_size":6'
holds "the line is that of the file" "not valid JSON, line 4, column 1," "$(ask "" "{\"id\":1,$slopes}" "" "x")"
long=$(printf '%1000000s' '' | tr ' ' a)
holds "a long name leaves room for what is allowed" "there are nope, sinusoidal" "$(printf '{"id":5,"encoding":"%s","output":"x"}' "$long" | "$posviz" --lang en compute)"
check "a long id" "{\"id\":\"$long\",$reply}" "$(printf '{"id":"%s",%s}' "$long" "$slopes" | "$posviz" compute)"
check "an array over lines, then lines" "{\"id\":{\"a\":1},$reply}
{\"id\":2,$reply}
{\"id\":3,$reply}" "$(ask '[' "{\"id\":{\"a\":" "1}, $slopes}," "{\"id\":2,$slopes}" "]" "{\"id\":3,$slopes}")"

# Replies leave before the next request comes: a program may talk through two pipes.
dir=$(mktemp -d)
mkfifo "$dir/in" "$dir/out"
"$posviz" compute <"$dir/in" >"$dir/out" &
exec 3>"$dir/in" 4<"$dir/out"
echo "{\"id\":1,$slopes}" >&3
read -r first <&4
echo "{\"id\":2,$slopes}" >&3
read -r second <&4
exec 3>&- 4<&-
wait
rm -r "$dir"
check "replies leave at once" "{\"id\":1,$reply} {\"id\":2,$reply}" "$first $second"

holds "--help names the verbs" "posviz compute [FILE]" "$("$posviz" --lang en --help)"
holds "a verb's --help names its options" "--json" "$("$posviz" list --lang en --help)"
version=$("$posviz" --lang en --version)
for fact in "posviz " "compiler " "BLAS " "terminal   ncurses " "pictures "; do
    holds "--version: $fact" "$fact" "$version"
done
"$posviz" --lang xx --help >/dev/null 2>&1; check "status 2 for an unknown language" 2 $?
holds "list encodings" "alibi" "$("$posviz" list encodings)"
holds "list encodings --json" '"aliases"' "$("$posviz" list encodings --json)"
for list in encodings views presets tours colormaps; do
    "$posviz" list $list >/dev/null && "$posviz" list $list --json >/dev/null
    check "list $list" 0 $?
done
"$posviz" list nothing >/dev/null 2>&1; check "status 2 for an unknown list" 2 $?
plan
