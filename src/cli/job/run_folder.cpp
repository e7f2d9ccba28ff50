#include "cli/job/run_folder.hpp"

#include <fmt/ranges.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>

#include "cli/job/run_breakdown.hpp"
#include "cli/job/run_text.hpp"
#include "io/process/job.hpp"
#include "io/stream/output.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::job {
namespace {

namespace fs = std::filesystem;

constexpr auto kLock = ".lock", kUnfinished = "unfinished", kRecord = "run.json";

/// The lock's text: the id of the run at work there, or of one that was killed. Empty: no run, or one that has ended.
std::string id_in(const fs::path& lock) {
  std::ifstream file(lock);
  std::string id;
  std::getline(file, id);
  return id;
}

/// The process of a run's id, "12f0-18c3a9e5": its number and the time, both hexadecimal. Nothing: no id.
std::optional<pid_t> process_of(const std::string& id) {
  pid_t process = 0;
  std::uint64_t time = 0;
  const char* const end = id.data() + id.size();
  const auto of_process = std::from_chars(id.data(), end, process, 16);
  if (process <= 0 || of_process.ptr == end || *of_process.ptr != '-') return std::nullopt;
  const auto of_time = std::from_chars(of_process.ptr + 1, end, time, 16);
  return of_time.ec == std::errc() && of_time.ptr == end ? std::optional(process) : std::nullopt;
}

/// Whether the folder contains nothing except an empty lock, or what a run leaves that was killed before it wrote
/// run.json: the lock with its id, and the folder of unfinished files. Other files of these names belong to the user.
bool holds_nothing(const std::string& path) {
  const std::string id = id_in(fs::path(path) / kLock);
  const bool was_killed = process_of(id).has_value(), has_lock = was_killed || id.empty();
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const fs::path name = entry.path().filename();
    if (!(has_lock && name == kLock) && !(was_killed && name == kUnfinished)) return false;
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

/// Throws UsageError if the folder contains a symbolic link, which may lead to any file, or a pipe, socket or device,
/// for which reading would wait.
void require_plain(const std::string& path) {
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const fs::file_type type = entry.symlink_status().type();
    if (type == fs::file_type::regular || type == fs::file_type::directory) continue;
    const std::string what = type == fs::file_type::symlink ? "is a symbolic link, which a run does not follow"
                                                            : "is no regular file, but a pipe, socket or device";
    throw UsageError(fmt::format("-o: {} {}", entry.path().string(), what),
                     "remove it, or name another folder: -o DIR");
  }
}

/// Throws UsageError if the folder is another user's, or contains anything but files and folders.
void require_own(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0 && found.st_uid != ::geteuid())
    throw UsageError("-o: " + path + " is another user's folder", "name one of your own: -o DIR");
  require_plain(path);
  if (const std::string traces = path + "/" + kTraces; fs::is_directory(traces)) require_plain(traces);
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
  if (exists(kRecord))
    io::artifacts::read_run_record(io::stream::Input::open(this->path(kRecord)));  // another program's is refused
  else if (!holds_nothing(path_))
    throw UsageError("-o: " + path_ + " is not empty, and holds no run", "choose another folder: -o DIR");
  lock();
  read_record(resume);
  fs::remove_all(this->path(kUnfinished), error);
  fs::create_directory(this->path(kUnfinished), error);
  if (error) throw OutputError(this->path(kUnfinished), error.value());
}

void RunFolder::read_record(bool resume) {
  if (exists(kRecord)) record = io::artifacts::read_run_record(io::stream::Input::open(path(kRecord)));
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
  const bool is_locked = ::flock(lock_, LOCK_EX | LOCK_NB) == 0, is_taken = !is_locked && errno == EWOULDBLOCK;
  const std::string earlier = id_in(path(kLock));
  // A file system without locks cannot show whether that run is still at work: here its process does.
  const std::optional<pid_t> process = is_locked ? std::nullopt : process_of(earlier);
  if (is_taken || (process && (::kill(*process, 0) == 0 || errno == EPERM)))
    throw UsageError(path_ + ": another run is at work in this folder, or its job has not ended yet",
                     "wait for it, or name another folder: -o DIR");
  if (is_locked) end_killed_run(earlier);
  id_ = fmt::format("{:x}-{:x}", ::getpid(), std::chrono::system_clock::now().time_since_epoch().count());
  std::ofstream(path(kLock), std::ios::trunc) << id_ << '\n';
}

void RunFolder::end_killed_run(const std::string& killed) const {
  if (!killed.empty()) {
    const std::vector<pid_t> left = io::process::end_processes_with(fmt::format("{}={}", kRunVariable, killed));
    if (!left.empty())
      throw UsageError(
          fmt::format("{}: processes of a run that was killed cannot be ended: {}", path_, fmt::join(left, ", ")),
          "end them, or name another folder: -o DIR");
  }
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
  if (fs::exists(path) && !fs::is_regular_file(path))
    throw UsageError("--order: " + path + " is no regular file, and is read several times", "write it to a file first");
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
