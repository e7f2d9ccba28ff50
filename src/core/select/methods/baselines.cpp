// Baselines of the paper (Pati et al., ISPASS 2020): one length, a window.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/select/methods/methods.hpp"
#include "core/select/population.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::select::methods {
namespace {

/// One length that represents the whole run.
std::vector<Choice> single_point(const Population& all, const LengthGroup& group) {
  return {choice_of(all, group, all.iterations())};
}

/// The length of the most iterations; ties: the shorter length.
std::vector<Choice> choose_frequent(const Population& all, const SelectParams&, MethodRecord&,
                                    std::vector<std::string>&) {
  return single_point(all, *std::max_element(all.groups.begin(), all.groups.end(),
                                             [](const auto& a, const auto& b) { return a.count < b.count; }));
}

/// The length of the lower median iteration.
std::vector<Choice> choose_median(const Population& all, const SelectParams&, MethodRecord&,
                                  std::vector<std::string>&) {
  const std::uint64_t middle = (all.iterations() - 1) / 2;
  std::uint64_t passed = 0;
  auto group = all.groups.begin();
  while (passed + group->count <= middle) passed += (group++)->count;
  return single_point(all, *group);
}

/// The length that misses the total by most if it represents all iterations. Misses that differ by less than 1e-9 of
/// the total are a tie, which the shorter length wins.
std::vector<Choice> choose_worst(const Population& all, const SelectParams&, MethodRecord&, std::vector<std::string>&) {
  const auto miss = [&](const LengthGroup& g) {
    return std::abs(static_cast<double>(all.iterations()) * g.mean() - all.total);
  };
  double most = 0;
  for (const LengthGroup& group : all.groups) most = std::max(most, miss(group));
  return single_point(all, *std::find_if(all.groups.begin(), all.groups.end(), [&](const LengthGroup& group) {
                        return most - miss(group) <= 1e-9 * std::abs(all.total);
                      }));
}

Choice iteration_choice(const trace::Trace& trace, std::size_t position, double weight) {
  return {.shape = trace.shapes[position], .weight = weight, .length_group = {}, .position = position};
}

/// `window` consecutive iterations (default 50) after the first `skip` (default 10), with equal weights; fewer at the
/// end of the run. From the start if the run has only skipped iterations. Throws ParameterError for an empty window.
std::vector<Choice> choose_prior(const Population& all, const SelectParams& params, MethodRecord& record,
                                 std::vector<std::string>&) {
  const std::uint64_t window = params.options.count_or("window", 50);
  if (window == 0) throw ParameterError("window", "must be 1 or more");
  const std::uint64_t skip = params.options.count_or("skip", 10);
  record.parameters = {{"window", static_cast<double>(window)}, {"skip", static_cast<double>(skip)}};
  const std::uint64_t begin = skip < all.iterations() ? skip : 0;
  const std::uint64_t size = std::min(window, all.iterations() - begin);
  std::vector<Choice> choices;
  for (std::uint64_t i = begin; i < begin + size; ++i)
    choices.push_back(
        iteration_choice(all.trace, i, static_cast<double>(all.iterations()) / static_cast<double>(size)));
  return choices;
}

using Kind = OptionSpec::Kind;
constexpr std::array kPriorOptions{
    OptionSpec{"window", Kind::count, "50", "consecutive batches to profile"},
    OptionSpec{"skip", Kind::count, "10", "batches before the window"},
};

}  // namespace

const Method kFrequent{.name = "frequent",
                       .summary = "the most frequent length stands for all",
                       .source = "a baseline of the paper",
                       .choose = choose_frequent};
const Method kMedian{.name = "median",
                     .summary = "the length of the median iteration stands for all",
                     .source = "a baseline of the paper",
                     .choose = choose_median};
const Method kWorst{.name = "worst",
                    .summary = "the single length with the largest error",
                    .source = "a baseline of the paper",
                    .takes_metric = true,
                    .choose = choose_worst};
const Method kPrior{.name = "prior",
                    .summary = "a window of consecutive iterations near the start, as profiled by hand",
                    .source = "a baseline of the paper",
                    .picks_iterations = true,
                    .options = kPriorOptions,
                    .choose = choose_prior};

}  // namespace seqpoint::select::methods
