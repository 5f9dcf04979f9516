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
"$posviz" models file >/dev/null 2>&1
check "models takes no file" 2 $?
plan
