# How often the stated intervals hold; docs/make-evaluation.sh reads this.

# Reads <network>-<statistic>-<repeats>-calibrated.csv of all. Every size and number of measurements has as many draws, so
# the RMS error of a pool is the root of the mean of the squares, and its mean half-width the mean of the means.
intervals_section() {
  local network statistic repeats files=()
  for network in ds2 gnmt; do
    for statistic in runtime_s single_s; do
      for (( repeats = 1; repeats <= 5; ++repeats )); do files+=("$tmp/$network-$statistic-$repeats-calibrated.csv"); done
    done
  done
  awk -F, -v facts="$tmp/facts" -v tables="$tmp/table-intervals_" '
    FNR == 1 {
      for (i = 1; i <= NF; ++i) c[$i] = i
      n = split(FILENAME, part, "/"); split(part[n], name, "[-.]"); repeats = name[3]
      next
    }
    function add(key, coverage, width, rms) { ++cells[key]; held[key] += coverage; half[key] += width / 2; squares[key] += rms ^ 2; ratios[key] += width / 2 / rms }
    function coverage_of(key) { return 100 * held[key] / cells[key] }
    function ratio_of(key) { return half[key] / cells[key] / sqrt(squares[key] / cells[key]) }
    function score(what, coverage, width, rms, bias,   row) {
      row = what "," name[1] "," name[2] "," $c["configuration"]
      if (!(row in seen)) { seen[row]; rows[what] = rows[what] "\n" row }
      if (lowest[what] == "" || coverage < lowest[what]) lowest[what] = coverage
      add(row "," repeats, coverage, width, rms); add(row, coverage, width, rms); add(what, coverage, width, rms)
      if (coverage >= 0.9) return
      ++below[what]
      low[what] = low[what] sprintf("| %s | %s | %s | %d | %d | %.1f %% | %+.2f | %.2f | %.2f |\n", name[1], name[2],
        $c["configuration"], $c["points"], repeats, 100 * coverage, bias, rms, width / 2)
    }
    $c["coverage"] != "" { score("time", $c["coverage"], $c["interval_width_pct"], $c["rms_error_pct"], $c["bias_pct"]) }
    $c["speedup_coverage"] != "" {
      score("speedup", $c["speedup_coverage"], $c["speedup_interval_width_pct"], $c["speedup_rms_error_pct"], $c["speedup_bias_pct"])
    }
    function verdict(holds) { return holds ? "holds" : "**does not hold**" }
    function table(what, file,   n, i, r, row, part, value) {
      print "| run | times | machine | 1 measurement | 2 | 3 | 4 | 5 | all |" > file
      print "|:---|:---|:---|---:|---:|---:|---:|---:|---:|" > file
      least[what] = 100
      n = split(substr(rows[what], 2), row, "\n")
      for (i = 1; i <= n; ++i) {
        split(row[i], part, ",")
        printf "| %s | %s | %s |", part[2], part[3], part[4] > file
        for (r = 1; r <= 5; ++r) {
          value = coverage_of(row[i] "," r); if (value < least[what]) least[what] = value
          printf " %.1f %% (%.1f) |", value, ratio_of(row[i] "," r) > file
        }
        printf " %.1f %% (%.1f) |\n", coverage_of(row[i]), ratio_of(row[i]) > file
        if (ratio_of(row[i]) <= 3) ++narrow[what]
      }
      printf "| **all** | | | | | | | | **%.1f %% (%.1f)** |\n", coverage_of(what), ratio_of(what) > file
      close(file)
      printf "intervals.%s.coverage\t%.1f\nintervals.%s.ratio\t%.1f\n", what, coverage_of(what), what, ratio_of(what) >> facts
      printf "intervals.%s.ratio.cells\t%.1f\n", what, ratios[what] / cells[what] >> facts
      printf "intervals.%s.least\t%.1f\nintervals.%s.cells\t%d\n", what, least[what], what, cells[what] >> facts
      printf "intervals.%s.below\t%d\n", what, below[what] >> facts
      printf "intervals.%s.coverage.verdict\t%s\n", what, verdict((coverage_of(what) >= 93)) >> facts
      printf "intervals.%s.least.verdict\t%s\n", what, verdict((least[what] >= 90)) >> facts
      printf "intervals.%s.ratio.verdict\t%s\n", what, verdict((ratio_of(what) <= 3)) >> facts
      printf "intervals.%s.below.verdict\t%s\n", what, verdict(!below[what]) >> facts
      printf "intervals.%s.rows\t%d\nintervals.%s.narrow\t%d\n", what, n, what, narrow[what] >> facts
    }
    END {
      table("time", tables "time"); table("speedup", tables "speedup")
      file = tables "below"
      printf "The lowest cell has %.1f %% for times and %.1f %% for speedups.", 100 * lowest["time"], 100 * lowest["speedup"] > file
      if (below["time"] + below["speedup"] == 0) { print "" > file; exit }
      print " Those below 90 %, one by one; errors and half-widths in percent:\n" > file
      print "| figure | run | times | machine | points | measurements | coverage | bias | RMS error | mean half-width |" > file
      print "|:---|:---|:---|:---|---:|---:|---:|---:|---:|---:|" > file
      for (w = 1; w <= 2; ++w) {
        what = w == 1 ? "time" : "speedup"
        n = split(low[what], row, "\n")
        for (i = 1; i < n; ++i) print "| " what " " row[i] > file
      }
    }' "${files[@]}"
}
