// Collects the batches that a job has to make again: rows of the points' iterations, batches of all sizes for warm-up,
// and the largest, which would run out of memory first.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "core/select/select.hpp"

namespace seqpoint::select {
namespace {

/// Passes every iteration of the run to a sink, in order: its number, shape and shapes of ranks, of a trace of the
/// heaviest alone; its rows and the ends of ranks, empty if they are not known.
using RunWalk = std::function<void(const trace::IterationSink&)>;

/// The ranks of an iteration; empty if there are fewer than two, or they are not known.
RankRows ranks_of(const trace::IterationRow& it, const batching::MicroBatch& batch) {
  if (batch.ranks() < 2) return {};
  RankRows ranks{.ends = {batch.rank_ends.begin(), batch.rank_ends.end()}};
  if (it.rank_shapes.size() == batch.ranks()) ranks.heaviest = static_cast<std::size_t>(it.heaviest_rank);
  return ranks;
}

RunBatch batch_of(const trace::IterationRow& it, const batching::MicroBatch& batch) {
  return {.iteration = it.iteration,
          .shape = it.shape,
          .rows = {batch.rows.begin(), batch.rows.end()},
          .ranks = ranks_of(it, batch)};
}

// --- the largest batches

/// The sizes that memory grows with: padded tokens, samples and lengths of one rank (without padding: tokens, samples,
/// squares).
using Size = std::array<std::uint64_t, 5>;

/// The sizes of the batch of one rank. `rows`: its samples, for shapes without a batch size.
Size size_of(const trace::Shape& shape, std::size_t rows) {
  return {shape.padded_tokens(), shape.batch_size > 0 ? shape.batch_size : rows, shape.src_len, shape.tgt_len,
          shape.sq_tokens};
}

/// Whether `a` is at least as large as `b` in every measure.
bool covers(const Size& a, const Size& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] < b[i]) return false;
  return true;
}

/// Iterations that set a new maximum on some rank, unless a later one covers them.
class LargestBatches {
 public:
  /// Keeps the iteration if a rank sets a new maximum; drops an earlier iteration once each of its sizes is covered by
  /// a new one.
  void look_at(const trace::IterationRow& it, const batching::MicroBatch& batch) {
    const std::vector<Size> sizes = new_maxima(it, batch);
    if (sizes.empty()) return;
    // Prunes immediately: in a run that is sorted by length every iteration is a record.
    for (Record& record : records_)
      std::erase_if(record.sizes, [&](const Size& size) {
        return std::ranges::any_of(sizes, [&](const Size& larger) { return covers(larger, size); });
      });
    std::erase_if(records_, [](const Record& record) { return record.sizes.empty(); });
    records_.push_back({batch_of(it, batch), sizes});
  }

  /// The largest first, by the largest padded tokens of a rank that set a maximum, then by the other measures; ties in
  /// the order of the run.
  std::vector<RunBatch> batches() && {
    std::ranges::stable_sort(records_, std::ranges::greater{},
                             [](const Record& record) { return std::ranges::max(record.sizes); });
    std::vector<RunBatch> batches;
    for (Record& record : records_) batches.push_back(std::move(record.batch));
    return batches;
  }

 private:
  struct Record {
    RunBatch batch;
    std::vector<Size> sizes;  ///< sizes of its ranks that set a maximum
  };

  /// The sizes of ranks that exceed the maximum of all earlier iterations in at least one measure; raises `most_` to
  /// them.
  std::vector<Size> new_maxima(const trace::IterationRow& it, const batching::MicroBatch& batch) {
    std::vector<Size> found;
    const Size before = most_;
    std::size_t begin = 0;
    for (std::size_t r = 0; r < it.rank_shapes.size(); ++r) {
      const std::size_t end = r < batch.ranks() ? batch.rank_ends[r] : batch.rows.size();
      const Size size = size_of(it.rank_shapes[r], end - begin);
      begin = end;
      if (covers(before, size)) continue;
      found.push_back(size);
      for (std::size_t i = 0; i < most_.size(); ++i) most_[i] = std::max(most_[i], size[i]);
    }
    return found;
  }

  Size most_{};
  std::vector<Record> records_;
};

// --- warm-up

using Histogram = std::vector<trace::ShapeCount>;

