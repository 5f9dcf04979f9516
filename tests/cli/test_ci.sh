#!/bin/sh
# The program in CI, from outside: formats, baselines, exit status, explanations, the schema. If it fails, an annotation lands on the wrong
# line or breaks the log, a known finding stops every build, or a new one slips through.
. tests/support/tap.sh
bad=tests/cases/bad
status() { "$posviz" --lang en model "$@" >"$dir/out" 2>"$dir/err"; echo $?; }

# GitHub
check "github: an error is 1" 1 "$(status --format github $bad/factor_below_one.json)"
holds "a command a finding, at its line and column" \
    "::error file=$bad/factor_below_one.json,line=12,col=15,title=posviz factor-below-one::factor 0.25 is below 1" "$(cat "$dir/out")"
check "nothing else on the line's way" 0 "$(grep -vc '^::' "$dir/out")"
cp $bad/factor_below_one.json "$dir/a:b,c%d.json"
status --format github "$dir/a:b,c%d.json" >/dev/null
holds "colon, comma and percent of a name are escaped" "a%3Ab%2Cc%25d.json,line=12" "$(cat "$dir/out")"
check "a file that is not there is an annotation and 2" 2 "$(status --format github "$dir/nothing.json")"
holds "at the file" "::error file=" "$(cat "$dir/out")"

status --format github ././/$bad/factor_below_one.json >/dev/null
holds "the ./ of find(1) is no part of the name that GitHub knows" "::error file=$bad/factor_below_one.json,line=12" "$(cat "$dir/out")"

# SARIF
status --format sarif ./$bad/factor_below_one.json >/dev/null
holds "nor of the one in SARIF" "\"uri\":\"$bad/factor_below_one.json\"" "$(tr -d ' \t\n' <"$dir/out")"
status --format sarif $bad/factor_below_one.json $bad/odd_head_dim.json >/dev/null
holds "sarif says its version" '"version":"2.1.0"' "$(tr -d ' \t\n' <"$dir/out")"
holds "place" '"region":{"startLine":12,"startColumn":15}' "$(tr -d ' \t\n' <"$dir/out")"
holds "rules with their level" '"defaultConfiguration":{"level":"warning"}' "$(tr -d ' \t\n' <"$dir/out")"
check "every rule has help" "$(grep -c '"shortDescription"' "$dir/out")" "$(grep -c '"help"' "$dir/out")"
check "and the description that GitHub asks for" "$(grep -c '"shortDescription"' "$dir/out")" "$(grep -c '"fullDescription"' "$dir/out")"
ids=$(tr -d ' \t' <"$dir/out" | sed -n 's/^"id":"\(.*\)",$/\1/p')
wrong=$(tr -d ' \t' <"$dir/out" | sed -n 's/^"ruleId":"\(.*\)",$/\1/p; s/^"ruleIndex":\([0-9]*\),$/\1/p' | paste - - | while read -r id index; do
    [ "$(echo "$ids" | sed -n "$((index + 1))p")" = "$id" ] || echo "$id $index"
done)
check "ruleIndex names the rule of ruleId" "" "$wrong"
mkdir "$dir/with space" && cp $bad/odd_head_dim.json "$dir/with space/ü.json"
status --format sarif "$dir/with space/ü.json" >/dev/null
holds "a path is a URI" "with%20space/%C3%BC.json" "$(cat "$dir/out")"
holds "an absolute one too" '"file:///' "$(cat "$dir/out")"
check "no finding is an empty list" 0 "$(status --format sarif tests/cases/configs/llama-3.1-8b.json)"
holds "of results" '"results":[]' "$(tr -d ' \t\n' <"$dir/out")"

# git: the recipe of docs/ci.md
if command -v git >/dev/null; then
    repository=$dir/repository
    git init -q "$repository"
    in_git() { git -C "$repository" -c user.name=t -c user.email=t@t -c "diff.posviz.textconv='$posviz' model --plain --exit-zero" "$@"; }
    cp tests/cases/configs/llama-3.1-8b.json "$repository/config.json"
    echo "config.json diff=posviz" >"$repository/.gitattributes"
    in_git add -A
    in_git commit -qm first
    sed 's/"vocab_size": *[0-9]*/"vocab_size": 1/' tests/cases/configs/llama-3.1-8b.json >"$repository/config.json"
    check "a change of something else is no difference" "" "$(in_git diff | grep '^[-+][^-+]')"
    sed 's/"rope_theta": *[0-9.]*/"rope_theta": 7777.0/' tests/cases/configs/llama-3.1-8b.json >"$repository/config.json"
    holds "one of the base is" "+base	7777" "$(in_git diff)"
