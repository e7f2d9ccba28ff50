#!/usr/bin/env bash
# Every package of a release does the main job in a bare Debian 12 of its own:
#
#   tests/package/roots.sh BUILD_DIR VERSION PYTHON [PACKAGE...]      packages: portable deb wheel source (all)
#
# Needs to be root, debootstrap, and the archive of packages that this system uses. The points that a package chooses are
# those that BUILD_DIR's program chooses. From the source, the quick start compiles and runs; how long that took is printed. And
# tests/run.sh passes: first in the unpacked archive without git, then, with git installed, in the same folder as a clone.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build_dir=$1 version=$2 python=$3
packages=("${@:4}")
(( ${#packages[@]} )) || packages=(portable deb wheel source)
(( EUID == 0 )) || { echo "only root makes roots"; exit 77; }
for needed in debootstrap chroot unshare git dpkg objdump; do
  command -v "$needed" >/dev/null || { echo "without $needed no root is made"; exit 77; }
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
die() { echo "$*"; exit 1; }

"$python" "$source/tools/release.py" --build "$build_dir" -o "$tmp/release" --rehearse >"$tmp/log" 2>&1 || { cat "$tmp/log"; die "no release is made"; }
git clone -q --bare "$source" "$tmp/clone.git"  # before a commit comes between
# shellcheck disable=SC2016  # apt-get expands them
archive=$(apt-get indextargets --format '$(SITE) $(CODENAME)' 'Created-By: Packages' | awk '$2 == "bookworm" { print $1; exit }')
debootstrap --variant=minbase bookworm "$tmp/bare" ${archive:+"$archive"} >"$tmp/log" 2>&1 || {
  tail -n 3 "$tmp/log"; echo "Debian's packages cannot be reached"; exit 77; }
cp /etc/resolv.conf "$tmp/bare/etc/"
for settings in /etc/apt/apt.conf.d/9*; do [[ ! -f $settings ]] || cp "$settings" "$tmp/bare/etc/apt/apt.conf.d/"; done

# What runs in a root is in namespaces of its own, so that nothing of it stays.
in_root() {  # ROOT COMMAND
  # shellcheck disable=SC2016  # the shell in the namespace expands them
  unshare --mount --pid --fork sh -c 'mount -t proc proc "$1/proc" && exec chroot "$1" env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive sh -euc "$2"' sh "$1" "$2"
}
root_for() {  # NAME   a copy of the bare root, with the manifest
  cp -a "$tmp/bare" "$tmp/$1"
  mkdir "$tmp/$1/job"
  cp "$source/examples/data/librispeech-train-clean-100.csv" "$tmp/$1/job/manifest.csv"
}
job='cd /job && seqpoint select manifest.csv --sampler sorted --batch-size 64 --points 8 -q -o points.json'
(cd "$source/examples/data" && "$build_dir/seqpoint" select librispeech-train-clean-100.csv --sampler sorted --batch-size 64 --points 8 -q -o "$tmp/points.json")
check() {  # NAME   the points are those that are expected
  cmp <(grep -v '"path"' "$tmp/points.json") <(grep -v '"path"' "$tmp/$1/job/points.json") || die "$1: other points"
  echo "$1: the same 8 points"
}
run_tests() {  # ROOT WHERE   as README.md says
  local folder=/job/seqpoint-$version
  in_root "$1" "cd $folder && ./tests/run.sh >/job/tests 2>&1" || { grep -A 40 'tests failed out of' "$1/job/tests" || tail -n 40 "$1/job/tests"; die "$2: tests/run.sh fails"; }
  echo "$2: $(grep 'tests passed' "$1/job/tests")"
}

for package in "${packages[@]}"; do
  root_for "$package"
  root=$tmp/$package
  case $package in
    portable)
      tar -xzf "$tmp/release/seqpoint-$version-portable.tar.gz" -C "$root/opt"
      in_root "$root" "PATH=/opt/seqpoint-$version-portable/bin:\$PATH; $job" ;;
    deb)
      cp "$tmp/release"/*.deb "$root/job/"
      in_root "$root" "apt-get -qq update && apt-get -qq install -y --no-install-recommends /job/*.deb >/job/log 2>&1 || { cat /job/log; exit 1; }
        $job; data=/usr/share/doc/seqpoint/examples/data/gnmt-multi30k-points; test -d \$data; test -f /usr/include/seqpoint/error.hpp
        apt-get -qq install -y --no-install-recommends python3 >>/job/log 2>&1; python3 -m seqpoint_companion --help >/dev/null" ;;
    wheel)
      cp "$tmp/release"/*.whl "$root/job/"
      in_root "$root" "apt-get -qq update && apt-get -qq install -y --no-install-recommends python3-pip python3-numpy >/job/log 2>&1 || { cat /job/log; exit 1; }
        cd /job && pip install -q --no-index --break-system-packages --root-user-action ignore *.whl
        python3 -c '
import importlib.util, numpy, seqpoint
assert importlib.util.find_spec(\"seqpoint_companion\")  # to use it takes torch
assert seqpoint.scan(numpy.array([3, 9, 4, 6]), batch_size=2)[\"src_len\"].tolist() == [9, 6]'
        $job" ;;
    source)
      tar -xzf "$tmp/release/seqpoint-$version.tar.gz" -C "$root/job"
      in_root "$root" "cd /job/seqpoint-$version && apt-get -qq update && apt-get -qq install -y --no-install-recommends bash >/dev/null 2>&1
        tools/setup.sh build >/job/log 2>&1 || { cat /job/log; exit 1; }
        begin=\$(date +%s); bash examples/quickstart.sh >/job/quickstart 2>&1 || { tail /job/quickstart; exit 1; }
        echo \"source: the quick start took \$((\$(date +%s) - begin)) s, with \$(nproc) processors, packages not included\"
        PATH=\$PWD/build/release:\$PATH; $job"
      run_tests "$root" "the unpacked source"
      cp -a "$tmp/clone.git" "$root/job/seqpoint-$version/.git"
      in_root "$root" "cd /job/seqpoint-$version && apt-get -qq install -y --no-install-recommends git >/job/log 2>&1 || { cat /job/log; exit 1; }
        git config core.bare false && git reset -q && test -z \"\$(git status --porcelain)\""
      run_tests "$root" "a clone" ;;
    *) die "no package $package; there are: portable deb wheel source" ;;
  esac
  check "$package"
  rm -rf "$root"
done
