#!/bin/sh
# What users read and install: the README's tables agree with the program, every message has its Chinese, the man page and the completions
# are well-formed, and an installed program works from another folder with nothing else of ours around it.
. tests/support/tap.sh
tmp=$dir

clean "README.md agrees with the program" "$(tools/docs --check "$POSVIZ" en README.md 2>&1)"
clean "README.zh-CN.md agrees with the program" "$(tools/docs --check "$POSVIZ" zh README.zh-CN.md 2>&1)"

clean "docs/model-keys.md agrees with the code" "$(tools/model-keys "$POSVIZ" >"$tmp/keys.md" 2>&1; cmp -s "$tmp/keys.md" docs/model-keys.md || echo "out of date: make docs")"
clean "and has keys, no names of the code's" "$(grep '_keys`' docs/model-keys.md)"

missing() {
    LC_ALL=C.UTF-8 xgettext --language=C --from-code=UTF-8 --keyword= --keyword=N_ --no-location -o "$tmp/raw.pot" $(find src views -name '*.[ch]') 2>"$tmp/errors"
    sed 's/charset=CHARSET/charset=UTF-8/' "$tmp/raw.pot" >"$tmp/all.pot"
    msgattrib --no-obsolete -o "$tmp/now.po" po/zh.po       # what is set aside as no longer used is not in the program
    LC_ALL=C.UTF-8 msgmerge --quiet --no-fuzzy-matching -o "$tmp/zh.po" "$tmp/now.po" "$tmp/all.pot" 2>>"$tmp/errors"
    msgfmt --check-format -o /dev/null "$tmp/zh.po" 2>&1
    msgattrib --untranslated --no-obsolete --no-wrap "$tmp/zh.po" | grep '^msgid "..*"' | head -5
    msgattrib --only-fuzzy --no-obsolete "$tmp/zh.po" | grep '^msgid "..*"' | head -5
}
clean "every message has its Chinese, with the same placeholders" "$(missing)"

for shell in bash; do
    "$POSVIZ" generate "complete-$shell" >"$tmp/complete"
    clean "completion for $shell is well-formed" "$($shell -n "$tmp/complete" 2>&1)"
done
for lang in en zh; do
    "$POSVIZ" generate man --lang "$lang" >"$tmp/man.1"
    clean "the $lang man page has every option, file and variable that a user needs" "$(for v in '\-\-lang' '\-\-help, \-h' '\-\-version' posviz/config last.json POSVIZ_KERNEL HF_HOME 'B x' 'B \(dq'; do grep -qF -- "$v" "$tmp/man.1" || echo "$v"; done)"
    clean "and none that only tests know" "$(grep -e 'test.*sync\|test.*clock' "$tmp/man.1")"
    clean "the $lang man page names every verb" "$(for v in compute model render wizard list; do grep -q "posviz $v" "$tmp/man.1" || echo "$v"; done)"
done
holds "the man page has a date" '.TH POSVIZ 1 "2009-02-13"' "$(SOURCE_DATE_EPOCH=1234567890 "$POSVIZ" generate man)"
clean "no help and no completion names the options of tests" "$(for words in --help -h "tour --help" "wizard -h" "generate complete-bash" "generate complete-zsh" "generate complete-fish"; do
    # shellcheck disable=SC2086  # words
    "$POSVIZ" $words | grep -e '-sync\|-clock\|test-'; done)"
command -v groff >/dev/null && clean "troff takes the man page" "$("$POSVIZ" generate man | groff -man -Kutf8 -Tutf8 -ww 2>&1 >/dev/null | head -5)"
words() { "$POSVIZ" generate words -- "$1" 2>/dev/null | tr '\n' ' '; }
for pair in "-e:alibi" "--theme:light" "--colormap:viridis" "-p:models/llama-3.1-8b" "render:similarity" "tour:05-rotation" "explain:factor-below-one" "--format:sarif"; do
    clean "completion after ${pair%%:*} offers ${pair#*:}" "$(case " $(words "${pair%%:*}")" in *" ${pair#*:} "*) ;; *) words "${pair%%:*}" ;; esac)"
done
clean "an unknown kind is refused with what is allowed" "$("$POSVIZ" generate nothing >/dev/null 2>"$tmp/err"; [ $? -eq 2 ] && grep -q complete-zsh "$tmp/err" || echo "status or message")"

make -s install DESTDIR="$tmp/root" PREFIX=/usr B="$build" >/dev/null 2>"$tmp/err" || cat "$tmp/err"
installed=$tmp/root/usr/bin/posviz
clean "an installed program lists its presets" "$(cd / && env -i HOME="$tmp" TERM=dumb "$installed" list presets 2>&1 | grep -q 'models/llama-3.1-8b' || echo "no presets")"
clean "an installed program writes pictures" "$(cd "$tmp" && "$installed" render similarity -o a.png 2>&1; [ -s a.png ] || echo "no picture")"
cp "$installed" "$tmp/alone" 
clean "a binary copied alone starts" "$(cd "$tmp" && env -i HOME="$tmp" TERM=dumb ./alone similarity </dev/null 2>&1 | grep -q . || echo "nothing")"
make -s uninstall DESTDIR="$tmp/root" PREFIX=/usr >/dev/null 2>&1
clean "uninstall leaves nothing" "$(find "$tmp/root" -type f)"
plan
