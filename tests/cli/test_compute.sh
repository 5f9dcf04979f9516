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
holds "a broken line says where" '{"id":null,"error":"not valid JSON, line 1, column ' "$out"
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
check "integers are written as such" '{"id":null,"shape":[4],"values":[0,2,1,3]}' \
    "$(ask '{"encoding":"gguf_permute","output":"source_row","params":{"num_heads":1,"head_dim":4}}')"
check "numbers read back equal" '{"id":null,"shape":[1],"values":[0.09090909090909091]}' \
    "$(ask '{"encoding":"rope","output":"inv_freq","params":{"head_dim":2,"rope_type":"linear","factor":11}}')"

ask "{$slopes}" >/dev/null; check "status 0 when all were answered" 0 $?
ask "{$slopes}" x >/dev/null; check "status 1 when one was not" 1 $?
"$posviz" compute /nonexistent >/dev/null 2>&1; check "status 2 without the file" 2 $?
"$posviz" compute --nonsense >/dev/null 2>&1; check "status 2 for an unknown option" 2 $?
ask "{$slopes}" >/dev/full 2>/dev/null; check "status 2 when the output is full" 2 $?
holds "messages in Chinese" "num_heads" "$(printf '{"encoding":"alibi","output":"slopes","params":{"num_heads":0}}' | "$posviz" compute --lang zh)"

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
