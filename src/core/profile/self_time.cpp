#include "core/profile/self_time.hpp"

#include <algorithm>
#include <span>

namespace seqpoint::profile {
namespace {

/// An interval of one thread's time with its innermost operator.
struct Segment {
  std::int64_t start, end;
  std::uint32_t name;
};
struct Gap {
  std::int64_t start, end;
};

/// The segments of one thread, in order, from its operators ordered by start, longer first. Every instant belongs to
/// one operator, even if a clock makes a child end after its parent.
class InnermostSegments {
 public:
  /// `operations`: of one thread, by start, longer first.
  explicit InnermostSegments(std::span<const HostOperation> operations) {
    for (const HostOperation& operation : operations) {
      close_until(operation.start);
      if (!open_.empty()) emit(operation.start);
      now_ = std::max(now_, operation.start);
      open_.push_back({operation.start, operation.start + operation.duration, operation.name});
    }
    close_until(std::numeric_limits<std::int64_t>::max());
  }
  const std::vector<Segment>& all() const { return segments_; }

 private:
  /// Closes the innermost open operators that end at or before `time`, and emits their last segments.
  void close_until(std::int64_t time) {
    while (!open_.empty() && open_.back().end <= time) {
      emit(open_.back().end);
      open_.pop_back();
    }
  }
  /// Adds the segment of the innermost open operator from now_ to `until`; nothing if that is empty.
  void emit(std::int64_t until) {
    if (until <= now_) return;
    segments_.push_back({now_, until, open_.back().name});
    now_ = until;
  }

  std::vector<Segment> open_, segments_;
  std::int64_t now_ = std::numeric_limits<std::int64_t>::min();
};

/// Adds the parts of `gaps` that segments cover to `sums`; the other parts remain in `gaps`.
void attribute_gaps(std::vector<Gap>& gaps, const std::vector<Segment>& segments, OperationSums& sums) {
  std::vector<Gap> left;
  for (Gap gap : gaps) {
    auto segment =
        std::partition_point(segments.begin(), segments.end(), [&](const Segment& s) { return s.end <= gap.start; });
    for (; segment != segments.end() && segment->start < gap.end; ++segment) {
      const std::int64_t from = std::max(segment->start, gap.start), until = std::min(segment->end, gap.end);
      if (from > gap.start) left.push_back({gap.start, from});
      sums.add(segment->name, 0, until - from);
      gap.start = until;
    }
    if (gap.start < gap.end) left.push_back(gap);
  }
  gaps = std::move(left);
}

/// One step: the time not yet covered by any thread's operators, and the sums so far.
struct StepSums {
  std::vector<Gap> gaps;
  OperationSums sums;
};

/// One thread's operators, in the order that InnermostSegments requires.
using Thread = std::span<const HostOperation>;

/// Sorts the operators by thread, then by start, longer first, and returns each thread's part of `host`.
std::vector<Thread> threads_of(std::vector<HostOperation>& host) {
  std::sort(host.begin(), host.end(), [](const HostOperation& a, const HostOperation& b) {
    if (a.thread != b.thread) return a.thread < b.thread;
    return a.start != b.start ? a.start < b.start : a.duration > b.duration;
  });
  std::vector<Thread> threads;
  for (auto begin = host.begin(); begin != host.end();) {
    const auto end = std::find_if(begin, host.end(), [&](const HostOperation& o) { return o.thread != begin->thread; });
    threads.emplace_back(&*begin, static_cast<std::size_t>(end - begin));
    begin = end;
  }
  return threads;
}

/// Counts the calls of operators that start in the window; adds no time.
void count_started(Thread thread, const StepWindow& window, OperationSums& sums) {
  auto operation = std::partition_point(thread.begin(), thread.end(),
                                        [&](const HostOperation& o) { return o.start < window.start; });
  for (; operation != thread.end() && operation->start < window.end; ++operation) sums.add(operation->name, 1, 0);
}

}  // namespace

void add_self_times(Timeline& timeline, std::vector<ProfiledStep>& steps) {
  if (timeline.host.empty()) return;
  std::vector<StepSums> sums(steps.size());
  for (std::size_t w = 0; w < steps.size(); ++w)
    sums[w].gaps.push_back({timeline.windows[w].start, timeline.windows[w].end});
  const std::vector<Thread> threads = threads_of(timeline.host);
  for (const bool own : {true, false})  // a step's own thread has priority
    for (const Thread thread : threads) {
      const std::uint32_t id = thread.front().thread;
      const auto wanted = [&](const StepWindow& window) {
        return window.process == timeline.process_of_thread[id] && (window.thread == id) == own;
      };
      if (std::none_of(timeline.windows.begin(), timeline.windows.end(), wanted)) continue;
      const InnermostSegments segments(thread);
      for (std::size_t w = 0; w < steps.size(); ++w) {
        if (!wanted(timeline.windows[w])) continue;
        attribute_gaps(sums[w].gaps, segments.all(), sums[w].sums);
        count_started(thread, timeline.windows[w], sums[w].sums);
      }
    }
  const std::uint32_t outside = timeline.names.id(kOutsideOperators);
  for (std::size_t w = 0; w < steps.size(); ++w) {
    for (const Gap& gap : sums[w].gaps) sums[w].sums.add(outside, 0, gap.end - gap.start);
    steps[w].operators = sums[w].sums.finish(timeline.names);
  }
}

}  // namespace seqpoint::profile