fi

# JUnit
status --format junit $bad/factor_below_one.json tests/cases/configs/gpt2.json "$dir/nothing.json" >/dev/null
check "a suite a file" 3 "$(grep -c '<testsuite ' "$dir/out")"
holds "an error is a failed test" '<failure type="factor-below-one"' "$(cat "$dir/out")"
holds "a note is a passed one" '<system-out>note: ' "$(cat "$dir/out")"
holds "an unreadable file is an error" '<error type="cannot-open"' "$(cat "$dir/out")"
status --format junit $bad/yarn_without_original.json >/dev/null
check "a warning is no failure" 0 "$(grep -c '<failure' "$dir/out")"
status --format junit --strict $bad/yarn_without_original.json >/dev/null
check "under --strict it is" 1 "$(grep -c '<failure' "$dir/out")"
printf '{"model_type": "x<&>\\"y", "rope_theta": 1e4}' >"$dir/q<&\"'.json"
status --format junit "$dir/q<&\"'.json" >/dev/null
holds "names are escaped" "q&lt;&amp;&quot;&apos;.json" "$(cat "$dir/out")"
command -v xmllint >/dev/null && check "the XML is well-formed" "" "$(xmllint --noout "$dir/out" 2>&1)"
check "no bare ampersand" 0 "$(sed 's/&\(amp\|lt\|gt\|quot\|apos\|#[0-9]*\);//g' "$dir/out" | grep -c '&')"

# plain and Markdown
status --plain tests/cases/configs/llama-3.1-8b.json >/dev/null
check "plain: name, tab, value" "rope" "$(sed -n 's/^scheme	//p' "$dir/out")"
check "the numbers of checks too" "64" "$(sed -n 's/^checks.n_freq	//p' "$dir/out")"
cp "$dir/out" "$dir/first"
cp tests/cases/configs/llama-3.1-8b.json "$dir/other-name.json"
status --plain "$dir/other-name.json" >/dev/null
check "the same under another name, as git calls it" "" "$(diff "$dir/first" "$dir/out")"
status --markdown tests/cases/configs/llama-3.1-8b.json >/dev/null
holds "markdown: a table of facts" '| rotary\_dim | 128 | ' "$(cat "$dir/out")"
check "with three cells a row" 0 "$(grep '^|' "$dir/out" | sed 's/\\|//g' | awk -F'|' 'NF != 5' | wc -l | tr -d ' ')"

# what is left out
check "an ignored error is no error" 0 "$(status --ignore factor-below-one $bad/factor_below_one.json)"
check "nor shown" 0 "$(grep -c factor-below-one "$dir/out")"
check "a code that does not exist is 2" 2 "$(status --ignore factor-below-two $bad/factor_below_one.json)"
check "a format that does not exist is 2" 2 "$(status --format xml $bad/factor_below_one.json)"
holds "which are there is said" "text, json, plain, markdown, github, sarif, junit" "$(cat "$dir/err")"
check "--exit-zero" 0 "$(status --exit-zero $bad/factor_below_one.json)"
holds "still shows" "factor-below-one" "$(cat "$dir/out")"
check "but not over what cannot be read" 2 "$(status --exit-zero "$dir/nothing.json")"
cp $bad/factor_below_one.json "$dir/m.json"
check "a baseline is written" 0 "$(status --write-baseline "$dir/known.json" "$dir/m.json")"
check "what it knows does not count" 0 "$(status --strict --baseline "$dir/known.json" "$dir/m.json")"
check "and is counted in its place" "No further findings. (--baseline, --ignore): $(grep -c '"code"' "$dir/known.json")" \
    "$(sed -n 's/^Left out as known or ignored //p; /^No .*findings/p' "$dir/out" | paste -sd ' ')"
{ printf '\n\n'; cat $bad/factor_below_one.json; } >"$dir/m.json"
check "also when lines moved" 0 "$(status --strict --baseline "$dir/known.json" "$dir/m.json")"
cp $bad/odd_head_dim.json "$dir/m.json"
check "what is new counts" 1 "$(status --baseline "$dir/known.json" "$dir/m.json")"
check "a baseline replaces a baseline" 0 "$(status --write-baseline "$dir/known.json" "$dir/m.json")"
check "but no model file" 2 "$(status --write-baseline "$dir/m.json" "$dir/m.json")"
check "which stays" "" "$(cmp $bad/odd_head_dim.json "$dir/m.json")"
check "a baseline that is none is 2" 2 "$(status --baseline "$dir/m.json" "$dir/m.json")"

