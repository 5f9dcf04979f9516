#!/bin/sh
# posviz render, from outside. If this breaks, scripts and papers get no figures, other bytes on every run, pictures without their samples, or
# lose a file that was there.
n=0
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
case "$POSVIZ" in /*) posviz=$POSVIZ ;; *) posviz=$PWD/$POSVIZ ;; esac
cd "$dir" || exit 1

is() { # NAME, EXPECTED, FOUND
    n=$((n + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $n - $1"
    else
        echo "not ok $n - $1"
        echo "# wanted '$2', found '$3'"
    fi
}
render() { "$posviz" render "$@" 2>messages; }
bytes() { od -An -v -tu1 -j "$2" -N "$3" "$1" | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'; }
big_endian() { bytes "$1" "$2" 4 | { read -r a b c d; echo $((((a * 256 + b) * 256 + c) * 256 + d)); }; }
size() { wc -c <"$1" | tr -d ' '; }

# every format is what its name says
for format in png svg pdf txt ansi csv npy json; do
    render similarity -e rope -s n=300 -o "a.$format"
    is "similarity as $format" 0 $?
done
is "png signature" "137 80 78 71 13 10 26 10" "$(bytes a.png 0 8)"
is "svg is svg" 1 "$(grep -c '<svg ' a.svg)"
is "pdf signature" "%PDF" "$(head -c 4 a.pdf)"
is "npy signature" "147 78 85 77 80 89 1 0" "$(bytes a.npy 0 8)"

# pictures
render similarity -e rope -s n=300 -o paper.png --dpi 300
is "twice the dots an inch, twice the width" "$((2 * $(big_endian a.png 16)))" "$(big_endian paper.png 16)"
is "the dots an inch stand in the file (pHYs, dots a metre)" "pHYs $(((300 * 10000 + 127) / 254))" \
    "$(tail -c +38 paper.png | head -c 4) $(big_endian paper.png 41)"
is "the heatmap of an svg is one image" 1 "$(grep -o '<image' a.svg | wc -l | tr -d ' ')"
is "an svg stays below 300 kB" yes "$([ "$(size a.svg)" -lt 300000 ] && echo yes || size a.svg)"
is "curves are lines, not images" 0 "$(render spectrum -e rope -o curves.svg; grep -c '<image' curves.svg)"
for format in png svg pdf json csv; do
    render similarity -e rope -s n=300 -o "b.$format" --lang en
    is "the same bytes again: $format" "$(cksum <"a.$format")" "$(cksum <"b.$format")"
done
SOURCE_DATE_EPOCH=86400 "$posviz" render similarity -e rope -s n=300 -o dated.pdf
SOURCE_DATE_EPOCH=86400 "$posviz" render similarity -e rope -s n=300 -o again.pdf
is "a pdf carries the date of SOURCE_DATE_EPOCH" different "$(cmp -s a.pdf dated.pdf && echo same || echo different)"
is "and no other" same "$(cmp -s again.pdf dated.pdf && echo same || echo different)"
views=$("$posviz" list views --json | tr -d '\t' | sed -n 's/^ *"id": *"\([a-z_]*\)".*/\1/p')
is "there are views" yes "$([ -n "$views" ] && echo yes)"
for view in $views; do
    for lang in en zh; do
        render "$view" -o "view-$view-$lang.png" --lang $lang
        is "the view $view in $lang" 0 $?
    done
done

# where a picture comes from
line="posviz similarity -e rope --lang en -s n=300"
is "a png carries the command" 1 "$(grep -ac "Comment.*$line" a.png)"
is "and its version" 1 "$(grep -ac 'Software.*posviz [0-9]' a.png)"
is "an svg carries it" 1 "$(grep -c "<metadata>.*$line</description></metadata>" a.svg)"
is "a pdf carries it" 1 "$(grep -ac "/Keywords.*$line" a.pdf)"
is "json carries it" 1 "$(grep -c "\"command\":\"$line\"" a.json)"
command -v xmllint >/dev/null && { xmllint --noout a.svg; is "the svg is well-formed" 0 $?; }
render similarity -e rope -s 'text=a<b>&"c"' -o hostile.svg
command -v xmllint >/dev/null && { xmllint --noout hostile.svg; is "with any text" 0 $?; }

