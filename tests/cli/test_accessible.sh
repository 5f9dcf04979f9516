#!/bin/sh
# The program as a dialogue in lines, typed at and piped. If this fails, somebody with a screen reader meets a question that takes no answer, a
# program that does not end, a frame or an escape sequence read aloud.
set -u
. tests/support/tap.sh
TERM=dumb; export TERM
unset ACCESSIBLE

typed() { # LINES, options: the dialogue; its output is also searched for what no reader can say
    lines=$1
    shift
    printf "$lines" | "$posviz" "$@" --accessible >"$dir/out" 2>"$dir/err"
    status=$?
    cat "$dir/out" >>"$dir/all"
    cat "$dir/out"
    return $status
}

out=$(typed '' --lang en bias -e alibi -s n=16)
passes "the end of the input ends the program" $?
holds_all "a view is described" "$out" "View bias." "Shown: ALiBi, head_dim 64, n 16." "Largest: 0, wherever query and key are the same." \
    "Smallest: -7.5, at query 15, key 0." "head 3. bias at distance 1: -0.0625" "Choices: 1 more; 2 next view;" "bias> end of input"
[ ! -s "$dir/err" ]
passes "nothing goes to stderr" $?

out=$(typed 'read 3 7\npanel 2\nread 4\nread 99\nread 1 2 3\nquit\n' --lang en bias -e alibi -s n=16)
holds_all "values are read out with their formula" "$out" "head 0, query 7, key 3 = -2; bias at distance 4; factor on the weight" "key 11 = -2" \
    "query − key = 99: allowed is 0 to 15" "read takes one place, or two"
out=$(typed 'panel 2\nread 1\nread 2\nread 19\nread 20\n' --lang en cost -p models/llama-3.1-8b)
holds_all "a row of a table is the one that its number says" "$(echo "$out" | sed -n '/> read 2/,/Source/p')" "NoPE, n = 131072: 0 multiply-adds"
holds_all "and the first and last too" "$out" "RoPE, n = 131072: 1342177280 multiply-adds" "row 20: allowed is 1 to 19"
out=$(typed 'panel 3\nread 4\n' --lang en precision -p models/llama-3.1-8b)
holds "a table that its view says nothing about is read out by its row" "bfloat16. position not held: 257" "$(echo "$out" | sed -n '/> read 4/,$p')"
out=$(typed 'panel 4\nread 1\n' --lang en table -e sinusoidal -s n=64)
holds "one of facts too" "positions × channels: 64 × 512" "$(echo "$out" | sed -n '/> read 1/,$p')"
out=$(typed 'read cat\nread cat sat\n' --lang en attention -p encodings/alibi-attention)
holds "places have names" "sat → cat" "$out"
out=$(typed 'panel 2\nread 700\n' --lang en similarity -p models/llama-3.1-8b)     # samples of the curve stand 769 apart
holds "a curve is read at the place that is named, not beside it" "(distance 700) = 0.436461" "$out"
out=$(typed 'panel 2\nread 12\n' --lang en table -e sinusoidal -s n=64)
holds "a view that follows the place" "channel 12" "$out"

out=$(typed 'set head 3\nundo\nredo\nset head_dim 32\nmore\nset head=999999\n' --lang en bias -e alibi -s n=16)
holds_all "parameters are changed, and only the change is said" "$out" "bias of head 3 of 8" "Smallest: -0.9375" "head_dim 32" "The rest is unchanged" \
    "At query 7, along key: 0: -0.4375; 3: -0.25; 7: 0." "head = 999999"
