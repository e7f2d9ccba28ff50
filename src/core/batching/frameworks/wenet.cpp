// WeNet's data pipeline (wenet/dataset/dataset.py, datapipes.py; since 3.1): the list is shuffled and distributed to
// the loading processes of all ranks; each shuffles its samples through a buffer, sorts them in windows and makes
// batches, of which the loader takes one from each process in turn.
//
// The two shuffles are torch's IterDataPipe Shufflers. At every epoch the DataLoader draws a shared seed from its
// generator, which WeNet seeds and gives to the loaders of training and validation data alike; it seeds another
// generator with that, and draws from it a seed for each Shuffler's Python generator, first for the one that is nearer
// to the loader. At the first epoch, when the processes are started, it draws _base_seed as well, and another shared
// seed that nobody uses (torch/utils/data/dataloader.py, graph_settings.py).
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/wenet_batches.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

constexpr std::array<std::string_view, 3> kWenetBatchTypes{"static", "dynamic", "bucket"};

/// list.pop(k) until the list is empty, with k drawn from what is left; a Fenwick tree finds the k-th of the rest.
void pop_at_random(const Rows& buffer, rng::PythonRandom& random, Rows& out) {
  const std::size_t n = buffer.size();
  std::vector<std::uint32_t> left(n + 1);
  for (std::size_t i = 1; i <= n; ++i) left[i] = static_cast<std::uint32_t>(i & (~i + 1));
  for (std::size_t rest = n; rest > 0; --rest) {
    std::uint64_t k = random.randrange(rest);
    std::size_t place = 0;
    for (std::size_t step = std::bit_floor(n); step > 0; step /= 2) {
      if (place + step > n) continue;
      if (left[place + step] <= k) {
        place += step;
        k -= left[place];
      } else {
        --left[place + step];
      }
    }
    out.push_back(buffer[place]);
  }
}

/// torch.utils.data.datapipes.iter.Shuffler
Rows shuffled(const Rows& rows, std::size_t buffer_size, std::uint64_t seed) {
  rng::PythonRandom random(seed);
  Rows out, buffer;
  out.reserve(rows.size());
  for (const std::uint32_t row : rows) {
    if (buffer.size() < buffer_size) {
      buffer.push_back(row);
      continue;
    }
    std::uint32_t& replaced = buffer[random.randrange(buffer.size())];
    out.push_back(std::exchange(replaced, row));
  }
  pop_at_random(buffer, random, out);
  return out;
}

/// What the pipeline is told; the defaults are those of WeNet's recipes where its code has none.
struct Pipeline {
  explicit Pipeline(const BatchPolicy& policy)
      : list_shuffle(!policy.options.has("no-list-shuffle")),
        shuffle(!policy.options.has("no-shuffle")),
        sort(!policy.options.has("no-sort")),
        list_shuffle_size(positive_count(policy, "list-shuffle-size", SIZE_MAX)),
        shuffle_size(positive_count(policy, "shuffle-size", 1500)),
        sort_size(positive_count(policy, "sort-size", 500)),
        batch_size(policy.batch_size),
        batch_type(policy.options.one_of("batch-type", kWenetBatchTypes)),
        most_frames(policy.options.count_or("max-frames-in-batch", 12000)),
        boundaries(policy.options.counts("bucket-boundaries")),
        bucket_batch_sizes(policy.options.counts("bucket-batch-sizes")) {
    if (batch_type == "static" && batch_size == 0)
      throw ParameterError("batch-type", "static needs a batch size of 1 or more", "`batch_size` N");
    if (batch_type != "bucket") return;
    if (bucket_batch_sizes.size() != boundaries.size() + 1 ||
        std::count(bucket_batch_sizes.begin(), bucket_batch_sizes.end(), 0U) > 0)
      throw ParameterError("batch-type", "bucket needs one batch size more than there are boundaries, each 1 or more",
                           "for example `bucket-boundaries` 500,1000 `bucket-batch-sizes` 64,32,16");
  }

  bool list_shuffle, shuffle, sort;
  std::size_t list_shuffle_size, shuffle_size, sort_size;
  std::size_t batch_size;
  std::string_view batch_type;
  std::uint64_t most_frames;
  std::vector<std::uint64_t> boundaries, bucket_batch_sizes;
};

void sort_in_windows(Rows& rows, const std::vector<std::uint32_t>& frames, std::size_t window) {
  for (std::size_t begin = 0; begin < rows.size(); begin += std::min(window, rows.size() - begin)) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = first + static_cast<std::ptrdiff_t>(std::min(window, rows.size() - begin));
    std::stable_sort(first, last, [&](auto a, auto b) { return frames[a] < frames[b]; });
  }
}

/// The batches of all loading processes in turn; one that has none left is passed over.
Batches interleaved(const std::vector<Batches>& workers) {
  Batches all;
  std::size_t most = 0;
  for (const Batches& batches : workers) most = std::max(most, batches.size());
  for (std::size_t i = 0; i < most; ++i)
    for (const Batches& batches : workers)
      if (i < batches.size()) all.add_group(batches[i]);
  return all;
}

class WenetLoader {
 public:
  WenetLoader(const lengths::Lengths& lengths, const BatchPolicy& policy)
      : frames_(lengths.src),
        ranks_(policy.world_size),
        workers_(positive_count(policy, "num-workers", 1)),
        cross_validates_(!policy.options.has("no-cv")),
        pipeline_(policy),
        longest_(ranks_ * workers_, 0),
        generator_(policy.seed.value_or(0)) {}

