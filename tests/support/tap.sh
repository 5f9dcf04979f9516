# tap.sh - what the scripts of tests/cli share: `. tests/support/tap.sh` from the top folder, checks, and `plan` at the end.
# $posviz is the program by its whole path, $build its folder as make knows it, $dir a folder that goes with the script.
posviz=$(readlink -f "${POSVIZ:-build/posviz}")
build=$(dirname "$posviz")
build=${build#"$PWD"/}
POSVIZ=$posviz
dir=$(mktemp -d) || exit 1
trap 'chmod -R u+rwX "$dir"; rm -rf "$dir"' EXIT
n=0

passes() {              # name, status
    n=$((n + 1))
    if [ "$2" -eq 0 ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; fi
}
check() {               # name, wanted, got
    [ "$2" = "$3" ]
    passes "$1" $?
    [ "$2" = "$3" ] || printf '#   want: %s\n#   got:  %s\n' "$2" "$3"
}
holds() {               # name, part, whole
    case "$3" in
    *"$2"*) check "$1" x x ;;
    *) check "$1" "$2" "$3" ;;
    esac
}
holds_all() {           # name, whole, part...
    name=$1 whole=$2
    shift 2
    for part; do
        case $whole in *"$part"*) ;; *) check "$name" "$part" "$whole"; return ;; esac
    done
    passes "$name" 0
}
clean() {               # name, lines that are wrong (empty: none)
    [ -z "$2" ]
    passes "$1" $?
    [ -z "$2" ] || echo "$2" | head -8 | sed 's/^/# /'
}
plan() { echo "1..$n"; }
