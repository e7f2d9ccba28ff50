# calibrated with its measurements shared out over the points beside as many of each; docs/make-evaluation.sh reads this.

# Reads <network>-<statistic>-3-calibrated.csv and -allocated.csv. Ratios are geometric means over machines and sizes.
allocation_section() {
  local network statistic files=()
  for network in ds2 gnmt; do
    for statistic in runtime_s single_s; do
      files+=("$tmp/$network-$statistic-3-calibrated.csv" "$tmp/$network-$statistic-3-allocated.csv")
    done
  done
  awk -F, -v facts="$tmp/facts" '
    FNR == 1 {
      for (i = 1; i <= NF; ++i) c[$i] = i
      n = split(FILENAME, part, "/"); split(part[n], name, "[-.]"); row = name[1] " | " name[2]; kind = name[4]
      if (!(row in seen)) { seen[row]; order[++rows] = row }
      next
    }
    function compare(what, error, width, coverage,   key) {
      key = $c["points"] "," $c["configuration"] "," row "," what
      if (kind == "calibrated") { even[key] = error; even_width[key] = width; return }
      errors[row, what] += log(error / even[key]); widths[row, what] += log(width / even_width[key])
      held[row, what] += coverage; ++cells[row, what]
      if (coverage < 0.9) ++below
      all += log(error / even[key]); all_widths += log(width / even_width[key]); ++all_cells
    }
    {
      compare("time", $c["rms_error_pct"], $c["interval_width_pct"], $c["coverage"])
      if ($c["speedup_coverage"] != "") compare("speedup", $c["speedup_rms_error_pct"], $c["speedup_interval_width_pct"], $c["speedup_coverage"])
    }
    function columns(key) { return sprintf("%.2f | %.2f | %.1f %%", exp(errors[key] / cells[key]), exp(widths[key] / cells[key]), 100 * held[key] / cells[key]) }
    END {
      print "| run | times | time: error | width | coverage | speedup: error | width | coverage |"
      print "|:---|:---|---:|---:|---:|---:|---:|---:|"
      for (r = 1; r <= rows; ++r) printf "| %s | %s | %s |\n", order[r], columns(order[r] SUBSEP "time"), columns(order[r] SUBSEP "speedup")
      printf "allocation.error\t%.0f %%\nallocation.width\t%.0f %%\nallocation.below\t%d\n", 100 * (1 - exp(all / all_cells)), 100 * (1 - exp(all_widths / all_cells)), below >> facts
    }' "${files[@]}" >"$tmp/table-allocation"
}
