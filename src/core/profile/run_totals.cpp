#include "core/profile/run_totals.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace seqpoint::profile {
namespace {

/// Whether the rows have each iteration once, as far as they say it, and shapes as often as the run has them.
bool is_whole(const ProfileTable& file, const trace::RunSummary& run) {
  if (file.rows.size() != run.iterations) return false;
  std::set<std::uint64_t> iterations;
  std::map<trace::Signature, std::uint64_t> shapes;
  for (const ProfileRow& row : file.rows) {
    if (row.warmup) return false;
    if (row.identity.iteration) iterations.insert(*row.identity.iteration);
    if (const auto whole = row.identity.key.whole(run.kind)) ++shapes[*whole];
  }
  if (!iterations.empty() && iterations.size() != run.iterations) return false;
  if (shapes.empty()) return iterations.size() == run.iterations;
  return std::ranges::all_of(run.histogram, [&](const trace::SignatureCount& entry) {
    const auto found = shapes.find(entry.signature);
    return found != shapes.end() && found->second == entry.count;
  });
}

/// NaN where the file or one of its rows lacks the metric.
double total_of(const ProfileTable& file, const std::string& metric) {
  const auto at = std::ranges::find(file.metrics, metric) - file.metrics.begin();
  if (at == std::ssize(file.metrics)) return std::nan("");
  double total = 0;
  for (const ProfileRow& row : file.rows) total += row.values[static_cast<std::size_t>(at)];
  return total;
}

}  // namespace

std::vector<std::vector<double>> run_totals_of(std::span<const ProfileTable> files, const select::Selection& selection,
                                               const std::vector<std::string>& metrics, std::uint64_t warmup) {
  std::vector<std::vector<double>> totals(metrics.size());
  const auto whole = [&](const ProfileTable& file) { return is_whole(file, selection.run); };
  if (warmup > 0 || !std::ranges::all_of(files, whole)) return totals;
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    for (const ProfileTable& file : files) totals[m].push_back(total_of(file, metrics[m]));
    if (std::ranges::any_of(totals[m], [](double total) { return std::isnan(total); })) totals[m].clear();
  }
  return totals;
}

}  // namespace seqpoint::profile
