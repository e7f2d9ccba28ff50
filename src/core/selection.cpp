#include "seqpoint/selection.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

#include "cluster/population.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint {
void require_valid(const SelectParams& params) {
  const Method& method = find_method(params.method);
  const std::string owner = "--method " + std::string(method.name);
  params.options.require_known(method.options, owner);
  if (params.points && *params.points == 0) throw UsageError("--points must be 1 or more");
  if (params.points && method.points == Method::Points::none)
    throw UsageError(owner + " takes no --points: its number of points is not asked for", "leave it out");
  if (!params.points && method.points == Method::Points::required) throw UsageError(owner + " needs a number of points", "--points K");
  if (params.max_error && !method.takes_max_error) throw UsageError(owner + " takes no --max-error");
  if (params.max_error && params.points)
    throw UsageError("--points and --max-error exclude each other", "--points fixes the number that --max-error searches");
  if (!params.statistic.empty() && !method.takes_statistic)
    throw UsageError(owner + " takes no --stat: it looks at lengths only");
}

namespace {

/// Where each key of a selection occurs. Iterations of the most frequent signature first, then in the run's order.
class Occurrences {
 public:
  explicit Occurrences(const Trace& trace, const RunSummary& run) : trace_(trace), run_(run) {
    for (std::size_t i = 0; i < trace.size(); ++i) by_length_[trace.src_len[i]].push_back(i);
  }

  std::vector<std::uint64_t> of(const PointKey& key) const {
    std::vector<std::size_t> found;
    for (const std::size_t i : by_length_.at(key.src_len))
      if (key.matches(trace_.signature(i))) found.push_back(i);
    std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) { return count(a) > count(b); });
    if (found.size() > Point::kMaxOccurrences) found.resize(Point::kMaxOccurrences);
    std::vector<std::uint64_t> numbers;
    for (const std::size_t i : found) numbers.push_back(trace_.iteration_number(i));
    return numbers;
  }

 private:
  std::uint64_t count(std::size_t i) const {
    const Signature s = trace_.signature(i);
    return std::lower_bound(run_.histogram.begin(), run_.histogram.end(), s,
                            [](const SignatureCount& entry, const Signature& v) { return entry.signature < v; })
        ->count;
  }

  const Trace& trace_;
  const RunSummary& run_;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> by_length_;
};

std::vector<Point> points_of(const std::vector<Choice>& choices, const Trace& trace, const RunSummary& run) {
  std::vector<double> weights;
  for (const Choice& choice : choices) weights.push_back(choice.weight);
  const std::vector<Weight> rounded = round_weights(weights, run.iterations);
  const Occurrences occurrences(trace, run);
  std::vector<Point> points;
  for (std::size_t p = 0; p < choices.size(); ++p) {
    Point point{"sp" + std::to_string(p + 1), choices[p].key, rounded[p], {}, {}, choices[p].alternates};
    if (choices[p].position)
      point.iterations = {trace.iteration_number(*choices[p].position)};
    else
      point.iterations = occurrences.of(point.key);
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace

bool PointKey::matches(const Signature& s) const {
  return src_len == s.src_len && tgt_len.value_or(s.tgt_len) == s.tgt_len &&
         batch_size.value_or(s.batch_size) == s.batch_size && sq_tokens.value_or(s.sq_tokens) == s.sq_tokens;
}

Selection select(const Trace& trace, const SelectParams& params, std::string_view source) {
  const Method& method = find_method(params.method);
  require_valid(params);
  if (trace.size() == 0) throw std::invalid_argument("select: no iterations");
  const Population all = population_of(trace, params.statistic, source);
  Selection selection;
  selection.run = summarise(trace);
  selection.method.name = method.name;
  selection.method.measured = all.has_statistic();
  selection.method.statistic = all.has_statistic() ? all.statistic->name : trace.varlen() ? "tokens" : "src_len";
  const std::vector<Choice> choices = method.choose(all, params, selection.method, selection.notes);
  const double error = in_sample_error(all, choices);
  if (std::isfinite(error)) selection.method.in_sample_error = error;
  selection.points = points_of(choices, trace, selection.run);
  return selection;
}

std::vector<Weight> round_weights(std::span<const double> weights, std::uint64_t total) {
  std::vector<Weight> rounded;
  std::vector<std::pair<double, std::size_t>> remainders;
  std::int64_t left = static_cast<std::int64_t>(total) * Weight::kUnit;
  for (std::size_t p = 0; p < weights.size(); ++p) {
    const double exact = weights[p] * static_cast<double>(Weight::kUnit);
    const double floor = std::floor(exact);
    rounded.push_back({static_cast<std::int64_t>(floor)});
    remainders.emplace_back(exact - floor, p);
    left -= rounded.back().millionths;
  }
  std::stable_sort(remainders.begin(), remainders.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; left != 0; i = (i + 1) % remainders.size()) {
    rounded[remainders[i].second].millionths += left > 0 ? 1 : -1;
    left += left > 0 ? -1 : 1;
  }
  return rounded;
}

double effective_points(const Selection& selection) {
  double sum = 0, squares = 0;
  for (const Point& point : selection.points) {
    const double w = point.weight.iterations();
    sum += w;
    squares += w * w;
  }
  return sum * sum / squares;
}

void attach_samples(Selection& selection, const Lengths& lengths, const BatchPolicy& policy, const SignatureRule& rule) {
  std::map<std::uint64_t, std::vector<std::vector<std::uint32_t>*>> wanted;
  for (Point& point : selection.points) {
    point.samples.assign(point.iterations.size(), {});
    for (std::size_t i = 0; i < point.iterations.size(); ++i) wanted[point.iterations[i]].push_back(&point.samples[i]);
  }
  for_each_iteration(lengths, policy, rule, [&](const IterationRow& row, const Step& step) {
    const auto found = wanted.find(row.iteration);
    if (found == wanted.end()) return;
    for (auto* const samples : found->second) samples->assign(step.rows.begin(), step.rows.end());
  });
}

}  // namespace seqpoint
