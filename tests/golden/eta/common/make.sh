# A run of 100 iterations of 10 samples, shuffled lengths of 20 to 119; each takes 10 ms and 2 ms a step of its length.
awk 'BEGIN { print "iteration,src_len,batch_size"; for (i = 0; i < 100; ++i) print i "," 20 + i * 37 % 100 ",10" }' >run.csv
awk -F, 'NR == 1 { print $0 ",runtime_s"; next } { printf "%s,%.3f\n", $0, 0.01 + 0.002 * $2 }' run.csv >whole.csv
