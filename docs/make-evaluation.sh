#!/usr/bin/env bash
# Writes docs/evaluation.md, every method against epochs that were measured in full, and docs/method.md, which quotes it.
#
#   docs/make-evaluation.sh [--program FILE] [--check | -o FOLDER]
#
#   --program FILE   the seqpoint to run [build/release/seqpoint]
#   -o FOLDER        write the pages there [docs]
#   --check          compare the pages with what would be written: 1 and a diff if they differ
#
# Needs bash and awk, takes about a minute of one core. The text is in docs/evaluation/*.md.in; every figure is computed,
# from examples/data, and is the same everywhere.
set -euo pipefail
export LC_ALL=C
here=$(pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() { echo "docs/make-evaluation.sh: $1; see --help" >&2; exit 2; }
from_here() { if [[ $1 == /* ]]; then echo "$1"; else echo "$here/$1"; fi; }
program=$PWD/build/release/seqpoint target=docs check=false
while (( $# )); do
  case $1 in
    --program) program=$(from_here "${2:?--program needs a FILE}"); shift 2 ;;
    -o) target=$(from_here "${2:?-o needs a FOLDER}"); shift 2 ;;
    --check) check=true; shift ;;
    -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' docs/make-evaluation.sh; exit 0 ;;
    *) usage "unknown option '$1'" ;;
  esac
done
[[ -x $program ]] || usage "cannot run '$program': build it (cmake --preset release && cmake --build --preset release) or say --program"
[[ -d $target ]] || usage "'$target' is no folder"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# --- what is evaluated ---------------------------------------------------------------------------------------------------

sizes=(--points auto --points 8 --points 15)
ds2=(haswell skylakex)
gnmt=(nehalem haswell skylakex)
pages=(evaluation method)

select_network() {  # ds2|gnmt   sets: folder, names, traces
  case $1 in
    ds2) folder=examples/data/ds2-librispeech100 names=("${ds2[@]}") ;;
    gnmt) folder=examples/data/gnmt-multi30k names=("${gnmt[@]}") ;;
  esac
  local name
  traces=()
  for name in "${names[@]}"; do traces+=("$name=$folder/$name.csv"); done
}
points_up_to() { local k; for (( k = $1; k <= $2; ++k )); do echo --points "$k"; done; }
evaluate() { "$program" evaluate -q "$@" --export-csv -; }
command_line() { printf '```sh\nseqpoint evaluate'; printf ' %s' "$@"; printf '\n```\n\n'; }

# --- running it, once ----------------------------------------------------------------------------------------------------

measure() {  # NETWORK STATISTIC   <network>-<statistic>-<repeats>[-<method>].csv, <network>-<statistic>-luck.csv
  local repeats run=("--stat" "$2") to=$tmp/$1-$2
  select_network "$1"
  run+=("${traces[@]}")
  for repeats in 1 5; do
    evaluate "${run[@]}" --repeats "$repeats" "${sizes[@]}" >"$to-$repeats.csv"
    evaluate "${run[@]}" --repeats "$repeats" --lengths-only --method bins $(points_up_to 5 40) >"$to-$repeats-bins.csv"
  done
  for (( repeats = 1; repeats <= 5; ++repeats )); do
    evaluate "${run[@]}" --repeats "$repeats" --lengths-only --method calibrated $(points_up_to 5 20) >"$to-$repeats-calibrated.csv"
  done
  evaluate "${run[@]}" --repeats 3 --allocate --lengths-only --method calibrated $(points_up_to 5 20) >"$to-3-allocated.csv"
  evaluate "${run[@]}" --method bins --method kmeans --method calibrated $(points_up_to 4 20) >"$to-luck.csv"
}

measure_all() {  # one job a network and statistic, one an epoch that is only looked at here
  local network statistic set job jobs=()
  for network in ds2 gnmt; do
    for statistic in runtime_s single_s; do
      measure "$network" "$statistic" &
      jobs+=($!)
    done
  done
  for set in other later aside; do
    for network in ${networks_of_set[$set]}; do
      measure_other "$set" "$network" &
      jobs+=($!)
    done
  done
  for job in "${jobs[@]}"; do wait "$job"; done
}

# --- the pages: texts with @table NAME on a line of its own, and @{NAME} for a figure ------------------------------------

source docs/evaluation/allocation.sh
source docs/evaluation/measured.sh
source docs/evaluation/equal_points.sh
source docs/evaluation/families.sh
source docs/evaluation/intervals.sh
source docs/evaluation/operators.sh
source docs/evaluation/other_epochs.sh

# Constants that docs/method.md quotes, from where they are defined.
constants() {
  awk -v facts="$tmp/facts" '
    /^  double (ridge|noise|rare|local|constraint) = / { sub(/;.*/, ""); print "demand." $2 "\t" $4 >> facts }
    /^constexpr double kMaxError = / { sub(/;.*/, ""); printf "max_error\t%g %%\n", 100 * $5 >> facts }
    /^constexpr WeightDemands kManyBatchSizes/ {
      gsub(/[{},;]/, " "); for (i = 1; i <= NF; ++i) if ($i ~ /^\./) print "many" $i "\t" $(i + 2) >> facts
    }
    /^constexpr WeightDemands kPairs/ {
      gsub(/[{},;]/, " "); for (i = 1; i <= NF; ++i) if ($i ~ /^\./) print "pairs" $i "\t" $(i + 2) >> facts
    }
    /^constexpr Evenness kEven\{/ { sub(/.*\{/, ""); sub(/,.*/, ""); print "even\t" $0 >> facts }
    /^constexpr std::array k(Other|Evener)Cuts/ {
      name = /Other/ ? "other" : "evener"; gsub(/.*{|}.*|,/, ""); list = 0 + $1
      for (i = 2; i <= NF; ++i) list = list (i == NF ? " and " : ", ") 0 + $i
      print name ".cuts\t" list >> facts
    }
    /^constexpr double kNoiseOfFew = / { sub(/;.*/, ""); print "many.few\t" $5 >> facts }
    /^constexpr double kSkewness = / { sub(/;.*/, ""); print "usual.skewness\t" $5 >> facts }
    /^constexpr double k(Missed|MuchLess|EffectiveKept|EffectiveKeptOfMany|LastResort|Lost) = / {
      sub(/;.*/, ""); name = tolower(substr($3, 2)); printf "another.%s\t%g\nanother.%s.pct\t%g %%\n", name, $5, name, 100 * $5 >> facts
    }
    /^constexpr std::array kShapes/ { gsub(/.*{|}.*|,/, ""); printf "shapes.first\t%d, %d, ..., %d\nshapes.between\t%g, ..., %d\n", $1, $2, $6, $7, $NF >> facts }
    /^    \{\{4, 0\}/ {
      gsub(/[{},;]/, " ")
      for (i = 1; i < NF; i += 2) { if (least == "" || $i < least) least = $i; if ($i > most) most = $i }
      printf "evener.least\t%d\nevener.most\t%d\n", least, most >> facts
    }
    /^constexpr std::size_t kMostPoints = / { sub(/;.*/, ""); print "another.most\t" $5 >> facts }
    /^constexpr int kRestarts = / { sub(/;.*/, ""); print "restarts\t" $5 >> facts }
    /^constexpr double kOwn = / { gsub(/[;,]/, ""); printf "usual.own\t%g %%\nusual.shared\t%g %%\nusual.freedom\t%d\n", 100 * $5, 100 * $8, $11 >> facts }
    ' src/core/cluster/weight_fit.hpp src/core/cluster/calibrated.cpp src/core/cluster/group_search.cpp src/core/cluster/refinement.cpp src/core/residual_spread.hpp src/core/uncertainty.cpp
}

# RMS errors of bins by its own rule, which saw the first configuration: on that, and the largest on the others.
in_sample() {  # NETWORK
  awk -F, -v network="$1" -v facts="$tmp/facts" '
    NR == 1 { for (i = 1; i <= NF; ++i) c[$i] = i; next }
    $c["method"] != "bins" || $c["selected_on"] == "" || $c["asked"] != "auto" { next }
    $c["configuration"] == $c["selected_on"] { own = $c["rms_error_pct"]; next }
    $c["rms_error_pct"] > other { other = $c["rms_error_pct"] }
    END { printf "bins.%s.own\t%.1f\nbins.%s.other\t%.1f\n", network, own, network, other >> facts }
    ' "$tmp/$1-runtime_s-1.csv"
}

tabulate() {  # table-<name>, and figures by name in `facts`
  local network set
  : >"$tmp/facts"
  published_section ds2 0.11 0.13 345x >"$tmp/table-published_ds2"
  published_section gnmt 0.53 1.50 214x >"$tmp/table-published_gnmt"
  for network in ds2 gnmt; do methods_section "$network" >"$tmp/table-methods_$network"; done
  spread_section >"$tmp/table-spread"
  luck_section >"$tmp/table-luck"
  windows_section >"$tmp/table-windows"
  equal_points_section
  families_section
  intervals_section
  allocation_section
  operators_section
  for set in other later aside; do other_epochs_section "$set"; done
  constants
  for network in ds2 gnmt; do in_sample "$network"; done
}

fill_in() {  # TEMPLATE
  awk -v tables="$tmp/table-" '
    FILENAME != ARGV[2] { split($0, part, "\t"); value[part[1]] = part[2]; next }
    $1 == "@table" {
      file = tables $2; lines = ""
      while ((getline line < file) > 0) lines = lines line "\n"
      sub(/\n+$/, "", lines)
      if (lines == "") { print FILENAME ": no table " $2 > "/dev/stderr"; exit 1 }
      print lines
      next
    }
    {
      while (match($0, /@\{[a-z0-9_.]*\}/)) {
        name = substr($0, RSTART + 2, RLENGTH - 3)
        if (!(name in value)) { print FILENAME ": no figure " name > "/dev/stderr"; exit 1 }
        $0 = substr($0, 1, RSTART - 1) value[name] substr($0, RSTART + RLENGTH)
      }
      print
    }' "$tmp/facts" "$1"
}

measure_all
tabulate
status=0
for page in "${pages[@]}"; do
  fill_in "docs/evaluation/$page.md.in" >"$tmp/$page.md"
  if ! $check; then
    cat "$tmp/$page.md" >"$target/$page.md"
  elif ! diff -u --label "docs/$page.md" --label "what docs/make-evaluation.sh writes" "docs/$page.md" "$tmp/$page.md"; then
    echo "docs/$page.md is not what docs/make-evaluation.sh writes; run it" >&2
    status=1
  fi
done
exit "$status"
