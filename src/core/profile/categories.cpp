#include <re2/re2.h>

#include <algorithm>
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

}  // namespace seqpoint::profile
