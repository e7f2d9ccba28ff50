#include "core/batching/wenet_batches.hpp"

#include <algorithm>

namespace seqpoint::batching::wenet {
namespace {

constexpr std::size_t kGrouperBuffer = 10000;  // of torch's Grouper, which the buckets are made with

class BucketBatcher {
 public:
  BucketBatcher(const std::vector<std::uint32_t>& frames, const std::vector<std::uint64_t>& boundaries,
                const std::vector<std::uint64_t>& batch_sizes)
      : frames_(frames), boundaries_(boundaries), batch_sizes_(batch_sizes), groups_(batch_sizes.size()) {}

  Batches cut(const Rows& rows) {
    for (const std::uint32_t row : rows) add(row);
    while (!begun_buckets_.empty()) emit(begun_buckets_.front());
    return std::move(batches_);
  }

 private:
  void add(std::uint32_t row) {
    const auto above =
        std::find_if(boundaries_.begin(), boundaries_.end(), [&](std::uint64_t b) { return frames_[row] < b; });
    const auto bucket = static_cast<std::size_t>(above - boundaries_.begin());
    if (groups_[bucket].empty()) begun_buckets_.push_back(bucket);
    groups_[bucket].push_back(row);
    ++held_rows_;
    if (groups_[bucket].size() == batch_sizes_[bucket]) emit(bucket);
    if (held_rows_ == kGrouperBuffer) emit(largest());
  }

  /// The first begun of the largest.
  std::size_t largest() const {
    return *std::max_element(begun_buckets_.begin(), begun_buckets_.end(),
                             [&](auto a, auto b) { return groups_[a].size() < groups_[b].size(); });
  }

  void emit(std::size_t bucket) {
    held_rows_ -= groups_[bucket].size();
    batches_.add_group(groups_[bucket]);
    groups_[bucket].clear();
    begun_buckets_.erase(std::find(begun_buckets_.begin(), begun_buckets_.end(), bucket));
  }

  const std::vector<std::uint32_t>& frames_;
  const std::vector<std::uint64_t>& boundaries_;
  const std::vector<std::uint64_t>& batch_sizes_;
  std::vector<Rows> groups_;                ///< by bucket
  std::vector<std::size_t> begun_buckets_;  ///< buckets with something in them, the first begun first
  std::size_t held_rows_ = 0;
  Batches batches_;
};

}  // namespace

Batches dynamic_batches(const Rows& rows, const std::vector<std::uint32_t>& frames, std::uint64_t most_frames,
                        std::uint64_t& longest) {
  Batches batches;
  for (const std::uint32_t row : rows) {
    longest = std::max<std::uint64_t>(longest, frames[row]);
    if (longest * (batches.open_size() + 1) > most_frames) {
      longest = frames[row];
      batches.close();
    }
    batches.add(row);
  }
  batches.close();
  return batches;
}

Batches bucket_batches(const Rows& rows, const std::vector<std::uint32_t>& frames,
                       const std::vector<std::uint64_t>& boundaries, const std::vector<std::uint64_t>& batch_sizes) {
  return BucketBatcher(frames, boundaries, batch_sizes).cut(rows);
}

}  // namespace seqpoint::batching::wenet
