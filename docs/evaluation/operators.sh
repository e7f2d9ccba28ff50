# Where a projected epoch's time goes, beside PyTorch's own account of the whole epoch; docs/make-evaluation.sh reads this.

operators=examples/data/transformer-opennmt

# Name and seconds of each row of a break-down, apart by a tab.
breakdown() {  # operator|category SEQPOINTS NAME=PROFILE
  "$program" project -q "$2" --profile "$3" --by "$1" --export-csv "$tmp/operators.csv" >"$tmp/operators.txt"
  awk -F, -v OFS='\t' -v kind="$1:" '
    NR == 1 { for (i = 1; i <= NF; ++i) c[$i] = i; next }
    index($c["metric"], kind) == 1 { print substr($c["metric"], length(kind) + 1), $c["value"] }' "$tmp/operators.csv"
}

# The whole epoch as a trace of one step that has each operator once, for as long as all its calls took together: so the
# program's own categories are those of the epoch, too.
epoch_as_a_step() {
  awk -F'\t' '
    $1 != "(outside operators)" {
      events = events sprintf(",\n{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}", $1, end, 1e6 * $2 + 0.5)
    }
    { end += int(1e6 * $2 + 0.5) }
    END { printf "{\"traceEvents\":[\n{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"iter:0\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":%d}%s]}\n", end, events }' \
    "$tmp/epoch-operator"
}

project_operators() {  # points-<operator|category>, epoch-<operator|category>
  local by
  "$program" select -q examples/data/opennmt-sample.en.len --sampler pytorch --generator-seed 1 --batch-size 16 --points 8 -o "$tmp/operators.points"
  for by in operator category; do
    breakdown "$by" "$tmp/operators.points" "v1=$operators/points.trace.json.gz" >"$tmp/points-$by"
  done
  # "NAME",CALLS,MICROSECONDS; a name may hold a comma
  awk -F, -v OFS='\t' 'NR > 1 { name = $0; sub(/^"/, "", name); sub(/",[0-9]+,[0-9]+$/, "", name); print name, $NF / 1e6 }' \
    "$operators/operators.csv" >"$tmp/epoch-operator"
  printf 'iteration,src_len,batch_size\n0,1,1\n' >"$tmp/one.csv"
  "$program" select -q "$tmp/one.csv" --method frequent -o "$tmp/one.points"
  epoch_as_a_step >"$tmp/epoch.trace.json"
  breakdown category "$tmp/one.points" "epoch=$tmp/epoch.trace.json" >"$tmp/epoch-category"
}

# Both accounts side by side, by time in the epoch; what is beyond ROWS is one row. Facts `operators.*`.
compare_table() {  # operator|category ROWS
  awk -F'\t' -v by="$1" -v rows="$2" -v facts="$tmp/facts" '
    FNR == NR { truth[$1] = $2; order[++n] = $1; whole += $2; next }
    { value[$1] = $2; projected += $2 }
    function percent(a, b) { return sprintf("%+.1f %%", 100 * (a / b - 1)) }
    function row(name, t, p,   moved) {
      printf "| %s | %.3f | %.1f %% | %.3f | %.1f %% | %s |\n", name, t, 100 * t / whole, p, 100 * p / projected, percent(p, t)
      moved = 100 * (p / projected - t / whole); if (moved < 0) moved = -moved; if (moved > most) most = moved
    }
    END {
      for (i = 2; i <= n; ++i) {
        name = order[i]
        for (j = i - 1; j >= 1 && truth[order[j]] < truth[name]; --j) order[j + 1] = order[j]
        order[j + 1] = name
      }
      printf "| %s | epoch, s | share | projected, s | share | error |\n|:---|---:|---:|---:|---:|---:|\n", by
      for (i = 1; i <= n; ++i) {
        if (i <= rows) { row(by == "operator" ? "`" order[i] "`" : order[i], truth[order[i]], value[order[i]]); continue }
        t += truth[order[i]]; p += value[order[i]]
      }
      if (n > rows) row((n - rows) " others", t, p)
      row("all", whole, projected)
      print ""
      printf "operators.%s.most\t%.1f\n", by, most >> facts
      printf "operators.epoch\t%.1f\noperators.projected\t%.1f\noperators.error\t%s\n", whole, projected, percent(projected, whole) >> facts
    }' "$tmp/epoch-$1" "$tmp/points-$1"
}

operators_section() {
  project_operators
  compare_table operator 14 >"$tmp/table-operators"
  compare_table category 99 >"$tmp/table-categories"
}