check "what was not changed is not said again" 1 "$(echo "$out" | grep -c 'head 0. bias at distance 1')"
out=$(typed 'set\0 head 2\nset head 3' --lang en bias -e alibi -s n=16)
holds_all "a zero byte ends no line, the end of the input does" "$out" "bias of head 2 of 8" "bias of head 3 of 8"
out=$(typed '5\n1\n2\nset\n4\n2\n' --lang en bias -e alibi -s n=16)
holds_all "or by numbered questions" "$out" "1 head: head of the heatmap" "Now head 0. Allowed is 0 to 7." "value> 2" "head 2 of 8" "2 log" "axis log"
out=$(typed 'set head\n2\nfind head of\n1\n3\n' --lang en bias -e alibi -s n=16)
holds_all "a parameter that is named or found is asked for its value" "$out" "Now head 0. Allowed" "bias of head 2 of 8" "Now head 2. Allowed" "bias of head 3 of 8"
out=$(typed '3\n2\n4\n1\nview bias\nfind whisper\n1\nback\n' --lang en bias -e alibi -s n=16)
holds_all "views, encodings and models are chosen by number" "$out" "1 table: " "View similarity." "which> 1" "model models/whisper-tiny" "Whisper tiny"
out=$(typed 'help\nparams\nnonsense\nx\nback\ncopy command\ncopy citation\nQ\n' --lang en bias -e alibi -s n=16)
holds_all "help, and what cannot be done" "$out" "read PLACE: " "next-head: next head." "num_heads: heads 8" "there is no command 'nonsense'" \
    "asks on the screen only" "There is nothing before this" "posviz bias -e alibi" "Press et al. 2022"
(cd "$dir" && printf 'export a.csv\nquit\n' | "$posviz" bias -e alibi -s n=16 --accessible >/dev/null) && [ -s "$dir/a.csv" ]
passes "a figure is exported" $?
cp tests/cases/configs/llama-3.1-8b.json "$dir"
(cd "$dir" && mkdir elsewhere && printf 'compare side\nquit\n' | "$posviz" spectrum -m llama-3.1-8b.json --accessible >/dev/null)
out=$(cd "$dir/elsewhere" && echo quit | "$posviz" --resume --lang en --accessible 2>&1)
holds_all "a comparison of a model file is resumed in another folder" "$out" "curves: B wavelength"
out=$(typed 'compare difference\nnext\n' --lang en bias -e alibi -s n=16)
holds_all "comparisons" "$out" "A − B" "Every value is 0." "View decay."
out=$(typed 'compare side\nset alibi_bias_max 4\ncompare difference\n' --lang en bias -e alibi -s n=16)
holds_all "a table is a difference too: -2^-0.5 less -2^-1 is -0.207107" "$out" "A − B how far a share of the weight lies" "head 0. bias at distance 1: -0.207107; at n − 1: -3.10660"

out=$(typed '2\nwhy\n9\n1\nback\n1\n1\n1\n3\n1\n1\n3\n0\nanswers\nback\nrestart\nquit\n' --lang en wizard)
passes "a walk through the wizard" $?
holds_all "questions have numbered answers with what they weigh" "$out" "Question 1 of 3 to 9. Where do you start?" "2 I design a new model." \
    "Bidirectional and visual models rule some schemes out." "There is no answer 9; there are 4." "weighs Quality at the trained length +1" "your answer so far"
holds_all "the result has its reasons, sources and how they were checked" "$out" "RoPE (unscaled)" "Chapters: 1 Why; 2 Excluded; 3 What would change this" \
    "How long are inputs compared with training? Up to 2x → RoPE + context scaling" "What is the main task? General text"
out=$(typed '2\n1\n1\n2\nskip\n1\n3\n2\n1\nopen\n1\n' --lang en wizard)
holds_all "a question can be skipped and answered later" "$out" "Skipped: question 5." "The ranking by what is answered:" "Leading now:" "Chapters: 1 Why"
result='2\n1\n1\n2\n1\n3\n2\n1\n1\n'
out=$(typed "${result}1\n1\n" --lang en wizard)
check "a chapter asked for twice is said twice" 2 "$(echo "$out" | grep -c '^Why')"
out=$(typed 'help\nfind whisper\nhelp\nfind whisper\n99\nfind whisper\n\nnonsense\n' --lang en wizard)
holds_all "help lists the wizard's own words, and a question takes other words too" "$out" "why: why it is asked" "skip: " "open: " "answers: " \
    "which = 99: allowed is 1 to" "Nothing was chosen." "'nonsense'; help shows"
