#!/usr/bin/env bash
# Takes out of the log of a whole epoch what one would have measured at the points alone: the first iteration of each point's
# length and batch size, once. `all` takes every iteration, in the same column: the whole epoch, to compare with.
#
#   examples/measured_at.sh POINTS|all LOG   POINTS: what `seqpoint select` wrote; LOG: a CSV of examples/data/ds2-librispeech100
set -euo pipefail
# A point's length stands at the beginning of its line.
lengths=all
[[ $1 == all ]] || lengths=$(sed -n '/^ "points": \[/,/^ \]/s/^   "src_len": *\([0-9]*\).*/\1/p' "$1" | paste -sd ' ')
awk -F, -v lengths="$lengths" '
  BEGIN { n = split(lengths, length_of, " "); for (i = 1; i <= n; ++i) wanted[length_of[i]] = 1; print "src_len,batch_size,runtime_s" }
  FNR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
  lengths == "all" || $column["src_len"] in wanted {
    print $column["src_len"] "," $column["batch_size"] "," $column["single_s"]
    delete wanted[$column["src_len"]]
  }
' "$2"
