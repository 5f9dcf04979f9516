#!/bin/sh
# The program as a dialogue in lines, typed at and piped. If this fails, somebody with a screen reader meets a question that takes no answer, a
# program that does not end, a frame or an escape sequence read aloud.
set -u
. tests/support/tap.sh
TERM=dumb; export TERM
unset ACCESSIBLE

typed() { # LINES, options: the dialogue; its output is also searched for what no reader can say
    lines=$1
    shift
    printf "$lines" | "$posviz" "$@" --accessible >"$dir/out" 2>"$dir/err"
    status=$?
    cat "$dir/out" >>"$dir/all"
    cat "$dir/out"
    return $status
}

out=$(typed '' --lang en bias -e alibi -s n=16)
passes "the end of the input ends the program" $?
holds_all "a view is described" "$out" "View bias." "Shown: ALiBi, head_dim 64, n 16." "Largest: 0, wherever query and key are the same." \
    "Smallest: -7.5, at query 15, key 0." "head 3. bias at distance 1: -0.0625" "Choices: 1 more; 2 next view;" "bias> end of input"
[ ! -s "$dir/err" ]
passes "nothing goes to stderr" $?

out=$(typed 'read 3 7\npanel 2\nread 4\nread 99\nread 1 2 3\nquit\n' --lang en bias -e alibi -s n=16)
holds_all "values are read out with their formula" "$out" "head 0, query 7, key 3 = -2; bias at distance 4; factor on the weight" "key 11 = -2" \
    "query − key = 99: allowed is 0 to 15" "read takes one place, or two"
out=$(typed 'read cat\nread cat sat\n' --lang en attention -p encodings/alibi-attention)
holds "places have names" "sat → cat" "$out"
out=$(typed 'panel 2\nread 12\n' --lang en table -e sinusoidal -s n=64)
holds "a view that follows the place" "channel 12" "$out"

out=$(typed 'set head 3\nundo\nredo\nset head_dim 32\nmore\nset head=999999\n' --lang en bias -e alibi -s n=16)
holds_all "parameters are changed, and only the change is said" "$out" "bias of head 3 of 8" "Smallest: -0.9375" "head_dim 32" "The rest is unchanged" \
    "At query 7, along key: 0: -0.4375; 3: -0.25; 7: 0." "head = 999999"
check "what was not changed is not said again" 1 "$(echo "$out" | grep -c 'head 0. bias at distance 1')"
out=$(typed '5\n1\n2\nset\n4\n2\n' --lang en bias -e alibi -s n=16)
