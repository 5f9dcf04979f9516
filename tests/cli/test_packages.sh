#!/bin/sh
# The package and the bundle as their users get them: they install, run with nothing of the builder's around them, and go without a trace. If this
# fails, whoever installs posviz without its source gets a program that does not start or writes no pictures.
. tests/support/tap.sh
if grep -q '__[at]san_init' "$posviz"; then         # nobody packages a build under sanitizers
    echo "1..0 # SKIP a build under sanitizers"
    echo "ok 1 - skipped: a build under sanitizers"
    exit 0
fi
make="make -s B=$build PACKAGES=$dir"

# What an installed program must do, started with an empty environment from another folder.
works() {               # name, program
    check "$1: --version" "posviz $version" "$(cd / && env -i "$2" --version | head -1 | cut -d' ' -f1-2)"
    check "$1: products are OpenBLAS', as it was built" "$("$posviz" --version | grep ^BLAS)" "$(cd / && env -i "$2" --version | grep ^BLAS)"
    holds "$1: presets are in it" models/llama-3.1-8b "$(cd / && env -i "$2" list presets)"
    holds "$1: a number" '"values":[1,0.01]' \
        "$(cd / && echo '{"encoding":"rope","output":"inv_freq","params":{"head_dim":4,"rope_theta":10000}}' | env -i "$2" compute)"
    if [ -e "$build/posviz-picture.so" ]; then
        (cd / && env -i "$2" render similarity -s n=16 -o "$dir/a.png" --force 2>"$dir/err")
        check "$1: a picture" "PNG" "$(head -c 4 "$dir/a.png" | tail -c 3)"
    fi
}
version=$(sed -n 's/^VERSION *:= *//p' Makefile)

if command -v dpkg-shlibdeps >/dev/null; then
    DEBFULLNAME="Ada Lovelace" DEBEMAIL=ada@debian.org $make deb >"$dir/out" 2>&1
    package=$(find "$dir" -maxdepth 1 -name '*.deb')
    check "make deb makes one package" 1 "$(echo "$package" | grep -c "posviz_${version}_")"
    check "its maintainer is the one named" "Ada Lovelace <ada@debian.org>" "$(dpkg-deb -f "$package" Maintainer)"
    depends=$(dpkg-deb -f "$package" Depends)
    holds_all "it depends on the libraries of the program" "$depends" "libc6 (>= " libcjson1 libncursesw6 blas
    check "pictures are recommended, not required" 0 "$(echo "$depends" | grep -c pango)"
    ! command -v lintian >/dev/null || check "lintian has nothing to say" "" "$(lintian --allow-root "$package" 2>&1)"
    if [ "$(id -u)" = 0 ]; then
        root=$dir/root
        mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" && : >"$root/var/lib/dpkg/status"
        dpkg --root="$root" --log=/dev/null --force-depends -i "$package" >"$dir/out" 2>&1
        check "dpkg installs it" "posviz installed" "$(dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${Package} ${db:Status-Status}' posviz 2>&1)"
        check "what it put there is what it said" "" "$(cd "$root" && md5sum --quiet -c var/lib/dpkg/info/posviz.md5sums 2>&1)"
        works "installed" "$root/usr/bin/posviz"
        dpkg --root="$root" --log=/dev/null --purge posviz >"$dir/out" 2>&1
        check "and takes it away whole" "" "$(find "$root" -path "$root/var" -prune -o -type f -print)"
    else
        dpkg-deb -x "$package" "$dir/root"
        works "unpacked" "$dir/root/usr/bin/posviz"
    fi
fi

$make bundle >"$dir/out" 2>&1
made=$(find "$dir" -maxdepth 1 -name "posviz-$version-*")
mkdir "$dir/home" && mv "$made" "$dir/home/moved here" && bundle="$dir/home/moved here"
works "bundle" "$bundle/posviz"
# Which file every library is taken from, those of the module among them.
taken() { (cd / && env -i LD_DEBUG=files "$bundle/posviz" render similarity -s n=16 -o "$dir/b.png" --force 2>&1) | sed -n 's/.*calling init: //p'; }
check "it takes its libraries, those of pictures too, from its own folder" "" \
    "$(taken | grep '^/' | grep -v "^$bundle/" | grep -vE '/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|resolv|util))\.so' || true)"
check "and there are some" yes "$([ "$(taken | grep -c "^$bundle/lib/")" -ge 3 ] && echo yes)"
check "it is the program itself, no script that sets a path for others" "ELF" "$(head -c 4 "$bundle/posviz" | tail -c 3)"
plan
