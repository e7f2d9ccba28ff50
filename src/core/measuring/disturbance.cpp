#include "core/measuring/disturbance.hpp"

namespace seqpoint::measuring {

std::string processes_text(const std::vector<std::string>& names) {
  if (names.empty()) return "the run";
  std::string text = (names.size() == 1 ? "process " : "processes ") + names.front();
  for (std::size_t i = 1; i < names.size(); ++i) text += (i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

}  // namespace seqpoint::measuring
