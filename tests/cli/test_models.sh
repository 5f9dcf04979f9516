#!/bin/sh
# Models in local stores, from outside: every verb takes their names. If it fails, `posviz model Qwen/Qwen3-8B` does not find what transformers
# has on this machine, or completion offers names that do not work.
. tests/support/tap.sh
unset HF_HUB_CACHE HUGGINGFACE_HUB_CACHE HF_HOME XDG_CACHE_HOME LLAMA_CACHE OLLAMA_MODELS MODELSCOPE_CACHE MS_CACHE_HOME POSVIZ_MODEL_PATH
HOME=$dir
export HOME

a=1111111111111111111111111111111111111111 b=2222222222222222222222222222222222222222
model=$dir/.cache/huggingface/hub/models--Org--Model
config() { # COMMIT BASE
    mkdir -p "$model/snapshots/$1"
    printf '{"model_type":"llama","hidden_size":256,"num_attention_heads":4,"num_hidden_layers":2,"max_position_embeddings":4096,"rope_theta":%s}' "$2" \
        >"$model/snapshots/$1/config.json"
}
check "an empty machine has no names" "" "$("$posviz" models -q)"
holds "and says where it looked" "$dir/.cache/huggingface/hub (huggingface)" "$("$posviz" models --lang en)"
config $a 10000
config $b 500000
mkdir -p "$model/refs"
printf %s $a >"$model/refs/main"

check "names, one a line" "Org/Model Org/Model@22222222" "$("$posviz" models -q | tr '\n' ' ' | sed 's/ $//')"
holds "a row says store and revision" "Org/Model huggingface 111111111111" "$("$posviz" models --lang en | tr -s ' ')"
holds "--json has the agreed fields" "{\"schema\":1,\"models\":[{\"name\":\"Org/Model\",\"store\":\"huggingface\",\"id\":\"Org/Model\",\"revision\":\"$a\"" "$("$posviz" models --json)"
holds "model takes a name" "base 10000" "$("$posviz" model --lang en Org/Model)"
holds "and says which revision" "huggingface, revision 111111111111" "$("$posviz" model --lang en Org/Model)"
holds "source in --json" "\"source\":{\"store\":\"huggingface\",\"id\":\"Org/Model\",\"revision\":\"$a\"" "$("$posviz" model --json Org/Model)"
"$posviz" diff Org/Model@$a Org/Model@$b >"$dir/out"
check "diff compares two revisions" 1 $?
holds "and finds the base" "base" "$(cat "$dir/out")"
"$posviz" render spectrum -m Org/Model -o "$dir/s.csv" 2>"$dir/err"
check "-m takes a name" 0 $?
"$posviz" model --lang en Org/Modle >"$dir/out" 2>"$dir/err"
check "an unknown name is 2" 2 $?
holds "with a near one" "Near it: Org/Model" "$(cat "$dir/err")"
holds "and what would fetch it" "hf download Org/Modle config.json" "$(cat "$dir/err")"

# the version of the evidence, in every report
revision="huggingface, revision 111111111111"
holds "several files" "Org/Model: $revision" "$("$posviz" model --lang en Org/Model Org/Model@$b)"
holds "--plain" "source	huggingface $a" "$("$posviz" model --plain Org/Model)"
holds "--markdown" "posviz 0.1.0 ($revision)." "$("$posviz" model --lang en --markdown Org/Model)"
holds "diff" "A  Org/Model  llama  $revision" "$("$posviz" diff --lang en Org/Model Org/Model@$b)"
holds "diff --json" "\"b_source\":{\"store\":\"huggingface\",\"id\":\"Org/Model\",\"revision\":\"$b\"" "$("$posviz" diff --json Org/Model Org/Model@$b)"
holds "the screen" "Org/Model (huggingface, revision 111111111" "$("$posviz" --lang en -m Org/Model)"
sed 's/}$/,"rope_scaling":{"rope_type":"linear","factor":0.5}}/' "$model/snapshots/$a/config.json" >"$dir/worse"
mv "$dir/worse" "$model/snapshots/$a/config.json"
holds "GitHub, at the file that was read" "::error file=$model/snapshots/$a/config.json,line=1,col=" "$("$posviz" model --lang en --format github Org/Model)"
holds "and its message" "($revision)" "$("$posviz" model --lang en --format github Org/Model)"
holds "SARIF" "\"text\":	\"Org/Model: $revision\"" "$("$posviz" model --lang en --format sarif Org/Model)"
holds "JUnit" "<property name=\"revision\" value=\"$a\"/>" "$("$posviz" model --format junit Org/Model)"
holds "a folder's findings are at its config.json" "$model/snapshots/$a/config.json:1:" "$("$posviz" model --lang en "$model/snapshots/$a")"

