#include "core/select/select.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/enum_names.hpp"
#include "core/select/methods/methods.hpp"
#include "core/select/population.hpp"
#include "core/trace/trace.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::select {

// --- The one list of methods

std::span<const Method> all_methods() {
#define ROW(name) methods::name,
  static const std::array kTable{
#include "core/select/methods.def"
  };
  return kTable;
}

const Method& find_method(std::string_view name) {
  for (const Method& method : all_methods())
    if (method.name == name) return method;
  throw ParameterError("method", ": unknown method '" + std::string(name) + "'",
                       names_hint(name, row_names(all_methods())));
}

// --- A selection

void require_valid(const SelectParams& params) {
  const Method& method = find_method(params.method);
  const std::string owner(method.name);
  params.options.require_known(method.options, "`method` " + owner);
  if (params.parts == 0) throw ParameterError("parts", "must be 1 or more");
  if (params.points && *params.points == 0) throw ParameterError("points", "must be 1 or more");
  if (params.points && method.points == Method::Points::none)
    throw ParameterError("method", owner + " takes no `points`: its number of points is not asked for", "leave it out");
  if (!params.points && method.points == Method::Points::required)
    throw ParameterError("method", owner + " needs a number of points", "`points` K");
  if (params.max_error && !method.takes_max_error) throw ParameterError("method", owner + " takes no `max_error`");
  if (params.max_error && params.points)
    throw ParameterError("points", "and `max_error` exclude each other",
                         "`points` fixes the number that `max_error` searches");
  if (!params.metric.empty() && !method.takes_metric)
    throw ParameterError("method", owner + " takes no `metric`: it looks at lengths only");
  if (params.budget && params.max_error && method.takes_budget)
    throw ParameterError("budget", "and `max_error` exclude each other",
                         "`budget` takes as many points as it is best spent on");
}

namespace {

/// Finds the occurrences of a selection's points in a run. Iterations of a point's own shape first, then of the most
/// frequent one, then in the run's order.
class Occurrences {
 public:
  explicit Occurrences(const trace::Trace& trace, const trace::RunSummary& run) : trace_(trace), run_(run) {
    for (std::size_t i = 0; i < trace.size(); ++i) by_length_[trace.shapes[i].length()].push_back(i);
  }

