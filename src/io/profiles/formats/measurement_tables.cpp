// CSVs of measurements, written by the user.
#include <algorithm>

#include "io/profiles/formats/formats.hpp"
#include "io/text/csv_table.hpp"
#include "io/text/decimal.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

bool is_measurements(const ProfileProbe& probe) {
  const std::vector<std::string> header = text::header_fields(probe.head, text::dialect_of(probe.head));
  return std::any_of(header.begin(), header.end(), [](const std::string& name) { return text::is_key_column(name); });
}

}  // namespace

profile::StepProfile steps_of(const profile::ProfileTable& table) {
  profile::StepProfile profile;
  profile.source = table.source;
  profile.format = kMeasurements.name;
  const auto time = static_cast<std::size_t>(std::find(table.metrics.begin(), table.metrics.end(), "runtime_s") -
                                             table.metrics.begin());
  for (std::size_t m = 0; m < table.metrics.size(); ++m)
    if (m != time) profile.metrics.push_back(table.metrics[m]);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const profile::ProfileRow& row = table.rows[r];
    profile::ProfiledStep step;
    step.key = profile::name_of(table, row);
    step.identity = row.identity;
    step.line = row.line;
    step.warmup = row.warmup;
    if (time < row.values.size()) step.host_ns = text::duration_of(row.values[time], text::DecimalUnit::s);
    for (std::size_t m = 0; m < row.values.size(); ++m)
      if (m != time) step.values.push_back(row.values[m]);
    profile.steps.push_back(std::move(step));
  }
  return profile;
}

const ProfileReader kMeasurements{
    .name = "csv",
    .summary = "measurements: a key (point, src_len, tgt_len, batch_size or iteration) and a column a metric",
    .example = "src_len,runtime_s\\n213,0.171",
    .recognises = is_measurements,
    .read = nullptr,
};

}  // namespace seqpoint::io::profiles::formats
