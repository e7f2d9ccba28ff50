// Properties of every valid projection, from any program. Edited figures are detected by the digest.
#include "io/artifacts/projection_check.hpp"

#include <algorithm>
#include <set>

namespace seqpoint::io::artifacts {
namespace {

using project::ConfigurationProjection;

class ProjectionCheck {
 public:
  ProjectionCheck(const project::Projection& projection, const JsonReader& reader)
      : projection_(projection), reader_(reader) {}

  void run() const {
    std::set<std::string> names;
    for (std::size_t c = 0; c < projection_.configurations.size(); ++c)
      if (!names.insert(projection_.configurations[c].name).second)
        reader_.fail("configurations[" + std::to_string(c) + "].name", "is there twice");
    if (!names.empty() && !names.contains(projection_.baseline))
      reader_.fail("baseline", "is the name of no configuration");
    for (std::size_t c = 0; c < projection_.configurations.size(); ++c)
      check(projection_.configurations[c], "configurations[" + std::to_string(c) + "].");
  }

 private:
  void check(const ConfigurationProjection& configuration, const std::string& path) const {
    for (const project::MeasuredMetric& measured : configuration.measured)
      check(measured, path + "measured." + measured.name);
  }

  void check(const project::MeasuredMetric& measured, const std::string& path) const {
    std::set<std::string> ids;
    for (const project::PointMeasurement& point : measured.points) {
      if (!ids.insert(point.id).second) reader_.fail(path, "has point '" + point.id + "' twice");
      if (point.repeats == 0) reader_.fail(path, "has point '" + point.id + "' measured never");
      if (!(point.least <= point.value && point.value <= point.most))
        reader_.fail(path, "of point '" + point.id + "' has its mean outside the least and the most");
    }
  }

  const project::Projection& projection_;
  const JsonReader& reader_;
};

}  // namespace

void require_valid(const project::Projection& projection, const JsonReader& reader) {
  ProjectionCheck(projection, reader).run();
}

}  // namespace seqpoint::io::artifacts
