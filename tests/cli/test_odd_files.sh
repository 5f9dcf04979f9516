#!/bin/sh
# What lies where a file should be: a pipe that nobody writes to, a folder, a device without an end, a socket, a link to nothing or to itself, a file
# that may not be read. If this fails, a program in a pipeline or at its start waits for ever, eats the memory, or blames something else.
. tests/support/tap.sh
cases=$PWD/tests/cases
cd "$dir" || exit 1
dir=$PWD
export HOME="$dir/home" XDG_CONFIG_HOME="$dir/config" XDG_STATE_HOME="$dir/state"
unset OLLAMA_MODELS HF_HOME HF_HUB_CACHE HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME LLAMA_CACHE
mkdir home
blob=$(printf 'a%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
blob=$blob$blob$blob$blob
commit=1234567890123456789012345678901234567890
ollama=home/.ollama/models hub=home/.cache/huggingface/hub/models--a--b

odd() {                 # kind, path
    rm -rf "$2"
    mkdir -p "$(dirname "$2")"
    case $1 in
    pipe) mkfifo "$2" ;;
    folder) mkdir "$2" ;;
    zeros) ln -s /dev/zero "$2" ;;
    null) ln -s /dev/null "$2" ;;
    link) ln -s nowhere "$2" ;;
    loop) ln -s "$(basename "$2")" "$2" ;;
    closed) echo '{}' >"$2" && chmod 0 "$2" ;;
    esac
}
refused() {             # words...: what is wrong with the answer; it must be 2 with a message that names the place
    place=$1
    shift
    timeout 60 "$posviz" --lang en "$@" >out 2>err </dev/null
    status=$?
    [ $status = 2 ] && grep -q "^posviz.*$place" err || echo "$kind: $* ends with $status: $(head -c 200 err)"
}
kinds="pipe folder zeros null link loop"
[ "$(id -u)" = 0 ] || kinds="$kinds closed"

# Where a path is named. A pipe is read there if it is text.
named() {
    for name in f.json f.gguf f.safetensors f.npy f.png; do odd "$kind" $name; done
    if [ "$kind" != pipe ]; then
        for name in f.json f.gguf f.safetensors; do
            refused $name model $name
            refused $name render model -m $name -o x.txt
            refused $name diff $name "$cases/configs/gpt2.json"
        done
        refused f.json render rotation -p ./f.json -o x.txt
        refused f.png render --from f.png -o x.txt
        refused f.json model --baseline f.json "$cases/configs/gpt2.json"
        refused f.json compute f.json
        refused f.json tour ./f.json
        refused f.json wizard --load f.json --json
        refused f.json wizard --data f.json --json
    fi
    refused f.json tour --check f.json
    refused f.npy render similarity -e learned -s table=f.npy -o x.txt
    refused f.npy render attention -s q=f.npy -s k=f.npy -o x.txt
}
# Where the program looks by itself: nobody would ever write to a pipe there.
found() {
    for name in config.json model.safetensors model.safetensors.index.json a.gguf; do
        rm -rf m && odd "$kind" m/$name
        refused m model m
    done
    rm -rf $ollama && odd "$kind" $ollama/manifests/registry.ollama.ai/library/foo/latest
    refused foo model ollama:foo
    rm -rf $ollama && mkdir -p $ollama/manifests/registry.ollama.ai/library/foo
    for type in model params; do
        echo '{"mediaType": "application/vnd.ollama.image.'$type'", "digest": "sha256:'"$blob"'"}'
    done | paste -sd, | sed 's/.*/{"layers": [&]}/' >$ollama/manifests/registry.ollama.ai/library/foo/latest
    odd "$kind" $ollama/blobs/sha256-"$blob"
    refused foo model ollama:foo
    for name in config.json w.gguf; do
        rm -rf $hub && mkdir -p $hub/refs $hub/snapshots/$commit
        printf %s $commit >$hub/refs/main
        odd "$kind" $hub/snapshots/$commit/$name
        refused a/b model a/b
    done
    rm -rf $hub && mkdir -p $hub/snapshots/$commit && cp "$cases/configs/gpt2.json" $hub/snapshots/$commit/config.json
    odd "$kind" $hub/refs/main
    timeout 60 "$posviz" model a/b >out 2>err || [ $? = 2 ] || echo "$kind as a reference hangs"
    rm -rf home/.cache $ollama
    odd "$kind" config/posviz/presets/mine.json
    refused mine render rotation -p mine -o x.txt
    timeout 60 "$posviz" list presets >out 2>err || echo "$kind in the folder of presets: $(head -1 err)"
    odd "$kind" state/posviz/last.json
    refused last.json --resume --color mono
    rm -rf config state
    odd "$kind" config/posviz/config
    timeout 60 "$posviz" list views >out 2>err || echo "$kind as the file of options: $(head -1 err)"
    rm -rf config
}
for kind in $kinds; do
    clean "named: $kind" "$(named)"
    clean "found: $kind" "$(found)"
done

# A pipe that is named is waited for, and that is said.
mkfifo late.json
timeout 60 "$posviz" --lang en model late.json >out 2>err &
reader=$!
n_tries=0
while ! grep -q waiting err && kill -0 $reader 2>/dev/null && [ $n_tries -lt 2000000 ]; do n_tries=$((n_tries + 1)); done
check "who waits for a pipe says so" "posviz: waiting for the other end of the pipe late.json" "$(cat err)"
cat "$cases/configs/gpt2.json" >late.json
wait $reader
check "and reads it when it comes" "0 1" "$? $(grep -c 'learned absolute table' out)"
mkfifo answers.csv
timeout 60 "$posviz" --lang en render similarity -s n=4 -o answers.csv 2>err &
writer=$!
cat answers.csv >out
wait $writer
check "a figure goes into a pipe" "0 yes" "$? $([ -s out ] && echo yes)"
echo '{"encoding":"rope","output":"inv_freq","params":{"head_dim":4}}' >request
mkfifo requests && { cat request >requests & }
holds "requests come through a pipe" '"values":[1,' "$(timeout 60 "$posviz" compute requests)"
mkfifo once.json && { cat "$cases/configs/gpt2.json" >once.json & }
holds "a model that comes through a pipe opens the screen" "family. value: gpt2" "$(timeout 60 "$posviz" --lang en -m once.json --accessible </dev/null 2>&1)"

# A link to nothing is a name that is taken.
ln -s nowhere taken.txt
timeout 60 "$posviz" --lang en render similarity -s n=4 -o taken.txt 2>err
check "a link to nothing is not written through" "2 1 no" "$? $(grep -c 'taken.txt is a link to nothing' err) $([ -e nowhere ] && echo yes || echo no)"
plan
