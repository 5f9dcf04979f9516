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
clean "curses is included in one file" "$(grep -rlE '#include <(n?curses|term)(w/|\.h|/)' src views | grep -v '^src/term/term_curses.c$' || true)"
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
clean "no -ffast-math" "$(grep -rn 'ffast-math' Makefile mk | grep -v '^#' || true)"
plan