/// Shapes of the run that belong to no point and have a point's batch size, ascending by padded tokens.
Histogram other_shapes(const Selection& selection) {
  std::set<trace::Shape> taken;
  std::set<std::uint64_t> sizes;
  for (const Point& point : selection.points) {
    taken.insert(point.shape);
    sizes.insert(point.shape.batch_size);
  }
  Histogram others;
  for (const trace::ShapeCount& entry : selection.run.histogram)
    if (sizes.contains(entry.shape.batch_size) && !taken.contains(entry.shape)) others.push_back(entry);
  std::ranges::stable_sort(others, {}, [](const auto& entry) { return entry.shape.padded_tokens(); });
  return others;
}

/// `of` is cut, in its order, into `count` parts with equally many iterations. The middle shape of each part; fewer
/// than `count` if parts have the same one.
std::set<trace::Shape> spread(const Histogram& of, std::size_t count) {
  std::uint64_t iterations = 0;
  for (const trace::ShapeCount& entry : of) iterations += entry.count;
  std::set<trace::Shape> chosen;
  std::uint64_t before = 0;
  std::size_t at = 0;
  for (std::size_t part = 0; part < count && at < of.size(); ++part) {
    const double middle = (static_cast<double>(part) + 0.5) / static_cast<double>(count);
    while (at + 1 < of.size() && static_cast<double>(before + of[at].count) <= middle * static_cast<double>(iterations))
      before += of[at++].count;
    chosen.insert(of[at].shape);
  }
  return chosen;
}

// --- all of it in one walk

/// Keeps the rows and ranks of the iterations that points list, in the points.
class PointRows {
 public:
  explicit PointRows(Selection& selection) {
    for (Point& point : selection.points) {
      point.samples.assign(point.iterations.size(), {});
      point.ranks.assign(point.iterations.size(), {});
      for (std::size_t i = 0; i < point.iterations.size(); ++i) wanted_[point.iterations[i]] = {&point, i};
    }
  }

  void look_at(const trace::IterationRow& it, const batching::MicroBatch& batch) {
    const auto found = wanted_.find(it.iteration);
    if (found == wanted_.end()) return;
    const auto [point, i] = found->second;
    point->samples[i].assign(batch.rows.begin(), batch.rows.end());
    point->ranks[i] = ranks_of(it, batch);
  }

 private:
  std::map<std::uint64_t, std::pair<Point*, std::size_t>> wanted_;
};

/// Clears the rows of a point if none of its iterations has any; its ranks likewise.
void drop_unknown(Selection& selection) {
  for (Point& point : selection.points) {
    if (std::ranges::all_of(point.samples, [](const auto& rows) { return rows.empty(); })) point.samples.clear();
    if (std::ranges::all_of(point.ranks, [](const RankRows& r) { return r.ends.empty(); })) point.ranks.clear();
  }
}

/// attach_batches() for any walk. A warm-up batch is the first one of its shape.
void attach(Selection& selection, const RunWalk& walk) {
  PointRows points(selection);
  LargestBatches largest;
  std::set<trace::Shape> wanted = spread(other_shapes(selection), kWarmupShapes);
  selection.warmup.clear();
  walk([&](const trace::IterationRow& it, const batching::MicroBatch& batch) {
    points.look_at(it, batch);
    largest.look_at(it, batch);
    if (wanted.erase(it.shape) > 0) selection.warmup.push_back(batch_of(it, batch));
  });
  std::ranges::stable_sort(selection.warmup, {}, [](const RunBatch& batch) { return batch.shape.padded_tokens(); });
  selection.largest = std::move(largest).batches();
  drop_unknown(selection);
}

}  // namespace

void attach_batches(Selection& selection, const lengths::Lengths& lengths, const batching::BatchPolicy& policy,
                    const trace::ShapeRule& rule) {
  attach(selection, [&](const trace::IterationSink& take) { trace::for_each_iteration(lengths, policy, rule, take); });
}

void attach_batches(Selection& selection, const trace::Trace& trace, const batching::RecordedOrder* order) {
  attach(selection, [&](const trace::IterationSink& take) {
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < trace.size(); ++i) {
      trace::IterationRow row;
      row.iteration = trace.iteration_number(i);
      row.shape = trace.shapes[i];
      row.rank_shapes = std::span(&trace.shapes[i], 1);
      take(row, order != nullptr ? order->micro_batch(i, ends) : batching::MicroBatch{});
    }
  });
}

}  // namespace seqpoint::select
