#include "io/process/job.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>

#include "seqpoint/error.hpp"

namespace seqpoint::io::process {

/// What a signal handler has to know of a job.
struct JobSlot {
  std::atomic<bool> taken{false};
  std::atomic<pid_t> keeper{-1};  ///< -1: none, or it has ended
  /// What the keeper listens to: nothing is written to it, and it closes when this program ends.
  std::atomic<int> pipe_to_keeper{-1};
  std::atomic<const char*> report{nullptr};  ///< the path
};

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kLook = std::chrono::milliseconds(20);  // interval between the keeper's checks of its children
constexpr auto kPatience = std::chrono::seconds(30);   // limit for processes that even SIGKILL does not end
constexpr int kSignalled = 128, kNotStarted = 127;     // exit statuses, as a shell has them

static_assert(std::atomic<pid_t>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free);

std::array<JobSlot, kMostJobs> slots;

bool is_keeper(pid_t process) {
  return std::ranges::any_of(slots, [&](const JobSlot& slot) { return slot.keeper == process; });
}

void close_pipe(JobSlot& slot) noexcept {
  if (const int pipe = slot.pipe_to_keeper.exchange(-1); pipe >= 0) ::close(pipe);
}

/// A slot that no job has. Throws std::length_error.
JobSlot& take_slot() {
  for (JobSlot& slot : slots)
    if (!slot.taken.exchange(true)) return slot;
  throw std::length_error("too many jobs");
}

/// Throws std::system_error with errno.
[[noreturn]] void refuse(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

/// The exit status as a shell has it, from a status of waitpid(): 128 + N after signal N.
int exit_status(int status) { return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status); }

/// Pointers to texts, with a null pointer at the end, for execve(). Valid as long as `texts`.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// This program's environment as `NAME=VALUE`, with the variables `more`, which replace those of the same name.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& more) {
  std::vector<std::string> all;
  for (const auto& [name, value] : more) all.push_back(name + "=" + value);
  const std::size_t own = all.size();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto same = [&](const std::string& set) { return text.starts_with(set.substr(0, set.find('=') + 1)); };
    bool is_set = false;
    for (std::size_t i = 0; i < own; ++i) is_set = is_set || same(all[i]);
    if (!is_set) all.emplace_back(text);
  }
  return all;
}

// --- the keeper, a process of one thread ---------------------------------------------------------------------------

/// The command under the keeper.
struct Child {
  pid_t pid = -1;
  int status = 0;  ///< once `pid` has ended
  bool ended = false;
};

/// Reaps ended children, and sets the status of `command` if the command is one of them. Returns whether any child is
/// left.
bool any_left(Child& command) {
  int status = 0;
  pid_t child = 0;
  while ((child = ::waitpid(-1, &status, WNOHANG)) > 0)
    if (child == command.pid) command = {child, exit_status(status), true};
  return child == 0 || errno != ECHILD;
}

/// Calls `visit` with each present child of this process, without allocating memory.
template <class Visit>
void for_each_child(Visit visit) {
  std::array<char, 4096> text{};
  const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  const ssize_t size = list < 0 ? 0 : ::read(list, text.data(), text.size());
  if (list >= 0) ::close(list);
  const char *at = text.data(), *const end = at + std::max<ssize_t>(size, 0);
  for (pid_t child = 0; at < end; ++at) {
    const auto [rest, error] = std::from_chars(at, end, child);
    if (error != std::errc{} || rest == end) return;  // a blank follows each: a list that is cut may end within one
    visit(child);
    at = rest;
  }
}

/// Sends SIGKILL to the present children. This process becomes the parent of a process whose parent has ended: so
/// repeated calls reach all descendants, one generation after the other. Returns whether it may kill any of them.
bool kill_children() {
  bool may_kill = false;
  for_each_child([&](pid_t child) { may_kill = ::kill(child, SIGKILL) == 0 || errno != EPERM || may_kill; });
  return may_kill;
}

/// Waits until this process has no child left; false if that takes longer than `time`. `killing`: kills the children
/// all the while; false as soon as it may kill none of them.
bool all_end_within(Child& command, Clock::duration time, bool killing) {
  for (const auto begun = Clock::now(); any_left(command); std::this_thread::sleep_for(kLook)) {
    if (Clock::now() - begun > time) return false;
    if (killing && !kill_children()) return !any_left(command);
  }
  return true;
}

/// Waits until the command and all its descendants have ended, or this program has ended (`from_program` closes), or
/// the command has failed. Then ends the remaining processes: SIGTERM to the command's process group, after `grace_s`
/// SIGKILL to the group and to all other descendants. Returns the command's exit status, as after SIGKILL if it has not
/// ended even then.
int await_end(Child command, int from_program, double grace_s) {
  pollfd wire{from_program, POLLIN, 0};
  while (any_left(command)) {
    const bool alone = ::poll(&wire, 1, static_cast<int>(kLook.count())) > 0;
    if (!alone && (!command.ended || command.status == 0)) continue;
    ::kill(-command.pid, SIGTERM);
    const auto grace = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(grace_s));
    if (all_end_within(command, grace, false)) break;
    ::kill(-command.pid, SIGKILL);
    all_end_within(command, kPatience, true);
    break;
  }
  return command.ended ? command.status : kSignalled + SIGKILL;
}

