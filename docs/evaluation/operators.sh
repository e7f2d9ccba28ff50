# Where a projected epoch's time goes, beside PyTorch's own account of the whole epoch; docs/make-evaluation.sh reads this.

operators=examples/data/transformer-opennmt

# From a projection: name, seconds and calls of each row of the break-down, tab-separated.
rows_of_breakdown() {  # PROJECTION.json
  awk -F': ' '/^  *"breakdown": / { inside = 1 }
    inside { value = $2; sub(/,$/, "", value) }
    inside && /^  *"name": / { name = value; gsub(/^"|"$/, "", name) }
    inside && /^  *"seconds": / { seconds = value }
    inside && /^  *"calls": / { printf "%s\t%s\t%s\n", name, seconds, value }' "$1"
}

# The whole epoch as a trace of one step that has each operator once, for as long as all its calls took together: so the
# program's own categories are those of the epoch, too.
epoch_as_a_step() {
  awk -F, 'NR == 1 { next }
    { name = $0; sub(/^"/, "", name); sub(/",[0-9]+,[0-9]+$/, "", name); calls = $(NF - 1); us = $NF
      if (name != "(outside operators)")
        events = events sprintf(",\n{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}", name, end, us)
      end += us }
    END { printf "{\"traceEvents\":[\n{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"iter:0\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":%d}%s]}\n", end, events }' \
    "$operators/operators.csv"
}

project_operators() {  # points-<operator|category>, epoch-category: name, seconds, calls
  local by
  "$program" select -q examples/data/opennmt-sample.en.len --sampler pytorch --generator-seed 1 --batch-size 16 --points 8 -o "$tmp/operators.points"
  for by in operator category; do
    "$program" project -q "$tmp/operators.points" --profile "v1=$operators/points.trace.json.gz" --by "$by" \
      --export-json "$tmp/operators.json" >"$tmp/operators.txt"
    rows_of_breakdown "$tmp/operators.json" >"$tmp/points-$by"
  done
  printf 'iteration,src_len,batch_size\n0,1,1\n' >"$tmp/one.csv"
  "$program" select -q "$tmp/one.csv" --method frequent -o "$tmp/one.points" >"$tmp/operators.txt"
  epoch_as_a_step >"$tmp/epoch.trace.json"
  "$program" project -q "$tmp/one.points" --profile "epoch=$tmp/epoch.trace.json" --by category --export-json "$tmp/operators.json" >"$tmp/operators.txt"
  rows_of_breakdown "$tmp/operators.json" >"$tmp/epoch-category"
  awk -F, -v OFS='\t' 'NR > 1 { name = $0; sub(/^"/, "", name); sub(/",[0-9]+,[0-9]+$/, "", name); print name, $NF / 1e6, $(NF - 1) }' \
    "$operators/operators.csv" >"$tmp/epoch-operator"
}

# Both accounts side by side, by time in the epoch; what is beyond ROWS is one row. Facts `operators.*` where asked for.
compare_table() {  # operator|category ROWS
  awk -F'\t' -v by="$1" -v rows="$2" -v facts="$tmp/facts" '
    FNR == NR { truth[$1] = $2; calls[$1] = $3; order[++n] = $1; whole += $2; next }
    { value[$1] = $2; found[$1] = $3; projected += $2 }
    function percent(a, b) { return b == 0 ? "" : sprintf("%+.1f %%", 100 * (a / b - 1)) }
    function row(name, t, p, c, f) {
      printf "| %s | %.3f | %.1f %% | %.3f | %.1f %% | %s |", name, t, 100 * t / whole, p, 100 * p / projected, percent(p, t)
      if (by == "operator") printf " %s | %s |", c == 0 ? "" : c, c == 0 ? "" : percent(f, c)
      print ""
      moved = p / projected - t / whole; if (moved < 0) moved = -moved; if (100 * moved > most) most = 100 * moved
    }
    END {
      for (i = 2; i <= n; ++i) { name = order[i]; for (j = i - 1; j >= 1 && truth[order[j]] < truth[name]; --j) order[j + 1] = order[j]; order[j + 1] = name }
      printf "| %s | epoch, s | share | projected, s | share | error |%s\n", by, by == "operator" ? " calls in the epoch | error |" : ""
      printf "|:---|---:|---:|---:|---:|---:|%s\n", by == "operator" ? "---:|---:|" : ""
      for (i = 1; i <= n; ++i) {
        name = order[i]
        if (i <= rows) row("`" name "`", truth[name], value[name], calls[name], found[name])
        else { t += truth[name]; p += value[name]; c += calls[name]; f += found[name] }
        if (calls[name] > 0) { off = 100 * (found[name] / calls[name] - 1); if (off < 0) off = -off; if (calls[name] > 1000 && off > worst) worst = off }
      }
      if (n > rows) row((n - rows) " others", t, p, c, f)
      row("all", whole, projected, 0, 0)
      print ""
      printf "operators.%s.most\t%.1f\n", by, most >> facts
      if (by != "operator") exit
      printf "operators.epoch\t%.1f\noperators.projected\t%.1f\noperators.error\t%s\n", whole, projected, percent(projected, whole) >> facts
      printf "operators.calls.worst\t%.1f\n", worst >> facts
    }' "$tmp/epoch-$1" "$tmp/points-$1"
}

operators_section() {
  project_operators
  compare_table operator 14 >"$tmp/table-operators"
  compare_table category 99 >"$tmp/table-categories"
}