  /// Sends nothing of an epoch that is not `wanted`, whose batches are made only where they affect the next ones.
  void run_epoch(std::uint64_t epoch, bool wanted, const MicroBatchSink& sink) {
    rng::TorchGenerator shared(generator_.int64());
    const std::uint64_t draws = epoch == 0 ? 3 : 1;  // starting: _base_seed and a second shared seed as well
    generator_.skip((draws - 1) * rng::kOutputsPerInt64);
    if (cross_validates_) generator_.skip(draws * rng::kOutputsPerInt64);
    if (!wanted && pipeline_.batch_type != "dynamic") return;
    const std::vector<Batches> ranks = batches_of_ranks(shared);  // the epoch ends for all with the first of them
    if (wanted) send_side_by_side(ranks, epoch, IncompleteRound::drop, sink);
  }

 private:
  std::vector<Batches> batches_of_ranks(rng::TorchGenerator& shared) {
    const std::uint64_t shuffle_seed = pipeline_.shuffle ? shared.int64() : 0;
    Rows list = file_order(frames_.size());
    if (pipeline_.list_shuffle) list = shuffled(list, pipeline_.list_shuffle_size, shared.int64());
    std::vector<Batches> ranks;
    for (std::size_t r = 0; r < ranks_; ++r) {
      std::vector<Batches> workers;
      for (std::size_t k = 0; k < workers_; ++k)
        workers.push_back(batches_of_worker(list, k * ranks_ + r, shuffle_seed));
      ranks.push_back(interleaved(workers));
    }
    return ranks;
  }

  /// Worker `i` of all has rows i, i + n, ... of the list.
  Batches batches_of_worker(const Rows& list, std::size_t i, std::uint64_t shuffle_seed) {
    Rows rows = every_nth(list, i, longest_.size());
    if (pipeline_.shuffle) rows = shuffled(rows, pipeline_.shuffle_size, shuffle_seed);
    if (pipeline_.sort) sort_in_windows(rows, frames_, pipeline_.sort_size);
    if (pipeline_.batch_type == "static") return cut_every(pipeline_.batch_size, rows);
    if (pipeline_.batch_type == "dynamic")
      return wenet::dynamic_batches(rows, frames_, pipeline_.most_frames, longest_[i]);
    return wenet::bucket_batches(rows, frames_, pipeline_.boundaries, pipeline_.bucket_batch_sizes);
  }

  const std::vector<std::uint32_t>& frames_;
  std::size_t ranks_, workers_;  ///< workers of one rank
  bool cross_validates_;
  Pipeline pipeline_;
  std::vector<std::uint64_t> longest_;  ///< by worker of all ranks: what dynamic batches carry over
  rng::TorchGenerator generator_;
};

void run_wenet(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  if (policy.drop_last) throw ParameterError("drop_last", ": WeNet keeps incomplete batches");
  WenetLoader loader(lengths, policy);
  for (std::uint64_t e = 0; e < policy.first_epoch + policy.epochs; ++e)
    loader.run_epoch(e, e >= policy.first_epoch, sink);
}

std::string assumes_wenet(const BatchPolicy& policy) {
  std::string text =
      "the order holds if filter_conf leaves nothing out and speed_perturb is off, so that the lengths are those of "
      "the "
      "manifest, and there is no checkpoint to go on from";
  if (!policy.options.has("no-cv")) text += "; after every epoch comes one cross-validation (`no-cv`: none)";
  return text;
}

using Kind = OptionSpec::Kind;
constexpr std::array kWenetOptions{
    OptionSpec{"batch-type", Kind::text, "static", "static (`batch_size`), dynamic or bucket"},
    OptionSpec{"max-frames-in-batch", Kind::count, "12000", "dynamic: frames of a batch, padded"},
    OptionSpec{"bucket-boundaries", Kind::text, "",
               "bucket: ascending lengths, each the first that no longer fits (500,1000)"},
    OptionSpec{"bucket-batch-sizes", Kind::text, "", "bucket: batch sizes, one more than boundaries"},
    OptionSpec{"no-list-shuffle", Kind::flag, "", "list_shuffle: false"},
    OptionSpec{"list-shuffle-size", Kind::count, "", "buffer of the shuffle of the list [the whole list]"},
    OptionSpec{"no-shuffle", Kind::flag, "", "shuffle: false"},
    OptionSpec{"shuffle-size", Kind::count, "1500", "buffer of the shuffle of samples"},
    OptionSpec{"no-sort", Kind::flag, "", "sort: false"},
    OptionSpec{"sort-size", Kind::count, "500", "samples that are sorted together"},
    OptionSpec{"num-workers", Kind::count, "1", "loading processes of a rank"},
    OptionSpec{"no-cv", Kind::flag, "", "no cross-validation between epochs"},
};

}  // namespace

const Sampler kWenet{.name = "wenet",
                     .summary = "WeNet's pipeline: shuffle, sort, static, dynamic or bucket batches",
                     .checked_against = "WeNet's own pipeline and PyTorch 1.13's DataLoader",
                     .example = "`batch-type` dynamic `max-frames-in-batch` 12000",
                     .options = kWenetOptions,
                     .run = run_wenet,
                     .assumes = assumes_wenet,
                     .needs_batch_size = false};

}  // namespace seqpoint::batching::frameworks
