#!/bin/sh
# `posviz model` from outside. If it fails, a broken model file passes a CI run (or a right one does not), a hostile name reaches the
# terminal, or scripts cannot read the answer.
. tests/support/tap.sh
cases=tests/cases
status() { "$posviz" --lang en model "$@" >"$dir/out" 2>"$dir/err"; echo $?; }

# exit status
check "a right file is 0" 0 "$(status $cases/configs/llama-3.1-8b.json)"
check "a note is 0" 0 "$(status --strict $cases/bad/legacy_type_key.json)"
check "a warning is 0" 0 "$(status $cases/bad/yarn_without_original.json)"
check "a warning under --strict is 1" 1 "$(status --strict $cases/bad/yarn_without_original.json)"
check "an error is 1" 1 "$(status $cases/bad/odd_head_dim.json)"
check "an error among right files is 1" 1 "$(status $cases/configs/gpt2.json $cases/bad/odd_head_dim.json $cases/configs/phi-2.json)"
check "no such file is 2" 2 "$(status "$dir/nothing.json")"
holds "and says so on stderr" "nothing.json: cannot be opened" "$(cat "$dir/err")"
check "nothing on stdout then" "" "$(cat "$dir/out")"
check "text that is no JSON is 2" 2 "$(status $cases/bad/trailing_comma.json)"
holds "with its line" "trailing_comma.json: not valid JSON, line 6" "$(cat "$dir/err")"
check "a pointer file is 2" 2 "$(status $cases/bad/lfs_pointer.json)"
holds "called by its name" "Git LFS pointer" "$(cat "$dir/err")"
check "no file named is 2" 2 "$(status)"
check "a wrong option is 2" 2 "$(status --wrong)"
check "a wrong target is 2" 2 "$(status --target many $cases/configs/gpt2.json)"
check "a wrong edit is 2" 2 "$(status -s rope_theta $cases/configs/gpt2.json)"
check "an unreadable one does not stop the next" 2 "$(status "$dir/nothing.json" $cases/configs/gpt2.json)"
holds "which is shown" gpt2.json "$(cat "$dir/out")"

# the report
"$posviz" --lang en model $cases/configs/gpt-oss-20b.json >"$dir/out"
holds "facts with their origin" "base                  150000                    rope_theta" "$(cat "$dir/out")"
holds "the window of some layers" "sliding 128       0, 2, ..., 22" "$(cat "$dir/out")"
check "no line is wider than 100 cells" 0 "$(awk 'length > 100' "$dir/out" | wc -l | tr -d ' ')"
check "no blanks at the end of a line" 0 "$(grep -c ' $' "$dir/out")"
"$posviz" --lang en model $cases/bad/factor_below_one.json >"$dir/out"
holds "a finding has file, line and column" "$cases/bad/factor_below_one.json:12:15: error [factor-below-one]" "$(cat "$dir/out")"
"$posviz" --lang zh model $cases/bad/factor_below_one.json >"$dir/zh"
holds "in Chinese too" "小于 1" "$(cat "$dir/zh")"

# several files
"$posviz" --lang en model $cases/configs/llama-2-7b.json $cases/bad/odd_head_dim.json >"$dir/out"
check "a table has a head and a row a file" "file llama rope odd_head_dim.json" \
    "$(awk 'NR == 1 { printf "%s", $1 } NR == 2 { printf " %s %s", $2, $3 } NR == 3 { sub(".*/", "", $1); printf " %s", $1 }' "$dir/out")"
"$posviz" --lang en model $cases/bad/both_type_keys_conflict.json $cases/bad/no_rope_layers_as_indices.json >"$dir/wide"
holds "a name of many letters is whole" "$cases/bad/both_type_keys_conflict.json    llama " "$(cat "$dir/wide")"
check "and columns stand below their heads" 1 "$(awk 'NR <= 3 { print index($0, NR == 1 ? "model" : NR == 2 ? "llama" : "smollm3") }' "$dir/wide" | sort -u | wc -l | tr -d ' ')"
deep=$dir/a-folder-of-many-letters/another-folder-of-many-letters/and-one-more-of-them
mkdir -p "$deep" && cp $cases/configs/gpt2.json "$deep/config.json"
holds "of one longer still the end stands behind a mark" "..." "$("$posviz" model "$deep/config.json" $cases/configs/gpt2.json | grep -F 'and-one-more-of-them/config.json  gpt2')"
holds "with findings below" "odd_head_dim.json:4:18: error [odd-rotary-dim]" "$(cat "$dir/out")"

