#!/bin/sh
# What the world does to a program: full disks, read-only folders, limits, huge numbers, closed pipes. If this fails, a user finds half a file
# where a whole one stood, an exit status of 0 for work that is lost, or a program that hangs.
. tests/support/tap.sh
cases=$PWD/tests/cases
cd "$dir" || exit 1
export XDG_CONFIG_HOME="$dir/config" XDG_STATE_HOME="$dir/state"
sanitized=$(grep -c __asan_init "$posviz")
run() { timeout 60 "$posviz" --lang en "$@" >out 2>err </dev/null; echo $?; }
said() { grep -c "$1" err; }

# A device without room: every verb says so and fails.
for words in --version --help "list views" "list --help" "model $cases/configs/gpt2.json" "wizard --json" "generate man" similarity \
    "tour 01-order" "tour"; do
    # shellcheck disable=SC2086
    timeout 60 "$posviz" $words >/dev/full 2>err </dev/null
    check "a full device ends '${words%% /*}' with 2" "2 1" "$? $(said 'No space left')"
    # shellcheck disable=SC2086
    timeout 60 "$posviz" --lang zh $words >/dev/full 2>err </dev/null
    check "which is said in the language of '${words%% /*}'" 1 "$(said '没有剩余空间')"
done
echo '{"encoding":"rope","output":"inv_freq","params":{"head_dim":8}}' | "$posviz" compute >/dev/full 2>err
check "and compute" "2 1" "$? $(said 'No space left')"
ln -s /dev/full full.txt
check "a picture on a full device is 2" "2 1" "$(run render similarity -s n=16 -o full.txt --force) $(said 'No space left')"

# A limit of the size of files stands for a disk that fills up.
echo old >kept.json
(ulimit -f 1; trap '' XFSZ; run render similarity -s n=64 -o kept.json --force) >status
check "a disk that fills up is 2" 2 "$(cat status)"
check "what stood there stays" old "$(cat kept.json)"
check "nothing else is left behind" "" "$(find . -name '.posviz*')"
(ulimit -f 1; trap '' XFSZ; run render similarity -s n=64 -o new.json) >status
check "a new file is not begun" "2 no" "$(cat status) $([ -e new.json ] && echo yes || echo no)"

# Every file that the program writes, in every format: what stood there stays, and nothing lies beside it.
lost() {                # file, words...: what is wrong after a write that there is no room for
    file=$1
    shift
    echo old >"$file"
    (ulimit -f 1; trap '' XFSZ; timeout 60 "$posviz" --lang en "$@" >out 2>err </dev/null)
    status=$?
    [ $status = 2 ] && grep -q "$file cannot be written: File too large" err && [ "$(cat "$file")" = old ] ||
        echo "$file: $status, $(head -c 120 err), $(head -c 20 "$file")"
    rm -f "$file"
}
written() {
    for format in txt ansi csv npy json svg $([ ! -e "$build/posviz-picture.so" ] || echo png pdf); do
        lost f."$format" render similarity --size 200x60 -s n=64 -o f."$format" --force
        ln -sf /dev/full full."$format"
        timeout 60 "$posviz" --lang en render similarity -s n=16 -o full."$format" 2>err && echo "a full $format is no error"
        grep -q 'No space left' err || echo "full.$format: $(head -1 err)"
    done
    lost f.cast tour 01-order --cast f.cast --force
    find . -name '.posviz*'
}
clean "no format and no recording is lost or halved on a full disk" "$(written)"
for words in "wizard --json" "wizard --markdown" "model $cases/configs/gpt2.json --format sarif" "models --json" "explain" "schema model" \
    "generate complete-bash" "generate complete-zsh" "generate complete-fish" "diff $cases/configs/gpt2.json $cases/configs/gpt2.json --json"; do
    # shellcheck disable=SC2086
    timeout 60 "$posviz" $words >/dev/full 2>err </dev/null
    check "a full device ends '$words' with 2" "2 1" "$? $(said 'No space left')"
done
check "notes on a full device are 2" "2 1" "$(run tour 01-order --notes /dev/full) $(said '/dev/full cannot be written: No space left')"
check "notes that no file takes are 2" "posviz tour: notes.txt cannot be written: File too large 2" \
    "$(echo $(ulimit -f 0; trap '' XFSZ; timeout 60 "$posviz" --lang en tour 01-order --notes notes.txt 2>&1 >/dev/null; echo $?))"
mkdir gone
check "a folder that was removed under us" "2 1" "$(cd gone && rmdir ../gone && timeout 60 "$posviz" --lang en render similarity -s n=16 -o x.txt 2>"$dir/err"; \
    echo "$? $(grep -c 'x.txt cannot be written' "$dir/err")")"

