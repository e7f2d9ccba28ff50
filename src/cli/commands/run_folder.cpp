#include "cli/commands/run_folder.hpp"

#include <fmt/core.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "io/stream/output.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::commands {
namespace {

namespace fs = std::filesystem;

constexpr auto kLock = ".lock", kUnfinished = "unfinished";

/// Whether the folder contains nothing except the lock and, if `was_run`, the folder of unfinished files: a run was
/// killed before it wrote run.json. `was_run`: the folder had a lock; else a folder of that name belongs to the user.
bool holds_nothing(const std::string& path, bool was_run) {
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const fs::path name = entry.path().filename();
    if (name != kLock && !(was_run && name == kUnfinished)) return false;
  }
  return true;
}

/// A file name with a part before its ending: "old-1.rank2.csv" for old-1.csv and rank2.
std::string name_with(const std::string& name, const std::string& part) {
  const std::size_t dot = name.rfind('.');
  return fmt::format("{}.{}{}", name.substr(0, dot), part, name.substr(dot));
}

std::string name_of_rank(const std::string& name, std::uint64_t rank) {
  return name_with(name, fmt::format("rank{}", rank));
}

void move_file(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw OutputError(to, error.value());
}

}  // namespace

RunFolder::RunFolder(std::string path, bool resume) : path_(std::move(path)) {
  std::error_code error;
  if (fs::exists(path_, error) && !fs::is_directory(path_, error))
    throw UsageError("-o: " + path_ + " is not a folder", "name a new one: -o DIR");
  fs::create_directory(path_, error);
  if (error) throw OutputError(path_, error.value());
  const bool was_run = has(kLock);
  lock();
  if (has("run.json"))
    record = io::artifacts::read_run_record(io::stream::Input::open(this->path("run.json")));
  else if (!holds_nothing(path_, was_run))
    throw UsageError("-o: " + path_ + " is not empty, and holds no run", "choose another folder: -o DIR");
  if (!record.starts.empty() && !resume)
    throw UsageError("-o: " + path_ + " holds a run already",
                     "seqpoint run --resume " + path_ + " goes on with it; -o DIR names another folder");
  if (!resume) record = {};  // nothing was measured: the first start failed
  fs::remove_all(this->path(kUnfinished), error);
  fs::create_directory(this->path(kUnfinished), error);
  if (error) throw OutputError(this->path(kUnfinished), error.value());
}

RunFolder::~RunFolder() {
  std::error_code error;
  fs::remove_all(path(kUnfinished), error);
  if (lock_ >= 0) ::close(lock_);
}

void RunFolder::lock() {
  lock_ = ::open(path(kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) throw OutputError(path(kLock), errno);
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw UsageError(path_ + ": another run is at work in this folder, or its job has not ended yet",
                     "wait for it, or name another folder: -o DIR");
}

bool RunFolder::has(const std::string& name) const {
  std::error_code error;
  return fs::exists(path(name), error);
}

std::vector<std::string> RunFolder::with_ranks(const std::string& name) const {
  std::vector<std::string> all{path(name)};
  for (std::uint64_t rank = 1; has(name_of_rank(name, rank)); ++rank) all.push_back(path(name_of_rank(name, rank)));
  return all;
}

void RunFolder::keep(const std::string& name) const {
  std::error_code error;
  for (std::uint64_t rank = 1; fs::exists(unfinished(name_of_rank(name, rank)), error); ++rank)
    move_file(unfinished(name_of_rank(name, rank)), path(name_of_rank(name, rank)));
  move_file(unfinished(name), path(name));
}

void RunFolder::set_aside(const std::string& name) {
  for (const std::string& file : with_ranks(name)) move_file(file, name_with(file, "refused"));
  for (io::artifacts::JobStart& start : record.starts)
    if (start.output == name) start.output = name_with(name, "refused");
  save();
}

void RunFolder::write(const std::string& name, std::string_view bytes) const {
  io::stream::Output out(unfinished(name));
  out.write(bytes);
  out.commit();
  keep(name);
}

}  // namespace seqpoint::cli::commands
