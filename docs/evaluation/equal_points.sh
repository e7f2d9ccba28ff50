# calibrated beside bins, both choosing by lengths alone and with as many points found; docs/make-evaluation.sh reads this.

# Reads <network>-<statistic>-<repeats>-<method>.csv. Of bins' requests that find equally many points, the first counts.
equal_points() {  # NETWORK   writes tables equal_<network> and, a row a statistic, equal_summary
  local network=$1 limit=$2 statistic repeats files=("$tmp/$1-noise.csv")
  select_network "$network"
  noise_alone "$folder" "${names[@]}" >"${files[0]}"
  for statistic in runtime_s single_s; do
    for repeats in 1 5; do files+=("$tmp/$network-$statistic-$repeats-calibrated.csv" "$tmp/$network-$statistic-$repeats-bins.csv"); done
  done
  awk -F, -v network="$network" -v limit="$limit" -v facts="$tmp/facts" -v summary="$tmp/table-equal_summary" '
    FILENAME ~ /-noise.csv$/ { spread[$1, $2] = $3; next }
    FNR == 1 {
      for (i = 1; i <= NF; ++i) c[$i] = i
      n = split(FILENAME, part, "/"); split(part[n], name, "[-.]"); run = name[2] "," name[3]
      next
    }
    {
      method = $c["method"]; k = $c["points"]; machine = $c["configuration"]
      if (!(machine in place)) { place[machine] = ++machines; at[machines] = machine }
      if (!((run, method, k) in asked)) asked[run, method, k] = $c["asked"]
      if (asked[run, method, k] != $c["asked"]) next
      time[run, k, machine, method] = $c["rms_error_pct"]; speedup[run, k, machine, method] = $c["speedup_rms_error_pct"]
      bias[run, k, machine, method] = $c["bias_pct"]
    }
    function shown(ratio) { return ratio > 1 ? sprintf("**%.2f**", ratio) : sprintf("%.2f", ratio) }
    # Geomean of the ratios over machines and measurements at k points.
    function ratio_at(s, k, what,   j, r, run, logs, n, x, y) {
      for (r = 1; r <= 5; r += 4)
        for (j = what == "time" ? 1 : 2; j <= machines; ++j) {
          run = s "," r
          x = what == "time" ? time[run, k, at[j], "calibrated"] : speedup[run, k, at[j], "calibrated"]
          y = what == "time" ? time[run, k, at[j], "bins"] : speedup[run, k, at[j], "bins"]
          if (x == "" || y == "") return ""
          logs += log(x / y); ++n
        }
      return logs / n
    }
    # The same of what noise alone would leave of k points.
    function floor_at(s, k,   j, r, logs, n) {
      for (r = 1; r <= 5; r += 4)
        for (j = 1; j <= machines; ++j) { logs += log(spread[s, at[j]] / sqrt(k * r) / time[s "," r, k, at[j], "bins"]); ++n }
      return logs / n
    }
    function verdict(value, most, strict) { return (strict ? value < most : value <= most) ? "holds" : "**does not hold**" }
    END {
      print "| times | points | measurements | machine | time: calibrated | bins | ratio | speedup: calibrated | bins | ratio |"
      print "|:---|---:|---:|:---|---:|---:|---:|---:|---:|---:|"
      statistics = split("runtime_s single_s", statistic, " "); split("8 15", sizes, " ")
      for (a = 1; a <= statistics; ++a) for (b = 1; b <= 2; ++b) for (r = 1; r <= 5; r += 4) for (j = 1; j <= machines; ++j) {
        k = sizes[b]; run = statistic[a] "," r; m = at[j]
        x = time[run, k, m, "calibrated"]; y = time[run, k, m, "bins"]
        printf "| %s | %d | %d | %s | %.2f | %.2f | %s |", statistic[a], k, r, m, x, y, shown(x / y)
        if (x > y) ++lost
        if (x > y && (bias[run, k, m, "calibrated"]) ^ 2 > x ^ 2 / 2) ++biased
        ++cells
        if (j == 1) { print " | | |"; continue }
        x = speedup[run, k, m, "calibrated"]; y = speedup[run, k, m, "bins"]
        printf " %.2f | %.2f | %s |\n", x, y, shown(x / y)
        if (x > y) ++lost_speedup
        ++speedup_cells
      }
      for (a = 1; a <= statistics; ++a) {
        s = statistic[a]; line = "| " network " | " s " |"
        for (w = 1; w <= 2; ++w) {
          what = w == 1 ? "time" : "speedup"; logs = all = n = 0; least = 1e9; most = 0
          for (b = 1; b <= 2; ++b) logs += ratio_at(s, sizes[b], what) / 2
          for (k = 5; k <= 20; ++k) {
            v = ratio_at(s, k, what); if (v == "") continue
            all += v; ++n; v = exp(v); if (v < least) least = v; if (v > most) most = v
          }
          value = exp(logs); required = w == 1 ? limit : 1
          line = line sprintf(" %.2f | %s %s: %s |", value, w == 1 ? "≤" : "<", required, verdict(value, required, w == 2))
          floor = exp((floor_at(s, 8) + floor_at(s, 15)) / 2)
          if (w == 1) { line = line sprintf(" %.2f |", floor); printf "equal.%s.%s.floor\t%.2f\n", network, s, floor >> facts }
          line = line sprintf(" %.2f (%.2f to %.2f) |", exp(all / n), least, most)
          printf "equal.%s.%s.%s\t%.2f\n", network, s, what, value >> facts
          printf "equal.%s.%s.%s.all\t%.2f\n", network, s, what, exp(all / n) >> facts
          printf "equal.%s.%s.%s.most\t%.1f\n", network, s, what, most >> facts
          printf "equal.%s.%s.%s.least\t%.1f\n", network, s, what, least >> facts
        }
        print line >> summary
      }
      printf "equal.%s.lost\t%d\nequal.%s.cells\t%d\n", network, lost, network, cells >> facts
      printf "equal.%s.lost.biased\t%d\n", network, biased >> facts
      printf "equal.%s.lost.speedup\t%d\nequal.%s.cells.speedup\t%d\n", network, lost_speedup, network, speedup_cells >> facts
    }' "${files[@]}" >"$tmp/table-equal_$network"
}

equal_points_section() {
  {
    echo "| run | times | time, 8 and 15 points | required | noise alone | 5 to 20 points | speedup, 8 and 15 points | required | 5 to 20 points |"
    echo "|:---|:---|---:|:---|---:|---:|---:|:---|---:|"
  } >"$tmp/table-equal_summary"
  equal_points ds2 1
  equal_points gnmt 0.5
}
