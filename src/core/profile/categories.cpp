// What names say: the category of an operation, the role of a column.
#include "core/profile/measure.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/regular_expression.hpp"
#include "core/trace/trace.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::profile {

// --- Categories of operations

namespace {

constexpr std::string_view kOtherCategory = "other";
/// Number of leading characters of a kernel's name to match: the rest are nested template arguments, which are not
/// informative.
constexpr std::size_t kMatchedCharacters = 512;

/// Names of kernels in cuBLAS, cuDNN, CUTLASS, rocBLAS (Cijk_), MIOpen, NCCL, PyTorch and Triton, and of PyTorch's
/// operators; narrow rules first: a convolution by GEMM is a convolution, and a copy is also element-wise.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kBuiltIn{
    {{"communication", "nccl|rccl|c10d::|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all"},
     {"copy",
      "mem ?cpy|memset|copybuffer|fillbuffer|(^|[^a-z])copy_|direct_copy|fillfunctor|catarray|aten::cat|"
      "aten::(_to_copy|to$|clone|contiguous|zero_|fill_)"},
     {"attention", "flash|fmha|attention|sdpa|(^|[^a-z])mha"},
     {"recurrent", "lstm|(^|[^a-z])gru([^a-z]|$)|rnn"},
     {"convolution", "conv([^e]|$|e[^r])|winograd|[dw]grad|fprop|im2col|col2im|igemm_"},
     {"GEMM",
      "gemm|gemv|cublas|cutlass|cijk_|matmul|aten::(mm|bmm|addmm|baddbmm|linear|addmv|dot)|split_?k|"
      "triton_mm|triton_tem"},
     {"normalisation",
      "(batch|layer|group|instance|rms)_?norm|(^|[^a-z])norm(alize|_|$)|bn_(fw|bw)|cudnn_bn|aten::.*_norm"},
     {"optimiser", "adam|sgd|adagrad|rmsprop|fused_?lamb|lamb_|multi_?tensor_?apply|optimizer|_foreach_"},
     {"reduction",
      "reduce|softmax|(^|[^a-z])(sum|mean|argmax|argmin|max|min|prod|cumsum|topk|sort)(_|$|[^a-z])|nll_?loss|"
      "cross_?entropy|triton_(red|per)|scan"},
     {"element-wise",
      "element_?wise|vectorized|point_?wise|relu|gelu|silu|sigmoid|tanh|dropout|triton_poi|aten::(add|sub|mul|div|neg|"
      "exp|log|pow|sqrt|rsqrt|where|threshold|masked)"}}};

std::vector<Categories::Rule> built_in() {
  std::vector<Categories::Rule> rules;
  for (const auto& [category, expression] : kBuiltIn)
    rules.push_back({.category = std::string(category), .expression = std::string(expression)});
  return rules;
}

}  // namespace

Categories::Categories() : Categories(built_in(), "") {}

Categories::Categories(std::span<const Rule> rules, const std::string& source) {
  for (const Rule& rule : rules) try {
      rules_.emplace_back(rule.category, regular_expression(rule.expression, LetterCase::ignored));
    } catch (const std::invalid_argument& error) {
      throw InputError({source, rule.line, "pattern"},
                       "\"" + rule.expression + "\" is not a regular expression of RE2: " + error.what(),
                       "escape what is meant as it stands with a backslash");
    }
}

const std::string& Categories::category_of(std::string_view operation) const {
  if (const auto found = known_.find(operation); found != known_.end()) return found->second;
  const std::string_view name = operation.substr(0, kMatchedCharacters);
  const auto matches = [&](const auto& candidate) {
    return RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), *candidate.second);
  };
  const auto rule = operation == kOutsideOperators ? rules_.end() : std::ranges::find_if(rules_, matches);
  const std::string_view category = rule == rules_.end() ? kOtherCategory : std::string_view(rule->first);
  return known_.emplace(operation, category).first->second;
}

// --- Roles of columns

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
