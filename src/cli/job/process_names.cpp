// Names of processes in messages.
#include <algorithm>
#include <cctype>
#include <string_view>

#include "cli/job/run_text.hpp"

namespace seqpoint::cli::job {
namespace {

constexpr std::string_view kBefore = " '\"(=";  // characters before a path

/// The digits at the beginning of the text.
std::string_view digits(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, [](unsigned char c) { return std::isdigit(c) != 0; });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

/// Removes a beginning, and returns whether it was there.
bool skip(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

/// The name for the file that begins with "BUILD-", in front of which the text is; moves `rest` behind the file. Empty:
/// it is no file of a process.
std::string name_of_file(std::string_view& rest, const std::string& build, bool several) {
  std::string_view after = rest.substr(build.size() + 1);
  const std::string_view number = digits(after);
  after.remove_prefix(number.size());
  const bool again = skip(after, ".anew");
  skip(after, ".stretch");
  if (number.empty() || (!skip(after, ".csv") && !skip(after, ".log"))) return "";
  std::string name = (several ? build : "process") + " " + std::string(number) + (again ? " again" : "");
  if (after.starts_with(':') && !digits(after.substr(1)).empty()) {
    const std::string_view line = digits(after.substr(1));
    name += ", line " + std::string(line);
    after.remove_prefix(1 + line.size());
  }
  rest = after;
  return name;
}

}  // namespace

std::string with_process_names(std::string text, const std::vector<std::string>& builds) {
  for (const std::string& build : builds) {
    const std::string beginning = build + "-";
    for (std::size_t at = 0; (at = text.find(beginning, at)) != std::string::npos;) {
      const std::size_t before = at == 0 ? std::string::npos : text.find_last_of(kBefore, at - 1);
      const std::size_t begin = before == std::string::npos ? 0 : before + 1;  // of the path
      const bool is_name = begin == at || text[at - 1] == '/';
      std::string_view rest = std::string_view(text).substr(at);
      const std::string name = is_name ? name_of_file(rest, build, builds.size() > 1) : "";
      if (name.empty()) {
        at += beginning.size();
        continue;
      }
      text = text.substr(0, begin) + name + std::string(rest);
      at = begin + name.size();
    }
  }
  return text;
}

}  // namespace seqpoint::cli::job
