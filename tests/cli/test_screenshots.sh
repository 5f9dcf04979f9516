#!/bin/sh
# The pictures of the README and of screenshots/ show the program as it is now. If not, a reader is promised something else than he gets.
B=$(dirname "${POSVIZ:-build/posviz}")
export B
if [ ! -x "$B/shot" ]; then
    make -s "$B/shot" B="$B" >/dev/null 2>&1
fi
wrong=$(tools/screenshots screenshots/list screenshots --check 2>&1)
if [ -z "$wrong" ]; then
    echo "ok 1 - every picture shows the program as it is"
else
    echo "not ok 1 - every picture shows the program as it is"
    echo "$wrong" | head -12
fi
n=1
for name in $(sed -n 's/^\([a-z0-9-]*\) *|.*/\1/p' screenshots/list); do
    [ -s "screenshots/$name.png" ] || missing="${missing:-} $name"
done
n=$((n + 1))
if [ -z "${missing:-}" ]; then echo "ok $n - every picture of the list is there"; else echo "not ok $n - every picture of the list is there:$missing"; fi
for image in $(sed -n 's/.*(\(screenshots\/[a-z0-9-]*\.png\)).*/\1/p' README.md README.zh-CN.md); do
    n=$((n + 1))
    if [ -s "$image" ]; then echo "ok $n - $image is there"; else echo "not ok $n - $image is there"; fi
done
echo "1..$n"
