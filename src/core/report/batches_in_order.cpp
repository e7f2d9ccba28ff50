// Times in the order in which they were measured: what a run of one shape has instead of times by length.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "core/report/report.hpp"

namespace seqpoint::report {
namespace {

constexpr std::size_t kMostOfAProcess = 500;  // on a picture some 500 pixels wide

/// Adds the times of a process, as means of so many in a row that at most kMostOfAProcess are left.
void add_process(const std::string& configuration, const std::string& process, const std::vector<double>& seconds,
                 std::vector<OrderedBatch>& order) {
  const std::size_t in_a_row = (seconds.size() + kMostOfAProcess - 1) / kMostOfAProcess;
  for (std::size_t first = 0; first < seconds.size(); first += in_a_row) {
    const std::size_t end = std::min(first + in_a_row, seconds.size());
    double sum = 0;
    for (std::size_t i = first; i < end; ++i) sum += seconds[i];
    order.push_back({configuration, process, first + 1, sum / static_cast<double>(end - first)});
  }
}

/// Adds the processes of a table.
void add_table(const std::string& configuration, const profile::ProfileTable& table, std::vector<OrderedBatch>& order) {
  const std::optional<std::size_t> time = table.find("runtime_s");
  if (!time) return;
  std::map<std::size_t, std::size_t> positions;
  std::vector<std::vector<double>> processes;  // in the order in which they appear
  for (const profile::ProfileRow& row : table.rows)
    if (const double seconds = table.value(row, *time); !row.warmup && std::isfinite(seconds)) {
      const std::size_t at = positions.try_emplace(table.origin(row).process, processes.size()).first->second;
      if (at == processes.size()) processes.emplace_back();
      processes[at].push_back(seconds);
    }
  for (std::size_t p = 0; p < processes.size(); ++p)
    add_process(configuration,
                processes.size() == 1 ? table.source : fmt::format("{}, process {}", table.source, p + 1), processes[p],
                order);
}

}  // namespace

std::vector<OrderedBatch> batches_in_order(const ReportSource& source) {
  std::vector<OrderedBatch> order;
  for (const auto& [configuration, tables] : source.tables)
    for (const profile::ProfileTable& table : tables) add_table(configuration, table, order);
  for (const trace::NamedTrace& named : source.traces)
    if (const trace::Metric* const time = named.trace.find_metric("runtime_s")) {
      std::vector<double> seconds;
      std::ranges::copy_if(time->values, std::back_inserter(seconds), [](double s) { return std::isfinite(s); });
      add_process(named.name, named.source, seconds, order);
    }
  return order;
}

}  // namespace seqpoint::report