# sizes
render similarity -e rope -s n=300 -o small.txt --size 40x12
is "rows as asked for" 12 "$(wc -l <small.txt | tr -d ' ')"
render similarity -e rope -s n=300 -o tiny.txt --size 1x1
is "one cell is survived" 0 $?
render similarity -e rope -s n=300 -o ascii.txt --ascii
is "ascii is ascii" 0 "$(LC_ALL=C grep -c '[^ -~]' ascii.txt)"

# numbers
render similarity -e rope -s n=6 -o six.csv
is "a line for each sample, and the heading" 37 "$(wc -l <six.csv | tr -d ' ')"
is "a score of 1 at distance 0" 6 "$(awk -F, 'NR > 1 && $1 == $2 && $3 > 0.999999999999 && $3 < 1.000000000001' six.csv | wc -l | tr -d ' ')"

# what is refused
echo mine >kept.csv
render similarity -e rope -o kept.csv
is "an existing file is refused" 2 $?
is "and kept" mine "$(cat kept.csv)"
is "and the message says how" 1 "$(grep -c -- --force messages)"
render similarity -e rope -o kept.csv --force
is "--force replaces it" 0 $?
render similarity -e rope -o figure.gif
is "an unknown format is refused" 2 $?
is "with the list of formats" 1 "$(grep -c '\.png .*\.json' messages)"
render similarity -e rope -o no/such/folder/a.png
is "a folder that is not there" 2 $?
render similarity -e rope
is "no file name" 2 $?
render -o a.txt --force
is "no view" 2 $?
render nonsense -o x.txt
is "no such view" 2 $?
render similarity -o x.png --dpi 5
is "too few dots" 2 $?
if [ -c /dev/full ]; then
    ln -s /dev/full full.csv
    render similarity -e rope -o full.csv
    is "a full disk" 2 $?
fi
is "no half file is left" 0 "$(find . -name '.posviz-*' | wc -l | tr -d ' ')"

# without the module of pictures
mkdir alone && cp "$posviz" alone/posviz
(cd alone && ./posviz render similarity -e rope -o a.png) 2>messages
status=$?
if [ "$status" -ne 0 ]; then
    is "without the module the message names the package" 1 "$(grep -c libpangocairo messages)"
    is "and nothing is written" 1 "$(find alone -type f | wc -l | tr -d ' ')"
else
    is "the installed module is found" 0 "$status"
fi
(cd alone && ./posviz render similarity -e rope -o a.svg.csv)
is "other formats work without it" 0 $?
"$posviz" --lang zh render model -o first.txt >/dev/null 2>&1
is "the model that a start shows speaks the language asked for" 1 "$(grep -c '系列 llama 的代码' first.txt | sed 's/[1-9].*/1/')"

# Swin's window is a picture of 7 x 7 that looks both ways: each of the 49 x 49 pairs has a bias, one for each of the 13 x 13 offsets
"$posviz" render bias -p encodings/relpos_2d -o swin.csv --size 240x140
is "a preset of patches sees them as a picture" "2401 169 0" "$(awk -F, 'NR > 1 {
    n++
    offset = int($1 / 7) - int($2 / 7) "," $1 % 7 - $2 % 7
    if (!(offset in bias)) { offsets++; bias[offset] = $3 }
    wrong += bias[offset] != $3
} END { print n, offsets, wrong + 0 }' swin.csv)"

# the parameters of a model need two lines below its name, and have them
height() { "$posviz" render cost "$@" -o tall.svg --force && sed -n 's/.*<svg[^>]* height="\([0-9]*\).*/\1/p' tall.svg | head -1; }
is "a long caption makes a picture higher, not shorter words" 10 $(($(height -p models/llama-3.1-8b) - $(height -e alibi)))

# the map of layers says yes or no by its colours; what stands for them inside is no value
"$posviz" render model -p models/whisper-tiny -o layers.txt
is "a map of few layers shows no numbers in them" 0 "$(grep -c '0\.60' layers.txt)"
echo "1..$n"
