#!/bin/sh
# `posviz diff` from outside. If it fails, a script that asks whether two files agree gets the wrong exit status, or no answer.
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
n=0
ok() { n=$((n + 1)); if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
same() { [ "$1" = "$2" ]; ok $? "$3"; }

config() { # NAME, further keys
    printf '{"model_type":"llama","hidden_size":4096,"num_attention_heads":32,"num_hidden_layers":4,"max_position_embeddings":8192%s}\n' "$2" > "$tmp/$1"
}
config a.json ',"rope_theta":500000'
config b.json ',"rope_theta":500000.0'
config c.json ',"rope_theta":10000'
echo 'not json' > "$tmp/d.json"

"$POSVIZ" diff "$tmp/a.json" "$tmp/b.json" > "$tmp/out" 2> "$tmp/err"
same $? 0 "equal files end with status 0"
grep -q '^Equal' "$tmp/out"; ok $? "and it says so"
"$POSVIZ" diff "$tmp/a.json" "$tmp/c.json" > "$tmp/out" 2> "$tmp/err"
same $? 1 "different files end with status 1"
grep -q '^base  *500000  *10000' "$tmp/out"; ok $? "the field is listed with both values"
grep -q '^Cosine of the two rotations' "$tmp/out"; ok $? "and how far the rotations part"
"$POSVIZ" diff "$tmp/a.json" "$tmp/d.json" > "$tmp/out" 2> "$tmp/err"
same $? 2 "an unreadable file ends with status 2"
[ ! -s "$tmp/out" ] && grep -q 'd.json' "$tmp/err"; ok $? "and is named on stderr alone"
sed 's/"sliding_window": *[0-9]*/"sliding_window": 77/' tests/cases/configs/gemma-3-1b.json > "$tmp/window.json"
"$POSVIZ" --lang en diff tests/cases/configs/gemma-3-1b.json "$tmp/window.json" > "$tmp/out"
grep -qx 'sliding_window  *512  *77  *layers 0-4, 6-10, 12-16, 18-22, 24-25' "$tmp/out"; ok $? "what differs in some layers is said with their numbers"
"$POSVIZ" diff "$tmp/a.json" > "$tmp/out" 2> "$tmp/err"
same $? 2 "one file is wrong usage"
"$POSVIZ" diff "$tmp/a.json" "$tmp/c.json" --tolerance 2 > "$tmp/out" 2> "$tmp/err"
same $? 2 "a tolerance above 1 is refused"
"$POSVIZ" diff --json "$tmp/a.json" "$tmp/c.json" > "$tmp/out" 2> "$tmp/err"
same $? 1 "--json has the same status"
same "$(wc -l < "$tmp/out" | tr -d ' ')" 1 "--json is one line"
grep -q '^{"schema":1,"a":".*"equal":false,"differences":\[{"field":"base","a":500000,"b":10000,"layer":null}' "$tmp/out"; ok $? "with the agreed fields"
"$POSVIZ" diff --lang zh "$tmp/a.json" "$tmp/c.json" | LC_ALL=C grep -q '[^ -~]'; ok $? "--lang zh answers in Chinese"
same "$("$POSVIZ" diff --json "$tmp/a.json" - < "$tmp/b.json" | sed 's/.*"equal":\([a-z]*\).*/\1/')" true "- is standard input"
# The numbers of the text by their formulas: base 10 000 against 1 000 000 at width 128, pair k turns by base^(-k/64) a token.
"$POSVIZ" diff --lang en tests/cases/configs/llama-2-7b.json tests/cases/configs/codellama-7b.json > "$tmp/out"
grep -qx 'Pairs that differ: 63 of 64 (layer 0, in a text of 4096 tokens)' "$tmp/out"; ok $? "the text counts the pairs, and names layer and length"
same "$(awk 'function near(x, y) { return (x / y - 1) ^ 2 < 36e-12 }
    /^pair /, /^$/ { if (NF == 4 && $1 ~ /^[0-9]+$/) n += near($2, 8 * atan2(1, 1) * 10000 ^ ($1 / 64)) && near($3, 8 * atan2(1, 1) * 1000000 ^ ($1 / 64)) && near($4, 100 ^ (-$1 / 64)) }
    END { print n }' "$tmp/out")" 8 "wavelengths of both and the speed of one by the other"
same "$(awk '/^Cosine/ { on = 1; next }
    on && NF >= 2 { sum = 0; for (k = 0; k < 64; k++) sum += cos($1 * (10000 ^ (-k / 64) - 1000000 ^ (-k / 64))) / 64
        marks = int((sum > 0 ? sum : 0) * 40 + 0.5); lines++; n += ($2 - sum) ^ 2 < 36e-10 && (length($3) - marks) ^ 2 <= 1 }
    END { print lines - n, (lines > 10) }' "$tmp/out")" "0 1" "cosines of the two rotations, and bars of their length"
echo "1..$n"