# completion, as bash asks for it: readline breaks words at ':' and '@'
mkdir -p "$dir/.lmstudio/models/pub/m" "$dir/bin"
cp "$model/snapshots/$b/config.json" "$dir/.lmstudio/models/pub/m/"
ln -s "$posviz" "$dir/bin/posviz"
"$posviz" generate complete-bash >"$dir/complete"
complete() { PATH=$dir/bin:$PATH bash -c 'COMP_WORDBREAKS=$1; source "$2"; COMP_LINE=$3; COMP_POINT=${#3}; _posviz; echo "${COMPREPLY[*]}"' - "$breaks" "$dir/complete" "$1" 2>&1 | tr '\n' ' ' | sed 's/ $//'; }
if command -v bash >/dev/null; then
    breaks=$(printf " \t\n\"'@><=;|&(:")
    check "names behind a verb" "Org/Model Org/Model@22222222" "$(complete 'posviz model --json Org/')"
    check "behind -m" "Org/Model Org/Model@22222222" "$(complete 'posviz render -m Org/')"
    check "behind '@'" "@22222222" "$(complete 'posviz diff Org/Model@2')"
    check "behind ':'" "pub/m" "$(complete 'posviz -m lmstudio:p')"
    breaks=$(printf " \t\n")
    check "where words are whole" "lmstudio:pub/m" "$(complete 'posviz -m lmstudio:p')"
    check "options of the verb" "--format" "$(complete 'posviz model --fo')"
    check "values" "mono" "$(complete 'posviz bias --color m')"
    check "codes" "factor-below-one" "$(complete 'posviz explain factor-b')"
fi
"$posviz" models file >/dev/null 2>&1
check "models takes no file" 2 $?
# whatever lies in the stores: a name that is listed can be given back
long=$(printf '%0110d' 7)
hub=$dir/.cache/huggingface/hub
for folder in "models--Org--$long" "models--$long--$long" 'models--Org--two words' 'models--Org--$(touch x);rm' 'models--a--b--c' 'models--a..b--c' \
    "models--Org--$(printf 'bad\377utf')" "models--Org--$(printf 'es\033c')" "models--Org--$(printf 'two\nlines')"; do
    mkdir -p "$hub/$folder/snapshots/$a"
    cp "$model/snapshots/$b/config.json" "$hub/$folder/snapshots/$a/"
done
manifests=$dir/.ollama/models/manifests/registry.ollama.ai/library
mkdir -p "$manifests/m/folder" "$manifests/two words" "$manifests/$long$long" "$dir/.lmstudio/models/two words/m" "$dir/.lmstudio/models/$long$long/$long$long"
echo '{}' >"$manifests/two words/latest"
echo '{}' >"$manifests/$long$long/latest"
for folder in "two words/m" "$long$long/$long$long"; do
    cp "$model/snapshots/$b/config.json" "$dir/.lmstudio/models/$folder/"
done
"$posviz" models -q >"$dir/names"
while IFS= read -r name; do
    "$posviz" model "$name" >/dev/null 2>"$dir/err"
    [ $? -lt 2 ] || { echo "$name"; cat "$dir/err"; }
done <"$dir/names" >"$dir/bad"
clean "every listed name is read" "$(cat "$dir/bad")"
passes "long ones among them" "$(grep -q "^Org/$long\$" "$dir/names"; echo $?)"
holds "and what has no name by its path" "/models--Org--two words/snapshots/$a" "$(cat "$dir/names")"
clean "nothing that cannot be typed" "$(grep -n '[?]' "$dir/names")"
refused=$("$posviz" model --lang en 'hf:Org/two words' 2>&1)
holds "what cannot be a name is not offered to a shell" "posviz never downloads. Looked in" "$refused"
refused=$("$posviz" model --lang en 'Org/Model@x;reboot' 2>&1)
holds "a revision is quoted for a shell" "hf download Org/Model --revision 'x;reboot' config.json" "$refused"
refused=$("$posviz" model --lang en model 2>&1)
holds_all "a bare word that is no file is told what is near it" "$refused" "model: no such file, and no model of a local store has this name. Near it: Org/Model" "posviz models"
"$posviz" model nothing-like-it >/dev/null 2>&1
check "and is 2" 2 $?
plan
