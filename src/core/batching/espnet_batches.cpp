// ESPnet2's batches (espnet2/samplers/*.py), which are made once from the sorted data set.
// From batches to epochs: frameworks/espnet.cpp.
#include "core/batching/espnet_batches.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/batching/distribute.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::espnet {
namespace {

constexpr std::array<std::string_view, 5> kEspnetBatchTypes{"folded", "sorted", "unsorted", "length", "numel"};
constexpr std::array<std::string_view, 2> kSortInBatch{"descending", "ascending"},
    kSortBatch{"ascending", "descending"};

/// The lengths of one shape file.
using Side = const std::vector<std::uint32_t>*;

class BatchMaker {
 public:
  BatchMaker(const lengths::Lengths& lengths, const BatchPolicy& policy)
      : policy_(policy),
        options_(policy.options),
        descending_in_batch_(options_.one_of("sort-in-batch", kSortInBatch) == "descending"),
        descending_batches_(options_.one_of("sort-batch", kSortBatch) == "descending"),
        // espnet2/tasks/abs_task.py: every rank gets at least one sample of every batch.
        least_batch_size_(options_.count_or("min-batch-size", policy.world_size)),
        counts_longest_(!policy.version.empty() && parse_version(policy.version) < Version{0, 9, 9}),
        sides_{&lengths.src},
        keys_(file_order(lengths.size())) {
    if (lengths.paired()) sides_.push_back(&lengths.tgt);
  }

  std::vector<Rows> make() {
    const std::string_view type = options_.one_of("batch-type", kEspnetBatchTypes);
    const bool counts_samples = type == "folded" || type == "sorted" || type == "unsorted";
    if (counts_samples && policy_.batch_size == 0)
      throw ParameterError("batch-type", fmt::format("{} needs a batch size of 1 or more", type), "`batch_size` N");
    if (type == "sorted") return sorted();
    if (type == "unsorted") return slices();
    std::stable_sort(keys_.begin(), keys_.end(), [&](auto a, auto b) { return first(a) < first(b); });
    return cut(type == "folded" ? folded_sizes() : sizes_by_bins(type == "numel"));
  }

 private:
  std::uint32_t first(std::uint32_t row) const { return (*sides_.front())[row]; }

  /// Batches of nearly equal size, none below the batch size unless it is the only one.
  std::vector<Rows> slices() const {
    const std::size_t n = keys_.size(), size = policy_.batch_size, batches = std::max<std::size_t>(n / size, 1);
    std::vector<Rows> list;
    for (std::size_t i = 0; i < batches; ++i) {
      const std::size_t begin = policy_.drop_last ? i * size : i * n / batches;
      const std::size_t end = policy_.drop_last ? std::min(n, (i + 1) * size) : (i + 1) * n / batches;
      list.emplace_back(keys_.begin() + static_cast<std::ptrdiff_t>(begin),
                        keys_.begin() + static_cast<std::ptrdiff_t>(end));
    }
    return list;
  }

  std::vector<Rows> sorted() {
    std::stable_sort(keys_.begin(), keys_.end(),
                     [&](auto a, auto b) { return descending_in_batch_ ? first(a) > first(b) : first(a) < first(b); });
    std::vector<Rows> list = slices();
    if (descending_in_batch_ != descending_batches_) std::reverse(list.begin(), list.end());
    return list;
  }

  /// One value per shape file (side of the data); `otherwise` where the option is not set.
  std::vector<std::uint64_t> values_per_side(std::string_view option, std::uint64_t otherwise) const {
    std::vector<std::uint64_t> values = options_.counts(option);
    if (values.empty()) values.assign(sides_.size(), otherwise);
    if (values.size() != sides_.size() || std::count(values.begin(), values.end(), 0U) > 0)
      throw ParameterError(option,
                           fmt::format("must have {} values above 0, one for each side of the data", sides_.size()),
                           fmt::format("for example `{}` {}", option, sides_.size() == 2 ? "800,150" : "800"));
    return values;
  }