/// Restores the default handling of signals, and unblocks all.
void reset_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2, SIGPIPE, SIGXFSZ, SIGBUS})
    ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Resources of a child, prepared before the fork.
struct Prepared {
  std::vector<std::string> words, environment;
  std::string scratch, new_files, report;
  std::vector<char*> argv, envp;
  pid_t program = ::getpid();
  pid_t keeper = -1;  ///< known to the keeper only
  int log = -1, nothing = -1, from_program = -1;
};

/// Runs the command in this process, in a process group of its own, until the keeper ends. If it cannot be started,
/// writes the reason to standard error and exits with 127. Reading from the terminal, or setting it, is an error for a
/// process group in the background, and would stop the command.
[[noreturn]] void become_command(const Prepared& prepared) {
  ::setpgid(0, 0);
  reset_signals();
  for (const int number : {SIGTTIN, SIGTTOU}) ::signal(number, SIG_IGN);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != prepared.keeper) ::_exit(kNotStarted);
  ::execvpe(prepared.argv.front(), prepared.argv.data(), prepared.envp.data());
  const std::string_view why = std::strerror(errno), name = prepared.words.front();
  for (const std::string_view part : {name, std::string_view(": "), why, std::string_view("\n")})
    if (::write(STDERR_FILENO, part.data(), part.size()) < 0) break;
  ::_exit(kNotStarted);
}

/// Removes the scratch folder, and before it, of the paths in its list `made`, the files that are as the job has left
/// them by its list `ours`, then folders that are empty: python/seqpoint_companion/protect/ours.py. Writes their paths
/// to `new_files`, with zero bytes between them, behind '-' of a file that is removed, or '=' of what stays. By a
/// process of its own: after a fork only few functions may be called. In the order of bytes, "FOLDER/FILE" is before
/// "FOLDER:".
void remove_scratch(const std::string& path, const std::string& new_files) {
  const pid_t remover = path.empty() ? -1 : ::fork();
  if (remover == 0) {
    constexpr auto kScript = R"sh(
export LC_ALL=C
if [ -e "$1/made" ]; then
  sort -zu "$1/made" > "$1/paths"
  state=%n:%d:%i:%.9W
  xargs -0 stat --printf "$state:%s:%.9Z\0$state::\0" -- < "$1/paths" | sort -z > "$1/there"
  sort -zu "$1"/ours* | comm -z12 - "$1/there" | xargs -0 sh -c '
    for entry; do
      path=${entry%:*:*:*:*:*}
      if [ -d "$path" ] && [ ! -L "$path" ]; then rmdir -- "$path"
      else rm -f -- "$path" && printf "%s\0" "-$path"
      fi
    done' sh > "$2"
  xargs -0 sh -c 'for path; do
      if [ -e "$path" ] || [ -L "$path" ]; then printf "%s\0" "=$path"; fi
    done' sh < "$1/paths" >> "$2"
fi 2> /dev/null
rm -rf -- "$1")sh";
    const char* const to = new_files.empty() ? "/dev/null" : new_files.c_str();
    ::execl("/bin/sh", "sh", "-c", kScript, "sh", path.c_str(), to, static_cast<char*>(nullptr));
    ::_exit(kNotStarted);
  }
  if (remover > 0) ::waitpid(remover, nullptr, 0);
}

/// Leaves the jobs of the program to it: their pipes close when it ends.
void forget_other_jobs() {
  for (JobSlot& slot : slots) {
    close_pipe(slot);
    slot.keeper = -1;
  }
}

/// Makes this process the keeper: a process group of its own, standard input from /dev/null, output to the log. Starts
/// the command, keeps it, and exits with its status; 127 if no process can be created.
[[noreturn]] void become_keeper(Prepared& prepared, double grace_s) {
  ::setpgid(0, 0);  // keys typed at the terminal signal this program only, which decides what happens to the command
  prepared.keeper = ::getpid();
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) ::signal(number, SIG_IGN);
  forget_other_jobs();
  ::dup2(prepared.nothing, STDIN_FILENO);
  ::dup2(prepared.log, STDOUT_FILENO);
  ::dup2(prepared.log, STDERR_FILENO);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t command = ::fork();
  if (command == 0) become_command(prepared);
  if (command < 0) ::_exit(kNotStarted);
  ::setpgid(command, command);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int status = await_end({command}, prepared.from_program, grace_s);
  remove_scratch(prepared.scratch, prepared.new_files);
  if (::getppid() != prepared.program) ::unlink(prepared.report.c_str());
  ::_exit(status);
}

/// Blocks signals while it exists: a handler would not know the process that is being created.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

/// Opens a file to write, without following a link. Throws OutputError.
int open_to_write(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | flags, 0666);
  if (file < 0) throw OutputError(path, errno);
  return file;
}

