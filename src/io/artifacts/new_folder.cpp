#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "io/artifacts/plan_folder.hpp"
#include "io/stream/output.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::artifacts {

namespace fs = std::filesystem;

namespace {

/// Exists in a folder while it is written: two programs never write to one folder, and a part of a plan is recognised.
constexpr const char* kClaim = "/.seqpoint-unfinished";

/// Whether the folder contains anything besides kClaim. Throws OutputError if the folder cannot be read.
bool holds_more_than_claim(const std::string& path) {
  std::error_code error;
  fs::directory_iterator entry(path, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error))
    if ("/" + entry->path().filename().string() != kClaim) return true;
  if (error) throw OutputError(path, error.value());
  return false;
}

/// The head of the list of paths to remove when a signal ends the program. Entries of the list never change.
std::atomic<const NewFolder::CreatedPath*> latest_created{nullptr};
static_assert(std::atomic<const NewFolder::CreatedPath*>::is_always_lock_free);

}  // namespace

void remove_unfinished_folder() noexcept {
  for (const NewFolder::CreatedPath* made = latest_created; made != nullptr; made = made->previous)
    if (::unlink(made->path.c_str()) != 0) ::rmdir(made->path.c_str());
}

NewFolder::NewFolder(std::string path) : path_(std::move(path)) {
  try {
    create_folder(path_);
    if (!create_folder(path_ + kClaim))
      throw UsageError("-o: another seqpoint writes to " + path_ + ", or was ended while it did",
                       "name a new folder, or remove that one");
    if (holds_more_than_claim(path_))
      throw UsageError(fmt::format("-o: folder '{}' is not empty", path_), "name a new folder: -o plan");
  } catch (...) {
    remove_created();
    throw;
  }
}

NewFolder::~NewFolder() { remove_created(); }

/// Creates a folder and records it for removal. False if it existed, or another program created it meanwhile. Throws
/// UsageError if `path` is not a folder, OutputError if it cannot be created.
bool NewFolder::create_folder(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return false;
  if (fs::exists(path, error)) throw UsageError("-o: " + path + " is not a folder", "name a new one");
  record_created(path);
  if (fs::create_directory(path, error)) return true;
  latest_created = created_.front().previous;
  created_.pop_front();
  // Another program may have created it, and even removed it again, since the check.
  if (error && error != std::errc::file_exists) throw OutputError(path, error.value());
  return false;
}

/// Removes all that was created, unless commit() was called. Works even without memory.
void NewFolder::remove_created() {
  remove_unfinished_folder();
  latest_created = nullptr;
}

void NewFolder::commit() {
  std::error_code error;
  if (!fs::remove(path_ + kClaim, error)) throw OutputError(path_ + kClaim, error.value());
  latest_created = nullptr;
  created_.clear();
}

/// Adds a path to those that are removed again. To be called before the path is created: a signal may come between the
/// two.
void NewFolder::record_created(const std::string& path) {
  created_.push_front({path, latest_created});
  latest_created = &created_.front();
}

void NewFolder::add(const NewFile& file) {
  const std::string path = path_ + "/" + file.name;
  record_created(path);
  stream::Output out(path);
  out.write(file.bytes);
  out.commit();
}

}  // namespace seqpoint::io::artifacts
