#!/usr/bin/env bash
# Writes docs/evaluation.md: every method against epochs that were measured in full.
#
#   docs/make-evaluation.sh [--program FILE] [--check | -o FILE]
#
#   --program FILE   the seqpoint to run [build/release/seqpoint]
#   -o FILE          write the page there [standard output]
#   --check          compare docs/evaluation.md with what would be written: 1 and a diff if they differ
#
# Needs bash and awk, takes seconds. Every figure is computed here, from examples/data, and is the same everywhere.
set -euo pipefail
export LC_ALL=C
here=$(pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() { echo "docs/make-evaluation.sh: $1; see --help" >&2; exit 2; }
from_here() { if [[ $1 == /* ]]; then echo "$1"; else echo "$here/$1"; fi; }
program=$PWD/build/release/seqpoint target='' check=false
while (( $# )); do
  case $1 in
    --program) program=$(from_here "${2:?--program needs a FILE}"); shift 2 ;;
    -o) target=$(from_here "${2:?-o needs a FILE}"); shift 2 ;;
    --check) check=true; shift ;;
    -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' docs/make-evaluation.sh; exit 0 ;;
    *) usage "unknown option '$1'" ;;
  esac
done
[[ -x $program ]] || usage "cannot run '$program': build it (cmake --preset release && cmake --build --preset release) or say --program"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# --- what is evaluated ---------------------------------------------------------------------------------------------------

sizes=(--points auto --points 8 --points 15)
ds2=(haswell skylakex)
gnmt=(nehalem haswell skylakex)

select_network() {  # ds2|gnmt   sets: folder, names, traces
  case $1 in
    ds2) folder=examples/data/ds2-librispeech100 names=("${ds2[@]}") ;;
    gnmt) folder=examples/data/gnmt-multi30k names=("${gnmt[@]}") ;;
  esac
  local name
  traces=()
  for name in "${names[@]}"; do traces+=("$name=$folder/$name.csv"); done
}
evaluate() { "$program" evaluate -q "$@" --export-csv -; }
command_line() { printf '```sh\nseqpoint evaluate'; printf ' %s' "$@"; printf '\n```\n\n'; }

# --- what is computed from the traces themselves -------------------------------------------------------------------------

# How much iterations of one length, or of one signature, differ: the pooled standard deviation within the groups, over the
# mean. A group of one has no say.
spread_within() {  # src_len|signature TRACE COLUMN
  awk -F, -v by="$1" -v name="$3" '
    NR == 1 { for (i = 1; i <= NF; ++i) c[$i] = i; next }
    { group = $c["src_len"]
      if (by == "signature") group = group "," ("tgt_len" in c ? $c["tgt_len"] : "") "," $c["batch_size"]
      y = $c[name]; if (++n[group] == 1) order[++groups] = group; sum[group] += y; squares[group] += y * y }
    END { for (i = 1; i <= groups; ++i) {  # in this order, so that sums round alike in every awk
            g = order[i]; if (n[g] == 1) continue
            above += squares[g] - sum[g] * sum[g] / n[g]; free += n[g] - 1; rows += n[g]; all += sum[g] }
          printf "%.9g\n", 100 * sqrt(above / free) / (all / rows) }' "$2"
}
spread_of_network() {  # ds2|gnmt COLUMN   geomean over its configurations
  local name
  select_network "$1"
  for name in "${names[@]}"; do spread_within src_len "$folder/$name.csv" "$2"; done |
    awk '{ logs += log($1) } END { printf "%.9g\n", exp(logs / NR) }'
}
run_facts() {  # TRACE   `iterations`, `unique lengths`, `of them once`
  awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) c[$i] = i; next }
    { ++n[$c["src_len"]]; ++rows }
    END { for (l in n) { ++unique; if (n[l] == 1) ++once }
          print rows, unique, once }' "$1"
}

# --- tables --------------------------------------------------------------------------------------------------------------

# Reads evaluations of one and of five measurements a point; writes a row a method and size.
methods_table() {  # ONE.csv FIVE.csv SPREAD FILTER
  awk -F, -v spread="$3" -v filter="$4" -v asked_all="auto 8 15" '
    FNR == 1 { ++file; for (i = 1; i <= NF; ++i) c[$i] = i; previous = ""; next }
    {
      head = $c["method"] "," $c["selected_on"]
      # A method appears once a size, its configurations one after the other: the first of them starts anew.
      if (first_configuration == "") first_configuration = $c["configuration"]
      if ($c["configuration"] == first_configuration) row = head "," ++seen[file, head]
      if (file == 1) {
        if (!(row in known)) { known[row]; order[++rows] = row; of[head] = seen[1, head] }
        if (!($c["configuration"] in listed)) { listed[$c["configuration"]]; name[++configurations] = $c["configuration"] }
        method[row] = $c["method"]; on[row] = $c["selected_on"]; points[row] = $c["points"]; n_eff[row] = $c["n_eff"]
        speedup[row] = $c["speedup_geomean_error_pct"]; serial[row] = $c["serial"]; parallel[row] = $c["parallel"]
        count[row] = $c["count"]; place[row] = seen[1, head]; rms[row, $c["configuration"]] = $c["rms_error_pct"]
      } else {
        five[row] = $c["geomean_error_pct"]; five_speedup[row] = $c["speedup_geomean_error_pct"]
      }
    }
    function asked(row,   sizes, n, head) {  # what --points said: methods without it appear once, those without auto twice
      n = split(asked_all, sizes, " "); head = method[row] "," on[row]
      return of[head] == 1 ? "" : sizes[place[row] + n - of[head]]
    }
    END {
      printf "| method | asked | points | n_eff |"
      for (k = 1; k <= configurations; ++k) printf " %s |", name[k]
      print " speedup | ×5: time | ×5: speedup | noise | serial | parallel | count |"
      printf "|:---|---:|---:|---:|"
      for (k = 1; k <= configurations + 7; ++k) printf "---:|"
      print ""
      for (i = 1; i <= rows; ++i) {
        row = order[i]
        if (filter != "" && (" " filter " ") !~ (" " method[row] " ")) continue
        printf "| %s%s | %s | %d | %.1f |", method[row], on[row] == "" ? "" : " (on " on[row] ")", asked(row), points[row], n_eff[row]
        for (k = 1; k <= configurations; ++k) printf " %.2f%s |", rms[row, name[k]], on[row] == name[k] ? "\\*" : ""
        printf " %.2f | %.2f | %.2f | %.2f |", speedup[row], five[row], five_speedup[row], spread / sqrt(n_eff[row])
        printf " %.1fx | %.0fx | %.1fx |\n", serial[row], parallel[row], count[row]
      }
      print ""
    }' "$1" "$2"
}

# What the abstract reports, beside the same quantities here.
published_table() {  # DRIFT-FREE.csv NOISY.csv TIME SPEEDUP REDUCTION
  awk -F, -v time="$3" -v speedup="$4" -v reduction="$5" -v asked_all="auto 8 15" '
    FNR == 1 { ++file; for (i = 1; i <= NF; ++i) c[$i] = i; next }
    {
      head = $c["method"] "," $c["selected_on"]
      if (first_configuration == "") first_configuration = $c["configuration"]
      if ($c["configuration"] != first_configuration) next
      row = head "," ++seen[file, head]
      if (file == 1) {
        order[++rows] = row; of[head] = seen[1, head]; place[row] = seen[1, head]
        method[row] = $c["method"]; on[row] = $c["selected_on"]; if (on[row] != "") both[method[row]]
        points[row] = $c["points"]
        a[row] = $c["geomean_error_pct"]; b[row] = $c["speedup_geomean_error_pct"]
        serial[row] = $c["serial"]; parallel[row] = $c["parallel"]; count[row] = $c["count"]
      } else { noisy_points[row] = $c["points"]; x[row] = $c["geomean_error_pct"]; y[row] = $c["speedup_geomean_error_pct"] }
    }
    function asked(row,   sizes, n, head) {
      n = split(asked_all, sizes, " "); head = method[row] "," on[row]
      return of[head] == 1 ? "" : sizes[place[row] + n - of[head]]
    }
    END {
      print "| | asked | points | time | speedup | time, noisy | speedup, noisy | serial | parallel | count |"
      print "|:---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
      printf "| **published** | | | %s | %s | | | %s: of which kind is not said | | |\n", time, speedup, reduction
      for (i = 1; i <= rows; ++i) {
        row = order[i]
        if (method[row] in both && on[row] == "") continue  # the statistic was there to be used
        n = points[row]; if (noisy_points[row] != n) n = n ", noisy " noisy_points[row]
        printf "| %s | %s | %s | %.2f | %.2f | %.2f | %.2f | %.1fx | %.0fx | %.1fx |\n", method[row], asked(row), n,
          a[row], b[row], x[row], y[row], serial[row], parallel[row], count[row]
      }
      print ""
    }' "$1" "$2"
}

# Smallest, median and largest geomean error of a method over its numbers of points.
luck_row() {  # NETWORK STATISTIC < EVALUATION.csv
  awk -F, -v network="$1" -v statistic="$2" '
    NR == 1 { for (i = 1; i <= NF; ++i) c[$i] = i; next }
    { head = $c["method"] ($c["selected_on"] == "" ? "" : " (on " $c["selected_on"] ")")
      if (first == "") first = $c["configuration"]
      if ($c["configuration"] != first) next
      if (!(head in n)) order[++heads] = head
      time[head, ++n[head]] = $c["geomean_error_pct"]; speedup[head, n[head]] = $c["speedup_geomean_error_pct"] }
    function sorted(values, head, count,   i, j, t) {
      for (i = 1; i <= count; ++i) s[i] = values[head, i]
      for (i = 2; i <= count; ++i) { t = s[i]; for (j = i - 1; j >= 1 && s[j] + 0 > t + 0; --j) s[j + 1] = s[j]; s[j + 1] = t }
      return sprintf("%.2f | %.2f | %.2f", s[1], s[int((count + 1) / 2)], s[count])
    }
    END { for (h = 1; h <= heads; ++h) printf "| %s | %s | %s | %s | %s |\n", network, statistic, order[h],
            sorted(time, order[h], n[order[h]]), sorted(speedup, order[h], n[order[h]]) }'
}

# The window that `prior` takes, and every other window of 50 iterations of the same epoch. An error has two parts: the
# lengths that happen to be in the window, with times on a straight line over padded tokens, and the rest.
windows_rows() {  # NETWORK TRACE BASELINE-TRACE COLUMN
  awk -F, -v network="$1" -v name="$4" -v window=50 -v skip=10 '
    FNR == 1 { ++file; for (i = 1; i <= NF; ++i) c[$i] = i; next }
    { y[file, FNR - 2] = $c[name]; total[file] += $c[name] }
    file == 1 { tokens = $c["src_len"]; if ("tgt_len" in c) tokens += $c["tgt_len"]
                x[n++] = tokens *= $c["batch_size"]; sx += tokens; sxx += tokens * tokens; sxy += tokens * $c[name] }
    function share(values, f, all, begin,   i, sum) {  # of the whole, if the window stood for it
      for (i = begin; i < begin + window; ++i) sum += f ? values[f, i] : values[i]
      return n / window * sum / all
    }
    function stem(path) { sub(/.*\//, "", path); sub(/\.csv$/, "", path); return path }
    END {
      slope = (sxy - sx * total[1] / n) / (sxx - sx * sx / n)
      for (i = 0; i < n; ++i) line[i] = total[1] / n + slope * (x[i] - sx / n)
      for (b = 0; b + window <= n; ++b) {
        all = share(y, 1, total[1], b); lengths = share(line, 0, total[1], b)
        e[1] = all - 1; e[2] = lengths - 1; e[3] = all / lengths - 1; e[4] = share(y, 2, total[2], b) / all - 1
        for (k = 1; k <= 4; ++k) { squares[k] += e[k] * e[k]; if (b == skip) used[k] = e[k] }
        ++windows
      }
      printf "| %s | %s | %s |", network, name, stem(ARGV[1])
      for (k = 1; k <= 3; ++k) printf " %+.2f |", 100 * used[k]
      for (k = 1; k <= 3; ++k) printf " %.2f |", 100 * sqrt(squares[k] / windows)
      if (ARGV[1] == ARGV[2]) print " | |"; else printf " %+.2f | %.2f |\n", 100 * used[4], 100 * sqrt(squares[4] / windows)
    }' "$2" "$3"
}

# --- the page ------------------------------------------------------------------------------------------------------------

measure() {  # runs what the tables need, once: <network>-<statistic>-<repeats>.csv
  local network statistic repeats
  for network in ds2 gnmt; do
    select_network "$network"
    for statistic in runtime_s single_s; do
      for repeats in 1 5; do
        evaluate "${traces[@]}" --stat "$statistic" --repeats "$repeats" "${sizes[@]}" >"$tmp/$network-$statistic-$repeats.csv"
      done
    done
  done
}

network_section() {  # NETWORK TITLE
  local statistic
  echo "### $2"
  echo
  for statistic in runtime_s single_s; do
    select_network "$1"
    if [[ $statistic == runtime_s ]]; then echo "Drift-free times (\`runtime_s\`):"; else echo "Single measurements, noise included (\`single_s\`):"; fi
    echo
    command_line "${traces[@]}" --stat "$statistic" "${sizes[@]}"
    methods_table "$tmp/$1-$statistic-1.csv" "$tmp/$1-$statistic-5.csv" "$(spread_of_network "$1" "$statistic")" ''
  done
}

luck_section() {
  local network statistic k counts=()
  for (( k = 4; k <= 20; ++k )); do counts+=(--points "$k"); done
  echo "| run | times | method | time: least | median | largest | speedup: least | median | largest |"
  echo "|:---|:---|:---|---:|---:|---:|---:|---:|---:|"
  for network in ds2 gnmt; do
    select_network "$network"
    for statistic in runtime_s single_s; do
      evaluate "${traces[@]}" --stat "$statistic" --method bins --method kmeans "${counts[@]}" | luck_row "$network" "$statistic"
    done
  done
  echo
}

windows_section() {
  local network statistic name
  echo "| run | times | machine | the window taken | its lengths | the rest | RMS of all windows | their lengths | the rest | speedup: the window taken | RMS of all |"
  echo "|:---|:---|:---|---:|---:|---:|---:|---:|---:|---:|---:|"
  for network in ds2 gnmt; do
    select_network "$network"
    for statistic in runtime_s single_s; do
      for name in "${names[@]}"; do windows_rows "$network" "$folder/$name.csv" "$folder/${names[0]}.csv" "$statistic"; done
    done
  done
  echo
}

spread_section() {
  local network name facts by statistic
  echo "| run | machine | iterations | unique source lengths | of them once | within a length: \`runtime_s\` | \`single_s\` | within a signature: \`runtime_s\` | \`single_s\` |"
  echo "|:---|:---|---:|---:|---:|---:|---:|---:|---:|"
  for network in ds2 gnmt; do
    select_network "$network"
    for name in "${names[@]}"; do
      facts=$(run_facts "$folder/$name.csv")
      printf '| %s | %s | %s |' "$network" "$name" "${facts// / | }"
      for by in src_len signature; do
        for statistic in runtime_s single_s; do
          printf ' %.1f %% |' "$(spread_within "$by" "$folder/$name.csv" "$statistic")"
        done
      done
      echo
    done
  done
  echo
}

page() {
  measure
  cat <<'TEXT'
<!-- Made by docs/make-evaluation.sh; edit that, not this. -->
# Evaluation

How far from the truth is an epoch that was projected from a few iterations? Here the truth is known: in the runs below
every iteration was timed, on two or three configurations. A method chooses points; a draw picks, for every point, which
iterations of its length were "profiled", the same ones on every configuration; the points' weighted sum is compared with
the sum over all iterations. All figures but the published ones were computed by

```sh
docs/make-evaluation.sh -o docs/evaluation.md
```

from the files in [examples/data](../examples/data/README.md), which also says how they were measured. In short: `ds2` is a
small network shaped like DeepSpeech2 on LibriSpeech-100h, `gnmt` a small one shaped like GNMT on Multi30k; the
configurations are one processor that uses the kernels written for another (`haswell`, `skylakex`, `nehalem`).
`runtime_s` is the fastest of a few runs of an iteration, so noise is mostly gone; `single_s` is the first of these runs,
as a single measurement sees it.

TEXT
  cat <<'TEXT'
## The published result, and ours

The abstract of SeqPoint (Pati, Aga, Sinclair, Jayasena; ISPASS 2020; [arXiv 2007.10459](https://arxiv.org/abs/2007.10459))
reports geomean errors of 0.11 % (DeepSpeech2) and 0.53 % (GNMT) for the total time, 0.13 % and 1.50 % for speedups, and
profiling time reduced 345 and 214 times. Below, the same quantities from one command a network. Errors are in percent: the
RMS over 1000 draws, then the geometric mean over the configurations. `bins`, `kmeans` and `worst` saw the times of the
first configuration; the others see lengths only. `time` and `speedup` are of drift-free times; `noisy` is the same
command with `--stat single_s`.

TEXT
  select_network ds2
  echo "DeepSpeech2, an epoch of LibriSpeech-100h:"
  echo
  command_line "${traces[@]}" "${sizes[@]}"
  published_table "$tmp/ds2-runtime_s-1.csv" "$tmp/ds2-single_s-1.csv" 0.11 0.13 345x
  select_network gnmt
  echo "GNMT, an epoch of Multi30k:"
  echo
  command_line "${traces[@]}" "${sizes[@]}"
  published_table "$tmp/gnmt-runtime_s-1.csv" "$tmp/gnmt-single_s-1.csv" 0.53 1.50 214x
  cat <<'TEXT'
*serial* is the time of the whole run over that of all points one after the other, *parallel* over that of the longest point
(all at once, each on a machine of its own), *count* the iterations of the run over those profiled; all on the first
configuration.

These methods do not reach the published errors of times, and the two are not the same experiment:

- Their networks, data and machines are not ours. Ours are small networks on one processor thread, and the "machines" are
  one processor with kernels of older ones. Only the abstract was read; it names neither data nor machines, nor says how
  many points or configurations there were.
- Iterations of one length differ by the spread given [below](#what-limits-these-methods), and a projection from few of
  them inherits that. No choice of points removes it; more points, or more measurements of each, do.
- Our figures are RMS errors over many draws, of which a single experiment is one. One projection can be far better
  than the RMS: see [luck](#how-much-of-a-figure-is-luck).
- `bins` with a rule of its own grows until it reproduces the very total that it was shown. Its error on that configuration,
  marked \* below, is therefore no test; the other configurations are.
- 345x cannot be a ratio of counts on a run like ours: of 446 iterations that would leave one and a bit. It is of the order
  of our *parallel* column. This is why the three reductions are printed apart.

## Every method

Errors are RMS over 1000 draws in percent of the measured run, one measurement a point; \* marks the configuration whose
times the method saw. *asked* is `--points` (`auto`: the method's own rule, here its defaults), *points* what was found:
empty bins give none. *speedup* is the geometric mean over the configurations but the first. *×5* is the geometric mean over
configurations with `--repeats 5`. *n_eff* is the number of equally weighted points with the same noise, and *noise* what
that noise alone would give: the spread within a length over the square root of n_eff. `random` chooses anew in
every draw.

TEXT
  network_section ds2 "ds2: DeepSpeech2 on LibriSpeech-100h"
  network_section gnmt "gnmt: GNMT on Multi30k"
  cat <<'TEXT'
## What limits these methods

TEXT
  spread_section
  cat <<'TEXT'
The spread is the pooled standard deviation of the time among iterations of one source length (of one signature: source
length, target length and batch size), over the mean.

- **ds2**: the length decides nearly everything, so with a handful of points `bins` and `kmeans` miss the time by about one
  percent, where as many iterations drawn at `random` miss it by ten. But most lengths occur once, and then a draw has no
  choice and a repeat is the same recorded iteration again: a row holds a few fixed disturbances and not their average. This
  is why errors do not fall steadily with the points, why they are often below *noise*, and why *×5* helps only where the
  heavy points' lengths occur several times. On machines of your own, repeats are new measurements.
- **gnmt**: an encoder-decoder's cost depends on the target as well, and `bins` and `kmeans` group by the source alone.
  Iterations of one source length differ by several percent, most of it for a reason and not by chance: within a
  signature the spread is much smaller. The errors follow *noise*, so a larger n_eff helps: more points, more repeats,
  or weights that are more even.
- **kmeans** mostly does better than `bins` at equal points: bins of equal width leave one or two points
  with most of the weight, clusters share it out, and n_eff is larger. `bins` wins with five points on ds2's
  drift-free times; the next section says what to think of a single size.
- **random** loses to both for times, because it leaves the mix of lengths to chance. For speedups that mix hits both
  machines alike and what counts is n_eff, of which it has the most a point can give: there it is about as good as `bins`,
  and better on gnmt.
- **frequent**, **median**, **worst** pick one length. No single length stands for a run whose lengths vary.
- Seeing the first configuration's times lets a method take lengths that are typical in cost. Over many sizes that helps a
  little on ds2 (medians in the next section) and not on gnmt; at a single size it may do harm.

## How much of a figure is luck

The same two methods with 4, 5, ... 20 points: the least, median and largest geomean error of the seventeen. A figure
of one size is one draw out of this range.

TEXT
  luck_section
  cat <<'TEXT'
## Why prior looks good on ds2 and bad on gnmt

`prior` is what people do by hand: a window of 50 iterations, after the first 10. There is nothing to draw: the tables above
hold the error of this one window. Both runs shuffle their batches, so a window is a sample of lengths, and every
other window of the same epoch was as good a choice. Errors in percent; *lengths* is the part that comes from the mix of lengths in the
window (times on a straight line over padded tokens), *the rest* is noise and drift:

TEXT
  windows_section
  cat <<'TEXT'
On ds2 the window taken is a lucky one, several times better than windows are. On gnmt it is worse than most, for two reasons:
its batches are long, and on two of the three machines the epoch began slowly. The rest, over all
windows, is larger than fifty independent disturbances would leave (the spread within a signature over √50, half a percent):
disturbances drift, and neighbours in time share them. For a speedup the mix of lengths hits both machines alike
and the rest is what remains. A window costs fifty iterations, and where an epoch begins sorted by length it holds
the shortest samples only.
TEXT
}

if $check; then
  page >"$tmp/page.md"
  if ! diff -u --label docs/evaluation.md --label "what docs/make-evaluation.sh writes" docs/evaluation.md "$tmp/page.md"; then
    echo "docs/evaluation.md is not what docs/make-evaluation.sh writes; run it with -o docs/evaluation.md" >&2
    exit 1
  fi
elif [[ -n $target ]]; then
  page >"$tmp/page.md"
  cat "$tmp/page.md" >"$target"
else
  page
fi
