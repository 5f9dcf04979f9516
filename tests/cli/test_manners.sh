#!/bin/sh
# Small manners, from outside: help, silence where asked for, following a file, and no network. If it fails, a promise of the README is broken or a
# user waits for an answer that never comes.
. tests/support/tap.sh

# help
verbs=$("$posviz" --lang en --help | sed -n 's/^posviz \([a-z]*\) .*/\1/p' | sort -u)
long=
for verb in $verbs; do
    "$posviz" --lang en "$verb" -h >"$dir/out" 2>&1 || long="$long $verb:status"
    # the usage, then a line an option
    [ "$(grep -vc '^  --*[a-zA-Z]' "$dir/out")" = 1 ] || long="$long $verb"
    "$posviz" --lang en "$verb" --help >"$dir/help" && [ "$(wc -l <"$dir/help")" -gt "$(wc -l <"$dir/out")" ] || long="$long $verb:help"
done
check "-h is one line an option, in every verb" "" "$long"
"$posviz" -h --lang en >"$dir/out"
check "-h of the program too, and a line a verb" 0 "$(sed -n '2,$p' "$dir/out" | grep -Evc '^(  --?[a-zA-Z]|posviz )')"
check "and --help in full" yes "$("$posviz" --help >"$dir/help"; [ "$(wc -l <"$dir/help")" -gt "$(wc -l <"$dir/out")" ] && echo yes)"
check "--generate is the verb generate" "$("$posviz" generate complete-zsh | cksum)" "$("$posviz" --generate complete-zsh | cksum)"
check "and --generate=" "$("$posviz" generate man | cksum)" "$("$posviz" --generate=man | cksum)"

# silence
check "model -q prints nothing" "1 0" "$("$posviz" model -q tests/cases/bad/odd_head_dim.json >"$dir/out"; echo $? "$(wc -c <"$dir/out" | tr -d ' ')")"
check "so does diff -q" "1 0" "$("$posviz" diff -q tests/cases/configs/gpt2.json tests/cases/configs/llama-3.1-8b.json >"$dir/out"; echo $? "$(wc -c <"$dir/out" | tr -d ' ')")"
check "and is 0 for a right file" 0 "$("$posviz" model -q tests/cases/configs/gpt2.json; echo $?)"

# words that are no verb and no view
says() { "$posviz" --lang en "$@" 2>&1 >/dev/null </dev/null; }
check "a verb of one wrong letter" "posviz: there is no verb or view 'modle'; 'model' may be meant" "$(says modle config.json)"
check "a view of one letter too many" "posviz: there is no verb or view 'biass'; 'bias' may be meant" "$(says biass)"
holds "a file without -m" "is a file, no verb or view; \`posviz -m FILE\`" "$(says tests/cases/configs/gpt2.json)"
check "anything else" "posviz: there is no verb or view 'x?'; \`posviz --help\` lists the verbs, \`posviz list views\` the views" "$(says "$(printf 'x\033')")"
check "a parameter of another name is not near" "posviz: there is no parameter 'qqq' here" "$(says bias -e alibi -s qqq=3)"
holds "one of a wrong letter is" "there is no parameter 'hed' here; near it are head" "$(says bias -e alibi -s hed=3)"
holds "an encoding without a name" "there is no encoding ''; there are nope, " "$(says -e '')"
check "a list without a name" "posviz list: needs one of encodings, views, presets, tours, colormaps" "$(says list)"
check "a schema" "posviz schema: needs one of model" "$(says schema)"
holds "what to generate" "posviz generate: needs one of man, " "$(says generate)"
check "a second view" "posviz: 'decay': one view at a time, 'bias' is already chosen" "$(says bias decay)"
check "all with status 2" "2 2" "$(says modle >/dev/null; printf '%s ' $?; says zzz >/dev/null; echo $?)"

# -s in any order
spectrum() { "$posviz" spectrum -e rope "$@" 2>&1 </dev/null | cksum; }
check "a type may stand before its factor" "$(spectrum -s factor=4 -s rope_type=linear)" "$(spectrum -s rope_type=linear -s factor=4)"
check "and what needs two others before both" "$(spectrum -s factor=4 -s max_position_embeddings=2048 -s n=8192 -s rope_type=dynamic)" \
    "$(spectrum -s rope_type=dynamic -s n=8192 -s factor=4 -s max_position_embeddings=2048)"
check "of two values of a key the later one stands, whatever was refused at first" "$(spectrum -s factor=4)" \
    "$(spectrum -s rope_type=linear -s rope_type=default -s factor=4)"
check "what is missing is said" "posviz: rope_type linear needs factor" "$(says -e rope -s rope_type=linear -s n=64)"

# options
for verb in $verbs; do
    out=$(says "$verb" --nonsense)
    check "$verb has no other options" "2 posviz $verb: there is no option --nonsense; --help lists them" "$? $out"
done
often() { # words, 65 times
    for _ in 1 2 3 4 5; do for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13; do echo "$@"; done; done
}
# shellcheck disable=SC2046  # words
check "--ignore 65 times" "posviz model: --ignore can be given at most 64 times" "$(says model $(often --ignore cannot-open) tests/cases/configs/gpt2.json)"
# shellcheck disable=SC2046
check "an answer 65 times" "posviz wizard: branch=new: at most 64 of these can be given" "$(says wizard --json $(often --answer branch=new))"
for seconds in 0 -1 nan 3601 x ""; do
    check "a tour of '$seconds' seconds" "posviz tour: --play = $seconds: must be seconds, more than 0 and at most 3600" "$(says tour --play "$seconds")"