# Places where nothing can be written.
check "a folder that is not there" "2 1" "$(run render similarity -s n=16 -o nowhere/x.txt) $(said 'nowhere/x.txt cannot be written')"
check "a folder as the file" 2 "$(mkdir -p there.txt; run render similarity -s n=16 -o there.txt)"
check "an existing file without --force" "2 1" "$(run render similarity -s n=16 -o kept.json) $(said 'force replaces it')"
check "a place that root cannot write either" 2 "$(run render similarity -s n=16 -o /proc/x.txt)"

# The reason is said in the language of the message, whatever the locale is.
check "a reason in Chinese" "posviz model: none.json：无法打开：没有这个文件或文件夹" "$("$posviz" --lang zh model none.json 2>&1)"
ln -sf /dev/full full.txt
holds "a full device in Chinese" "设备上没有剩余空间" "$("$posviz" --lang zh render similarity -s n=16 -o full.txt --force 2>&1)"
holds "a word that is no verb in Chinese" "没有命令或视图" "$("$posviz" --lang zh nope 2>&1)"

# Huge and foolish numbers.
for words in "--size 100000x100000" "--size 0x0" "--size 9999999999999999999x1" "-s n=1e300" "-s n=-1" "-s n=nan" "-s head_dim=1e9" "-s num_heads=1e9" \
    "-s d_model=1e18" "--threads 100000" "--dpi 1e9" "-s rope_theta=inf"; do
    # shellcheck disable=SC2086
    check "refused: $words" "2 0" "$(run render similarity -e rope -o x.txt $words) $([ -e x.txt ] && echo 1 || echo 0)"
done
check "a thousand million tokens are a picture" 0 "$(run render similarity -s n=1e9 -o far.txt)"

# Memory. OpenBLAS' threads and buffers wait for memory for ever, pango and fontconfig crash where there is none. Numbers, text and reports work in a
# few MiB; a picture works or says why not. The suite holds OpenBLAS to one thread; here it may start what it likes.
walk() {                # words...: statuses other than 0, and 2 without a message of ours, for a walk through the limits
    for limit in 16000 20000 30000 40000 60000 80000 100000 150000 200000 260000 400000 600000 1000000 2000000; do
        (unset OPENBLAS_NUM_THREADS; ulimit -v $limit; timeout 60 "$posviz" --lang en "$@" >out 2>err </dev/null) 2>status
        status=$?
        [ $status = 0 ] || { [ $status = 2 ] && grep -q '^posviz.*memory\|^posviz.*内存\|^posviz.*failed to map' err; } || echo "$limit KiB: $* ends with $status: $(head -c 100 err)"
    done
}
if [ "$sanitized" = 0 ]; then
    echo '{"encoding":"rope","output":"similarity","params":{"head_dim":8},"positions":[1,2,3]}' >request.jsonl
    clean "every limit of memory: a version" "$(walk --version)"
    clean "a picture in text" "$(walk render similarity -o memory.txt --force)"
    clean "attention on two threads" "$(walk render attention -s n=2048 --threads 2 -o memory.npy --force)"
    clean "a bias" "$(walk render bias -e t5_bias -o memory.csv --force)"
    clean "compute" "$(walk compute request.jsonl)"
    clean "a model" "$(walk model "$cases/configs/llama-3.1-8b.json")"
    clean "a png" "$(walk render bias -o memory.png --force)"
    clean "a pdf in Chinese" "$(walk --lang zh render similarity -o memory.pdf --force)"
    (ulimit -v 30000; run compute request.jsonl) >status
    check "30 MiB are enough for a product" "0 1" "$(cat status) $(grep -c '"values":\[\[1,' out)"
    (ulimit -v 20000; run render similarity -s n=16 -o m.png) >status
    check "too little for a picture is said" "2 1" "$(cat status) $(said 'memory')"
fi

# Readers that go away.
"$posviz" generate man 2>err | head -c 10 >out
check "a closed pipe is no message but that of the pipe" 0 "$(grep -vc 'Broken pipe' err)"
yes '{"encoding":"rope","output":"inv_freq","params":{"head_dim":8}}' | timeout 60 "$posviz" compute 2>err | head -3 >out
check "compute ends when its reader does" 3 "$(wc -l <out | tr -d ' ')"

# Files that change or end while they are read.
for size in 0 1 100 200; do
    head -c $size "$cases/configs/llama-3.1-8b.json" >cut.json
    check "a configuration cut to $size bytes is 2" 2 "$(run model cut.json)"
done
check "a folder as a model without one is 2" 2 "$(mkdir -p empty; run model empty)"
check "a device as a model is 2" 2 "$(run model /dev/zero)"
# A limit of file sizes is a full disk by another name.
mkdir limited
check "a figure larger than files may be" 2 "$(cd limited && (ulimit -f 1; timeout 60 "$posviz" --lang en render similarity -o s.json --size 200x60 2>../err </dev/null; echo $?))"
check "its message names file and reason" 1 "$(said 's.json.*too large')"
check "and nothing is left behind" "" "$(ls -A limited)"

plan
