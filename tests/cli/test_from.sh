#!/bin/sh
# Figures opened again, from outside. If this breaks, a figure in a paper cannot be made again, is made again as another one without a word, or a
# figure file from somewhere else gets to do more than show a picture.
. tests/support/tap.sh
config=$PWD/tests/cases/configs/gpt-oss-20b.json
cd "$dir" || exit 1

render() { "$posviz" render "$@" 2>messages; }
# NAME, FORMAT, WORDS: written, opened again, written: the same bytes.
again() {
    name=$1 format=$2
    shift 2
    rm -f "a.$format" "b.$format"
    render "$@" -o "a.$format" --comment && LC_ALL=zh_CN.UTF-8 render --from "a.$format" -o "b.$format" --comment && cmp -s "a.$format" "b.$format"
    check "$name: $format" "0 " "$? $(cat messages)"
}

# the same bytes
for view in $("$posviz" list views --json | tr -d '\t' | sed -n 's/^ *"id": *"\([a-z_]*\)".*/\1/p'); do
    again "$view" png "$view"
done
options=${ASAN_OPTIONS:-}
for format in png svg pdf json npy csv; do
    [ $format != pdf ] || export ASAN_OPTIONS="$options:detect_leaks=0"         # cairo keeps something of Chinese fonts in a pdf
    again "a row and a column under the cursor" $format table -e sinusoidal -s cursor=0,20,5
    again "words for a shell, 位置" $format attention -e rope -s 'text=it'\''s a (b) <c> & "d" \ $HOME; `e` # 位置' --lang zh
    export ASAN_OPTIONS="$options"
done
cp "$config" model.json
again "a size, a panel, dots" png spectrum -m model.json --size 100x40 --panel 1 --dpi 70
check "which the dots are" "$(((70 * 10000 + 127) / 254))" "$(od -An -v -tu1 -j 41 -N 4 b.png | { read -r a b c d; echo $((((a * 256 + b) * 256 + c) * 256 + d)); })"
again "a preset and its layer" svg rotation -p models/gemma-3-1b -s layer=5
again "a zoom" json similarity -e rope -s n=4096 -s zoom=10,20,,
render spectrum -m model.json -o model.pdf
render --from model.pdf -o again.json
render spectrum -m model.json -o c.json
check "another format" "$(cksum <c.json)" "$(cksum <again.json)"
render --from model.pdf -s rope_theta=777 -o d.json
render spectrum -m model.json -s rope_theta=777 -o e.json
check "options behind it change what it says" "$(cksum <e.json)" "$(cksum <d.json)"
render --from model.pdf --lang zh -o f.json
holds "a language too" '"command":"posviz spectrum -m model.json --lang zh' "$(cat f.json)"
holds "without a terminal the program prints it" "$("$posviz" spectrum -m model.json --lang en | head -3)" "$("$posviz" --from model.pdf)"

# what it was made of
holds "json names the model, and what it said" '"model":{"name":"model.json","revision":null,"reading":"' "$(cat c.json)"
sed 's/"rope_theta": *[0-9.]*/"rope_theta": 777/' "$config" >model.json
render --from model.pdf -o g.json
check "a model file that has changed is drawn" 0 $?
holds "and that is said" "model.json has changed since model.pdf was made" "$(cat messages)"
sed 's/"model_type"/ "model_type"/' "$config" >model.json
render --from model.pdf -o h.json
check "another way to write the same is no change" "" "$(cat messages)"
rm model.json
render --from model.pdf -o i.json
check "one that is gone is not" 2 $?
holds "and is named with the figure" "model.pdf: model.json: cannot be opened" "$(cat messages)"
HOME=$dir; export HOME
unset HF_HUB_CACHE HUGGINGFACE_HUB_CACHE HF_HOME XDG_CACHE_HOME LLAMA_CACHE
hub=.cache/huggingface/hub/models--o--m one=1111111111111111111111111111111111111111 two=2222222222222222222222222222222222222222
mkdir -p $hub/refs $hub/snapshots/$one $hub/snapshots/$two
cp "$config" $hub/snapshots/$one/config.json
cp "$config" $hub/snapshots/$two/config.json
printf $one >$hub/refs/main
render spectrum -m o/m -o hub.json
holds "the revision in a store is carried" " # revision=$one reading=" "$(cat hub.json)"
render --from hub.json -o hub2.json
check "and is the one again" "" "$(cat messages)"
printf $two >$hub/refs/main
render --from hub.json -o hub3.json
holds "another one is said" "was made from revision 111111111111 of o/m; revision 222222222222 is read now" "$(cat messages)"
sed 's/"version":"[^"]*"/"version":"0.0.1"/' hub.json >old.json
render --from old.json -o old2.json
holds "another version is said" "old.json was made by posviz 0.0.1" "$(cat messages)"