# JSON
"$posviz" model --json $cases/configs/gpt2.json $cases/bad/trailing_comma.json $cases/configs/mpt-7b.json >"$dir/out" 2>"$dir/err"
check "one JSON object a line" 3 "$(grep -c '^{"schema":1,"file":' "$dir/out")"
check "an unreadable file has one too, and nothing on stderr" "" "$(cat "$dir/err")"
holds "with the place" '"code":"not-json","field":"","line":6' "$(sed -n 2p "$dir/out")"

# a folder, standard input, edits
mkdir "$dir/model" && cp $cases/configs/gpt2.json "$dir/model/config.json"
check "a folder stands for its config.json" 0 "$(status "$dir/model")"
check "a folder without one is 2" 2 "$(status $cases)"
check "standard input" 0 "$(status - <$cases/configs/gpt2.json)"
"$posviz" --lang en model -s rope_theta=1000000 -s max_position_embeddings=32768 $cases/configs/llama-2-7b.json >"$dir/out"
holds "an edit is marked" "1000000                   rope_theta (changed by you)" "$(cat "$dir/out")"
holds "and noted" "Values changed by you before reading: 2." "$(cat "$dir/out")"

# a longer context
"$posviz" --lang en model --target 131072 $cases/configs/qwen2.5-7b.json >"$dir/out"
holds "a length that is reached needs nothing" "reaches 131072 already" "$(cat "$dir/out")"
"$posviz" --lang en model --target 16384 $cases/configs/llama-2-7b.json >"$dir/out"
holds "YaRN for transformers 5" '"rope_parameters": {"rope_type":"yarn","factor":4,"original_max_position_embeddings":4096,"rope_theta":10000}' "$(cat "$dir/out")"
holds "and for llama.cpp" "-c 16384 --rope-scaling yarn --rope-scale 4 --yarn-orig-ctx 4096" "$(cat "$dir/out")"
check "as JSON" 5 "$("$posviz" model --json --target 16384 $cases/configs/llama-2-7b.json | grep -o '"method":' | wc -l | tr -d ' ')"

# what must never reach a terminal
controls() { LC_ALL=C tr -d '\n\t' | LC_ALL=C tr -cd '\000-\037\177' | wc -c | tr -d ' '; }
check "control characters of names are replaced" 0 "$("$posviz" model $cases/bad/escape_codes_in_names.json 2>&1 | controls)"
check "in JSON too" 0 "$("$posviz" model --json $cases/bad/escape_codes_in_names.json 2>&1 | controls)"
printf '{"model_type": "x\\u001b]0;t\\u0007\\u009b5n", "rope_theta": 1, "rope_scaling": {"type": "\\u001b[2J", "\\u001b[31m": 1}}' >"$dir/evil.json"
check "in values, keys and findings" 0 "$("$posviz" model "$dir/evil.json" 2>&1 | controls)"
check "not even as C1 in UTF-8" 0 "$("$posviz" model "$dir/evil.json" 2>&1 | LC_ALL=C grep -c "$(printf '\302\233')")"
cp "$dir/evil.json" "$dir/$(printf 'a\033[2Jb').json"
check "in the name of the file" 0 "$("$posviz" model "$dir"/a*b.json 2>&1 | controls)"

# sizes that are refused
head -c 20000000 /dev/zero | tr '\0' ' ' >"$dir/large.json"
check "a file beyond the limit is 2" 2 "$(status "$dir/large.json")"
holds "and says how much is allowed" "is larger than the 16777216 bytes" "$(cat "$dir/err")"

# a file whose values cannot be used has an encoding all the same
for file in theta_as_string theta_overflow odd_head_dim partial_above_one t5_distance_too_small; do
    check "$file: layers are not said to have no encoding" "" "$("$posviz" --lang en model tests/cases/bad/$file.json | grep 'no position encoding')"
    holds "$file: nor shown as if" "cannot be computed" "$("$posviz" --lang en decay -m tests/cases/bad/$file.json </dev/null)"
