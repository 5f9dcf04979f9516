#!/bin/sh
# Model files in binary formats, from outside: their tables are what the views show, and a folder is a model. If it fails, pictures of a
# model's learned table show made-up numbers.
. tests/support/tap.sh

u() { # BYTES NUMBER...: little-endian
    bytes=$1
    shift
    for x in "$@"; do
        i=0
        while [ "$i" -lt "$bytes" ]; do
            printf "\\$(printf %03o $((x & 255)))"
            x=$((x >> 8)) i=$((i + 1))
        done
    done
}
text() { u 8 ${#1}; printf %s "$1"; }
count() { text "$1"; u 4 4 "$2"; }
ones() { k=0; while [ "$k" -lt "$1" ]; do u 4 $((0x3f800000)); k=$((k + 1)); done; }   # float32 1.0

# GPT-2 with 4 positions of width 4, whose rows are all ones
header='{"wpe.weight":{"dtype":"F32","shape":[4,4],"data_offsets":[0,64]}}'
mkdir "$dir/gpt2"
{ u 8 ${#header}; printf %s "$header"; ones 16; } >"$dir/gpt2/model.safetensors"
echo '{"model_type":"gpt2","n_positions":4,"n_embd":4,"n_head":2,"n_layer":1}' >"$dir/gpt2/config.json"
{
    printf GGUF
    u 4 3
    u 8 1 5
    text general.architecture
    u 4 8
    text gpt2
    count gpt2.context_length 4
    count gpt2.embedding_length 4
    count gpt2.block_count 1
    count gpt2.attention.head_count 2
    text position_embd.weight
    u 4 2
    u 8 4 4
    u 4 0
    u 8 0
} >"$dir/head"
size=$(wc -c <"$dir/head")
{ cat "$dir/head"; k=$size; while [ $((k % 32)) -ne 0 ]; do u 1 0; k=$((k + 1)); done; ones 16; } >"$dir/gpt2.gguf"

for file in "$dir/gpt2" "$dir/gpt2/model.safetensors" "$dir/gpt2.gguf"; do
    name=${file##*/}
    "$posviz" model "$file" >"$dir/out" 2>&1
    check "$name is read" 0 $?
    "$posviz" render table -m "$file" -o "$dir/t.csv" --force 2>"$dir/err"
    check "the table of $name is the file's" "position,channel,value 0,0,1 0,1,1" "$(head -3 "$dir/t.csv" | tr '\r\n' '  ' | tr -s ' ' | sed 's/ $//')"
    "$posviz" render similarity -m "$file" -o "$dir/t.csv" --force 2>"$dir/err"
    check "and so are its products" "0,1,4" "$(sed -n 3p "$dir/t.csv" | tr -d '\r')"
done
cp "$dir/gpt2.gguf" "$dir/gpt2/"
check "a folder whose files agree says nothing" "[]" "$("$posviz" model --json "$dir/gpt2" | sed 's/.*"findings":\(\[.*\]\).*/\1/')"
"$posviz" diff "$dir/gpt2/config.json" "$dir/gpt2.gguf" >/dev/null
check "diff finds them equal" 0 $?
sed -i 's/"n_positions":4/"n_positions":8/' "$dir/gpt2/config.json"
"$posviz" model "$dir/gpt2" >"$dir/out" 2>&1
check "disagreeing files are a warning" 1 "$("$posviz" model --strict "$dir/gpt2" >"$dir/out" 2>&1; echo $?)"
check "which names both" 1 "$(grep -c 'config.json says 8, gpt2.gguf says 4' "$dir/out" | sed 's/^[1-9][0-9]*$/1/')"
mkdir "$dir/empty"
"$posviz" model "$dir/empty" >/dev/null 2>"$dir/err"
check "a folder without a model is 2" 2 $?
plan