# explain and schema
"$posviz" --lang en explain >"$dir/codes"
check "explain lists codes with severity and meaning" "error" "$(sed -n 's/^factor-below-one *\([a-z]*\): a factor below 1 .*/\1/p' "$dir/codes")"
"$posviz" list views | cut -d' ' -f1 >"$dir/views"
"$posviz" list tours | sed "s/^tours\/[0-9]*-//" | cut -d" " -f1 >"$dir/lessons"
silent= nowhere= untaught= taught=
for code in $(cut -d' ' -f1 "$dir/codes"); do
    "$posviz" --lang en explain "$code" >"$dir/out" || silent="$silent $code"
    grep -q "^What it does to the model" "$dir/out" || silent="$silent $code"
    view=$(sed -n 's/^    posviz \([a-z]*\) -m FILE$/\1/p' "$dir/out")
    [ -z "$view" ] || grep -qx "$view" "$dir/views" || nowhere="$nowhere $view"
    lesson=$(sed -n 's/^    posviz tour \([a-z]*\)  (.*/\1/p' "$dir/out")
    [ -z "$view" ] || grep -qx "$lesson" "$dir/lessons" || untaught="$untaught $code"
    taught="$taught $code:$lesson"
    if grep -q '^Evidence' "$dir/out" && ! sed '1,/^Evidence/d' "$dir/out" | grep -q '\[.*'; then silent="$silent $code:evidence"; fi
done
check "every code is explained, with its evidence" "" "$silent"
check "every view named is there" "" "$nowhere"
check "and a lesson with it" "" "$untaught"
for pair in factor-conflict:longer yarn-betas:longer longrope-entry:longer llama3-bands:longer scaling-empty:longer distance-too-small:distance \
    sections:grids odd-rotary-dim:rotation no-rope-layers:files table-rows:tables; do
    holds "which teaches it: $pair" " $pair " "$taught "
done
holds "a factor below 1 is explained for itself" "four times" "$("$posviz" --lang en explain factor-below-one)"
"$posviz" --lang en explain beyond-original >"$dir/out"
holds "with the verdict on a claim" "contested: " "$(cat "$dir/out")"
holds "and how a figure was checked" "(paper)" "$(cat "$dir/out")"
holds "in Chinese too" "旋转对" "$("$posviz" --lang zh explain beyond-original)"
check "a code that does not exist is 2" 2 "$("$posviz" explain nothing >"$dir/out" 2>"$dir/err"; echo $?)"
check "a schema that does not exist is 2" 2 "$("$posviz" schema nothing >"$dir/out" 2>"$dir/err"; echo $?)"
holds "the schema says its draft" "draft/2020-12" "$("$posviz" schema model)"

# the recipes of docs/ci.md
holds "the recipe for git is the one tried here" 'textconv "posviz model --plain --exit-zero"' "$(cat docs/ci.md)"
unknown=$(grep -o -- '--[a-z][a-z-]*' docs/ci.md .pre-commit-hooks.yaml | sed 's/.*:--/--/' | sort -u | while read -r option; do
    case "$option" in --no-textconv) continue ;; esac
    "$posviz" model --help | grep -q -- "^  $option" || echo "$option"
done)
check "every option in the recipes is there" "" "$unknown"
if command -v git >/dev/null; then
    case "$posviz" in /*) program=$posviz ;; *) program=$PWD/$posviz ;; esac
    git init -q "$dir/repo"
    cp tests/cases/configs/llama-3.1-8b.json "$dir/repo/config.json"
    (cd "$dir/repo" && git config user.name t && git config user.email t@example.org && echo "config.json diff=posviz" >.gitattributes &&
        git config diff.posviz.textconv "$program model --plain --exit-zero" && git add . && git commit -qm first &&
        sed 's/"rope_theta": [0-9.]*/"rope_theta": 10000.0/; s/"bos_token_id": [0-9]*/"bos_token_id": 1/' config.json >new && mv new config.json &&
        git diff) >"$dir/out" 2>&1
    check "git diff shows the base as a fact" "-base	500000 +base	10000" "$(grep '^[-+]base' "$dir/out" | paste -s -d' ')"
    check "and no token" 0 "$(grep -c bos_token "$dir/out")"
fi
plan
