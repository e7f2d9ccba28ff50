#include "core/checks/fault_reports.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "core/checks/trend.hpp"
#include "core/findings.hpp"

namespace seqpoint::checks {
namespace {

/// Where a finding has to be to replace the fault in the list; of a time it only explains the fault.
enum class Same { row, point, time };

/// A finding that reports a fault.
struct Report {
  Fault fault;
  const FindingKind* by;
  Same same;
};

/// A slow first row is a slow start, and so are slow first rows of shapes, which do not fit their lengths either.
constexpr std::array kReports{
    Report{Fault::stray_measurement, &findings::kStrayRepeat, Same::row},
    Report{Fault::stray_measurement, &findings::kSlowFirst, Same::row},
    Report{Fault::stray_point, &findings::kStrayPoint, Same::point},
    Report{Fault::drift, &findings::kDrift, Same::time},
    Report{Fault::slow_start, &findings::kSlowFirst, Same::time},
    Report{Fault::slow_start, &findings::kSlowFirstOfShapes, Same::time},
    Report{Fault::misplaced, &findings::kSlowFirstOfShapes, Same::time},
};

/// The finding about a fault that is certain; null for faults that are only listed.
const FindingKind* kind_of(Fault fault) {
  switch (fault) {
    case Fault::slow_start: return &findings::kSlowStart;
    case Fault::drift: return &findings::kDrift;
    case Fault::misplaced: return &findings::kMisplaced;
    default: return nullptr;
  }
}

Where place_of(const FoundFault& fault, const std::string& metric) {
  return {fault.place.source, fault.place.line, metric};
}

/// The id of the finding's point; empty if it names none.
std::string point_of(const Finding& finding) {
  const auto point = std::ranges::find(finding.figures, "point", &Figures::value_type::first);
  return point == finding.figures.end() ? "" : std::get<std::string>(point->second);
}

/// Whether some finding explains the fault, wherever it is.
bool is_explained(const std::vector<Finding>& found, Fault fault) {
  return std::ranges::any_of(kReports, [&](const Report& report) {
    return report.fault == fault &&
           std::ranges::any_of(found, [&](const Finding& finding) { return finding.is(*report.by); });
  });
}

/// Whether the finding replaces the fault of this time.
bool is_same(const Finding& finding, const FoundFault& fault, const std::string& metric) {
  return std::ranges::any_of(kReports, [&](const Report& report) {
    if (report.fault != fault.fault || !finding.is(*report.by)) return false;
    if (report.same == Same::row) return finding.place == place_of(fault, metric);
    return report.same == Same::point && finding.place.field == metric && point_of(finding) == fault.point;
  });
}

/// The most certain fault that a finding may be about; null if there is none.
const FoundFault* surest_of(const std::vector<TimeFaults>& times, std::size_t configuration,
                            const std::string& main_time) {
  const FoundFault* surest = nullptr;
  for (const TimeFaults& time : times)
    for (const FoundFault& fault : time.found.findings)
      if (time.configuration == configuration && time.metric == main_time && kind_of(fault.fault) != nullptr &&
          fault.probability < kFalseWarnings &&
          (fault.fault == Fault::misplaced || std::abs(fault.change) >= kMinTrend) &&
          (surest == nullptr || fault.probability < surest->probability))
        surest = &fault;
  return surest;
}

Finding sure_finding(const FoundFault& fault, const std::string& metric) {
  if (fault.fault == Fault::drift)
    return finding_about(Trend{.change = fault.change, .probability = fault.probability}, place_of(fault, metric));
  return {.kind = *kind_of(fault.fault),
          .place = place_of(fault, metric),
          .figures = {{"change", fault.change}, {"probability", fault.probability}}};
}

}  // namespace

bool is_listed(const Finding& finding, const TimeFaults& time) {
  return std::ranges::any_of(time.found.findings, [&](const FoundFault& fault) {
    const FindingKind* const kind = kind_of(fault.fault);
    return kind != nullptr && finding.is(*kind) && finding.place == place_of(fault, time.metric);
  });
}

void report_faults(std::vector<Finding>& found, std::vector<TimeFaults>& times, std::size_t configuration,
                   const std::string& main_time) {
  std::optional<Finding> more;
  if (const FoundFault* const surest = surest_of(times, configuration, main_time))
    if (!is_explained(found, surest->fault)) more = sure_finding(*surest, main_time);
  for (TimeFaults& time : times)
    if (time.configuration == configuration)
      std::erase_if(time.found.findings, [&](const FoundFault& fault) {
        return std::ranges::any_of(found, [&](const Finding& finding) { return is_same(finding, fault, time.metric); });
      });
  if (more) found.push_back(*std::move(more));
}

}  // namespace seqpoint::checks
