// Where the companion's hook is installed.
#include <fmt/core.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "io/process/job.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::process {
namespace {

namespace fs = std::filesystem;

constexpr auto kHook = "seqpoint_companion/hook";
constexpr std::string_view kPython = "python3";

std::optional<fs::path> hook_in(const fs::path& folder) {
  std::error_code error;
  if (fs::path hook = folder / kHook; fs::exists(hook, error)) return hook;
  return std::nullopt;
}

/// The number X of a folder `python3.X`; 0 for `python3`, -1 for another name.
int minor_version(const std::string& name) {
  if (!name.starts_with(kPython)) return -1;
  const std::string_view rest = std::string_view(name).substr(kPython.size());
  if (rest.empty()) return 0;
  int minor = -1;
  if (rest.front() == '.') std::from_chars(rest.data() + 1, rest.data() + rest.size(), minor);
  return minor;
}

/// The hook in the packages of the highest version of Python below `lib`.
std::optional<fs::path> hook_of_python(const fs::path& lib) {
  std::optional<fs::path> found;
  int highest = -1;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(lib, error)) {
    const int minor = minor_version(entry.path().filename());
    if (minor <= highest) continue;
    for (const char* const packages : {"site-packages", "dist-packages"}) {
      if (std::optional<fs::path> hook = hook_in(entry.path() / packages)) {
        found = std::move(hook);
        highest = minor;
      }
    }
  }
  return found;
}

std::optional<fs::path> hook_near(const fs::path& folder) {
  for (const char* const place : {"share/seqpoint/python", "python", "."})
    if (std::optional<fs::path> hook = hook_in(folder / place)) return hook;
  for (const char* const lib : {"lib", "lib64", "local/lib"})
    if (std::optional<fs::path> hook = hook_of_python(folder / lib)) return hook;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> hook_folder_of(const std::string& program) {
  for (fs::path folder = fs::path(program).parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    if (const std::optional<fs::path> hook = hook_near(folder)) return hook->lexically_normal().string();
  return std::nullopt;
}

std::string hook_folder() {
  std::error_code error;
  if (const char* const set = std::getenv("SEQPOINT_COMPANION"); set != nullptr && *set != '\0') {
    if (const auto hook = hook_in(fs::absolute(set))) return hook->string();
    throw UsageError(fmt::format("SEQPOINT_COMPANION: {} has no {}", set, kHook),
                     "set it to the folder that contains seqpoint_companion");
  }
  if (const auto hook = hook_folder_of(fs::read_symlink("/proc/self/exe", error))) return *hook;
  throw UsageError("seqpoint_companion is not installed beside this program",
                   "install the wheel, or set SEQPOINT_COMPANION to the folder that contains seqpoint_companion");
}

}  // namespace seqpoint::io::process
