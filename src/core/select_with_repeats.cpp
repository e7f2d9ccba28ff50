// Points, and how often each is to be measured.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>

#include "seqpoint/error.hpp"
#include "seqpoint/overheads.hpp"
#include "seqpoint/repeats.hpp"

namespace seqpoint {
namespace {

constexpr double kIterationsPerPoint = 3;

const Statistic& seconds_of(const Trace& measured, const std::string& source) {
  const Statistic* found = measured.find_statistic("runtime_s");
  for (const Statistic& statistic : measured.statistics)
    if (found == nullptr && is_time_metric(statistic.name)) found = &statistic;
  if (found == nullptr)
    throw InputError({source, 1}, "has no column of seconds, such as runtime_s", "--calibration takes a trace of iterations that were timed");
  for (std::size_t i = 0; i < found->values.size(); ++i)
    if (!(found->values[i] > 0))
      throw InputError({source, 0, found->name}, "iteration " + std::to_string(measured.iteration_number(i)) + " has no time above zero",
                       "every iteration of --calibration needs its seconds; leave out those that were not timed");
  return *found;
}

/// Iterations of some points beside what they stand for.
struct Purchase {
  std::vector<double> weights, costs, prices;

  void add(double weight, double cost, bool in_seconds) {
    weights.push_back(weight);
    costs.push_back(cost);
    prices.push_back(in_seconds ? cost : 1);
  }
  double once() const { return std::accumulate(prices.begin(), prices.end(), 0.0); }
};

bool in_seconds(const RepeatParams& params) { return params.budget && params.budget->seconds; }

/// What is to be expected of a choice that a phase's share of the budget buys; nothing where it does not.
std::optional<double> expected_error(std::span<const Choice> choices, double representation, const RepeatParams& params, std::uint64_t iterations) {
  Purchase purchase;
  double weight = 0;
  for (const Choice& choice : choices) {
    const PointKey& key = choice.key;
    purchase.add(choice.weight, params.cost({key.src_len, key.tgt_len.value_or(0), key.batch_size.value_or(1), key.sq_tokens.value_or(0)}),
                 in_seconds(params));
    weight += choice.weight;
  }
  const double budget = params.budget->amount * weight / static_cast<double>(iterations);
  const auto repeats = allocate_repeats(purchase.weights, purchase.costs, purchase.prices, budget);
  if (!repeats) return std::nullopt;
  return std::hypot(representation, params.noise * relative_noise(purchase.weights, purchase.costs, *repeats));
}

/// Of the sizes that were taken, as shares of the iterations: cost functions are the same in every phase, and errors with them.
std::optional<double> representation_error(const Selection& selection) {
  if (selection.method.sizes.empty()) return std::nullopt;
  std::map<std::uint64_t, double> iterations;
  for (const Point& point : selection.points) iterations[point.phase] += point.weight.iterations();
  double error = 0;
  for (const SizeRecord& size : selection.method.sizes)
    if (size.taken) error += size.error * iterations[size.phase] / static_cast<double>(selection.run.iterations);
  return error;
}

/// Three digits of seconds, rounded up: as much as is enough.
std::string enough(double amount) {
  const int digits = std::clamp(2 - static_cast<int>(std::floor(std::log10(amount))), 0, 12);
  const double scale = std::pow(10, digits);
  std::array<char, 400> text{};
  const auto [end, failed] = std::to_chars(text.data(), text.data() + text.size(), std::ceil(amount * scale * (1 - 1e-9)) / scale, std::chars_format::fixed, digits);
  return failed == std::errc{} ? std::string(text.data(), end) : std::to_string(amount);
}

[[noreturn]] void refuse(const ProfilingBudget& budget, const Purchase& purchase) {
  const std::size_t points = purchase.prices.size();
  const std::string price = budget.seconds ? enough(purchase.once()) + "s" : std::to_string(points);
  throw UsageError("--budget does not buy one iteration of " + (points == 1 ? "a single point" : "each of the " + counted(points, "point")) +
                       (budget.seconds ? ", which takes " + price : ""),
                   "--budget " + price + " or more" + (points > 1 ? ", or fewer --points" : ""));
}

Purchase purchase_of(const Selection& selection, const Trace& run, const RepeatParams& params) {
  Purchase purchase;
  for (const Point& point : selection.points)
    purchase.add(point.weight.iterations(), params.cost(run.signature(run.row_of(point.iterations.front()))), in_seconds(params));
  return purchase;
}

void advise(Selection& selection, const Trace& run, const RepeatParams& params) {
  const Purchase purchase = purchase_of(selection, run, params);
  const double budget = params.budget ? params.budget->amount : kIterationsPerPoint * static_cast<double>(selection.points.size());
  const auto repeats = allocate_repeats(purchase.weights, purchase.costs, purchase.prices, budget);
  if (!repeats) refuse(*params.budget, purchase);
  RepeatsRecord& record = selection.method.repeats.emplace();
  double seconds = 0;
  for (std::size_t p = 0; p < repeats->size(); ++p) {
    selection.points[p].repeats = (*repeats)[p];
    record.measurements += (*repeats)[p];
    seconds += purchase.costs[p] * static_cast<double>((*repeats)[p]);
  }
  if (params.cost.in_seconds()) record.seconds = seconds;
  record.noise = params.noise;
  record.expected_noise = params.noise * relative_noise(purchase.weights, purchase.costs, *repeats);
  if (const auto representation = representation_error(selection)) record.expected_error = std::hypot(*representation, record.expected_noise);
}

}  // namespace

ExpectedCost::ExpectedCost(const Trace& measured, const std::string& source)
    : paired_(measured.paired()), varlen_(measured.varlen()), source_(source) {
  const std::vector<double>& seconds = seconds_of(measured, source).values;
  seconds_ = curve_through(measured, seconds);
  if (!seconds_) throw InputError({source}, "holds no iteration", "--calibration takes a trace of iterations that were timed");
  least_ = *std::min_element(seconds.begin(), seconds.end());
}

double ExpectedCost::operator()(const Signature& s) const {
  if (seconds_) return std::max((*seconds_)(s), least_);
  return std::max(1.0, static_cast<double>(s.batch_size) * (static_cast<double>(s.src_len) + s.tgt_len));
}

void ExpectedCost::require_like(const Trace& run) const {
  if (seconds_ && (paired_ != run.paired() || varlen_ != run.varlen()))
    throw InputError({source_}, std::string("is of iterations with ") + (varlen_ ? "no padding" : paired_ ? "two lengths" : "one length") +
                                    ", which those of the run do not have",
                     "--calibration takes a trace with the same columns of lengths as the run");
}

void require_valid(const SelectParams& params, const RepeatParams& repeats, bool calibrated) {
  require_valid(params);
  if (!(repeats.noise >= 0 && repeats.noise <= 1)) throw UsageError("--noise must be 0 to 100 %", "for example --noise 3%");
  if (in_seconds(repeats) && !calibrated)
    throw UsageError("--budget in time needs to know what an iteration takes",
                     "--calibration TRACE, of a run of the same model that was timed; or a budget in iterations: --budget 24");
  if (repeats.budget && params.max_error && find_method(params.method).judges_sizes)
    throw UsageError("--budget and --max-error exclude each other", "--budget takes the number of points that errs least at its price");
}

std::vector<std::uint64_t> shared_out(const Selection& selection, const Trace& run, std::uint64_t measurements) {
  const Purchase purchase = purchase_of(selection, run, {});
  return allocate_repeats(purchase.weights, purchase.costs, purchase.prices,
                          static_cast<double>(std::max<std::uint64_t>(measurements, selection.points.size())))
      .value();
}

Selection select_with_repeats(const Trace& run, const SelectParams& params, const RepeatParams& repeats, std::string_view source) {
  require_valid(params, repeats, repeats.cost.in_seconds());
  repeats.cost.require_like(run);
  SelectParams judged = params;
  if (repeats.budget && !params.points && find_method(params.method).judges_sizes)
    judged.judge = [&](std::span<const Choice> choices, double error) { return expected_error(choices, error, repeats, run.size()); };
  Selection selection = select(run, judged, source);
  advise(selection, run, repeats);
  return selection;
}

}  // namespace seqpoint