  /// folded_batch_sampler.py: the first, shortest, sample decides how many share its batch.
  std::vector<std::size_t> folded_sizes() const {
    if (!options_.has("fold-length"))
      throw ParameterError("batch-type", "folded needs to know the lengths at which batches are halved",
                           "`fold-length` N[,N], one for each side, or `batch-type` sorted");
    const std::vector<std::uint64_t> folds = values_per_side("fold-length", 1);
    std::vector<std::size_t> sizes;
    for (std::size_t start = 0; start < keys_.size(); start += sizes.back()) {
      std::uint64_t factor = 0;
      for (std::size_t s = 0; s < sides_.size(); ++s) factor = std::max(factor, (*sides_[s])[keys_[start]] / folds[s]);
      const std::size_t size = std::max<std::size_t>(least_batch_size_, policy_.batch_size / (1 + factor));
      sizes.push_back(std::min(size, keys_.size() - start));
    }
    return redistributed(std::move(sizes), 2);
  }

  /// num_elements_batch_sampler.py, length_batch_sampler.py: a batch grows until it has more bins than allowed; the
  /// sample with which it does stays in it. Up to 0.9.8 bins are counted with the longest of each side, since then with
  /// the last sample, which is the longest of the first side only.
  std::vector<std::size_t> sizes_by_bins(bool elements) const {
    const std::uint64_t allowed = options_.count_or("batch-bins", 1000000);
    if (allowed == 0) throw ParameterError("batch-bins", "must be 1 or more");
    const std::vector<std::uint64_t> dimensions =
        elements ? values_per_side("feat-dims", 1) : std::vector<std::uint64_t>(sides_.size(), 1);
    std::vector<std::size_t> sizes;
    std::vector<std::uint64_t> longest(sides_.size(), 0);
    std::size_t size = 0;
    for (const std::uint32_t row : keys_) {
      ++size;
      std::uint64_t bins = 0;
      for (std::size_t s = 0; s < sides_.size(); ++s) {
        const std::uint64_t length = (*sides_[s])[row];
        longest[s] = counts_longest_ ? std::max(longest[s], length) : length;
        bins += size * longest[s] * dimensions[s];
      }
      if (bins <= allowed || size < least_batch_size_) continue;
      sizes.push_back(std::exchange(size, 0));
      std::fill(longest.begin(), longest.end(), 0);
    }
    if (size > 0 && (!policy_.drop_last || sizes.empty())) sizes.push_back(size);
    return redistributed(std::move(sizes), 1);
  }

  /// Adds the samples of a last batch that is too small to the others, one each, beginning with the batch that is
  /// `from_back`-th from the end. The folded sampler begins with the last but one, and fails where it passes the first.
  std::vector<std::size_t> redistributed(std::vector<std::size_t> sizes, std::size_t from_back) const {
    if (sizes.size() < 2 || sizes.back() >= least_batch_size_) return sizes;
    const std::size_t spread = sizes.back();
    sizes.pop_back();
    for (std::size_t i = 0; i < spread; ++i) {
      const std::size_t back = i % sizes.size() + from_back;
      if (back > sizes.size())
        throw ParameterError(
            "batch_size",
            ": ESPnet's folded sampler fails on these data: it cannot spread its last, too small batch over the others",
            "another `batch_size` or `min-batch-size`");
      ++sizes[sizes.size() - back];
    }
    return sizes;
  }

  std::vector<Rows> cut(const std::vector<std::size_t>& sizes) const {
    std::vector<Rows> list;
    auto begin = keys_.begin();
    for (const std::size_t size : sizes) {
      const auto end = begin + static_cast<std::ptrdiff_t>(size);
      list.emplace_back(begin, end);
      if (descending_in_batch_) std::reverse(list.back().begin(), list.back().end());
      begin = end;
    }
    if (descending_batches_) std::reverse(list.begin(), list.end());
    return list;
  }

  const BatchPolicy& policy_;
  const OptionValues& options_;
  bool descending_in_batch_, descending_batches_;
  std::size_t least_batch_size_;
  bool counts_longest_;
  std::vector<Side> sides_;
  Rows keys_;
};

}  // namespace

std::vector<Rows> make_batches(const lengths::Lengths& lengths, const BatchPolicy& policy) {
  return BatchMaker(lengths, policy).make();
}

}  // namespace seqpoint::batching::espnet