check "help is said where another question stood" 2 "$(echo "$out" | grep -c '^skip: ')"
clean "and nothing that is of the screen" "$(echo "$out" | grep '^weigh-more\|^panel\|^read PLACE')"
out=$(typed "$(i=0; while [ $i -lt 1200 ]; do printf 'find cosine\\n'; i=$((i + 1)); done)" --lang en bias -e alibi -s n=16)
passes "a search answered with a search, thousands of times" $?
out=$(typed 'back\nwhat\n' --lang zh wizard --answer start=checkpoint --answer ck_scheme=rope)
holds_all "it begins at the answers given" "$out" "第 3 题" "目标长度" "第 2 题"

out=$(typed 'next\nback\nback\nrepeat\nset position 7\nrepeat\nleave\nmore\n' --lang en tour rotation)
passes "a lesson" $?
holds_all "steps, texts and figures" "$out" "Lesson: Rotation." "Step 1 of 12: " "Step 2 of 12: " "this is the first step of the lesson" "pair 0: " "position m 7 tokens"
quiz=$(grep -n '"quiz"' presets/tours/*rotation.json | head -1)
out=$(typed "$(i=0; while [ $i -lt 12 ]; do printf 'next\\n1\\n2\\n'; i=$((i + 1)); done)" --lang en tour rotation)
[ -n "$quiz" ]
passes "a quiz is in it" $?
holds_all "it is answered by number" "$out" "Your answer: 1." "Right." "Not quite." "this is the last step of the lesson"
out=$(typed '1\n2\n' --lang en tour rotation)
check "a number where nothing is asked changes nothing, and says so" 2 "$(echo "$out" | grep -c '^This step asks no question; next goes on')"
check "and the step is not said again" 1 "$(echo "$out" | grep -c '^Step 1 of 12')"
out=$(typed 'set m 7\nset n=3\nm=9\nset n\n4\n>\nBackspace\nSpace\npagedown\nPageUp\n' --lang en tour rotation --step 3)
holds_all "letters of the picture are its parameters, keys have names" "$out" "m: position m, the parameter position of the view" "position m 7 tokens; position n 2" \
    "position m 7 tokens; position n 3" "position m 9 tokens; position n 3" "Now position n 3 tokens" "position m 9 tokens; position n 4" "position m 10 tokens" \
    "position m 5 tokens; position n 2" "position m 6 tokens; position n 2" "Step 4 of 12"
clean "and the length is not touched" "$(echo "$out" | sed '/Step 4/,$d' | grep 'head_dim 2, n' | grep -v 'n 32')"
out=$(typed 'Right\nl\nTab\nq\n/\ndecay\n' --lang en tour keys --step 2)
holds_all "the lesson of the keys can be done" "$out" "query 40, key 21 = -9.5" "query 40, key 22 = -9" "View decay." "which> decay"
holds_all "how keys are said here is told" "$(typed '' --lang en tour keys)" "A key that the text names is typed as a line here"
out=$(typed '3\n' --lang en tour)
holds_all "lessons are chosen by number" "$out" "Tables that end" "Lesson: "
typed '' tour rotation --play 3 >/dev/null
[ $? = 2 ] && grep -q "own pace" "$dir/err"
passes "a lesson in lines does not play by itself" $?

out=$(typed 'set head 2\nread 3 7\n' --lang zh bias -e alibi -s n=16)
clean "no full stop of English ends a Chinese line" "$(echo "$out" | grep '[.]$')"
holds_all "in Chinese" "$out" "视图 偏置" "显示：ALiBi 线性偏置，head_dim 64，n 16。" "头 0。距离 1" "最小：-7.5，在 查询 15、键 0。" "其余不变" "输入结束"
for view in table similarity rotation spectrum bias decay attention precision segments grid compare cost guide; do
    typed 'more\nread\nhelp\nquit\n' -s n=64 "$view" >/dev/null || echo "$view"
done >"$dir/bad"
clean "every view talks and ends" "$(cat "$dir/bad")"
holds_all "a model's facts and findings" "$(typed 'quit\n' --lang en -p models/gpt2 model)" "model" "scheme"
out=$(typed 'next-layer\nnext-layer\n' --lang en -p models/gemma-3-1b model)
holds_all "the layers are told by kind, not as the numbers they are drawn with" "$out" "layer 0 to 4, 6 to 10, 12 to 16, 18 to 22, 24 to 25" "layer 5, 11, 17, 23" \
    "Chosen: layer 1."
clean "none of those is read aloud" "$(echo "$out" | grep '0\.6')"

out=$(typed 'set n nan\nset n 1e999\nset n -1\nmore 99999999\nundo 5\nrepeat 2\npanel\npanel 99\nread 1e999\nview\n99\nfind rope\n99999999\n7777777\n' --lang en decay -e rope -s n=16)
holds_all "a message names the thing, its value and what is allowed" "$out" "n = nan: must be a finite number" "n = 1e999: must be a finite number" \
    "n = -1: allowed is 1 to 1e+12" "more takes nothing after it; '99999999' is too much" "undo takes nothing after it; '5' is too much" \
    "repeat takes nothing after it; '2' is too much" "panel -: allowed is 1 to " "panel 99: allowed is 1 to " "= 1e999: allowed is 1 to 15" "which = 99: allowed is 1 to 16" \
    "which = 99999999: allowed is 1 to 12" "there is no command '7777777'"
for lines in '' 'set\n' 'set n\n' 'view\n' 'encoding\n' 'preset\n' 'compare\n' 'copy\n' 'lang\n' 'find rope\n' 'find\n' 'set n'; do
    typed "$lines" -s n=16 -e rope decay >/dev/null || echo "$lines"
done >"$dir/bad"
clean "the input may end at every question" "$(cat "$dir/bad")"
out=$(printf 'a\0b\nset n \377\376\n\033[31m\nmore\n' | "$posviz" --accessible --lang en -e rope -s n=16 decay)
holds_all "bytes that are no UTF-8 and control characters are shown as ?, a NUL not at all" "$out" "no command 'ab'" "n = ??: must be a number" "no command '?[31m'"
out=$({ printf 'set n 7'; printf '%1000000s\n' '' | tr ' ' 7; echo 'set n 0'; } | "$posviz" --accessible --lang en -e rope -s n=16 decay)
holds_all "a line that is too long is not done in part" "$out" "longer than the 4095 bytes that are allowed; nothing was done" "n = 0: allowed is 1 to 1e+12"
printf 'nothing here\n' | "$posviz" --accessible --no-such-option >/dev/null 2>"$dir/err"
check "a wrong option: 2" 2 $?
printf '' | "$posviz" --accessible -e nothing >/dev/null 2>"$dir/err"
check "a wrong encoding: 2, on stderr" 2 $?
grep -q nothing "$dir/err"
passes "and it is named" $?

out=$(ACCESSIBLE=1 "$posviz" --lang en bias -e alibi -s n=16 </dev/null)
holds_all "ACCESSIBLE=1 describes what goes to a file, all of it" "$out" "View bias." "head 7. bias at distance 1"
check "and asks nothing" 0 "$(echo "$out" | grep -c 'bias>')"
printf 'one\ntwo\n' >"$dir/list"
check "nor reads the input of a script" 2 "$(while read -r word; do ACCESSIBLE=1 "$posviz" bias -e alibi -s n=8; echo "$word"; done <"$dir/list" | grep -c '^one\|^two')"
holds "ACCESSIBLE=0 is no wish" "$(printf '%b' '\342\224\200')" "$(ACCESSIBLE=0 "$posviz" bias -e alibi -s n=8 </dev/null)"

esc=$(printf '\033')
clean "no escape sequence and no control character anywhere" "$(LC_ALL=C grep -n "[$(printf '\001')-$(printf '\010')$(printf '\013')-$(printf '\037')$esc]" "$dir/all")"
clean "no line is empty" "$(grep -n '^[[:space:]]*$' "$dir/all")"
plan
