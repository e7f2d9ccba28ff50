#!/usr/bin/env bash
# Packs a build, unpacks the packages into clean trees, and uses what is there:
#
#   tests/package/packages.sh BUILD_DIR VERSION CXX
#
# Findings of lintian are printed where it is installed; errors among them fail.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build_dir=$1 version=$2
export CXX=$3
command -v dpkg-shlibdeps >/dev/null || { echo "without dpkg-dev no packages are made"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
die() { echo "$*"; exit 1; }

cpack --config "$build_dir/CPackConfig.cmake" -B "$tmp/packages" >"$tmp/log" 2>&1 || { cat "$tmp/log"; die "cpack fails"; }
if ! grep -q '^SEQPOINT_CONTACT:[^=]*=.*@' "$build_dir/CMakeCache.txt"; then
  grep -q "no maintainer that can be reached" "$tmp/log" || die "packages without a maintainer are made in silence"
fi
program=$(echo "$tmp"/packages/seqpoint_"$version"-*.deb)
development=$(echo "$tmp"/packages/libseqpoint-dev_"$version"-*.deb)
archive=$(echo "$tmp"/packages/seqpoint-"$version"-*.tar.gz)
[[ -s $program && -s $development && -s $archive ]] || die "not every package was made: $(ls "$tmp/packages")"

# A clean tree, as `dpkg` would fill it.
root=$tmp/root
dpkg-deb -x "$program" "$root"
[[ ! -e $root/usr/include && $(ls "$root/usr/lib") == python3 ]] || die "the program's package holds development files"
# The companion is where Debian's Python looks, and in the archive. It asks for no PyTorch before the job does.
tar -xzf "$archive" -C "$tmp"
for folder in "$root/usr/lib/python3/dist-packages" "$tmp/seqpoint-$version"-*/share/seqpoint/python; do
  command -v python3 >/dev/null || continue
  usage=$(cd / && PYTHONPATH=$folder python3 -m seqpoint_companion measure --help) || die "no companion in $folder"
  [[ $usage == *"PLAN -- SCRIPT|-m MODULE"* ]] || die "the companion in $folder says: $usage"
done
if command -v python3 >/dev/null; then
  (cd / && PYTHONPATH=$root/usr/lib/python3/dist-packages python3 -c 'import seqpoint; assert list(seqpoint.iterate([1])) == [1]') ||
    die "the package has no module seqpoint"
fi
[[ $(dpkg-deb -f "$program" Recommends) == python3 ]] || die "the package does not recommend python3"
seqpoint=$root/usr/bin/seqpoint
[[ $("$seqpoint" --version) == "seqpoint $version" ]] || die "the unpacked program is not $version"
if grep -q '^CMAKE_BUILD_TYPE:[^=]*=Release$' "$build_dir/CMakeCache.txt"; then
  [[ $(readelf -dW "$seqpoint") == *BIND_NOW* ]] || die "the program was linked without -z now"
  [[ $(readelf -W --dyn-syms "$seqpoint") == *_chk@GLIBC* ]] || die "the program was compiled without _FORTIFY_SOURCE"
fi
data=$root/usr/share/doc/seqpoint/examples/data
iterations=$("$seqpoint" -q scan "$data/librispeech-train-clean-100.csv" --sampler sorted --batch-size 64 | tail -n +2 | wc -l)
[[ $iterations == 446 ]] || die "the unpacked program scans $iterations iterations, not 446"
gzip -t "$root"/usr/share/man/man1/*.gz "$root"/usr/share/doc/seqpoint/*.gz

# Every library that the program asks for is in a package that it depends on.
depends=$(dpkg-deb -f "$program" Depends)
while read -r name; do
  library=$(ldd "$seqpoint" | awk -v name="$name" '$1 == name || $1 ~ "/" name "$" { print $3 ~ /^\// ? $3 : $1 }')
  # Debian 12 has merged /lib into /usr/lib; packages list their files under either.
  owner=$(dpkg -S "$library" 2>/dev/null || dpkg -S "/usr$library" 2>/dev/null || dpkg -S "${library#/usr}" 2>/dev/null) || die "no package has $library"
  owner=${owner%%:*}
  found=false
  for package in "$owner" $(dpkg-query -W -f '${Provides}' "$owner" | sed 's/([^)]*)//g; s/,/ /g'); do
    if [[ ", $depends," == *", $package"[\ ,]* ]]; then found=true; fi
  done
  $found || die "$library is of $owner, on which the package does not depend: $depends"
done < <(objdump -p "$seqpoint" | awk '$1 == "NEEDED" { print $2 }')

# Nothing else of this machine is needed: the program runs where there are only those libraries.
if ((EUID == 0)); then
  while read -r library; do
    mkdir -p "$root$(dirname "$library")" && cp -L "$library" "$root$library"
  done < <(ldd "$seqpoint" | grep -o '/[^ ]*')
  [[ $(chroot "$root" /usr/bin/seqpoint --version) == "seqpoint $version" ]] || die "the program does not run in a root of its own"
  echo "run in a root of its own"
fi

# A stranger's project against the development package.
dpkg-deb -x "$development" "$root"
cmake -S "$here" -B "$tmp/stranger" -G Ninja -DCMAKE_PREFIX_PATH="$root/usr" -DEXAMPLE="$root/usr/share/doc/seqpoint/examples/library/epoch.cpp" >/dev/null
cmake --build "$tmp/stranger" >/dev/null
[[ $("$tmp/stranger/uses_io") == "$version: 2 samples" ]] || die "the stranger's program does not run"

# The archive holds all, below one folder.
mkdir "$tmp/unpacked" && tar -xzf "$archive" -C "$tmp/unpacked"
top=$(echo "$tmp"/unpacked/*)
[[ $("$top/bin/seqpoint" --version) == "seqpoint $version" ]] || die "the program in the archive is not $version"
[[ -n $(find "$top" -name seqpoint.pc) ]] || die "the archive has no development files"
! command -v help2man >/dev/null || [[ -s $top/share/man/man1/seqpoint-select.1 ]] || die "the archive has no manual"

if command -v lintian >/dev/null; then
  lintian --allow-root --tag-display-limit 0 "$program" "$development" | tee "$tmp/lintian"
  ! grep -E '^E:|: hardening-' "$tmp/lintian" >/dev/null || die "lintian finds errors"
fi
echo "packages: $(cd "$tmp/packages" && stat -c '%n %s bytes' ./*.deb ./*.gz | tr '\n' ';')"
