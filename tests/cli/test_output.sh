#!/bin/sh
# What leaves the program by every verb: names from files never command the reader's terminal or his CI, a reader may go away, standard streams may
# be closed, and the locale changes no data. If this fails, a model file writes on the screen of whoever looks at it, or a script that works in one
# shell breaks in another.
. tests/support/tap.sh
cases=$PWD/tests/cases
cd "$dir" || exit 1
cp "$cases/configs/gpt2.json" gpt2.json
escape=$(printf '\033')

# ---- names that want to command ----
# Control characters but tab and newline, those of C1 in UTF-8, and what turns the direction of writing round.
commands() {
    LC_ALL=C awk '{
        gsub(/\t/, "")
        if ($0 ~ /[\001-\037\177]/ || $0 ~ /\302[\200-\237]/ || $0 ~ /\342\200[\252-\256]/ || $0 ~ /\342\201[\246-\251]/) print }' | cat -v | head -2
}
cat >evil.json <<'END'
{ "architectures": ["Llama\u001b]0;changed\u0007ForCausalLM"], "model_type": "lla\u001b[31mma\u009b5n\n::error file=x::y", "_name_or_path": "d\u001b[2J",
  "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32, "max_position_embeddings": 2048,
  "rope_scaling": {"rope_type": "ya\u001b[2Jrn\n::error::z", "factor\u001b[5n": 4}, "rope_theta\u001b[1m": 5, "rope\u202eevil": 1 }
END
strange="s${escape}[31m
::error::t.json"
cp evil.json "$strange"
for format in text json plain markdown github sarif junit; do
    clean "model --format $format replaces them" "$("$posviz" model --format $format evil.json "$strange" 2>&1 | commands)"
done
clean "a name makes no annotation of its own" "$("$posviz" model --format github evil.json "$strange" | grep -vE '^::(error|warning|notice) file=')"
clean "diff replaces them" "$("$posviz" diff evil.json "$strange" 2>&1 | commands)"
clean "diff --json too" "$("$posviz" diff --json evil.json gpt2.json 2>&1 | commands)"
for format in txt svg json csv; do
    "$posviz" render spectrum -m evil.json -o "e.$format" 2>err
    clean "a figure as $format holds none" "$(cat "e.$format" err | commands)"
done
"$posviz" render spectrum -m evil.json -o e.ansi 2>err
clean "a figure as ansi holds colours and nothing else" "$(sed "s/$escape\[[0-9;]*m//g" e.ansi | commands)"
clean "compute replaces them" "$(echo '{"id":"\u001b[31m","encoding":"\u001b[31mx\u009b","output":"\u202ey"}' | "$posviz" compute | commands)"
clean "the view without a terminal too" "$("$posviz" model -m evil.json </dev/null 2>&1 | commands; "$posviz" spectrum -m "$strange" </dev/null 2>&1 | commands)"
for words in "" "model" "explain" "schema" "generate" "tour" "list" "bench" "compute" "wizard" "wizard --answer" "render" "diff gpt2.json" "models" \
    "-e" "-p" "-s" "-m" "--theme" "--colormap" "--size" "--color" "--threads" "render similarity -o" "render similarity -e" "model --format" \
    "model --ignore" "tour --step" "tour --check" "wizard --from"; do
    # shellcheck disable=SC2086
    clean "a message about what was typed: $words" "$("$posviz" $words "x${escape}[31m$(printf '\302\233')5n" </dev/null 2>&1 | commands)"
done

# ---- readers that go away, streams that are closed ----
# Every verb with enough to say.
verbs() {
    cat <<END
--help
--version
list presets
list encodings --json
model gpt2.json
model --json gpt2.json
diff gpt2.json $cases/configs/llama-2-7b.json
explain
explain factor-below-one
schema model
generate man
generate complete-zsh
wizard --json
wizard --markdown
tour
tour 01-order
models
similarity
bench --help
END
}
verbs >verbs
while read -r words; do
    # shellcheck disable=SC2086
    { timeout 60 "$posviz" $words </dev/null 2>err; echo $? >status; } | head -1 >first
    # shellcheck disable=SC2086
    check "| head -1 of '${words%% /*}': its first line, no complaint, no hang" "same 0 yes" \
        "$("$posviz" $words </dev/null 2>/dev/null | head -1 | cmp -s - first && echo same) $(grep -vc 'Broken pipe' err) \
$(case $(cat status) in 0 | 1 | 2 | 141) echo yes ;; *) cat status ;; esac)"
    # shellcheck disable=SC2086
    timeout 60 "$posviz" $words </dev/null >&- 2>err
    check "a closed standard output ends '${words%% /*}' with 2" "2" "$?"
done <verbs
"$posviz" render similarity -s n=16 -o open.json
"$posviz" render similarity -s n=16 -o closed.json <&- >&- 2>&-
check "a figure is the same with every stream closed" "$(sed 's/"file":"[^"]*"//' open.json | cksum)" "$(sed 's/"file":"[^"]*"//' closed.json | cksum)"
check "a report with standard input and error closed too" "$("$posviz" model --json gpt2.json | cksum)" "$("$posviz" model --json gpt2.json <&- 2>&- | cksum)"

# ---- locales ----
for locale in C POSIX zh_CN.GBK xx_YY de_DE.UTF-8; do
    check "LC_ALL=$locale changes no data" "$("$posviz" model --json gpt2.json | cksum)" "$(LC_ALL=$locale "$posviz" model --lang en --json gpt2.json | cksum)"
    LC_ALL=$locale "$posviz" render similarity --lang en -s n=16 -o "$locale.csv"
    check "nor figures" "$(cksum <C.csv)" "$(cksum <"$locale.csv")"
done
plan
