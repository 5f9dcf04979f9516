#!/bin/sh
# Where the program is started: descriptors that are closed, no home, a home that is no folder, state files of any content, locales of another
# encoding. If it fails, a message is written into a user's file, a start ends in nothing for a file that nobody knows, or text is garbage.
. tests/support/tap.sh
config=$PWD/tests/cases/configs/gpt2.json
cd "$dir" || exit 1
export XDG_CONFIG_HOME="$dir/config" XDG_STATE_HOME="$dir/state"
p() { timeout 60 "$posviz" --lang en "$@"; }

# Standard input, output and error: closed, or of no use, in each combination.
for in in '<&-' '</dev/null'; do
    for out in '>&-' '>/dev/null' '>/dev/full' '>out'; do
        for err in '2>&-' '2>/dev/null' '2>err'; do
            eval "p similarity -s n=16 $in $out $err"
            status=$?
            case $out in '>&-' | '>/dev/full') want=2 ;; *) want=0 ;; esac
            check "a report with $in $out $err" $want $status
        done
    done
done
check "the report itself" yes "$([ "$(wc -l <out)" -gt 10 ] && echo yes)"
p render nothing -o figure.csv 2>&- </dev/null
check "without standard error a mistake is still 2" "2 no" "$? $([ -e figure.csv ] && echo yes || echo no)"
p render similarity -s n=16 -o figure.csv <&- >&- 2>&-
check "a figure needs none of the three" "0 0" "$? $(grep -c posviz: figure.csv)"
p compute <&- >out 2>err
check "no requests to be read" "2 1" "$? $(grep -c 'cannot be read' err)"
if [ -d /proc/self/fd ]; then
    mkfifo lines
    "$posviz" model --watch "$config" >lines 2>&- <&- &
    watcher=$!
    exec 3<lines
    read -r line <&3
    check "what is closed is given to no other file" "/dev/null /dev/null" "$(readlink /proc/$watcher/fd/0) $(readlink /proc/$watcher/fd/2)"
    kill $watcher
    wait $watcher 2>/dev/null
    exec 3<&-
fi

# Homes.
homes() {               # name, assignments...: a report, and the same with --resume, which has nothing to resume
    name=$1
    shift
    env -u XDG_CONFIG_HOME -u XDG_STATE_HOME "$@" "$posviz" --lang en similarity -s n=16 >out 2>err </dev/null
    check "$name: a report" "0 " "$? $(cat err)"
    env -u XDG_CONFIG_HOME -u XDG_STATE_HOME "$@" "$posviz" --lang en --resume >out 2>err </dev/null
    check "$name: nothing to resume" "2 1" "$? $(grep -c '^posviz: --resume' err)"
    env -u XDG_CONFIG_HOME -u XDG_STATE_HOME "$@" "$posviz" --lang en model no-such/model >out 2>err </dev/null
    check "$name: a model that is not there" 2 $?
}
echo >file
homes "no HOME" -u HOME
homes "an empty HOME" HOME=
homes "a HOME that is not there" HOME="$dir/none"
homes "a HOME that is a file" HOME="$dir/file"
homes "a HOME that is no path" HOME=relative
homes "a HOME where nothing can be made" HOME=/proc
homes "folders of XDG that are not there" XDG_CONFIG_HOME="$dir/no/c" XDG_STATE_HOME="$dir/no/s"
homes "folders of XDG that are files" XDG_CONFIG_HOME="$dir/file" XDG_STATE_HOME="$dir/file"
homes "folders of XDG that are no paths" XDG_CONFIG_HOME=c XDG_STATE_HOME=s HOME="$dir/none"

# State files.
mkdir -p state/posviz
last=state/posviz/last.json
resume() {              # name, part of the message
    p --resume >out 2>err </dev/null
    check "$1" "2 1" "$? $(grep -c "^posviz: --resume: .*$2" err)"
    check "$1: one line" 1 "$(wc -l <err | tr -d ' ')"
}
mkdir $last
resume "a state file that is a folder" "is a directory"
rmdir $last
: >$last
resume "an empty one" "not valid JSON"
echo '{"schema":1,"view":"sim' >$last
resume "one that was cut" "not valid JSON"
head -c 5000 "$posviz" >$last
resume "one of bytes" "not valid JSON"
echo '[]' >$last
resume "one that is a list" "must be an object"
echo '{"schema":99,"view":"similarity","new":1}' >$last
resume "one of a newer version" "schema"
head -c 3000000 /dev/zero >$last
resume "one that is too large" "$last"
mkfifo pipe
rm $last
ln -s "$dir/pipe" $last
resume "one that is a pipe, which nobody writes" "$last"
rm $last
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    echo '{}' >$last
    chmod 755 "$dir" && chmod -R a+rX state && chmod 0 $last
    timeout 60 setpriv --reuid=65534 --clear-groups "$posviz" --lang en --resume >out 2>err </dev/null
    check "one that may not be read" "2 1" "$? $(grep -c 'Permission denied' err)"
fi

# Locales of another encoding, installed or not.
for name in zh_CN.GB18030 zh_CN.gbk de_DE.ISO-8859-1 de_DE.iso885915@euro; do
    LC_ALL=$name "$posviz" similarity -s n=16 >out 2>err </dev/null
    check "$name: plain letters" "0 0" "$? $(LC_ALL=C grep -c '[^ -~]' out)"
    check "$name: English" 1 "$(LC_ALL=$name "$posviz" --help 2>&1 | grep -c 'opens the screen')"
done
for name in zh_CN.UTF-8 zh_CN.utf8 zh_CN zh_CN.utf8@pinyin; do
    check "$name: Chinese" 1 "$(LC_ALL=$name "$posviz" --help 2>&1 | grep -c '打开界面')"
done
for name in '' C POSIX no-such .. '%s%n' "$(printf '%5000s' x)"; do
    check "a locale of the name '$(echo "$name" | cut -c1-10)'" 0 "$(LC_ALL=$name "$posviz" similarity -s n=16 >out 2>err </dev/null; echo $?)"
done

plan
