# Epochs of networks that no point or weight was tuned on: calibrated beside bins, and its intervals; docs/make-evaluation.sh reads this.

# Sets of epochs: two that were in view while the method was made, and one that was not looked at before everything was decided.
declare -A folder_of_set=([other]=examples/data/pytorch-cpu [later]=examples/data/pytorch-cpu-quiet [aside]=examples/data/pytorch-cpu-aside)
declare -A networks_of_set=([other]="speech translation language" [later]="speech translation"
  [aside]="speech1 speech2 speech3 speech4 translation1 translation2 translation3 translation4")
configurations_of() { case $1 in language) echo h24 h40 ;; *) echo lstm gru ;; esac; }

measure_other() {  # SET NETWORK   <set>-<network>-<statistic>-<repeats>-<method>.csv
  local folder=${folder_of_set[$1]} network=$2 to="$tmp/$1-$2" statistic repeats name run
  for statistic in runtime_s single_s; do
    for repeats in 1 5; do
      run=(--stat "$statistic" --repeats "$repeats" --draws 400 --lengths-only)
      for name in $(configurations_of "$network"); do run+=("$name=$folder/$network-$name.csv"); done
      evaluate "${run[@]}" --method calibrated $(points_up_to 5 20) >"$to-$statistic-$repeats-calibrated.csv"
      evaluate "${run[@]}" --method bins $(points_up_to 5 30) >"$to-$statistic-$repeats-bins.csv"
    done
  done
}

# Of bins' requests that find equally many points, the first counts.
other_epochs_section() {  # SET
  local network statistic repeats name noise=() files=("$tmp/$1-noise.csv")
  for network in ${networks_of_set[$1]}; do
    noise=()
    for name in $(configurations_of "$network"); do noise+=("$network-$name"); done
    noise_alone "${folder_of_set[$1]}" "${noise[@]}" | sed "s/^/$network,/"
    for statistic in runtime_s single_s; do
      for repeats in 1 5; do
        files+=("$tmp/$1-$network-$statistic-$repeats-calibrated.csv" "$tmp/$1-$network-$statistic-$repeats-bins.csv")
      done
    done
  done >"$tmp/$1-noise.csv"
  awk -F, -v facts="$tmp/facts" -v set="$1" -v errors="$tmp/table-$1_errors" -v intervals="$tmp/table-$1_intervals" '
    FILENAME ~ /-noise.csv$/ { spread[$1 "," $2, $3] = $4; printf "%s.%s.%s.%s.spread\t%.1f\n", set, $1, $2, $3, $4 >> facts; next }
    FNR == 1 {
      for (i = 1; i <= NF; ++i) c[$i] = i
      n = split(FILENAME, part, "/"); split(part[n], name, "[-.]"); row = name[2] "," name[3]; repeats = name[4]
      if (!(row in seen)) { seen[row]; order[++rows] = row }
      next
    }
    function add(what, coverage, width, rms,   key, w) {
      for (w = 1; w <= 2; ++w) {
        key = (w == 1 ? row : "all") "," what
        ++cells[key]; held[key] += coverage; half[key] += width / 2; squares[key] += rms ^ 2
        if (coverage < 0.9) { ++below[key]; if (repeats == 1) ++once[key] }
      }
    }
    {
      method = $c["method"]; k = $c["points"]; cell = row "," repeats "," k "," $c["configuration"]
      if ((row, repeats, method, k) in asked && asked[row, repeats, method, k] != $c["asked"]) next
      asked[row, repeats, method, k] = $c["asked"]
      error[cell ",time", method] = $c["rms_error_pct"]; error[cell ",speedup", method] = $c["speedup_rms_error_pct"]
      if (method != "calibrated") next
      noise[cell] = spread[row, $c["configuration"]] / sqrt(k * repeats)
      cell_of[++all] = cell; row_of[all] = row; size_of[all] = k
      add("time", $c["coverage"], $c["interval_width_pct"], $c["rms_error_pct"])
      if ($c["speedup_coverage"] != "") add("speedup", $c["speedup_coverage"], $c["speedup_interval_width_pct"], $c["speedup_rms_error_pct"])
    }
    # Geometric mean of calibrated over bins; at 8 and 15 points, or at all that both found. Of one network, or of all of a kind.
    function ratio(row, what, some,   i, x, y, logs, n) {
      for (i = 1; i <= all; ++i) {
        if (row_of[i] != row && kind_of(row_of[i]) != row || some && size_of[i] != 8 && size_of[i] != 15) continue
        x = what == "noise" ? noise[cell_of[i]] : error[cell_of[i] "," what, "calibrated"]; y = error[cell_of[i] "," (what == "noise" ? "time" : what), "bins"]
        if (x == "" || y == "") continue
        logs += log(x / y); ++n
      }
      return n ? sprintf("%.2f", exp(logs / n)) : ""
    }
    function kind_of(row) { sub(/[0-9]+,/, ",", row); return row }
    function errors_row(row, label,   part) {
      split(row, part, ",")
      printf "| %s | %s | %s | %s | %s | %s | %s |\n", label part[1] label, part[2], ratio(row, "time", 1), ratio(row, "noise", 1), ratio(row, "time"),
             ratio(row, "speedup", 1), ratio(row, "speedup") > errors
    }
    function covered(key) {
      return sprintf("%.1f %% (%.1f) | %d of %d", 100 * held[key] / cells[key], half[key] / cells[key] / sqrt(squares[key] / cells[key]),
                     below[key], cells[key])
    }
    END {
      print "| network | times | time, 8 and 15 points | noise alone | 5 to 20 points | speedup, 8 and 15 points | 5 to 20 points |" > errors
      print "|:---|:---|---:|---:|---:|---:|---:|" > errors
      print "| network | times | times: coverage | cells below 90 % | speedups: coverage | cells below 90 % |" > intervals
      print "|:---|:---|---:|---:|---:|---:|" > intervals
      for (r = 1; r <= rows; ++r) {
        split(order[r], part, ",")
        errors_row(order[r])
        printf "| %s | %s | %s | %s |\n", part[1], part[2], covered(order[r] ",time"), covered(order[r] ",speedup") > intervals
      }
      # Kinds that several networks are of.
      for (r = 1; r <= rows; ++r) {
        label = kind_of(order[r])
        if (label == order[r] || label in named) continue
        named[label]; errors_row(label, "**"); order[rows + ++kinds] = label
      }
      printf "| **all** | | %s | %s |\n", covered("all,time"), covered("all,speedup") > intervals
      printf "%s.translation.floor\t%s\n", set, ratio("translation,single_s", "noise", 1) >> facts
      for (r = 1; r <= rows + kinds; ++r) {
        label = order[r]; sub(/,/, ".", label)
        printf "%s.%s\t%s\n%s.%s.all\t%s\n", set, label, ratio(order[r], "time", 1), set, label, ratio(order[r], "time") >> facts
        printf "%s.%s.speedup\t%s\n%s.%s.speedup.all\t%s\n", set, label, ratio(order[r], "speedup", 1), set, label, ratio(order[r], "speedup") >> facts
      }
      printf "%s.coverage\t%.1f %%\n%s.speedup.coverage\t%.1f %%\n", set, 100 * held["all,time"] / cells["all,time"], set, 100 * held["all,speedup"] / cells["all,speedup"] >> facts
      printf "%s.below\t%d\n%s.below.once\t%d\n", set, below["all,time"], set, once["all,time"] >> facts
    }' "${files[@]}"
}
