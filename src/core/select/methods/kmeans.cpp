// Weighted k-means of the unique lengths, exact in one dimension.
#include "core/select/methods/exact_kmeans.hpp"
#include "core/select/methods/grow.hpp"
#include "core/select/methods/methods.hpp"

namespace seqpoint::select::methods {
namespace {

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

const Method kKmeans{.name = "kmeans",
                     .summary = "clusters of lengths with the least squared distance, exactly; in each, as bins",
                     .source = "Fisher 1958; Wang and Song, R Journal 2011",
                     .points = Method::Points::optional,
                     .takes_max_error = true,
                     .takes_metric = true,
                     .options = kStrataOptions,
                     .choose = choose_kmeans};

}  // namespace seqpoint::select::methods