/// Opens the log, which is truncated, and /dev/null, and copies words and environment. Throws OutputError if the log
/// cannot be opened.
Prepared prepare(const Command& command) {
  Prepared prepared;
  prepared.words = command.words;
  prepared.scratch = command.scratch;
  prepared.new_files = command.new_files;
  prepared.report = command.report;
  prepared.environment = environment_with(command.environment);
  prepared.argv = pointers_to(prepared.words);
  prepared.envp = pointers_to(prepared.environment);
  prepared.nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  prepared.log = open_to_write(command.log, O_TRUNC);
  return prepared;
}

// --- the program, which has only keepers as children, unless one was killed -----------------------------------------

/// Children that this program had before its first job, such as a pipe's reader that a shell began and then became this
/// program: no job's.
class EarlierChildren {
 public:
  /// Notes them, once.
  void note() {
    if (is_noted_) return;
    for_each_child([&](pid_t child) { pids_.push_back(child); });
    is_noted_ = true;
  }
  bool are_noted() const { return is_noted_; }
  bool have(pid_t child) const { return std::ranges::find(pids_, child) != pids_.end(); }

 private:
  std::vector<pid_t> pids_;
  bool is_noted_ = false;
};

EarlierChildren earlier_children;

/// Ends the processes of jobs whose keeper was killed: this program is then their parent. Waits for none if it may kill
/// none. Without a job there are none.
void end_orphans() {
  if (!earlier_children.are_noted()) return;
  for (const auto begun = Clock::now(); Clock::now() - begun < kPatience; std::this_thread::sleep_for(kLook)) {
    bool any = false, may_kill = false;
    for_each_child([&](pid_t child) {
      if (is_keeper(child) || earlier_children.have(child) || ::waitpid(child, nullptr, WNOHANG) == child) return;
      any = true;
      may_kill = ::kill(child, SIGKILL) == 0 || errno != EPERM || may_kill;
    });
    if (!any || !may_kill) return;
  }
}

/// Waits until the keeper, whose pipe is closed, has ended its job.
void await_keeper(JobSlot& slot) noexcept {
  const pid_t ending = slot.keeper;
  if (ending <= 0) return;
  while (::waitpid(ending, nullptr, 0) < 0 && errno == EINTR) {
  }
  slot.keeper = -1;
}

}  // namespace

Job::Job(const Command& command)
    : report_(command.report), report_file_(open_to_write(report_, O_EXCL)), slot_(take_slot()) {
  ::flock(report_file_, LOCK_EX);
  Prepared prepared = prepare(command);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) refuse("pipe");
  prepared.from_program = ends[0];
  earlier_children.note();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // should the keeper be killed, its descendants become this program's children
  {
    const SignalsHeld held;
    slot_.pipe_to_keeper = ends[1];
    slot_.keeper = ::fork();
    if (slot_.keeper == 0) become_keeper(prepared, command.grace_s);
  }
  for (const int own : {prepared.log, prepared.nothing, prepared.from_program}) ::close(own);
  if (slot_.keeper < 0) refuse("fork");
  slot_.report = report_.c_str();
}

Job::~Job() {
  end();
  slot_.report = nullptr;
  ::unlink(report_.c_str());
  ::close(report_file_);
  slot_.taken = false;
}

std::optional<int> Job::status() {
  int status = 0;
  if (!status_ && ::waitpid(slot_.keeper, &status, WNOHANG) != 0) {
    status_ = exit_status(status);
    slot_.keeper = -1;
    close_pipe(slot_);
    end_orphans();
  }
  return status_;
}

std::vector<pid_t> Job::left() const {
  std::vector<pid_t> processes;
  for_each_child([&](pid_t child) {
    if (!is_keeper(child) && !earlier_children.have(child)) processes.push_back(child);
  });
  return processes;
}

void Job::end() {
  close_pipe(slot_);
  await_keeper(slot_);
  end_orphans();
  if (!status_) status_ = kSignalled + SIGTERM;
}

void end_jobs() noexcept {
  for (JobSlot& slot : slots) close_pipe(slot);
  for (JobSlot& slot : slots) await_keeper(slot);
  end_orphans();
  for (const JobSlot& slot : slots)
    if (const char* const report = slot.report) ::unlink(report);
}

std::string kernel_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  return std::getline(file, id) ? id : "unknown";
}

bool has_unread_input() {
  struct stat input {};
  if (::fstat(STDIN_FILENO, &input) != 0) return false;
  if (S_ISREG(input.st_mode)) return ::lseek(STDIN_FILENO, 0, SEEK_CUR) < input.st_size;
  int waiting = 0;
  const bool is_stream = S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode);
  return is_stream && ::ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting > 0;
}

std::string path_of_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? name : "";
  const char* const path = std::getenv("PATH");
  for (std::string_view rest = path == nullptr ? "/bin:/usr/bin" : path; !rest.empty() && !name.empty();) {
    const std::string folder(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    std::string found = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(found.c_str(), X_OK) == 0) return found;
  }
  return "";
}

}  // namespace seqpoint::io::process
