// SeqPoint's own method (Pati et al., ISPASS 2020): bins of equal width over the range of sequence lengths.
#include <algorithm>

#include "core/select/methods/grow.hpp"
#include "core/select/methods/methods.hpp"

namespace seqpoint::select::methods {
namespace {

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

}  // namespace seqpoint::select::methods
