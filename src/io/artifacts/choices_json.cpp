// Points that a user's own program chose.
#include <fmt/core.h>

#include <cmath>
#include <map>
#include <set>

#include "io/artifacts/json.hpp"
#include "io/artifacts/studies.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::artifacts {
namespace {

class ChoicesReader {
 public:
  ChoicesReader(const JsonReader& reader, const trace::Trace& run) : reader_(reader), run_(run) {
    for (std::size_t i = 0; i < run.size(); ++i) {
      by_number_.emplace(run.iteration_number(i), run.shapes[i]);
      known_.insert(run.shapes[i]);
    }
  }

  /// The choices in ascending order of their shapes, one per shape.
  std::vector<select::Choice> read() {
    const Json& points = part(reader_.root(), "points");
    if (!points.is_array() || points.empty()) fail("points", "is no list of points");
    double total = 0;
    for (std::size_t p = 0; p < points.size(); ++p) {
      const std::string path = fmt::format("points[{}]", p);
      if (!points[p].is_object()) fail(path, "is no object");
      const double weight = weight_of(points[p], path);
      weights_[shape_of(points[p], path)] += weight;
      total += weight;
    }
    require_total(total);
    std::vector<select::Choice> choices;
    for (const auto& [shape, weight] : weights_)
      choices.push_back({.shape = shape, .weight = weight, .length_group = {}});
    return choices;
  }

 private:
  [[noreturn]] void fail(const std::string& path, const std::string& problem) const {
    throw InputError({reader_.source(), 0, path}, problem,
                     "give points of this run: {\"points\": [{\"iteration\": 12, \"weight\": 40.5}, ...]}");
  }

  /// The weight of a point, in iterations. Throws unless it is a number above 0.
  double weight_of(const Json& point, const std::string& path) const {
    const Json& weight = part(point, "weight");
    if (!weight.is_number() || !(weight.get<double>() > 0)) fail(path + ".weight", "is no number above 0");
    return weight.get<double>();
  }

  /// The whole number at `key`; nothing if the key is missing or null. Throws for any other value.
  std::optional<std::uint64_t> number_of(const Json& point, const std::string& key, const std::string& path) const {
    const Json& value = part(point, key.c_str());
    if (value.is_null()) return std::nullopt;
    if (!value.is_number_unsigned()) fail(path + "." + key, "is no whole number of 0 or more");
    return value.get<std::uint64_t>();
  }

  /// The shape of the point's iteration, else its own shape. Throws if the point has neither or both contradict each
  /// other, or the run lacks the iteration or the shape.
  trace::Shape shape_of(const Json& point, const std::string& path) const {
    trace::PartialShape parts;
    for (const trace::Dimension d : trace::dimensions_of(run_.kind))
      parts[d] = number_of(point, std::string(trace::name_of(d)), path);
    const auto whole = parts.whole(run_.kind);
    if (const auto iteration = number_of(point, "iteration", path)) {
      const auto found = by_number_.find(*iteration);
      if (found == by_number_.end())
        fail(path + ".iteration", fmt::format("is {}, and the run has no such iteration", *iteration));
      if (whole && *whole != found->second)
        fail(path, fmt::format("contradicts itself: iteration {} is {}", *iteration,
                               trace::text_of(run_.kind, found->second)));
      return found->second;
    }
    if (!whole) fail(path, "names neither an iteration nor a whole shape");
    if (!known_.contains(*whole))
      fail(path, fmt::format("is {}, and no iteration of the run is", trace::text_of(run_.kind, *whole)));
    return *whole;
  }

  /// Throws unless the weights add up to the run's iterations, within a millionth of these.
  void require_total(double total) const {
    const auto iterations = static_cast<double>(run_.size());
    constexpr double kRounding = 1e-6;
    if (std::abs(total - iterations) > kRounding * iterations)
      fail("points", fmt::format("weights add up to {:.10g}, and the run has {} iterations", total, run_.size()));
  }

  const JsonReader& reader_;
  const trace::Trace& run_;
  std::map<std::uint64_t, trace::Shape> by_number_;
  std::set<trace::Shape> known_;
  std::map<trace::Shape, double> weights_;
};

}  // namespace

std::vector<select::Choice> read_choices(stream::Input& input, const trace::Trace& run) {
  const std::string text = input.read_text();
  const JsonReader reader(input.name(), text);
  return ChoicesReader(reader, run).read();
}

}  // namespace seqpoint::io::artifacts
