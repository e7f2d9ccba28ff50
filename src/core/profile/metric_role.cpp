#include "core/profile/measure.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/trace/trace.hpp"

namespace seqpoint::profile {
namespace {

using Words = std::span<const std::string_view>;

// Each list contains names that profilers, frameworks' loggers and experiment trackers give such columns.

constexpr std::array<std::string_view, 45> kNoCosts{
    "loss",      "lr",       "learning", "epoch",    "step",       "steps",    "iter", "iteration",
    "grad",      "gradient", "norm",     "ppl",      "perplexity", "accuracy", "acc",  "precision",
    "recall",    "f1",       "auc",      "bleu",     "wer",        "cer",      "mae",  "mse",
    "rmse",      "score",    "reward",   "momentum", "dropout",    "seed",     "temp", "temperature",
    "timestamp", "date",     "datetime", "version",  "id",         "index",    "pid",  "gpus",
    "nodes",     "workers",  "ranks",    "params",   "parameters"};

constexpr std::array<std::string_view, 24> kRates{
    "ipc",   "cpi",       "util",       "utilization", "utilisation", "pct",       "percent", "ratio",
    "rate",  "occupancy", "efficiency", "mfu",         "hfu",         "bandwidth", "gbps",    "throughput",
    "watts", "power",     "frequency",  "mhz",         "ghz",         "avg",       "mean",    "average"};

constexpr std::array<std::string_view, 10> kMemory{"mem",  "memory", "vram",      "rss",      "hbm",
                                                   "peak", "max",    "allocated", "reserved", "footprint"};

/// Memory words: the column counts use of memory, not its amount.
constexpr std::array<std::string_view, 15> kTraffic{"read",     "reads",   "written",      "write",  "writes",
                                                    "load",     "loads",   "store",        "stores", "access",
                                                    "accesses", "traffic", "transactions", "copied", "transferred"};

constexpr std::array<std::string_view, 35> kCosts{
    "instructions", "instr",    "insts",    "inst",    "uops",   "cycles",   "flop",   "flops",    "macs",
    "ops",          "bytes",    "energy",   "joule",   "joules", "kwh",      "wh",     "misses",   "hits",
    "references",   "loads",    "stores",   "reads",   "writes", "branches", "faults", "switches", "migrations",
    "transactions", "requests", "launches", "kernels", "cost",   "usd",      "eur",    "traffic"};

/// Whether any of the words is in the list `of`.
bool has_any(Words words, Words of) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return std::find(of.begin(), of.end(), word) != of.end(); });
}

/// The words of a name in lower case: runs of ASCII letters and digits. The last one may be empty.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'), capital = c >= 'A' && c <= 'Z';
    if (letter || capital)
      words.back() += capital ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  return words;
}

/// Whether the first "per" is followed by anything but iteration, iter, step or batch. If it is followed by one of
/// these, removes both words, because every row is per iteration, and returns false.
bool is_per_something(std::vector<std::string_view>& words) {
  constexpr std::array<std::string_view, 4> kRow{"iteration", "iter", "step", "batch"};
  const auto per = std::find(words.begin(), words.end(), "per");
  if (per == words.end()) return false;
  if (per + 1 == words.end() || std::find(kRow.begin(), kRow.end(), *(per + 1)) == kRow.end()) return true;
  words.erase(per, per + 2);
  return false;
}

}  // namespace

MetricRole role_of_column(std::string_view name) {
  if (trace::is_time_metric(name)) return MetricRole::cost;
  const std::vector<std::string> text = words_of(name);
  std::vector<std::string_view> words(text.begin(), text.end());
  const bool per = is_per_something(words) || name.ends_with("/s") || name.ends_with("/sec");
  if (has_any(words, kNoCosts)) return MetricRole::no_cost;
  if (per || has_any(words, kRates)) return MetricRole::rate;
  if (has_any(words, kMemory) && !has_any(words, kTraffic)) return MetricRole::maximum;
  return has_any(words, kCosts) ? MetricRole::cost : MetricRole::unknown;
}

}  // namespace seqpoint::profile
