#include "io/artifacts/seqpoints_check.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/text/shortest_number.hpp"

namespace seqpoint::io::artifacts {
namespace {

class SeqpointsCheck {
 public:
  SeqpointsCheck(const select::Selection& selection, const JsonReader& reader)
      : selection_(selection), method_(reader.object(reader.root(), "method", "")), reader_(reader) {}

  void run() const {
    require(method_, "points", "method.", static_cast<double>(selection_.points.size()));
    require(method_, "n_eff", "method.", select::effective_sample_size(selection_));
    require_expected();
    const Json& points = reader_.array(reader_.root(), "points", "");
    for (std::size_t p = 0; p < points.size(); ++p) {
      const std::string path = "points[" + std::to_string(p) + "].";
      require(points[p], "share", path, share(selection_.points[p].weight, selection_.run.iterations));
      if (selection_.points[p].run == 0 && numbered_from_zero()) require_in_run(selection_.points[p], path);
    }
  }

 private:
  void require_expected() const {
    const select::MethodRecord& method = selection_.method;
    if (method.repeats) require(method_["repeats"], method.repeats->expected, "method.repeats.");
    for (std::size_t r = 0; r < selection_.further.size(); ++r)
      require(reader_.root()["further_runs"][r], selection_.further[r].expected,
              "further_runs[" + std::to_string(r) + "].");
    for (std::size_t s = 0; s < method.numbers_of_points.size(); ++s)
      require(method_["sizes"][s], method.numbers_of_points[s].expected, "method.sizes.");
  }

  void require(const Json& json, const select::ExpectedError& expected, const std::string& path) const {
    if (expected.noise < 0) reader_.fail(path + "noise_pct", "is negative");
    if (expected.representation < 0) reader_.fail(path + "representation_pct", "is negative");
    require(json, "expected_error_pct", path, expected_error_pct(expected));
  }

  /// A key may be absent: files of earlier versions have fewer. Null stands for what is not finite.
  void require(const Json& json, const char* key, const std::string& path, double expected) const {
    const auto found = json.find(key);
    if (found == json.end() || (found->is_null() && !std::isfinite(expected))) return;
    const double stated = reader_.number(json, key, path);
    if (same_figure(stated, expected)) return;
    reader_.fail(path + key, disagreement(stated, expected));
  }

  /// A trace may number its iterations as it likes.
  bool numbered_from_zero() const {
    if (!reader_.root().contains("provenance")) return false;
    const Provenance provenance = read_provenance(reader_);
    return !provenance.inputs.empty() && provenance.inputs.front().format != "trace";
  }

  void require_in_run(const select::Point& point, const std::string& path) const {
    const std::uint64_t last = *std::max_element(point.iterations.begin(), point.iterations.end());
    if (last >= selection_.run.iterations)
      reader_.fail(path + "iterations", "has " + std::to_string(last) + ", but run.iterations is " +
                                            std::to_string(selection_.run.iterations) + ", counted from 0");
  }

  const select::Selection& selection_;
  const Json& method_;
  const JsonReader& reader_;
};

}  // namespace

double share(const select::Weight& weight, std::uint64_t iterations) {
  return std::round(weight.iterations() / static_cast<double>(iterations) * 1e9) / 1e9;
}

double expected_error_pct(const select::ExpectedError& expected) {
  return select::ExpectedError{text::round12(100 * expected.noise), text::round12(100 * expected.representation)}
      .total();
}

void require_consistent(const select::Selection& selection, const JsonReader& reader) {
  SeqpointsCheck(selection, reader).run();
}

}  // namespace seqpoint::io::artifacts
