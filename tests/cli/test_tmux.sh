#!/bin/sh
# A second terminal, written by others: tmux. What both agree on is not a mistake of the virtual terminal. If this fails: wrong
# colours or a broken screen for everybody who works in tmux.
command -v tmux >/dev/null || { echo "ok 1 - tmux is not installed # SKIP"; exit 0; }
n=0
name=posviz-test-$$
tm() { tmux -L "$name" -f /dev/null "$@" 2>/dev/null; }
trap 'tm kill-server' EXIT

check() {               # TITLE COMMAND...
    title=$1
    shift
    n=$((n + 1))
    if "$@"; then echo "ok $n - $title"; else
        echo "not ok $n - $title"
        tm capture-pane -p | sed 's/^/# /'
    fi
}
# Looks until the pane shows a text; every look is a round trip to the server, so this ends after a minute or more.
shows() {
    i=0
    while [ $i -lt 30000 ]; do
        tm capture-pane -p ${2:+"$2"} | grep -qF "$1" && return 0
        i=$((i + 1))
    done
    return 1
}
lacks() {
    i=0
    while [ $i -lt 30000 ]; do
        tm capture-pane -p | grep -qF "$1" || return 0
        i=$((i + 1))
    done
    return 1
}
flag() { [ "$(tm display-message -p "#{$1}")" = "$2" ]; }

unset TMUX STY COLORTERM NO_COLOR CLICOLOR CLICOLOR_FORCE
LC_ALL=C.UTF-8 tm new-session -d -x 110 -y 32 "PS1='ready> ' sh"
tm set-option -s escape-time 0
tm send-keys "$POSVIZ --lang en bias" Enter
check "the screen comes up" shows "ALiBi"
check "colours are exact: the chosen tab is in the accent" shows "38;2;255;180;84" -e
check "it is on the other screen" flag alternate_on 1
check "the mouse is asked for in the form without limits" flag mouse_sgr_flag 1
tm send-keys L
check "the other language" shows "参数"
tm send-keys L
check "and back" shows "parameters"
tm send-keys :
tm send-keys -l 位
check "a Chinese character is typed whole" shows "位"
tm send-keys Escape
check "and is given up" lacks "位"
printf '\033[2J\033[5;9r\033[HSomebody writes here.' >"$(tm display-message -p '#{pane_tty}')"
check "another program writes on the screen" shows "Somebody writes here."
tm send-keys C-l
check "Ctrl-L paints it anew" shows "parameters"
check "all of it" lacks "Somebody"
tm send-keys M
check "the mouse is given to tmux" shows "M takes it back"
check "which has it" flag mouse_sgr_flag 0
tm send-keys M
check "and taken back" shows "the mouse works in the program again"
check "from it" flag mouse_sgr_flag 1
tm send-keys -l "$(printf '\033[<0;107;32M\033[<0;107;32m')"
check "a click on a word of the last line does what its key does" shows "参数"
tm send-keys L
tm resize-window -x 80 -y 24
check "another size" shows "help"
tm send-keys Q
check "the shell comes back" shows "ready>"
check "on its own screen" flag alternate_on 0
check "without mouse reports" flag mouse_sgr_flag 0
check "with its cursor" flag cursor_flag 1

echo "1..$n"
