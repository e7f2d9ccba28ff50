#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "cli/job/hooked_start.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::job {
namespace {

namespace fs = std::filesystem;
using io::artifacts::JobStart;

/// The path in the working folder, or the absolute one of a file elsewhere.
std::string in_folder(const std::string& path) {
  std::error_code error;
  const std::string folder = fs::current_path(error).string() + "/";
  return path.starts_with(folder) ? path.substr(folder.size()) : path;
}

/// Whether one of the paths is a folder that contains this one.
bool is_in_any(const fs::path& path, const std::set<std::string>& paths) {
  for (fs::path folder = path.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    if (paths.contains(folder.string())) return true;
  return false;
}

/// The paths that are in no other of them, as run.json has them.
std::vector<std::string> stored(const std::set<std::string>& paths) {
  std::vector<std::string> texts;
  for (const std::string& path : paths)
    if (!is_in_any(path, paths)) texts.push_back(io::artifacts::as_stored(in_folder(path)));
  return texts;
}

/// The values of a member of all starts, each once.
std::vector<std::string> all_of(const std::vector<JobStart>& starts, std::vector<std::string> JobStart::*member) {
  std::set<std::string> all;
  for (const JobStart& start : starts) all.insert((start.*member).begin(), (start.*member).end());
  return {all.begin(), all.end()};
}

}  // namespace

std::vector<std::string> kept_by(const io::process::HookReport& report) { return stored(report.kept()); }

std::vector<std::string> changes_by(const io::process::HookReport& report, const io::process::Inventory& before) {
  std::vector<std::string> changes;
  for (const auto& part : {before.changes(), io::process::changes_of(report.touched())})
    for (const std::string& change : part) changes.push_back(io::artifacts::as_stored(change));
  return changes;
}

std::vector<std::string> staying_of(const io::process::NewFiles& files) {
  return stored({files.stay.begin(), files.stay.end()});
}

std::string staying_text(const std::vector<std::string>& staying) {
  if (staying.empty()) return "";
  return listed(staying) +
         (staying.size() == 1 ? " stays: it is not as the job left it" : " stay: they are not as the job left them");
}

std::string listed(std::vector<std::string> texts) {
  constexpr std::size_t kMost = 3;
  if (texts.size() > kMost) {
    const std::size_t others = texts.size() - kMost + 1;
    texts.resize(kMost - 1);
    texts.push_back(fmt::format("{} others", others));
  }
  if (texts.size() < 2) return fmt::format("{}", fmt::join(texts, ""));
  const std::string last = texts.back();
  texts.pop_back();
  return fmt::format("{} and {}", fmt::join(texts, ", "), last);
}

std::string files_text(const std::vector<JobStart>& starts) {
  const std::vector<std::string> kept = all_of(starts, &JobStart::kept), changed = all_of(starts, &JobStart::changed);
  std::vector<std::string> texts;
  if (!kept.empty()) texts.push_back(listed(kept) + (kept.size() == 1 ? " stayed as it was" : " stayed as they were"));
  texts.push_back(listed(changed));
  std::uint64_t removed = 0;
  for (const JobStart& start : starts) removed += start.removed;
  if (removed > 0)
    texts.push_back(removed == 1 ? "1 new file was removed" : grouped(removed) + " new files were removed");
  texts.push_back(staying_text(all_of(starts, &JobStart::staying)));
  std::erase(texts, "");
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace seqpoint::cli::job
