#include "io/profiles/engine/rocm_kernels.hpp"

#include <fmt/core.h>

#include "io/text/decimal.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::engine {

std::string kernel_name(std::string name) {
  for (const std::string_view mark : {" [clone .kd]", " (.kd)", ".kd"})
    if (name.ends_with(mark)) name.erase(name.size() - mark.size());
  return name;
}

std::int64_t duration_between(const ReportTable& table, std::int64_t start, std::size_t end_column) {
  const std::int64_t end = table.nanoseconds(end_column);
  const bool sane =
      start > -text::kFurthestNs && start < text::kFurthestNs && end > -text::kFurthestNs && end < text::kFurthestNs;
  if (!sane || end < start)
    table.fail(end_column, fmt::format("{} is before the start, {}", end, start), "was the clock set?");
  if (end - start > text::kLongestNs)
    table.fail(end_column, "is eleven days after the start or more", "are the times in nanoseconds?");
  return end - start;
}

}  // namespace seqpoint::io::profiles::engine