done
printf '%s' '{"model_type":"mllama_text_model","num_hidden_layers":6,"cross_attention_layers":[1,3.5,-1,99]}' >"$dir/across.json"
holds "half a layer in a list is none" "global 5 rope 500000 causal 0, 2-5" "$("$posviz" --lang en model "$dir/across.json" | tr -s ' ')"
holds "layers that turn nothing are" "no position encoding" "$("$posviz" --lang en model tests/cases/bad/no_rope_layers_as_indices.json)"

# parts of a composite beside the usual ones
printf '%s' '{"model_type":"llama4_text","num_hidden_layers":2,"attention_chunk_size":null,"layer_types":["chunked_attention","full_attention"]}' >"$dir/chunk.json"
out=$("$posviz" model --lang en "$dir/chunk.json")
holds "a chunk without a length is said" "no attention_chunk_size says how long" "$out"
clean "and no length is made of it" "$(echo "$out" | grep -w nan)"
part='"model_type":"t5_gemma_module","num_hidden_layers":2,"sliding_window":128,"layer_types":["sliding_attention","full_attention"]'
printf '%s' '{"model_type":"t5gemma","encoder":{'"$part"'},"decoder":{'"$part"'}}' >"$dir/both.json"
out=$("$posviz" model --lang en "$dir/both.json" | tr -s ' ')
holds "a decoder's layers see what came before" "local 1 rope 10000 sliding 128 " "$out"
holds "its encoder's both sides" "encoder 1 rope 10000 none" "$out"
holds "and as far to each as the window" "encoder 1 rope 10000 window 127 a side" "$out"
printf '%s' '{"model_type":"openai_privacy_filter","num_hidden_layers":2,"sliding_window":16}' >"$dir/filter.json"
holds "where the window counts neighbours, all of them to each" "rope 150000 window 16 a side" "$("$posviz" model --lang en "$dir/filter.json" | tr -s ' ')"
holds "and says so in Chinese" "rope 150000 window 每侧 16" "$("$posviz" model --lang zh "$dir/filter.json" | tr -s ' ')"
printf '%s' '{"model_type":"qwen2_5_omni","thinker_config":{"text_config":{"model_type":"qwen2_5_omni_text","num_hidden_layers":2}},"talker_config":{"model_type":"qwen2_5_omni_talker","hidden_size":896,"num_attention_heads":14,"num_hidden_layers":24}}' >"$dir/talker.json"
out=$("$posviz" model --lang en "$dir/talker.json" | tr -s ' ')
holds "a part has a section of its own" "hidden_size 896 talker_config.hidden_size" "$out"
holds "whose facts come from its own keys" " rotary_dim 64 talker_config.hidden_size / talker_config.num_attention_heads" "$(echo "$out" | tr -s ' \n' ' ')"
check "and no empty line among the facts" "" "$(echo "$out" | grep '^ talker *$')"

# layers in the reports: 26 in a pattern of 6, of which every sixth sees all; a decoder beside T5's encoder
out=$("$posviz" model --lang en --markdown $cases/configs/gemma-3-1b.json)
holds "Markdown names the kinds of layers" "- global: 4 layers; rope; causal" "$out"
holds "and counts them" "- local: 22 layers; rope; sliding" "$out"
out=$("$posviz" model --lang en --markdown $cases/configs/t5-small.json)
holds "another stack's layers are counted too" "- decoder: 6 layers; t5_bias; causal" "$out"
out=$("$posviz" model --lang en $cases/configs/t5-small.json)
holds "distances of one bucket stand together" "-15..-12: 9, -8: 8, -7: 7" "$out"
holds "and so do those beyond the last" "96..1000: 31" "$out"
out=$("$posviz" model --lang en $cases/configs/whisper-tiny.json | tr -s ' ')
holds "a window of both sides, 128 in all, is 64 on each" "local 14 rope 10000 window 64 a side" "$("$posviz" model $cases/configs/modernbert-base.json | tr -s ' ')"
holds "a decoder has a section of its own" "trained_context 448 max_target_positions" "$out"
out=$("$posviz" model --lang zh $cases/bad/yarn_factor_vs_ratio.json)
check "Chinese, which has no blanks, is wrapped too" 0 "$(printf '%s\n' "$out" | LC_ALL=C.UTF-8 wc -L | awk '{ print ($1 > 100) }')"
# a key that is missing is named as the family spells it, not as the first of all the spellings
sed '/"rope_theta"/d' $cases/configs/qwen3-0.6b.json >"$dir/lost.json"
holds "a lost base is named rope_theta" "warning base-missing rope_theta" "$("$posviz" model --plain "$dir/lost.json")"
sed '/"rotary_emb_base"/d; s/2048/65536/' $cases/configs/pythia-14m.json >"$dir/neox.json"
holds "or as GPT-NeoX spells it" "base-missing rotary_emb_base" "$("$posviz" model --plain "$dir/neox.json")"
many() { for i in $(seq 200); do printf -- '%s ' "$@"; done; }
check "edits have a limit" 2 "$(status $(many -s rope_theta=1) $cases/configs/gpt2.json)"
holds "which is said" "-s can be given at most" "$(cat "$dir/err")"
check "so have codes to ignore" 2 "$(status $(many --ignore no-rope) $cases/configs/gpt2.json)"

