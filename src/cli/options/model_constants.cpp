#include "cli/options/model_constants.hpp"

#include <fmt/core.h>

#include <array>
#include <string_view>

#include "cli/options/shared_options.hpp"
#include "core/enum_names.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::options {
namespace {

struct NamedConstant {
  std::string_view name;
  double select::ModelConstants::*value;
};
constexpr std::array<NamedConstant, 10> kConstants{{{"free", &select::ModelConstants::free},
                                                    {"possible", &select::ModelConstants::possible},
                                                    {"amount", &select::ModelConstants::amount},
                                                    {"jag", &select::ModelConstants::jag},
                                                    {"nugget", &select::ModelConstants::nugget},
                                                    {"iteration", &select::ModelConstants::iteration},
                                                    {"measurement", &select::ModelConstants::measurement},
                                                    {"noise-spread", &select::ModelConstants::noise_spread},
                                                    {"misfit-spread", &select::ModelConstants::misfit_spread},
                                                    {"one-batch-size", &select::ModelConstants::one_batch_size}}};

/// Larger factors have no visible effect, and sums of squares lose all digits.
constexpr double kFarthest = 1000;

/// Throws UsageError unless the value is within a factor of kFarthest of the usual one.
void require_near(double value, double usual, const std::string& name) {
  if (!(value >= usual / kFarthest && value <= usual * kFarthest))
    throw UsageError(
        fmt::format("--model {}: the value must be from {:g} to {:g}", name, usual / kFarthest, usual * kFarthest));
}

}  // namespace

void set_constant(select::ModelConstants& constants, const std::string& assignment) {
  const auto [name, text] = split_assignment(assignment, "--model", "NAME=VALUE");
  OptionValues given;
  given.set("model", text);
  const double value = *given.number("model");
  if (name == "scales") {
    require_near(value, 1, name);
    for (double& scale : constants.scales) scale *= value;
    return;
  }
  for (const NamedConstant& constant : kConstants)
    if (constant.name == name) {
      require_near(value, select::ModelConstants{}.*constant.value, name);
      if (name == "nugget" && value > 1) throw UsageError("--model nugget: is a share, from 0 to 1");
      constants.*constant.value = value;
      return;
    }
  std::vector<std::string_view> known = row_names(kConstants);
  known.insert(known.begin(), "scales");
  throw UsageError(fmt::format("--model: unknown constant '{}'", name), names_hint(name, known));
}

}  // namespace seqpoint::cli::options