  /// Numbers of the iterations that measure the point, at most Point::kMaxOccurrences.
  std::vector<std::uint64_t> of(const Point& point) const {
    std::vector<std::pair<std::uint64_t, std::size_t>> found;  // frequency of its shape, and the position
    const auto of_length = by_length_.find(point.shape.length());
    if (of_length == by_length_.end()) return {};
    for (const std::size_t i : of_length->second)
      if (const trace::Shape s = trace_.shapes[i]; point.matches(s))
        found.emplace_back(s == point.shape ? UINT64_MAX : count(s), i);
    const auto kept = found.begin() + static_cast<std::ptrdiff_t>(std::min(found.size(), Point::kMaxOccurrences));
    std::partial_sort(found.begin(), kept, found.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    std::vector<std::uint64_t> numbers;
    for (auto at = found.begin(); at != kept; ++at) numbers.push_back(trace_.iteration_number(at->second));
    return numbers;
  }

 private:
  std::uint64_t count(const trace::Shape& s) const {
    return std::ranges::lower_bound(run_.histogram, s, {}, &trace::ShapeCount::shape)->count;
  }

  const trace::Trace& trace_;
  const trace::RunSummary& run_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_length_;
};

/// The choices as points, with rounded weights and iterations; without ids. Weights are for the whole run, also if
/// `trace` is a part of it.
std::vector<Point> points_of(const std::vector<Choice>& choices, const trace::Trace& trace,
                             const trace::RunSummary& run) {
  std::vector<double> weights;
  const double scale = static_cast<double>(run.iterations) / static_cast<double>(trace.size());
  for (const Choice& choice : choices) weights.push_back(choice.weight * scale);
  const std::vector<Weight> rounded = round_weights(weights, run.iterations);
  const Occurrences occurrences(trace, run);
  std::vector<Point> points;
  for (std::size_t p = 0; p < choices.size(); ++p) {
    Point point{.id = {},
                .shape = choices[p].shape,
                .weight = rounded[p],
                .iterations = {},
                .samples = {},
                .length_group = choices[p].length_group};
    if (choices[p].position)
      point.iterations = {trace.iteration_number(*choices[p].position)};
    else
      point.iterations = occurrences.of(point);
    points.push_back(std::move(point));
  }
  return points;
}

/// Rounded to 1e-12, below which differences are rounding errors. Nothing if the error is not finite.
std::optional<double> without_rounding(double error) {
  if (!std::isfinite(error)) return std::nullopt;
  return std::round(error * 1e12) / 1e12 + 0.0;
}

/// The choice of a method in one phase, or in a run without phases.
struct PhaseSelection {
  MethodRecord method;
  std::vector<Point> points;
  std::vector<std::string> notes;
  double total = 0;  ///< total of the metric
};

/// Asks the method of `params` for points of a phase; without ids and Point::phase. `run`: the summary of `trace`.
PhaseSelection choose(const trace::Trace& trace, const trace::RunSummary& run, std::uint64_t phase,
                      const SelectParams& params, std::string_view source) {
  const Method& method = find_method(params.method);
  Population all = population_of(trace, params.metric, source);
  all.phase = phase;
  PhaseSelection chosen;
  chosen.total = all.total;
  chosen.method.name = method.name;
  chosen.method.metric_is_measured = all.has_metric();
  chosen.method.metric =
      all.has_metric() ? all.metric->name : std::string(trace::name_of(trace::length_dimension(run.kind)));
  const std::vector<Choice> choices = method.choose(all, params, chosen.method, chosen.notes);
  chosen.method.in_sample_error = without_rounding(in_sample_error(all, choices));
  chosen.points = points_of(choices, trace, run);
  return chosen;
}

/// Adds the record of a phase: for every parameter the maximum over the phases, the sum of measurements, and the
/// numbers of points of all; name and metric are the same in all.
void merge_record(MethodRecord& record, const MethodRecord& phase, std::uint64_t number) {
  record.name = phase.name;
  record.metric = phase.metric;
  record.metric_is_measured = phase.metric_is_measured;
  for (const auto& parameter : phase.parameters) {
    const auto known = std::find_if(record.parameters.begin(), record.parameters.end(),
                                    [&](const auto& p) { return p.first == parameter.first; });
    if (known == record.parameters.end())
      record.parameters.push_back(parameter);
    else
      known->second = std::max(known->second, parameter.second);
  }
  record.measurements += phase.measurements;
  for (NumberOfPointsRecord number_record : phase.numbers_of_points) {
    number_record.phase = number;
    record.numbers_of_points.push_back(number_record);
  }
}

/// Adds notes of phases. Those that differ in numbers only are one, that of the first phase: a run may have hundreds.
void add_notes(Selection& selection, const std::vector<std::pair<std::uint64_t, std::string>>& notes) {
  std::map<std::string, std::vector<std::string>> by_kind;
  for (const auto& [phase, note] : notes) {
    std::string kind = note;
    std::erase_if(kind, [](char c) { return c >= '0' && c <= '9'; });
    by_kind[kind].push_back(fmt::format("part {}: {}", phase, note));
  }
  for (const auto& [kind, alike] : by_kind)
    selection.notes.push_back(
        alike.front() + (alike.size() == 1 ? "" : fmt::format(" (and {} like it)", counted(alike.size() - 1, "part"))));
}

/// Chooses points in each phase separately, with a share of the budget by iterations. The in-sample error is of the
/// whole run; nothing if it is not finite in some phase.
void choose_in_phases(Selection& selection, const trace::Trace& trace, std::uint64_t phases, const SelectParams& params,
                      std::string_view source) {
  std::vector<std::size_t> begins = trace::phase_begins(trace.size(), phases);
  for (const std::size_t begin : begins) selection.run.phases.push_back(trace.iteration_number(begin));
  begins.push_back(trace.size());
  double missed = 0, total = 0;
  std::vector<std::pair<std::uint64_t, std::string>> notes;
  for (std::uint64_t h = 0; h < phases; ++h) {
    const trace::Trace phase_run = trace::iterations_between(trace, begins[h], begins[h + 1]);
    SelectParams of_phase = params;
    if (params.budget)
      of_phase.budget->amount *= static_cast<double>(phase_run.size()) / static_cast<double>(trace.size());
    PhaseSelection chosen = choose(phase_run, trace::summarise(phase_run), h, of_phase, source);
    merge_record(selection.method, chosen.method, h);
    missed += chosen.method.in_sample_error.value_or(std::nan("")) * chosen.total;
    total += chosen.total;
    for (const std::string& note : chosen.notes) notes.emplace_back(h, note);
    for (Point& point : chosen.points) {
      point.phase = h;
      selection.points.push_back(std::move(point));
    }
  }
  add_notes(selection, notes);
  selection.method.in_sample_error = without_rounding(missed / total);
}

void name_points(Selection& selection) {
  for (std::size_t p = 0; p < selection.points.size(); ++p) selection.points[p].id = "sp" + std::to_string(p + 1);
}

}  // namespace

Selection select(const trace::Trace& trace, const SelectParams& params, std::string_view source) {
  require_valid(params);
  if (trace.size() == 0) throw std::invalid_argument("select: no iterations");
  Selection selection;
  selection.run = trace::summarise(trace);
  if (params.parts > 1 && selection.run.loaded > 0)
    throw ParameterError("parts", "needs every batch of the run, and its lengths are those of a part",
                         "leave it out, or read the whole run");
  const std::uint64_t phases = std::min<std::uint64_t>(params.parts, trace.size());
  if (phases < params.parts)
    selection.notes.push_back("`parts` " + std::to_string(params.parts) + " is more than the run's " +
                              counted(phases, "iteration") + ": clamped to " + std::to_string(phases));
  if (phases > 1) {
    choose_in_phases(selection, trace, phases, params, source);
  } else {
    PhaseSelection chosen = choose(trace, selection.run, 0, params, source);
    selection.method = std::move(chosen.method);
    selection.notes.insert(selection.notes.end(), chosen.notes.begin(), chosen.notes.end());
    selection.points = std::move(chosen.points);
  }
  name_points(selection);
  return selection;
}

Selection selection_of(const trace::Trace& trace, const std::string& name, const std::vector<Choice>& choices) {
  Selection selection;
  selection.run = trace::summarise(trace);
  selection.method.name = name;
  selection.points = points_of(choices, trace, selection.run);
  name_points(selection);
  return selection;
}

std::vector<Weight> round_weights(std::span<const double> weights, std::uint64_t total) {
  constexpr double kRounding = 1e-4;  // of published weights, which have four digits or more
  const double run = static_cast<double>(total), sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (std::abs(sum - run) > kRounding * run) throw std::logic_error("round_weights: the weights are not of this run");
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
  std::stable_sort(remainders.begin(), remainders.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; left != 0; i = (i + 1) % remainders.size()) {
    std::int64_t& millionths = rounded[remainders[i].second].millionths;
    if (left < 0 && millionths < 2) continue;  // every point keeps a weight
    millionths += left > 0 ? 1 : -1;
    left += left > 0 ? -1 : 1;
  }
  return rounded;
}

double effective_sample_size(const Selection& selection) {
  double sum = 0, squares = 0;
  for (const Point& point : selection.points) {
    const double w = point.weight.iterations();
    sum += w;
    squares += w * w;
  }
  return sum * sum / squares;
}

double measured_weight(const Selection& selection, std::span<const std::size_t> points) {
  std::int64_t covered = 0;
  for (const std::size_t p : points) covered += selection.points[p].weight.millionths;
  return static_cast<double>(covered) / (static_cast<double>(selection.run.iterations) * Weight::kUnit);
}

}  // namespace seqpoint::select
