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

if grep -q '\bexample\.org\b' "$source/packaging/project.json"; then
  release -o "$tmp/refused" 2>"$tmp/why" && die "a release with placeholders is made"
  grep -q "placeholders in packaging/project.json: contact" "$tmp/why" || die "it is not said why no release is made"
fi

release -o "$tmp/a" --rehearse >/dev/null 2>&1
(cd "$tmp/a" && sha256sum --quiet -c SHA256SUMS)
"$python" "$source/tests/package/notices.py" "$tmp/a" "$source"

# Whoever makes it, with whatever umask.
(umask 077 && release -o "$tmp/umask077" --rehearse >/dev/null 2>&1)
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

# The recipes name the source that lies beside them.
tar -xzf "$tmp/a/seqpoint-$version-recipes.tar.gz" -C "$tmp"
recipes=$tmp/seqpoint-$version-recipes
sha256=$(sha256sum <"$tmp/a/seqpoint-$version.tar.gz") sha512=$(sha512sum <"$tmp/a/seqpoint-$version.tar.gz")
for recipe in conda/recipe.yaml spack/package.py nix/package.nix homebrew/seqpoint.rb; do
  grep -q "${sha256%% *}" "$recipes/$recipe" || die "$recipe has not the digest of the source"
done
grep -q "${sha512%% *}" "$recipes/vcpkg/portfile.cmake" || die "portfile.cmake has not the digest of the source"

# The action installs the portable archive that lies beside SHA256SUMS.
step='import sys, yaml; print(yaml.safe_load(open(sys.argv[1]))["runs"]["steps"][0]["run"])'
if "$python" -c 'import yaml' 2>/dev/null; then
  "$python" -c "$step" "$recipes/action/action.yml" >"$tmp/step.sh"
  RUNNER_TEMP=$tmp GITHUB_PATH=$tmp/path GITHUB_OUTPUT=$tmp/output ARCHIVE=$tmp/a/$portable.tar.gz SHA256='' \
    bash --noprofile --norc -eo pipefail "$tmp/step.sh"
  [[ $("$(<"$tmp/path")/seqpoint" --version) == "seqpoint $version" ]] || die "the action does not put $version on the PATH"
fi

# The wheel, from Python.
if "$python" -m pip --version >/dev/null 2>&1; then
  "$python" -m pip install -q --no-index --no-deps --root-user-action ignore --target "$tmp/site" "$tmp/a"/*.whl
else
  mkdir "$tmp/site" && "$python" -m zipfile -e "$tmp/a"/*.whl "$tmp/site"
  chmod +x "$tmp/site/seqpoint/bin/seqpoint"
fi
[[ -s $tmp/site/seqpoint_companion/held/order.py ]] || die "the wheel has no companion"
[[ -s $tmp/site/seqpoint/pytest_plugin.py ]] || die "the wheel has no fixture for pytest"

mkdir "$tmp/tar" && tar -xzf "$tmp/a/$portable.tar.gz" -C "$tmp/tar"
for folder in "$tmp/site" "$tmp/tar/$portable/share/seqpoint/python"; do
  usage=$(cd / && PYTHONPATH=$folder "$python" -m seqpoint_companion measure --help) || die "no companion in $folder"
  [[ $usage == *"PLAN -- SCRIPT|-m MODULE"* ]] || die "the companion in $folder says: $usage"
done
if "$python" -c 'import numpy' 2>/dev/null; then
  PYTHONPATH=$tmp/site "$python" -c '
import numpy, seqpoint
assert "/site/seqpoint/bin/" in seqpoint.program(), seqpoint.program()
assert seqpoint.scan(numpy.array([3, 9, 4, 6]), batch_size=2)["src_len"].tolist() == [9, 6]'
  echo "run from the wheel"
fi

# The bill of materials has every library that the program asks for.
while read -r library; do
  grep -q "\"value\": \"$library\"" "$tmp/a/seqpoint-$version.cdx.json" || die "$library is not in the bill of materials"
done < <(objdump -p "$build_dir/seqpoint" | awk '$1 == "NEEDED" { print $2 }')
