// seqpoint_bench: our program and others on the same work, in turn, in one run; ratios, not times, are what to read.
//
//   seqpoint_bench --program SEQPOINT [--rows N] [--permutation N] [--scale N] [--trace BYTES] [--rounds N]
//                  [--only index|project|tables]
//
// Prints a Markdown page (tests/bench/README.md). What is not installed is left out, and said so. DuckDB is npm's
// @duckdb/node-api: `npm install @duckdb/node-api` somewhere, and NODE_PATH=THERE/node_modules.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "inputs.hpp"
#include "io/views/tables.hpp"
#include "loops.hpp"
#include "process.hpp"

namespace seqpoint::bench {
namespace {

struct Options {
  std::string program, self, only;
  std::uint64_t rows = 1'000'000, permutation = 100'000'000, scale = 100'000'000, trace = 600'000'000;
  int rounds = 5;
};

using Words = std::vector<std::string>;
constexpr auto kPython = "/usr/bin/python3";

std::vector<std::string> absent;

/// Adds a contestant if `probe` runs.
void add_if(std::vector<Contestant>& all, const Words& probe, Contestant contestant) {
  if (is_there(probe))
    all.push_back(std::move(contestant));
  else
    absent.push_back(contestant.name);
}

std::string ratio(double a, double b) { return io::views::number_text(a / b, 3) + "x"; }

/// A row a contestant, its time over the first's, which is ours unless the heading says otherwise.
void print_race(const std::string& title, const std::vector<Contestant>& all, const char* ratios = "time over ours") {
  io::views::TextTable table{{{"", "median s", "best s", ratios, "peak MB"}}, 1};
  for (const Contestant& c : all) {
    const bool failed = std::any_of(c.runs.begin(), c.runs.end(), [](const Usage& u) { return u.status != 0; });
    table.rows.push_back({c.name + (failed ? " (failed)" : ""), io::views::number_text(c.median_wall(), 3),
                          io::views::number_text(c.best_wall(), 3), ratio(c.median_wall(), all.front().median_wall()),
                          io::views::number_text(c.best_peak() / 1e6, 3)});
  }
  std::printf("## %s\n\n%s\n", title.c_str(), io::views::as_markdown(table).c_str());
  std::fflush(stdout);
}

Contestant ours(const Options& o, const std::string& file, int threads) {
  return {"seqpoint scan --lengths-only",
          {o.program, "-q", "scan", file, "--lengths-only", "-j", std::to_string(threads), "-o", "/dev/null"},
          "",
          false};
}

Contestant duckdb(const std::string& file, int threads) {
  return {"DuckDB (the query alone)",
          {"node", std::string(SEQPOINT_SOURCE_DIR) + "/tests/bench/duckdb.mjs", file, std::to_string(threads)},
          "",
          true};
}

void race_jsonl(const Options& o, const std::string& file, int threads) {
  std::vector<Contestant> all{ours(o, file, threads)};
  all.push_back(
      {"bare simdjson loop", {o.self, "--loop", threads > 1 ? "simdjson-threaded" : "simdjson", file}, "", false});
  add_if(all, duckdb(file, threads).words, duckdb(file, threads));
  all.push_back({"wc -l", {"wc", "-l", file}, "", false});
  const std::string python =
      "import json,sys\ns=0\nfor line in open(sys.argv[1]): s+=json.loads(line)['duration']\nprint(s)";
  if (threads == 1)
    add_if(all, {kPython, "-c", "import json"}, {"python3 json", {kPython, "-c", python, file}, "", false});
  if (threads == 1) add_if(all, {"jq", "--version"}, {"jq", {"jq", ".duration", file}, "", false});
  race(all, o.rounds);
  print_race("JSON lines, " + std::to_string(o.rows) + " rows, " + std::to_string(threads) +
                 (threads == 1 ? " thread" : " threads"),
             all);
}

void race_csv(const Options& o, const std::string& file, int threads) {
  std::vector<Contestant> all{ours(o, file, threads)};
  add_if(all, duckdb(file, threads).words, duckdb(file, threads));
  all.push_back({"wc -l", {"wc", "-l", file}, "", false});
  const std::string python =
      "import csv,sys\ns=0\nfor row in csv.DictReader(open(sys.argv[1])): s+=float(row['duration'])\nprint(s)";
  if (threads == 1)
    add_if(all, {kPython, "-c", "import csv"}, {"python3 csv", {kPython, "-c", python, file}, "", false});
  race(all, o.rounds);
  print_race(
      "CSV, " + std::to_string(o.rows) + " rows, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
      all);
}

void race_permutation(const Options& o) {
  const std::string n = std::to_string(o.permutation);
  std::vector<Contestant> all{{"TorchGenerator::permutation", {o.self, "--loop", "permutation", n}, "", true}};
  const std::string python =
      "import sys,time,torch\nn=int(sys.argv[1])\ng=torch.Generator().manual_seed(1)\nt=time.time()\n"
      "p=torch.randperm(n,generator=g)\nt=time.time()-t\nprint(int(p[n//2]))\nprint(t)";
  add_if(all, {kPython, "-c", "import torch"}, {"torch.randperm", {kPython, "-c", python, n}, "", true});
  race(all, std::min(o.rounds, 3));
  print_race("A permutation of " + n + " (the seconds it takes alone)", all);
}

/// scikit-learn's KMeans on the same weighted lengths; prints its sum of squares and the seconds of fit().
Words sklearn(const std::string& unique, const std::string& k, const std::string& starts) {
  const std::string python =
      "import sys,time,numpy\nfrom sklearn.cluster import KMeans\nu,k,n=map(int,sys.argv[1:])\n"
      "x=numpy.arange(1,u+1)\nw=(1+x*7919%20).astype(float)\nt=time.time()\n"
      "m=KMeans(k,n_init=n,random_state=0).fit(x[:,None].astype(float),sample_weight=w)\nt=time.time()-t\n"
      "print('%.17g'%m.inertia_)\nprint(t)";
  return {kPython, "-c", python, unique, k, starts};
}

/// Time and sum of squares: exact is exact, whatever the seeds.
void race_kmeans(const Options& o, std::uint32_t unique, bool quadratic) {
  const std::string n = std::to_string(unique), k = "64";
  std::vector<Contestant> all{{"ExactKmeans", {o.self, "--loop", "kmeans-exact", n, k}, "", true}};
  if (quadratic)
    all.push_back({"plain dynamic program, O(k n^2)", {o.self, "--loop", "kmeans-quadratic", n, k}, "", true});
  for (const char* starts : {"1", "10"})
    add_if(all, {kPython, "-c", "import sklearn"},
           {std::string("scikit-learn, n_init=") + starts, sklearn(n, k, starts), "", true});
  race(all, std::min(o.rounds, 3));
  print_race("k-means of " + n + " unique lengths, k = 64 (the seconds it takes alone)", all);
  std::printf("Sums of squares over ours:");
  const double ours = std::strtod(all.front().runs.front().first_line.c_str(), nullptr);
  for (const Contestant& c : all)
    std::printf(" %s %.6f;", c.name.c_str(), std::strtod(c.runs.front().first_line.c_str(), nullptr) / ours);
  std::printf("\n\n");
}

/// The default method as whole processes.
void race_select(const Options& o, const std::string& folder) {
  const std::string million = folder + "/million.csv", unique = folder + "/unique.csv";
  write_run(million, 1'000'000, 2000);
  write_run(unique, 100'000, 100'000);
  const std::string example = std::string(SEQPOINT_SOURCE_DIR) + "/examples/data/librispeech-train-clean-100.csv";
  const auto select = [&](const std::string& name, Words words) {
    words.insert(words.begin(), {o.program, "-q", "select"});
    words.insert(words.end(), {"-o", "/dev/null"});
    return Contestant{name, std::move(words), "", false};
  };
  std::vector<Contestant> all{select("LibriSpeech-100h, batches of 64, --points 8",
                                     {example, "--sampler", "sorted", "--batch-size", "64", "--points", "8"}),
                              select("1000000 iterations, 2000 lengths", {million}),
                              select("1000000 iterations, 2000 lengths, --points 8", {million, "--points", "8"}),
                              select("100000 iterations of a length each, --points 64", {unique, "--points", "64"})};
  race(all, o.rounds);
  print_race("seqpoint select, the default method", all);
}

/// Whole processes on profiles of 12 points: one of a million rows beside a plain read of it, and the usual one, 36
/// rows, that repeats well, and that does not, so that the note about a wide interval is there.
void race_project(const Options& o, const std::string& folder) {
  const std::string trace = folder + "/run.csv", points = folder + "/points.json", many = folder + "/many.csv";
  write_run(trace, 3000, 2000);
  if (run({"", {o.program, "-q", "select", trace, "--points", "12", "-o", points}, "", false}).status != 0)
    return absent.emplace_back("select for project"), void();
  write_profile(many, 12, 1'000'000, 1);
  const auto project = [&](const std::string& name, std::uint64_t rows, std::uint32_t percent, int configurations) {
    Words words{o.program, "-q", "project", points};
    for (int c = 0; c < configurations; ++c) {
      const std::string file =
          folder + "/profile" + std::to_string(rows) + "-" + std::to_string(percent) + "-" + std::to_string(c) + ".csv";
      write_profile(file, 12, rows + static_cast<std::uint64_t>(c), percent);
      words.insert(words.end(), {"--profile", "c" + std::to_string(c) + "=" + file});
    }
    words.erase(words.begin() + 1);  // with its notes
    return Contestant{name, std::move(words), "", false};
  };
  std::vector<Contestant> million{
      {"seqpoint project", {o.program, "-q", "project", points, "--profile", "a=" + many}, "", false},
      {"wc -l", {"wc", "-l", many}, "", false}};
  const std::string python =
      "import csv,sys\ns=0\nfor row in csv.DictReader(open(sys.argv[1])): s+=float(row['runtime_s'])\nprint(s)";
  add_if(million, {kPython, "-c", "import csv"}, {"python3 csv", {kPython, "-c", python, many}, "", false});
  race(million, o.rounds);
  print_race("seqpoint project, 1000000 rows of 12 points; the others read the file", million);
  std::vector<Contestant> usual{project("36 rows", 36, 1, 1),
                                project("36 rows, with a note about a wide interval", 36, 60, 1),
                                project("three configurations, with such a note each", 36, 60, 3)};
  race(usual, o.rounds);
  print_race("seqpoint project, the usual call", usual);
}

/// The commands that read a table of measurements, as whole processes, beside a plain read of the same file.
void race_tables(const Options& o, const std::string& folder) {
  constexpr std::uint64_t kRows = 1'000'000;
  constexpr std::uint32_t kLengths = 200;
  const std::string trace = folder + "/whole.csv", points = folder + "/points.json", log = folder + "/log.csv";
  write_run(trace, kRows + kRows / 5, kLengths);
  write_log(log, kRows, kLengths);
  if (run({"", {o.program, "-q", "select", trace, "--points", "12", "-o", points}, "", false}).status != 0)
    return absent.emplace_back("select for tables"), void();
  const std::string python =
      "import csv,sys\ns=0\nfor row in csv.DictReader(open(sys.argv[1])): s+=float(row['runtime_s'])\nprint(s)";
  std::vector<Contestant> all{{"wc -l", {"wc", "-l", log}, "", false}};
  add_if(all, {kPython, "-c", "import csv"}, {"python3 csv", {kPython, "-c", python, log}, "", false});
  all.push_back({"seqpoint project", {o.program, "-q", "project", points, log}, "", false});
  all.push_back({"seqpoint inspect", {o.program, "-q", "inspect", log}, "", false});
  race(all, o.rounds);
  print_race("A table of 1000000 rows, of 200 lengths, beside a plain read", all, "time over the plain read");
}

void race_trace(const Options& o, const std::string& file) {
  std::vector<Contestant> all{
      {"seqpoint inspect", {o.program, "-q", "inspect", file, "--export", "csv=/dev/null"}, "", false}};
  all.push_back({"bare simdjson loop", {o.self, "--loop", "trace", file}, "", false});
  all.push_back({"wc -l", {"wc", "-l", file}, "", false});
  const std::string python =
      "import json,sys\ns=0\nfor e in json.load(open(sys.argv[1]))['traceEvents']:\n if e.get('cat')=='kernel': "
      "s+=e['dur']\nprint(s)";
  add_if(all, {kPython, "-c", "import json"}, {"python3 json", {kPython, "-c", python, file}, "", false});
  race(all, std::min(o.rounds, 3));
  print_race("PyTorch trace, " + std::to_string(std::filesystem::file_size(file) / 1'000'000) +
                 " MB: steps, kernels and operators; the others add up kernels",
             all);
}

/// Rows through a pipe, three sizes: memory is bounded by the lengths, time is linear.
void race_scale(const Options& o) {
  io::views::TextTable table{{{"rows", "seconds", "ns a row", "peak MB", "bytes a row over 64 MB"}}, 0};
  for (const std::uint64_t rows : {o.scale / 100, o.scale / 10, o.scale}) {
    const std::string pipe = "'" + o.self + "' --stream " + std::to_string(rows) + " | exec '" + o.program +
                             "' -q scan - --sampler pytorch --seed 1 --batch-size 64 -o /dev/null";
    const Usage usage = run({"", {"bash", "-c", pipe}, "", false});
    const auto n = static_cast<double>(rows);
    table.rows.push_back({std::to_string(rows), io::views::number_text(usage.wall, 3),
                          io::views::number_text(usage.wall / n * 1e9, 3),
                          io::views::number_text(usage.peak_bytes / 1e6, 3),
                          io::views::number_text(std::max(0.0, usage.peak_bytes - 64e6) / n, 3)});
  }
  std::printf("## Streamed through a pipe: read, shuffled as PyTorch does, batched, written\n\n%s\n",
              io::views::as_markdown(table).c_str());
}

/// A binary index, in file order and shuffled; beside it what NumPy and torch take to read the sizes, to shuffle them
/// and to take the longest of each batch, without a check or a digest.
void race_index(const Options& o, const std::string& folder) {
  const std::string file = folder + "/documents.idx", rows = std::to_string(o.scale);
  write_index(file, o.scale);
  const auto scan = [&](const std::string& name, const Words& order) {
    Words words{o.program, "-q", "scan", file, "--batch-size", "512", "--summary"};
    words.insert(words.end(), order.begin(), order.end());
    return Contestant{name, std::move(words), "", false};
  };
  const std::string read =
      "import sys,numpy\nn=int(sys.argv[2])\na=numpy.fromfile(sys.argv[1],numpy.int32,n,offset=34)\n";
  const std::string longest = "print(int(numpy.maximum.reduceat(a,numpy.arange(0,n,512)).sum()))\n";
  std::vector<Contestant> in_order{scan("seqpoint scan, file order", {})};
  add_if(in_order, {kPython, "-c", "import numpy"},
         {"numpy.fromfile, longest of each batch", {kPython, "-c", read + longest, file, rows}, "", false});
  race(in_order, std::min(o.rounds, 3));
  print_race("A Megatron-LM index of " + rows + " documents, in file order", in_order);
  std::vector<Contestant> shuffled{scan("seqpoint scan --sampler pytorch", {"--sampler", "pytorch"})};
  const std::string shuffle = "import torch\ntorch.manual_seed(0)\na=a[torch.randperm(n).numpy()]\n";
  add_if(shuffled, {kPython, "-c", "import torch"},
         {"numpy.fromfile, torch.randperm, longest of each batch",
          {kPython, "-c", read + shuffle + longest, file, rows},
          "",
          false});
  race(shuffled, std::min(o.rounds, 3));
  print_race("The same, shuffled", shuffled);
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

/// A folder that is gone when it goes out of scope.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("seqpoint-bench-" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

void race_all(const Options& o) {
  const Folder made;
  const std::filesystem::path& folder = made.path;
  if (o.only == "index") return race_index(o, folder);
  if (o.only == "project") return race_project(o, folder);
  if (o.only == "tables") return race_tables(o, folder);
  const std::string jsonl = folder / "train.jsonl", csv = folder / "train.csv";
  write_jsonl(jsonl, o.rows);
  write_csv(csv, o.rows);
  std::printf(
      "# Performance\n\nWritten by `seqpoint_bench` on one machine (%s, %u threads). Whole processes, everybody in "
      "turn, %d rounds "
      "after one that does not count; read the ratios. Inputs: the durations of LibriSpeech-100h over and over, with "
      "paths and "
      "transcripts, %.0f MB of JSON lines and %.0f MB of CSV. Our time includes a digest of the input, every check of "
      "the rows and "
      "writing the lengths; the bare loop and DuckDB only add the durations up.\n\n",
      processor().c_str(), std::thread::hardware_concurrency(), o.rounds,
      static_cast<double>(std::filesystem::file_size(jsonl)) / 1e6,
      static_cast<double>(std::filesystem::file_size(csv)) / 1e6);
  for (const int threads : {1, 2}) race_jsonl(o, jsonl, threads);
  for (const int threads : {1, 2}) race_csv(o, csv, threads);
  const std::string trace = folder / "worker.pt.trace.json";
  write_trace(trace, o.trace);
  race_trace(o, trace);
  std::filesystem::remove(trace);
  race_permutation(o);
  race_kmeans(o, 10'000, true);
  race_kmeans(o, 100'000, false);
  race_select(o, folder);
  race_project(o, folder);
  race_tables(o, folder);
  race_scale(o);
  race_index(o, folder);
}

void report_absent() {
  if (absent.empty()) return;
  std::printf("Not installed, so not compared:");
  for (const std::string& name : absent) std::printf(" %s;", name.c_str());
  std::printf("\n");
}

}  // namespace
}  // namespace seqpoint::bench

int main(int argc, char** argv) {
  using namespace seqpoint::bench;
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 4 && words[0] == "--loop")
    return kmeans_loop(words[1].substr(words[1].find('-') + 1), static_cast<std::uint32_t>(std::stoul(words[2])),
                       static_cast<std::uint32_t>(std::stoul(words[3])));
  if (words.size() == 3 && words[0] == "--loop") {
    if (words[1] == "permutation") return permutation_loop(static_cast<std::uint32_t>(std::stoul(words[2])));
    if (words[1] == "trace") return trace_loop(words[2]);
    return simdjson_loop(words[2], words[1] == "simdjson-threaded");
  }
  if (words.size() == 2 && words[0] == "--stream") return stream_lengths(std::stoull(words[1])), 0;
  Options options;
  options.self = std::filesystem::canonical("/proc/self/exe");
  CLI::App app("Compares seqpoint with other programs on the same work.", "seqpoint_bench");
  app.add_option("--program", options.program, "the seqpoint to measure")->required();
  app.add_option("--rows", options.rows, "rows of the manifests")->capture_default_str();
  app.add_option("--permutation", options.permutation, "elements of the permutation")->capture_default_str();
  app.add_option("--scale", options.scale, "rows of the largest streamed input")->capture_default_str();
  app.add_option("--trace", options.trace, "bytes of the PyTorch trace")->capture_default_str();
  app.add_option("--only", options.only, "this part alone")->check(CLI::IsMember({"index", "project", "tables"}));
  app.add_option("--rounds", options.rounds, "counted runs of everybody")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  race_all(options);
  report_absent();
  return 0;
}
