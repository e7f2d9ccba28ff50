// CSVs of measurements, written by the user.
#include <algorithm>
#include <iterator>

#include "io/profiles/formats/formats.hpp"
#include "io/text/csv_table.hpp"
#include "io/text/number.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

constexpr std::string_view kTime = "runtime_s";

/// Whether the first line is a header with a key column (point, src_len, ...).
bool is_measurements(const ProfileProbe& probe) {
  const std::vector<std::string> header = text::header_fields(probe.head, text::dialect_of(probe.head));
  return std::any_of(header.begin(), header.end(), [](const std::string& name) { return text::is_key_column(name); });
}

}  // namespace

profile::ProfiledStep step_of(const profile::ProfileTable& table, const profile::ProfileRow& row) {
  profile::ProfiledStep step;
  step.key = profile::name_of(table, row);
  step.identity = table.identity(row);
  step.line = row.line;
  step.warmup = row.warmup;
  for (std::size_t m = 0; m < table.metrics.size(); ++m)
    if (const double value = table.value(row, m); table.metrics[m] == kTime)
      step.host_ns = text::duration_of(value);
    else
      step.values.push_back(value);
  return step;
}

StepProfileFile of_table(artifacts::ProfileFile file) {
  StepProfileFile out{.profile = {}, .table = std::move(file.table), .record = std::move(file.record)};
  out.profile.source = out.table->source;
  out.profile.format = kMeasurements.name;
  std::ranges::copy_if(out.table->metrics, std::back_inserter(out.profile.metrics),
                       [](const std::string& metric) { return metric != kTime; });
  out.profile.notes = std::move(file.notes);
  return out;
}

const ProfileReader kMeasurements{
    .name = "csv",
    .summary = "measurements: a key (point, src_len, tgt_len, batch_size or iteration) and a column a metric",
    .example = "src_len,runtime_s\\n213,0.171",
    .recognises = is_measurements,
    .read = nullptr,
};

}  // namespace seqpoint::io::profiles::formats
