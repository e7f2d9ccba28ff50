#include "io/process/inventory.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "seqpoint/error.hpp"

namespace seqpoint::io::process {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMost = 100'000;

/// The state of a path itself, not of what a link leads to; nothing if there is none. Folders have no size and time:
/// new files change them.
std::optional<FileState> state_of(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return std::nullopt;
  FileState state{.inode = found.st_ino, .mode = found.st_mode, .device = found.st_dev};
  if (S_ISDIR(found.st_mode)) return state;
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  state.size = static_cast<std::uint64_t>(found.st_size);
  state.mtime_ns = found.st_mtim.tv_sec * kNanoseconds + found.st_mtim.tv_nsec;
  return state;
}

/// Whether programs renew it as they like: hidden, or a cache of Python.
bool is_cache(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') || name == "__pycache__";
}

/// Whether a descriptor of a process is open for writing, by /proc/PID/fdinfo/N.
bool is_open_for_writing(const fs::path& fdinfo) {
  std::ifstream file(fdinfo);
  std::string word;
  while (file >> word)
    if (word == "flags:" && file >> word) return (std::stoul(word, nullptr, 8) & O_ACCMODE) != O_RDONLY;
  return false;
}

using Files = std::set<std::pair<std::uint64_t, std::uint64_t>>;  // devices and inodes

/// Adds the files, among those given, that a process has open for writing.
void add_written(const fs::path& process, const Files& files, Files& written) {
  std::error_code error;
  for (fs::directory_iterator at(process / "fd", error), end; !error && at != end; at.increment(error)) {
    struct stat found {};
    if (::stat(at->path().c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    const Files::value_type file{found.st_dev, found.st_ino};
    if (files.contains(file) && is_open_for_writing(process / "fdinfo" / at->path().filename())) written.insert(file);
  }
}

/// "was removed", "was replaced" or "was changed"; empty: none of these.
std::string change_of(const std::string& path, const FileState& before) {
  std::optional<FileState> now = state_of(path);
  if (!now) return "was removed";
  if (before.mode == 0) now->mode = 0;
  now->device = before.device;  // which a mount may change
  if (*now == before) return "";
  return now->inode != before.inode ? "was replaced" : "was changed";
}

/// Whether a folder is that of another run, which may be at work, or about to write its record.
bool holds_run(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / ".lock", error) &&
         (fs::exists(folder / "run.json", error) || fs::exists(folder / "unfinished", error));
}

}  // namespace

Inventory::Inventory(const std::string& folder, const std::string& run_folder) {
  std::error_code error;
  folder_ = fs::canonical(folder, error).string();
  const std::string left_out = fs::canonical(run_folder, error).string();
  is_complete_ = folder_ != "/";  // where devices and processes are, too
  if (!is_complete_) return;
  fs::recursive_directory_iterator at(folder_, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && at != end; at.increment(error)) {
    if (is_cache(at->path()) || at->path() == left_out || holds_run(at->path())) {
      at.disable_recursion_pending();
      continue;
    }
    if (paths_.size() == kMost) {
      is_complete_ = false;
      break;
    }
    if (const auto state = state_of(at->path().string())) paths_.emplace(at->path().string(), *state);
  }
  if (error) is_complete_ = false;  // such as a folder that another program has removed
  leave_out_written();
}

void Inventory::renew() {
  for (auto at = paths_.begin(); at != paths_.end();) {
    const auto state = state_of(at->first);
    if (state) at->second = *state;
    at = state ? std::next(at) : paths_.erase(at);
  }
  leave_out_written();
}

void Inventory::leave_out_written() {
  Files files, written;
  for (const auto& [path, state] : paths_) files.emplace(state.device, state.inode);
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error))
    add_written(at->path(), files, written);
  std::erase_if(paths_, [&](const auto& of) {
    return S_ISREG(of.second.mode) && written.contains({of.second.device, of.second.inode});
  });
}

void Inventory::write(const std::string& path) const {
  std::ofstream file(path, std::ios::binary);
  if (!(file << (is_complete_ ? folder_ : "")).flush()) throw OutputError(path, errno);
}

std::vector<std::string> Inventory::changes() const {
  std::vector<std::string> changes, removed;
  for (const auto& [path, before] : paths_) {
    const auto contains = [&path = path](const std::string& folder) { return path.starts_with(folder); };
    if (std::ranges::any_of(removed, contains)) continue;
    const std::string change = change_of(path, before);
    if (S_ISDIR(before.mode) && change == "was removed") removed.push_back(path + "/");
    if (!change.empty()) changes.push_back(fmt::format("{} {}", path.substr(folder_.size() + 1), change));
  }
  return changes;
}

std::vector<std::string> changes_of(const std::map<std::string, FileState>& paths) {
  std::vector<std::string> changes;
  for (const auto& [path, before] : paths)
    if (const std::string change = change_of(path, before); !change.empty())
      changes.push_back(fmt::format("{} {}", path, change));
  return changes;
}

NewFiles read_new_files(const std::string& path) {
  NewFiles files;
  std::ifstream list(path, std::ios::binary);
  for (std::string entry; std::getline(list, entry, '\0');) {
    if (entry.front() == '-')
      ++files.removed;
    else
      files.stay.push_back(entry.substr(1));
  }
  return files;
}

}  // namespace seqpoint::io::process
