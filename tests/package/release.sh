#!/usr/bin/env bash
# What tools/release.py makes of a build is used where nothing else is:
#
#   tests/package/release.sh BUILD_DIR VERSION PYTHON
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build_dir=$1 version=$2 python=$3
for needed in git dpkg objdump; do command -v "$needed" >/dev/null || { echo "without $needed no release is made"; exit 77; }; done
git -C "$source" rev-parse HEAD >/dev/null 2>&1 || { echo "a release is made of a repository"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
die() { echo "$*"; exit 1; }
release() { "$python" "$source/tools/release.py" --build "$build_dir" "$@"; }

if release -o "$tmp/refused" 2>"$tmp/why"; then die "a release without wheels is made"; fi
grep -q "no wheel of $version" "$tmp/why" || die "it is not said why no release is made"
mkdir "$tmp/wheels" && touch "$tmp/wheels/seqpoint-$version-py3-none-any.whl"  # what is in it is tests/frameworks/wheel.py's

release -o "$tmp/a" --wheels "$tmp/wheels" --rehearse >/dev/null 2>&1
(cd "$tmp/a" && sha256sum --quiet -c SHA256SUMS)
"$python" "$source/tests/package/notices.py" "$tmp/a" "$source"

# Whoever makes it, with whatever umask.
(umask 077 && release -o "$tmp/umask077" --wheels "$tmp/wheels" --rehearse >/dev/null 2>&1)
diff "$tmp/a/SHA256SUMS" "$tmp/umask077/SHA256SUMS" || die "the umask makes another release"
odd=$({ for package in "$tmp"/umask077/*.deb; do dpkg-deb -c "$package"; done; for archive in "$tmp"/umask077/*.tar.gz; do tar -tvzf "$archive"; done; } |
  grep -vE '^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x|lrwxrwxrwx) ') && die "others cannot read this: $odd"

# The portable archive, in a root that has a shell and nothing else.
portable=seqpoint-$version-portable
if ((EUID == 0)) && command -v busybox >/dev/null && ! ldd "$(command -v busybox)" >/dev/null 2>&1; then
  mkdir -p "$tmp/root/bin" && cp "$(command -v busybox)" "$tmp/root/bin/busybox"
  for name in sh readlink dirname; do ln -s busybox "$tmp/root/bin/$name"; done
  tar -xzf "$tmp/a/$portable.tar.gz" -C "$tmp/root"
  cp "$source/examples/data/librispeech-train-clean-100.csv" "$tmp/root/manifest.csv"
  chroot "$tmp/root" "/$portable/bin/seqpoint" select manifest.csv --sampler sorted --batch-size 64 --points 8 -q -o points.json
  cmp <("$build_dir/seqpoint" select - --sampler sorted --batch-size 64 --points 8 -q -o - <"$tmp/root/manifest.csv" | grep -v '"path"') \
    <(grep -v '"path"' "$tmp/root/points.json") || die "the portable program chooses other points"
  echo "run in a root with busybox alone"
fi

[[ -e $tmp/a/seqpoint-$version-py3-none-any.whl ]] || die "the wheel is not in the release"
# The companion is in the portable archive.
mkdir "$tmp/tar" && tar -xzf "$tmp/a/$portable.tar.gz" -C "$tmp/tar"
usage=$(cd / && PYTHONPATH=$tmp/tar/$portable/share/seqpoint/python "$python" -m seqpoint_companion measure --help) || die "no companion"
[[ $usage == *"PLAN -- SCRIPT|-m MODULE"* ]] || die "the companion says: $usage"

# The bill of materials has every library that the program asks for.
while read -r library; do
  grep -q "\"value\": \"$library\"" "$tmp/a/seqpoint-$version.cdx.json" || die "$library is not in the bill of materials"
done < <(objdump -p "$build_dir/seqpoint" | awk '$1 == "NEEDED" { print $2 }')