# the layers of a kind: all of a few, the first, the second and the last of many in equal steps, runs of the rest
layers() { "$posviz" --lang en model "$cases/configs/$1.json" | sed -n "s/^  $2 .*$3  *//p"; }    # file, kind, mask
check "four layers in equal steps" "5, 11, 17, 23" "$(layers gemma-3-1b global causal)"
check "runs between them" "0-4, 6-10, 12-16, 18-22, 24-25" "$(layers gemma-3-1b local 'sliding 512')"
check "twelve in equal steps" "1, 3, ..., 23" "$(layers gpt-oss-20b global causal)"
check "from the first on" "0, 2, ..., 22" "$(layers gpt-oss-20b local 'sliding 128')"

# What a target's text says of each method, by the formulas: width 128, base 10 000, 4 096 to 16 384 tokens. Pairs are counted in the paper's own words.
text=$("$posviz" --lang en model --target 16384 $cases/configs/llama-2-7b.json | tr -s ' \n' ' ')
holds "YaRN in numbers" "Pairs: 21 kept, 25 blended, 18 divided; attention factor 1.13863." "$text"
holds "the base at the target" "Base at the target: $(awk 'BEGIN { printf "%.10g", 10000 * (4 * 4 - 3) ^ (128 / 126) }')." "$text"
check "llama3 in numbers" "$(awk 'BEGIN { pi = 4 * atan2(1, 1)
    for (k = 0; k < 64; k++) {
        w[k] = 10000 ^ (-k / 64); wave = 2 * pi / w[k]; g = (4096 / wave - 1) / 3
        v[k] = g > 1 ? w[k] : g < 0 ? w[k] / 4 : (1 - g) * w[k] / 4 + g * w[k]
        if (g > 1) kept++; else if (g < 0) divided++; else blended++
    }
    printf "Pairs: %d kept, %d blended, %d divided; attention factor 1. Agreement with training in short text:", kept, blended, divided
    for (d = 1; d <= 4096; d *= 16) {
        for (sum = k = 0; k < 64; k++) sum += cos(d * (w[k] - v[k])) / 64
        printf "%s %.4f at distance %d", (d > 1 ? ";" : ""), sum, d
    } }')" "$(echo "$text" | sed 's/.* llama3 \(Pairs: [^.]*\. Agreement.*\)/\1/; s/\(at distance 4096\).*/\1/')"

# The table of several files counts findings as their JSON does.
for f in $cases/bad/factor_below_one.json $cases/bad/both_type_keys_conflict.json $cases/bad/escape_codes_in_names.json; do
    json=$("$posviz" --lang en model --json $f) row=
    for s in error warning note; do
        k=$(echo "$json" | grep -o "\"severity\": *\"$s\"" | wc -l | tr -d ' ')
        [ "$k" -eq 0 ] || row="$row${row:+, }$k $(echo $s | cut -c1)"
    done
    check "findings of $(basename $f) in the table" "$row" "$("$posviz" --lang en model $cases/configs/gpt2.json $f | sed -n "s|^$f .*  ||p")"
done

plan
