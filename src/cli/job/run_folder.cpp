#include "cli/job/run_folder.hpp"

#include <fmt/ranges.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "cli/job/run_text.hpp"
#include "io/process/leftovers.hpp"
#include "io/stream/output.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::job {
namespace {

namespace fs = std::filesystem;

constexpr auto kLock = ".lock", kUnfinished = "unfinished", kRecord = "run.json";

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

/// Throws UsageError if the folder is another user's, or contains a symbolic link, which may lead to any file.
void require_own(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0 && found.st_uid != ::geteuid())
    throw UsageError("-o: " + path + " is another user's folder", "name one of your own: -o DIR");
  for (const fs::directory_entry& entry : fs::directory_iterator(path))
    if (entry.is_symlink())
      throw UsageError(fmt::format("-o: {} is a symbolic link, which a run does not follow", entry.path().string()),
                       "remove it, or name another folder: -o DIR");
}

std::string digest_of(const std::string& path) {
  io::stream::Input file = io::stream::Input::open(path);
  file.skip_to_end();
  return file.digest();
}

}  // namespace

RunFolder::RunFolder(std::string path, bool resume) : path_(std::move(path)) {
  if (resume && !exists("run.json"))
    throw UsageError(fmt::format("--resume: there is no {} '{}'", fs::exists(path_) ? "run in" : "folder", path_),
                     fmt::format("a new run is: seqpoint run -o {} -- COMMAND", path_));
  std::error_code error;
  if (fs::exists(path_, error) && !fs::is_directory(path_, error))
    throw UsageError("-o: " + path_ + " is not a folder", "name a new one: -o DIR");
  fs::create_directory(path_, error);
  if (error) throw OutputError(path_, error.value());
  require_own(path_);
  const bool was_run = exists(kLock);
  lock();
  end_killed_run();
  read_record(resume, was_run);
  fs::remove_all(this->path(kUnfinished), error);
  fs::create_directory(this->path(kUnfinished), error);
  if (error) throw OutputError(this->path(kUnfinished), error.value());
}

void RunFolder::read_record(bool resume, bool was_run) {
  if (exists(kRecord))
    record = io::artifacts::read_run_record(io::stream::Input::open(path(kRecord)));
  else if (!holds_nothing(path_, was_run))
    throw UsageError("-o: " + path_ + " is not empty, and holds no run", "choose another folder: -o DIR");
  if (!record.starts.empty() && !resume)
    throw UsageError("-o: " + path_ + " holds a run already",
                     fmt::format("{} goes on with it; -o DIR names another folder", resume_command(path_)));
  if (!resume) record = {};  // nothing was measured: the first start failed
  earlier_s_ = record.cost.seconds;
}

RunFolder::~RunFolder() {
  std::error_code error;
  fs::remove_all(path(kUnfinished), error);
  fs::resize_file(path(kLock), 0, error);
  if (lock_ >= 0) ::close(lock_);
}

void RunFolder::lock() {
  lock_ = ::open(path(kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (lock_ < 0) throw OutputError(path(kLock), errno);
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw UsageError(path_ + ": another run is at work in this folder, or its job has not ended yet",
                     "wait for it, or name another folder: -o DIR");
}

void RunFolder::end_killed_run() {
  std::ifstream file(path(kLock));
  std::string killed;
  if (std::getline(file, killed)) {
    const std::vector<pid_t> left = io::process::end_processes_with(fmt::format("{}={}", kRunVariable, killed));
    if (!left.empty())
      throw UsageError(
          fmt::format("{}: processes of a run that was killed cannot be ended: {}", path_, fmt::join(left, ", ")),
          "end them, or name another folder: -o DIR");
  }
  id_ = fmt::format("{:x}-{:x}", ::getpid(), std::chrono::system_clock::now().time_since_epoch().count());
  std::ofstream(path(kLock), std::ios::trunc) << id_ << '\n';
}

bool RunFolder::exists(const std::string& name) const {
  std::error_code error;
  return fs::exists(path(name), error);
}

bool RunFolder::has(const std::string& name) {
  const std::vector<std::string> names = with_ranks(name);
  for (const std::string& file : names) {
    if (!exists(file)) return false;
    if (verified_.contains(file)) continue;
    if (digest_of(path(file)) != record.files.at(file))
      throw InputError({path(file), 0, ""}, "has changed since the run made it",
                       "remove it: --resume makes it anew; -o DIR starts a new run");
    verified_.insert(file);
  }
  return !names.empty();
}

void RunFolder::pin(const std::string& path) {
  const std::string digest = digest_of(path);
  const auto [known, is_new] = record.files.try_emplace(io::artifacts::as_stored(path), digest);
  if (known->second != digest)
    throw InputError({path, 0, ""}, "has changed since the run began", "-o DIR starts a new run");
  if (is_new) save();
}

std::vector<std::string> RunFolder::with_ranks(const std::string& name) const {
  std::vector<std::string> all;
  if (record.files.contains(name)) all.push_back(name);
  for (std::uint64_t rank = 1; record.files.contains(name_of_rank(name, rank)); ++rank)
    all.push_back(name_of_rank(name, rank));
  return all;
}

void RunFolder::keep(const std::string& name) {
  std::vector<std::string> names{name};
  std::error_code error;
  for (std::uint64_t rank = 1; fs::exists(unfinished(name_of_rank(name, rank)), error); ++rank)
    names.push_back(name_of_rank(name, rank));
  for (const std::string& file : with_ranks(name)) record.files.erase(file);
  for (const std::string& file : names) {
    record.files[file] = digest_of(unfinished(file));
    verified_.insert(file);
  }
  for (const std::string& file : names) move_file(unfinished(file), path(file));
}

void RunFolder::set_aside(const std::string& name) {
  for (const std::string& file : with_ranks(name)) {
    const std::string refused = name_with(file, "refused");
    move_file(path(file), path(refused));
    record.files[refused] = record.files.extract(file).mapped();
  }
  for (io::artifacts::JobStart& start : record.starts)
    if (start.output == name) start.output = name_with(name, "refused");
  save();
}

void RunFolder::write(const std::string& name, std::string_view bytes) {
  io::stream::Output out(unfinished(name));
  out.write(bytes);
  out.commit();
  keep(name);
  save();
}

void RunFolder::forget_all_but(const std::string& name) {
  std::erase_if(record.files, [&](const auto& file) { return file.first != name; });
  std::erase_if(record.starts, [&](const io::artifacts::JobStart& start) { return start.output != name; });
  record.planned_processes = 0;
  record.way.reset();
  save();
}

void RunFolder::stop_clock() {
  record.cost.seconds = seconds_in_all();
  clock_runs_ = false;
}

double RunFolder::seconds_of_sitting() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
}

void RunFolder::save() {
  if (clock_runs_) record.cost.seconds = seconds_in_all();
  io::stream::Output out(unfinished(kRecord));
  out.write(io::artifacts::run_record_json(record));
  out.commit();
  fs::permissions(unfinished(kRecord), fs::perms::owner_read | fs::perms::owner_write);
  move_file(unfinished(kRecord), path(kRecord));
}

}  // namespace seqpoint::cli::job
