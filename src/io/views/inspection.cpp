// Profiles as tables: one row per step.
#include <fmt/core.h>

#include "io/views/tables.hpp"

namespace seqpoint::io::views {
namespace {

/// A time in ns with its unit; empty if missing.
std::string time_text(const std::optional<std::int64_t>& ns) {
  return ns ? duration_text(static_cast<double>(*ns) / 1e9) : "";
}

/// "stub" or "warm-up" (a stub is not called warm-up), the number of repeats if above 1, and how many GPU operations
/// have no launch; empty if none applies.
std::string remark(const profile::ProfiledStep& step) {
  std::string text;
  if (step.stub || step.warmup) text = step.stub ? "stub" : "warm-up";
  if (step.repeats > 1) text += (text.empty() ? "of " : ", of ") + std::to_string(step.repeats);
  if (step.weak_gpu_ops > 0) text += fmt::format("{}{} without launch", text.empty() ? "" : ", ", step.weak_gpu_ops);
  return text;
}

/// The first, largest kernel (operator if there are no kernels), with its share of the sum of all kernels: "gemm 43.1
/// %". The name is cut after 40 bytes. Empty if the sum is 0.
std::string largest_operation_text(const profile::ProfiledStep& step) {
  const std::vector<profile::Operation>& operations = step.kernels.empty() ? step.operators : step.kernels;
  double sum = 0;
  for (const profile::Operation& operation : operations) sum += static_cast<double>(operation.ns);
  if (!(sum > 0)) return "";
  constexpr std::size_t kShown = 40;
  const std::string& name = operations.front().name;
  return name.substr(0, kShown) + (name.size() > kShown ? "... " : " ") +
         number_text(100 * static_cast<double>(operations.front().ns) / sum, 3) + " %";
}

}  // namespace

TextTable inspection_table(StepSource steps) {
  TextTable table{{{"step", "host", "gpu busy", "gpu sum", "gpu span", "gpu ops", "remark", "mostly"}}, 1};
  table.more = [steps = std::move(steps)](const auto& use) {
    std::vector<std::string> row(8);
    steps([&](const profile::StepProfile&, const profile::ProfiledStep& step) {
      row[0] = step.key;
      row[1] = time_text(step.host_ns);
      row[2] = time_text(step.gpu_busy_ns);
      row[3] = time_text(step.gpu_sum_ns);
      row[4] = time_text(step.gpu_span_ns);
      row[5] = step.gpu_ops ? std::to_string(*step.gpu_ops) : "";
      row[6] = remark(step);
      row[7] = largest_operation_text(step);
      use(row);
    });
  };
  return table;
}

DataTable inspection_rows(StepSource steps) {
  DataTable table{{"source", "format", "key", "host_ns", "gpu_ops", "gpu_sum_ns", "gpu_busy_ns", "gpu_span_ns",
                   "weak_gpu_ops", "weak_gpu_sum_ns", "warmup", "stub", "repeats"}};
  table.more = [steps = std::move(steps)](const auto& use) {
    steps([&](const profile::StepProfile& profile, const profile::ProfiledStep& step) {
      use({profile.source, profile.format, step.key, step.host_ns, step.gpu_ops, step.gpu_sum_ns, step.gpu_busy_ns,
           step.gpu_span_ns, step.weak_gpu_ops, step.weak_gpu_sum_ns, step.warmup, step.stub, step.repeats});
    });
  };
  return table;
}

}  // namespace seqpoint::io::views
