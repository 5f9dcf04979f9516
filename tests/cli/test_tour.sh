#!/bin/sh
# The verb tour without a terminal. If this fails, a lecturer's recording differs from run to run, an author is not told what is wrong
# with a lesson, or the notes do not follow the steps.
set -u
. tests/support/tap.sh
T="$POSVIZ tour --lang en"

out=$($T </dev/null)
passes "without a name it lists" $?
holds_all "ten lessons are listed, and that of the keys" "$out" 00-keys 01-order 02-waves 03-tables 04-distance 05-rotation 06-longer 07-lines 08-grids 09-choosing 10-files
holds_all "a step is its text and its picture" "$($T waves --step 3 </dev/null)" "3/11" "54 410" "wavelength"
holds_all "in Chinese as well" "$($POSVIZ tour 02-waves --lang zh --step 3 </dev/null)" "波长" "54 410"
[ "$($T order --step 11 --play 1 </dev/null | grep -c '^1[12]/12')" = 2 ]
passes "--play prints the steps from there" $?

$T nothing </dev/null >"$dir/out" 2>"$dir/err"
[ $? = 2 ] && grep -q "there is no lesson 'nothing'" "$dir/err"
passes "an unknown lesson is a usage error" $?
$T waves --step 0 </dev/null >"$dir/out" 2>"$dir/err"
[ $? = 2 ] && grep -q -- "--step = 0: allowed is 1 to 11" "$dir/err"
passes "steps count from 1" $?
$T waves --step 12 </dev/null >"$dir/out" 2>"$dir/err"
[ $? = 2 ] && [ ! -s "$dir/out" ] && grep -q -- "--step = 12: allowed is 1 to 11" "$dir/err"
passes "and end with the lesson" $?
holds_all "a lesson is named by its number too" "$($T 5 </dev/null; $T 05 --step 2 </dev/null; $T 0 </dev/null)" "1/12  One pair" "2/12  Two hands" "On and back"

cat >"$dir/good.json" <<'END'
{"id": "mine", "title": {"en": "Mine", "zh": "我的"}, "steps": [
  {"title": {"en": "One", "zh": "一"}, "text": {"en": "Look.", "zh": "看。"}, "set": {"view": "bias", "encodings": [{"id": "alibi"}], "n": 64}}]}
END
holds_all "a good file is in order" "$($T --check "$dir/good.json")" "lesson mine, 1 steps"
holds_all "and can be shown" "$($T "$dir/good.json" </dev/null)" "1/1  One" "Look." "ALiBi"
sed 's/alibi/alibis/' "$dir/good.json" >"$dir/bad.json"
$T --check "$dir/bad.json" 2>"$dir/err"
[ $? = 1 ] && grep -q "steps\[0\].set.*alibis" "$dir/err"
passes "a wrong file: 1, and step and key are named" $?
$T --check "$dir/absent.json" 2>"$dir/err"
passes "a file that is not there: 2" $(( $? != 2 ))

$T tables --cast "$dir/a.cast" --notes "$dir/notes" --play 7 --size 100x30 </dev/null && $T tables --cast "$dir/b.cast" --play 7 --size 100x30 </dev/null
passes "a lesson is recorded" $?
cmp -s "$dir/a.cast" "$dir/b.cast"
passes "twice the same" $?
holds_all "the header is asciicast v2" "$(head -n 1 "$dir/a.cast")" '"version":2' '"width":100' '"height":30'
[ "$(grep -c '"m",' "$dir/a.cast")" = 11 ] && [ "$(tail -n 1 "$dir/a.cast")" = '[77.000, "o", ""]' ]
passes "a marker a step, and the last one stands" $?
holds_all "the notes are those of the last step" "$(cat "$dir/notes")" "11/11" "When is a table right?" "G27"
$T tables --cast "$dir/a.cast" </dev/null 2>"$dir/err"
[ $? = 2 ] && grep -q "exists" "$dir/err"
passes "an old recording is kept" $?

mkfifo "$dir/pipe"
$T order --cast "$dir/c.cast" --notes "$dir/pipe" </dev/null
passes "a pipe that nobody reads stops nothing" $?

# docs/talks.md, as a reader follows it; two files stand for the player
top=$PWD
sed -n '/^```sh$/,/^```$/p' docs/talks.md | sed '/^```/d' >"$dir/recipe"
mkdir "$dir/talk" "$dir/bin"
ln -s "$posviz" "$dir/bin/posviz"
cd "$dir/talk" || exit 1
echo '.player {}' >asciinema-player.css
echo '/* player */' >asciinema-player.min.js
PATH=$dir/bin:$PATH sh -e "$dir/recipe"
passes "the recipe of a page runs" $?
holds_all "and puts everything into one file" "$(cat waves.html)" ".player {}" "/* player */" '"title":"Waves"' '"m", "11/11' "AsciinemaPlayer.create"
check "with nothing to fetch" "" "$(grep -oE '(src|href)="[^"]*"' waves.html)"
check "and no end of a script but its own" 3 "$(grep -c '</script>' waves.html)"
cd "$top" || exit 1

plan
