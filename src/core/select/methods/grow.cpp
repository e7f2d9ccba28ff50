#include "core/select/methods/grow.hpp"

#include <algorithm>
#include <cmath>

#include "seqpoint/error.hpp"

namespace seqpoint::select::methods {
namespace {

std::vector<Choice> represent_all(const Population& all, const std::vector<Stratum>& strata) {
  std::vector<Choice> choices;
  for (const Stratum& stratum : strata) choices.push_back(represent(all, stratum));
  return choices;
}

/// One stratum for each length.
std::vector<Stratum> every_length(const Population& all) {
  std::vector<Stratum> strata;
  for (std::size_t g = 0; g < all.groups.size(); ++g) strata.push_back({g, g + 1});
  return strata;
}

/// So many strata; every length, with a note, if there are fewer.
std::vector<Choice> choose_number_of_points(const Population& all, std::uint64_t points, const CutIntoStrata& cut,
                                            MethodRecord& record, std::vector<std::string>& notes) {
  const std::size_t unique = all.groups.size();
  record.parameters.emplace_back("points", static_cast<double>(std::min<std::uint64_t>(points, unique)));
  if (points <= unique) return represent_all(all, cut(points));
  notes.push_back("`points` " + std::to_string(points) + " is more than the run's " + counted(unique, "unique length") +
                  ": clamped to " + std::to_string(unique));
  return represent_all(all, every_length(all));
}

/// Cuts into `first` strata, then one more each time, until the in-sample error is at most `max_error` or every length
/// is a point; records that number as "k". If the limit on the search ends it, every length is a point, without "k".
std::vector<Choice> grow_until_accurate(const Population& all, std::uint64_t first, double max_error,
                                        const CutIntoStrata& cut, MethodRecord& record) {
  constexpr std::uint64_t kMaxLookedAt = 20'000'000;
  const std::uint64_t last = std::max<std::uint64_t>(all.groups.size() + first, kMaxLookedAt / all.groups.size());
  for (std::uint64_t k = first; k <= last; ++k) {
    std::vector<Choice> choices = represent_all(all, cut(k));
    if (std::abs(in_sample_error(all, choices)) > max_error && choices.size() < all.groups.size()) continue;
    record.parameters.emplace_back("k", static_cast<double>(k));
    return choices;
  }
  return represent_all(all, every_length(all));
}

}  // namespace

std::vector<Choice> choose_by_strata(const Population& all, const SelectParams& params, const CutIntoStrata& cut,
                                     MethodRecord& record, std::vector<std::string>& notes) {
  if (params.points) return choose_number_of_points(all, *params.points, cut, record, notes);
  const std::uint64_t limit = params.options.count_or("unique-limit", 10);
  const std::uint64_t first = params.options.count_or("first-k", 5);
  if (first == 0) throw ParameterError("first-k", "must be 1 or more");
  const double max_error = params.max_error.value_or(kDefaultMaxError);
  record.parameters = {
      {"max-error", max_error}, {"unique-limit", static_cast<double>(limit)}, {"first-k", static_cast<double>(first)}};
  if (all.groups.size() <= limit) return represent_all(all, every_length(all));
  return grow_until_accurate(all, first, max_error, cut, record);
}

}  // namespace seqpoint::select::methods