# what comes from elsewhere
carry() { printf '{"schema":1,"version":"0.1.0","command":"%s"}\n' "$1" >x.json; }
refused() { # NAME, COMMAND, PART
    carry "$2"
    render --from x.json -o refused.txt
    check "$1" 2 $?
    holds "$1, which is said" "$3" "$(cat messages)"
}
carry 'posviz similarity -e rope --lang en; touch pwned'
render --from x.json -o refused.txt
carry 'posviz similarity -e rope -s text=$(touch pwned) -s `touch pwned`=1'
render --from x.json -o refused.txt
check "nothing is ever run" "no file" "$([ -e pwned ] && echo pwned || echo no file)"
refused "no option writes" 'posviz similarity -e rope -o pwned.png' "-o: no figure has this option"
refused "nor is standard input read" 'posviz similarity -m -' "what came through a pipe is gone"
refused "an open quote" "posviz similarity -e 'rope" "is damaged"
refused "a view that is not there" 'posviz nonsense' "x.json: "
refused "another program's" 'rm -rf /' "carries no command of posviz"
render similarity -e rope -o plain.txt
render --from plain.txt -o refused.txt
check "a text carries nothing" 2 $?
holds "and what does is said" "png, svg, pdf, json and npy do, and csv written with --comment" "$(cat messages)"
render similarity -e rope -o whole.png
head -c "$(grep -abo IDAT whole.png | head -n 1 | cut -d: -f1)" whole.png >cut.png
render --from cut.png -o cut.txt
check "a picture cut short, its words whole" 0 $?
for bytes in 8 20 41 100; do
    head -c $bytes whole.png >cut.png
    render --from cut.png -o never.txt
    check "cut at $bytes bytes" 2 $?
done
# the second array of an npy begins and is cut inside its fixed ten bytes
render similarity -e rope -o whole.npy
for bytes in 7 8 9 10 12; do
    { head -c 200 whole.npy; printf '\223NUMPY\001\000\377\377# ' | head -c $bytes; } >cut.npy
    render --from cut.npy -o never.txt
    check "an npy cut $bytes bytes behind its second beginning" 2 $?
done
render --from nothing.png -o never.txt
holds "no such file" "nothing.png: cannot be opened" "$(cat messages)"
ln -s /dev/zero zero.png
render --from zero.png -o never.txt
check "no file without end" 2 $?
check "nothing was written for what was refused" "" "$(ls never.txt refused.txt 2>/dev/null)"
# many beginnings and no end: read once, not once a beginning
many() { awk -v what="$1" 'BEGIN { for (i = 0; i < 100000; i++) printf "%s", what }'; }
{ printf '<svg>'; many '>posviz '; printf '<'; } >many.svg
{ printf '%%PDF-1.4\n'; many '/Keywords('; } >many.pdf
{ printf '%%PDF-1.4\n'; many '/Keywords<'; } >hex.pdf
for file in many.svg many.pdf hex.pdf; do
    (ulimit -t 10; render --from $file -o never.txt)
    check "$file ends soon" 2 $?
done
plan