done
check "the wizard takes the options of the screen" 0 "$("$posviz" wizard --theme light --ambiguous 1 --no-mouse --large --json >/dev/null 2>&1; echo $?)"
holds "and refuses wrong values of them" "--ambiguous = 3" "$("$posviz" --lang en wizard --ambiguous 3 2>&1)"
holds "of the language too" "there is no language 'fr'; there are en, zh" "$("$posviz" --lang fr wizard 2>&1)"
holds "and none at all" "option --lang needs a value" "$(LC_ALL=C "$posviz" wizard --lang 2>&1)"
"$posviz" render model -m tests/cases/configs/llama-3.1-8b.json -o "$dir/llama.json"
holds "model --from=FIGURE is the view" "findings" "$("$posviz" --lang en model --from="$dir/llama.json" 2>&1)"
holds "model -m FILE is the view" "findings" "$("$posviz" --lang en model -m tests/cases/configs/llama-3.1-8b.json --theme light --size 120x40 2>&1)"
check "model FILE is the report" "$("$posviz" model tests/cases/configs/gpt2.json | cksum)" "$("$posviz" model -- tests/cases/configs/gpt2.json | cksum)"
mkdir -p "$dir/home/posviz"
printf -- '# mine\n--theme foo\n' >"$dir/home/posviz/config"
for words in bias "tour 02-tables" wizard; do
    # shellcheck disable=SC2086  # words
    check "a wrong line of the options file ends $words" 2 "$(XDG_CONFIG_HOME="$dir/home" "$posviz" --lang en $words </dev/null >"$dir/out" 2>"$dir/err"; echo $?)"
    holds "and is said, with its place" "posviz/config:2: " "$(cat "$dir/err")"
done
config() { # name, printf's text, what is said
    printf -- "$2" >"$dir/home/posviz/config"
    holds "the options file: $1" "$3" "$(XDG_CONFIG_HOME="$dir/home" "$posviz" --lang en bias -s n=16 -e alibi </dev/null 2>&1)"
}
config "no dashes" 'theme = dark\n' "posviz/config:1: there is no option theme; it is written --theme"
config "a byte order mark, = and CR LF" '\357\273\277--theme = dark\r\n\n--lang=en\n# \377\n' "ALiBi"
config "the same, a wrong value" '\357\273\277--theme = dusk\n' "posviz/config:1: there is no theme 'dusk'; there are dark, light"
config "a NUL" '--theme dark\0\n--theme foo\n' "posviz/config: holds a byte of value 0, so it is no text"
config "no value" '--theme\n' "posviz/config:1: option --theme needs a value"
config "what controls a terminal" '\033[2J\377 x\n' "posviz/config:1: there is no option ?[2J?;"
echo "--theme light" >"$dir/home/posviz/config"
check "a right one changes no report" "$("$posviz" bias </dev/null | cksum)" "$(XDG_CONFIG_HOME="$dir/home" "$posviz" bias </dev/null | cksum)"

# colours of text that goes to no terminal
colours() { env "$@" "$posviz" bias -e alibi | grep -c "$(printf '\033')"; }
check "text has no colours" 0 "$(colours)"
check "CLICOLOR_FORCE asks for them" yes "$([ "$(colours CLICOLOR_FORCE=1)" -gt 10 ] && echo yes)"
check "0 does not" 0 "$(colours CLICOLOR_FORCE=0)"
check "NO_COLOR wins" 0 "$(colours CLICOLOR_FORCE=1 NO_COLOR=1)"

# following a file
if [ "$(uname)" = Linux ]; then
    mkfifo "$dir/answers"
    sed 's/"rope_theta": [0-9.]*/"rope_theta": 1000.0/' tests/cases/configs/llama-3.1-8b.json >"$dir/one"
    sed 's/"rope_theta": [0-9.]*/"rope_theta": 2000.0/' tests/cases/configs/llama-3.1-8b.json >"$dir/two"
    sed 's/"rope_theta": [0-9.]*/"rope_theta": 3000.0/' tests/cases/configs/llama-3.1-8b.json >"$dir/three"
    cp "$dir/one" "$dir/model.json"
    timeout 60 "$posviz" model --json --watch "$dir/model.json" >"$dir/answers" &
    watcher=$!
    exec 3<"$dir/answers"
    base() { read -r line <&3 && echo "$line" | sed 's/.*"base":\([0-9][0-9]*\).*/\1/'; }
    check "--watch answers at once" 1000 "$(base)"
    cp "$dir/two" "$dir/model.json"
    check "again when the file is written" 2000 "$(base)"
    mv "$dir/three" "$dir/model.json"
    check "again when another is moved over it" 3000 "$(base)"
    cp "$dir/one" "$dir/model.json"
    check "and that one is followed" 1000 "$(base)"
    kill $watcher
    exec 3<&-
    wait $watcher 2>/dev/null
fi

# no network (tests/screen/test_network.c runs it where every call of a network ends it)
if command -v nm >/dev/null; then
    check "no symbol of a network is asked for" "" \
        "$(nm -D --undefined-only "$posviz" | grep -wE 'socket|connect|getaddrinfo|gethostby[a-z]*|send(to|msg)?|bind|listen' | grep -v -i asan)"
else
    n=$((n + 1))
    echo "ok $n - no symbol of a network is asked for: there is no nm # SKIP"
fi
holds "the man page says so" "no telemetry" "$("$posviz" generate man --lang en)"
holds "and the README" "no telemetry" "$(cat README.md)"

# one operand too many
for words in "explain base-missing not-json" "schema model model" "generate man man" "list views views" "bench frame frame" "compute /dev/null /dev/null"; do
    holds "posviz $words is refused" "is already given" "$("$posviz" $words 2>&1; echo "$?")"
done

plan
