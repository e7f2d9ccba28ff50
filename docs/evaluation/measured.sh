# Tables of measured epochs; docs/make-evaluation.sh reads this.

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
# What noise alone would leave of k points that weigh equally: the spread within a signature over the root of the measurements.
noise_alone() {  # FOLDER NAME...   a line each: statistic,configuration,spread in percent
  local statistic name
  for statistic in runtime_s single_s; do
    for name in "${@:2}"; do echo "$statistic,${name#*-},$(spread_within signature "$1/$name.csv" "$statistic")"; done
  done
}
spread_of_network() {  # ds2|gnmt COLUMN   geomean over its configurations
  local name
  select_network "$1"
  for name in "${names[@]}"; do spread_within src_len "$folder/$name.csv" "$2"; done |
    awk '{ logs += log($1) } END { printf "%.9g\n", exp(logs / NR) }'
}
run_facts() {  # TRACE   `iterations`, `unique lengths`, `of them once`, `unique signatures`, `of them once`
  awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) c[$i] = i; next }
    { ++n[$c["src_len"]]; ++m[$c["src_len"], "tgt_len" in c ? $c["tgt_len"] : "", $c["batch_size"]]; ++rows }
    END { for (l in n) { ++unique; if (n[l] == 1) ++once }
          for (s in m) { ++signatures; if (m[s] == 1) ++alone }
          print rows, unique, once, signatures, alone }' "$1"
}

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

# --- sections ------------------------------------------------------------------------------------------------------------

methods_section() {  # NETWORK
  local statistic
  for statistic in runtime_s single_s; do
    select_network "$1"
    if [[ $statistic == runtime_s ]]; then echo "Drift-free times (\`runtime_s\`):"; else echo "Single measurements, noise included (\`single_s\`):"; fi
    echo
    command_line "${traces[@]}" --stat "$statistic" "${sizes[@]}"
    methods_table "$tmp/$1-$statistic-1.csv" "$tmp/$1-$statistic-5.csv" "$(spread_of_network "$1" "$statistic")" ''
  done
}

published_section() {  # NETWORK TIME SPEEDUP REDUCTION
  select_network "$1"
  command_line "${traces[@]}" "${sizes[@]}"
  published_table "$tmp/$1-runtime_s-1.csv" "$tmp/$1-single_s-1.csv" "$2" "$3" "$4"
}

luck_section() {
  local network statistic
  echo "| run | times | method | time: least | median | largest | speedup: least | median | largest |"
  echo "|:---|:---|:---|---:|---:|---:|---:|---:|---:|"
  for network in ds2 gnmt; do
    for statistic in runtime_s single_s; do luck_row "$network" "$statistic" <"$tmp/$network-$statistic-luck.csv"; done
  done
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
  echo "| run | machine | iterations | unique source lengths | of them once | signatures | of them once | within a length: \`runtime_s\` | \`single_s\` | within a signature: \`runtime_s\` | \`single_s\` |"
  echo "|:---|:---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
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

