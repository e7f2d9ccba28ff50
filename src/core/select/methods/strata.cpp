// Methods that cut the range of lengths into strata: how many is the paper's rule.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "core/select/methods/exact_kmeans.hpp"
#include "core/select/methods/methods.hpp"
#include "core/select/population.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::select::methods {
namespace {

/// Defaults of METHOD 2 (from memory of the paper, so all are options).
constexpr double kDefaultMaxError = 0.005;
constexpr std::array kStrataOptions{
    OptionSpec{"unique-limit", OptionSpec::Kind::count, "10", "with at most so many unique lengths, each is a point"},
    OptionSpec{"first-k", OptionSpec::Kind::count, "5", "where the search for the number of points starts"},
};

/// Cuts the groups into (at most) k strata, none of them empty.
using CutIntoStrata = std::function<std::vector<Stratum>(std::uint64_t k)>;

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

/// With `points`: that many strata; if that exceeds the unique lengths, every length, with a note. Without: every
/// length if there are few, else more and more strata until the in-sample error is at most `max_error`. The search
/// ends, with every length as a point, after some tens of millions of lengths (METHOD sets no limit, but one very long
/// sample can make bins of equal width need billions of strata).
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

// --- SeqPoint's own method (Pati et al., ISPASS 2020): bins of equal width over the range of sequence lengths

/// A product of two numbers below 2^64 and 2^32: k may be large when --max-error is tiny.
__extension__ using Product = unsigned __int128;

/// min(k - 1, floor(k (s - lo) / (hi - lo))), in integers; one bin if hi = lo.
std::uint64_t bin_of(std::uint32_t length, const Population& all, std::uint64_t k) {
  const std::uint64_t range = all.longest() - all.shortest();
  if (range == 0) return 0;
  const auto bin = static_cast<std::uint64_t>(Product{k} * (length - all.shortest()) / range);
  return bin < k ? bin : k - 1;
}

/// The bins that contain a length, ascending: at most k.
std::vector<Stratum> cut_into_bins(const Population& all, std::uint64_t k) {
  std::vector<Stratum> bins;
  std::uint64_t open_bin = 0;
  for (std::size_t g = 0; g < all.groups.size(); ++g) {
    const std::uint64_t bin = bin_of(all.groups[g].length, all, k);
    if (bins.empty() || bin != open_bin) bins.push_back({g, g});
    bins.back().end = g + 1;
    open_bin = bin;
  }
  return bins;
}

std::vector<Choice> choose_bins(const Population& all, const SelectParams& params, MethodRecord& record,
                                std::vector<std::string>& notes) {
  return choose_by_strata(
      all, params, [&](std::uint64_t k) { return cut_into_bins(all, k); }, record, notes);
}

// --- Weighted k-means of the unique lengths, exact in one dimension

std::vector<ValueCount> lengths_of(const Population& all) {
  std::vector<ValueCount> lengths;
  for (const LengthGroup& group : all.groups) lengths.push_back({group.length, group.count});
  return lengths;
}

std::vector<Choice> choose_kmeans(const Population& all, const SelectParams& params, MethodRecord& record,
                                  std::vector<std::string>& notes) {
  ExactKmeans kmeans(lengths_of(all));
  const auto cut = [&](std::uint64_t k) { return kmeans.clusters(std::min<std::uint64_t>(k, all.groups.size())); };
  return choose_by_strata(all, params, cut, record, notes);
}

}  // namespace

const Method kBins{
    .name = "bins",
    .summary = "bins of equal width over the lengths; in each, the length whose cost is nearest to the average",
    .source = "SeqPoint (Pati et al., ISPASS 2020)",
    .points = Method::Points::optional,
    .takes_max_error = true,
    .takes_metric = true,
    .options = kStrataOptions,
    .choose = choose_bins};

const Method kKmeans{.name = "kmeans",
                     .summary = "clusters of lengths with the least squared distance, exactly; in each, as bins",
                     .source = "Fisher 1958; Wang and Song, R Journal 2011",
                     .points = Method::Points::optional,
                     .takes_max_error = true,
                     .takes_metric = true,
                     .options = kStrataOptions,
                     .choose = choose_kmeans};

}  // namespace seqpoint::select::methods
