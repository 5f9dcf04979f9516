#!/bin/sh
# The rules that keep the tree what it is: who may include whom, registries that agree with their folders, one door to each library.
# If these break, a new encoding or view starts to need edits in many places, and the core can no longer be tested without a screen.
. tests/support/tap.sh

# includes FOLDER ALLOWED...: lines of FOLDER that include a project header of a folder not allowed
includes() {
    from=$1
    shift
    allowed=$(echo "$*" | tr ' ' '|')
    grep -rnE '^#include "[a-z_]+/' "$from" | grep -vE "#include \"($allowed)/" || true
}

clean "base includes base alone" "$(includes src/base base)"
clean "json includes base alone" "$(includes src/json base json)"
clean "core includes base and core alone" "$(includes src/core base core encodings)"
clean "encodings include base and core alone" "$(includes src/encodings base core)"
clean "canvas includes base alone" "$(includes src/canvas base canvas)"
clean "term includes base and canvas alone" "$(includes src/term base canvas term)"
clean "figure includes base, core and canvas" "$(includes src/figure base core canvas figure)"
clean "model includes base, json, core" "$(includes src/model base json core model)"
clean "wizard includes base, json, core" "$(includes src/wizard base json core wizard)"
clean "scenario includes base, json, core, model, wizard, canvas' palette" \
    "$(includes src/scenario base json core model wizard scenario | grep -v '"canvas/palette.h"')"
clean "export includes base, json, canvas, figure" "$(includes src/export base json canvas figure export | grep -v '"core/field.h"')"
clean "views know figure, scenario, model, wizard, core and app/view.h" \
    "$(includes views base json core figure model scenario wizard | grep -v '"app/view.h"')"
clean "nobody includes an encoding or a view" "$(grep -rnE '#include "(encodings|views)/[a-z0-9_]+\.[ch]"' src views tests || true)"
clean "cJSON.h is included in one file" "$(grep -rlE '#include <cjson' src views | grep -v '^src/json/json.c$' || true)"
clean "curses is included in two files" "$(grep -rlE '#include <(n?curses|term)(w/|\.h|/)' src views | grep -vE '^src/term/(term_curses|codes)\.c$' || true)"
clean "cblas is included in one file" "$(grep -rlE '#include <(openblas/)?cblas' src views | grep -v '^src/core/blas.c$' || true)"

listed() { sed -n "s/^$2(\([a-z0-9_]*\)).*/\1/p" "$1" | LC_ALL=C sort; }
registered() { grep -lE "^const struct $2 $2_[a-z0-9_]+ = " "$1"/*.c | sed 's,.*/,,; s/\.c$//' | LC_ALL=C sort; }
clean "encodings.def lists what lies in src/encodings" \
    "$(a=$(listed src/encodings/encodings.def ENCODING); b=$(registered src/encodings encoding); [ "$a" = "$b" ] || echo "$a" "$b")"
clean "views.def lists what lies in views" "$(a=$(listed views/views.def VIEW); b=$(registered views view); [ "$a" = "$b" ] || echo "$a" / "$b")"
clean "every source file opens with a comment or its header" \
    "$(for f in src/*/*.c views/*.c; do head -1 "$f" | grep -qE '^(/\*|#include)' || echo "$f"; done)"
clean "no path of a machine, no unfinished mark" \
    "$(grep -rnIE '(^|[^a-z])/(work|farm|tmp/wt)/|TODO|FIXME|(^|[^X])XXX([^X]|$)' Makefile mk tools src views README.md 2>/dev/null || true)"
clean "nothing that is built is kept" "$(git ls-files 2>/dev/null | grep -E '\.(o|d|so|a|gcno|gcda|mo|deb)$|^(build[^/]*|gen|pic)/' || true)"
clean "no -ffast-math" "$(grep -rn 'ffast-math' Makefile mk | grep -v '^#' || true)"

# The traps of terminals and libraries (docs/faults.md).
clean "curses draws nothing" \
    "$(grep -nE '\b(alloc_pair|init_(extended_)?pair|COLOR_PAIR|start_color|doupdate|w?refresh|w?printw|w?add(n?w?str|ch)|putp|tputs)\(' src/term/*.c || true)"
clean "nothing prints while the screen is on" \
    "$(grep -nE '\b(v?printf|puts|putchar|perror|fputs|fprintf|fflush)\(' src/term/*.c src/app/*.c src/figure/*.c src/scenario/*.c src/core/*.c views/*.c |
        grep -vE '^src/app/(app|dialogue[a-z_]*|copy|cast)\.c:' || true)"
clean "nothing forks but to run another program" "$(grep -rnE '\bv?fork\(' src views | grep -v "^src/command/pty.c:" || true)"
clean "numbers have a point in every locale" "$(grep -rnE 'setlocale\((LC_ALL|LC_NUMERIC)' src views || true)"
clean "no test sleeps" "$(grep -rnE '\b(u?sleep|nanosleep)\(|^ *sleep ' tests --include=*.c --include=*.sh | grep -v '^tests/cli/test_rules.sh' || true)"

# fault_tests: a line for each test that docs/faults.md names and that is not there
fault_tests() {
    grep -oE '`tests/[^`]*: [^`]*`' docs/faults.md | tr -d '`' | sort -u | while IFS= read -r item; do
        file=${item%%: *} name=${item#*: }
        case $file in
        *.c) grep -qE "(unit_test|unit_test_setup_teardown|SCRATCH)\($name[,)]" "$file" || echo "$item" ;;
        *) grep -qF "$name" "$file" || echo "$item" ;;
        esac
    done
}
clean "every test that docs/faults.md names is there" "$(fault_tests)"
check "and it names many" yes "$([ "$(grep -oE '`tests/[^`]*: [^`]*`' docs/faults.md | sort -u | wc -l)" -gt 80 ] && echo yes)"
plan
