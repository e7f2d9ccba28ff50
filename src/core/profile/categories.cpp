#include <re2/re2.h>

#include <array>
#include <map>
#include <stdexcept>

#include "core/profile/measure.hpp"
#include "core/regular_expression.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::profile {
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
      "mem "
      "?cpy|memset|copybuffer|fillbuffer|(^|[^a-z])copy_|direct_copy|aten::(_to_copy|to$|clone|contiguous|zero_|fill_)|"
      "fillfunctor|catarray|aten::cat"},
     {"attention", "flash|fmha|attention|sdpa|(^|[^a-z])mha"},
     {"recurrent", "lstm|(^|[^a-z])gru([^a-z]|$)|rnn"},
     {"convolution", "conv([^e]|$|e[^r])|winograd|[dw]grad|fprop|im2col|col2im|igemm_"},
     {"GEMM",
      "gemm|gemv|cublas|cutlass|cijk_|matmul|aten::(mm|bmm|addmm|baddbmm|linear|addmv|dot)|split_?k|triton_mm|triton_"
      "tem"},
     {"normalisation",
      "(batch|layer|group|instance|rms)_?norm|(^|[^a-z])norm(alize|_|$)|bn_(fw|bw)|cudnn_bn|aten::.*_norm"},
     {"optimiser", "adam|sgd|adagrad|rmsprop|fused_?lamb|lamb_|multi_?tensor_?apply|optimizer|_foreach_"},
     {"reduction",
      "reduce|softmax|(^|[^a-z])(sum|mean|argmax|argmin|max|min|prod|cumsum|topk|sort)(_|$|[^a-z])|nll_?loss|cross_?"
      "entropy|triton_(red|per)|scan"},
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

struct Categories::Compiled {
  std::vector<std::pair<std::string, std::unique_ptr<const RE2>>> rules;
  std::string other{kOtherCategory};
  std::map<std::string, const std::string*, std::less<>> known;  ///< cache: a trace has few names, each many times
};

Categories::Categories() : Categories(built_in(), "") {}
Categories::~Categories() = default;
Categories::Categories(Categories&&) noexcept = default;
Categories& Categories::operator=(Categories&&) noexcept = default;

Categories::Categories(std::span<const Rule> rules, const std::string& source)
    : compiled_(std::make_unique<Compiled>()) {
  for (const Rule& rule : rules) try {
      compiled_->rules.emplace_back(rule.category, regular_expression(rule.expression, LetterCase::ignored));
    } catch (const std::invalid_argument& error) {
      throw InputError({source, rule.line, "pattern"},
                       "\"" + rule.expression + "\" is not a regular expression of RE2: " + error.what(),
                       "escape what is meant as it stands with a backslash");
    }
}

const std::string& Categories::category_of(std::string_view operation) const {
  if (operation == kOutsideOperators) return compiled_->other;
  if (const auto found = compiled_->known.find(operation); found != compiled_->known.end()) return *found->second;
  const std::string_view name = operation.substr(0, kMatchedCharacters);
  const std::string* category = &compiled_->other;
  for (const auto& [candidate, expression] : compiled_->rules)
    if (RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), *expression)) {
      category = &candidate;
      break;
    }
  return *compiled_->known.emplace(operation, category).first->second;
}

}  // namespace seqpoint::profile
