#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/distributions.hpp"
#include "seqpoint/eta/eta.hpp"
#include "seqpoint/project/timed_run.hpp"

namespace seqpoint::eta {
namespace {

using Positions = std::vector<std::size_t>;

/// A guess and the half-width of its interval.
struct Guess {
  double seconds = 0, half = 0;
};

/// Part of a run, and what its iterations took.
struct Timed {
  const trace::Trace& run;
  std::span<const TimedSpan> spans;
};

trace::RunSummary summary_of(const trace::Trace& run, const Positions& positions) {
  trace::Trace part;
  for (const std::size_t i : positions) part.add_signature(run.kind(), run.signature(i));
  return trace::summarise(part);
}

double work_at(const trace::Trace& run, std::size_t i) { return static_cast<double>(run.signature(i).padded_tokens()); }

double work_of_positions(const trace::Trace& run, const Positions& positions) {
  double work = 0;
  for (const std::size_t i : positions) work += work_at(run, i);
  return work;
}

double work_of_span(const trace::Trace& run, const TimedSpan& span) {
  double work = 0;
  for (std::size_t i = span.begin; i < span.end; ++i) work += work_at(run, i);
  return work;
}

/// Whether the model can be told what iterations took.
bool is_one_by_one(const Timed& timed) {
  return timed.spans.size() > 1 && std::ranges::all_of(timed.spans, [](const TimedSpan& span) {
           return span.end == span.begin + 1 && span.seconds > 0;
         });
}

Guess by_model(const Timed& timed, const Positions& left, double confidence) {
  Positions positions;
  std::vector<double> seconds(timed.spans.back().end);
  for (const TimedSpan& span : timed.spans) {
    positions.push_back(span.begin);
    seconds[span.begin] = span.seconds;
  }
  const auto [selection, named] = project::timed_run(timed.run, positions, seconds, "");
  const project::TargetRun target{.source = "", .digest = "", .run = summary_of(timed.run, left)};
  project::ProjectParams params;
  params.confidence = confidence;
  params.in_same_process = true;
  const project::Projection projection = project::project_onto(selection, target, std::span(&named, 1), params);
  const project::MetricProjection& total = projection.configurations.front().metrics.front();
  if (!total.interval) return {total.value, std::numeric_limits<double>::infinity()};
  return {total.value, std::max(total.interval->high - total.value, total.value - total.interval->low)};
}

/// As a share of their mean, the standard error of the mean seconds for each padded token.
double error_of_ratio(const Timed& timed, double ratio) {
  double squares = 0, work = 0;
  for (const TimedSpan& span : timed.spans) {
    const double own = work_of_span(timed.run, span), off = span.seconds - ratio * own;
    squares += off * off;
    work += own;
  }
  const auto n = static_cast<double>(timed.spans.size());
  return std::sqrt(squares * n / std::max(n - 1, 1.0)) / (ratio * work);
}

Guess by_work(const Timed& timed, const Positions& left, double normal) {
  double seconds = 0, work = 0, n = 0;
  for (const TimedSpan& span : timed.spans) {
    seconds += span.seconds;
    work += work_of_span(timed.run, span);
    n += static_cast<double>(span.end - span.begin);
  }
  const double work_left = work_of_positions(timed.run, left);
  const auto m = static_cast<double>(left.size());
  const double size = work_left > 0 ? std::log(work_left / m / (work / n)) : 0;
  const double share = std::hypot(kCostOfSize * size, error_of_ratio(timed, seconds / work));
  return {seconds / work * work_left, normal * share * seconds / work * work_left};
}

/// Weighted by the inverse of the squared half-widths.
Guess average(const Guess& a, const Guess& b) {
  const double of_a = 1 / (a.half * a.half), of_b = 1 / (b.half * b.half);
  if (!std::isfinite(of_a)) return a;  // without any width
  if (!std::isfinite(of_b)) return b;
  return {(of_a * a.seconds + of_b * b.seconds) / (of_a + of_b), 1 / std::sqrt(of_a + of_b)};
}

Expected expected_of(const Timed& timed, const Positions& left, double confidence) {
  if (left.empty()) return {};
  const double normal = normal_quantile((1 + confidence) / 2);
  Guess guess = by_work(timed, left, normal);
  if (is_one_by_one(timed)) guess = average(by_model(timed, left, confidence), guess);
  const double half = std::hypot(guess.half, normal * kDrift * guess.seconds);
  return {guess.seconds, {std::max(guess.seconds - half, 0.0), guess.seconds + half}};
}

/// Of few spans nothing is told apart from scatter.
std::optional<Stretch> last_stretch(const Timed& timed) {
  constexpr std::size_t kFewest = 10;
  constexpr double kConfidence = 0.99;
  const std::size_t all = timed.spans.size();
  const auto last = static_cast<std::size_t>(std::ceil(kLastStretch * static_cast<double>(all)));
  if (last < kFewest) return {};
  Positions recent;
  Stretch stretch;
  for (const TimedSpan& span : timed.spans.last(last)) {
    for (std::size_t i = span.begin; i < span.end; ++i) recent.push_back(i);
    stretch.seconds += span.seconds;
  }
  stretch.iterations = recent.size();
  stretch.expected = expected_of({timed.run, timed.spans.first(all - last)}, recent, kConfidence);
  return stretch;
}

}  // namespace

TimeLeft time_left(const trace::Trace& run, std::span<const TimedSpan> spans, std::size_t done, double confidence) {
  TimeLeft found;
  const Timed timed{run, spans};
  Positions before, left;
  for (std::size_t i = 0; i < run.size(); ++i) (i < done ? before : left).push_back(i);
  for (const TimedSpan& span : spans) {
    found.timed += span.end - span.begin;
    found.seconds_done += span.seconds;
  }
  const double work = work_of_positions(run, before), work_left = work_of_positions(run, left);
  found.done = before.size();
  found.left = left.size();
  found.work_done = work / (work + work_left);
  found.expected = expected_of(timed, left, confidence);
  found.stretch = last_stretch(timed);
  return found;
}

TimeLeft time_left(const trace::Trace& run, std::span<const double> seconds, double confidence) {
  std::vector<TimedSpan> spans;
  for (std::size_t i = 0; i < seconds.size(); ++i)
    if (!std::isnan(seconds[i])) spans.push_back({i, i + 1, seconds[i]});
  return time_left(run, spans, seconds.size(), confidence);
}

}  // namespace seqpoint::eta
