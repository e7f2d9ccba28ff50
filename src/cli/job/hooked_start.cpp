#include "cli/job/hooked_start.hpp"

#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "cli/job/run_breakdown.hpp"
#include "cli/job/run_text.hpp"
#include "cli/progress.hpp"
#include "io/process/job.hpp"
#include "io/stream/input.hpp"
#include "io/stream/output.hpp"
#include "io/text/secrets.hpp"
#include "io/views/tables.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::job {
namespace {

namespace fs = std::filesystem;
using io::artifacts::JobStart;
using Clock = std::chrono::steady_clock;

constexpr auto kLook = std::chrono::milliseconds(20);
constexpr auto kPlanToCome = "plan-to-come.json";
constexpr int kFirstMinute = 10;  // the part of --start-timeout in which a loop without PyTorch is waited for

double seconds_since(Clock::time_point begun) { return std::chrono::duration<double>(Clock::now() - begun).count(); }

// --- loading the companion into the job ----------------------------------------------------------------------------

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Where a start has its files, beside its results: paths in the folder of unfinished files.
struct Places {
  std::string report;   ///< of its own, so that a job that an earlier start has left in a queue finds that nobody waits
  std::string scratch,  ///< for what the job's processes share about files
      new_files;        ///< what became of those that it has made
};

/// The places of a new start, which is counted, however it ends.
Places places_of(const HookedStart& start, RunFolder& folder) {
  io::artifacts::RunCost& cost = folder.record.cost;
  ++cost.starts;
  if (start.verb == "order") ++cost.orders;
  folder.save();
  return {folder.unfinished(fmt::format("events-{}-{}", folder.id(), cost.starts)),
          folder.unfinished(fmt::format("scratch-{}", cost.starts)),
          folder.unfinished(fmt::format("new-files-{}", cost.starts))};
}

/// The variables that load the companion into the job and set its task, files and plan; paths are absolute.
Variables environment_of(const HookedStart& start, const Places& places, const RunFolder& folder,
                         const io::artifacts::JobRequest& job) {
  const auto absolute = [](const std::string& path) { return fs::absolute(path).lexically_normal().string(); };
  const char* const path = std::getenv("PYTHONPATH");
  const std::string others = path == nullptr || *path == '\0' ? "" : std::string(":") + path;
  Variables variables{{"PYTHONPATH", io::process::hook_folder() + others},
                      {kRunVariable, folder.id()},
                      {"SEQPOINT_HOOK", start.verb},
                      {"SEQPOINT_MODE", start.goes_on.empty() ? start.verb : "measure"},
                      {"SEQPOINT_SCRATCH", absolute(places.scratch)},
                      {"SEQPOINT_OUTPUT", absolute(folder.unfinished(start.output))},
                      {"SEQPOINT_REPORT", absolute(places.report)},
                      {"SEQPOINT_CALLER", fmt::format("{}:{}", io::process::kernel_id(), ::getpid())}};
  if (job.no_phases) variables.emplace_back("SEQPOINT_NO_PHASES", "1");
  if (job.loader) variables.emplace_back("SEQPOINT_LOADER", std::to_string(*job.loader));
  if (job.batches) variables.emplace_back("SEQPOINT_BATCHES", std::to_string(*job.batches));
  if (!job.signature.empty()) variables.emplace_back("SEQPOINT_SIGNATURE", job.signature);
  if (job.epochs > 1) variables.emplace_back("SEQPOINT_EPOCHS", std::to_string(job.epochs));
  if (start.verb == "order" || job.order.empty()) variables.emplace_back("SEQPOINT_LENGTHS", "1");
  if (start.verb == "order") variables.emplace_back("SEQPOINT_PART", "1");
  if (!start.plan.empty()) variables.emplace_back("SEQPOINT_PLAN", absolute(start.plan));
  if (!start.goes_on.empty()) {
    variables.emplace_back("SEQPOINT_GOES_ON", absolute(folder.unfinished(start.goes_on)));
    variables.emplace_back("SEQPOINT_PLAN", absolute(folder.unfinished(kPlanToCome)));
  } else if (start.verb != "measure") {
    return variables;
  }
  const std::string& measured = start.goes_on.empty() ? start.output : start.goes_on;
  variables.emplace_back("SEQPOINT_STRETCH", absolute(folder.unfinished(io::artifacts::stretch_of(measured))));
  if (job.by) variables.emplace_back("SEQPOINT_TRACES", absolute(folder.unfinished(kTraces)));
  variables.emplace_back("SEQPOINT_PROCESS", std::to_string(start.planned_process));
  if (!start.duet.empty()) {
    variables.emplace_back("SEQPOINT_DUET", absolute(start.duet));
    variables.emplace_back("SEQPOINT_SIDE", std::to_string(start.side));
  }
  return variables;
}

// --- watching it ---------------------------------------------------------------------------------------------------

/// The job's output, read as its log grows. With -v it is also shown on standard error.
class LogTail {
 public:
  LogTail(const std::string& path, const io::text::Secrets& secrets, const Console& console)
      : file_(path, std::ios::binary), secrets_(secrets), shows_(console.verbose()) {}
  /// Reads what was added to the log since the last call.
  void read() {
    std::array<char, 4096> piece{};
    while (file_.read(piece.data(), piece.size()), file_.gcount() > 0) {
      const std::string_view added(piece.data(), static_cast<std::size_t>(file_.gcount()));
      if (shows_) show(added);
      search(added);
    }
    file_.clear();
  }
  /// Reads the rest, and shows it without a line end.
  void read_to_end() {
    read();
    if (shows_) show_line(std::exchange(to_show_, {}));
  }
  /// What the first process said that cannot write into the run's folder: "node2 cannot write into ...". It has no
  /// other way to say so (python/seqpoint_companion/caller.py). Empty: none did.
  const std::string& unwritable() const { return unwritable_; }

 private:
  /// Shows whole lines only, in which secrets are whole: those of a progress bar end with a carriage return. A very
  /// long one is shown in parts.
  void show(std::string_view added) {
    constexpr std::size_t kLongestLine = 64 * 1024;
    to_show_ += added;
    for (std::size_t end = 0; (end = to_show_.find_first_of("\r\n")) != std::string::npos; to_show_.erase(0, end + 1))
      show_line(to_show_.substr(0, end + 1));
    if (to_show_.size() > kLongestLine) show_line(std::exchange(to_show_, {}));
  }
  void show_line(const std::string& line) {
    const std::string shown = secrets_.hidden_in(line);
    if (::write(STDERR_FILENO, shown.data(), shown.size()) < 0) shows_ = false;
  }
  void search(std::string_view added) {
    constexpr std::size_t kLongestLine = 4096;
    constexpr std::string_view kOurs = "seqpoint: ", kFault = " cannot write into ";
    rest_ += added;
    for (std::size_t end = 0; (end = rest_.find('\n')) != std::string::npos; rest_.erase(0, end + 1)) {
      const std::string_view line = std::string_view(rest_).substr(0, end);
      const std::size_t ours = line.find(kOurs);
      if (!unwritable_.empty() || ours == std::string_view::npos || line.find(kFault, ours) == std::string_view::npos)
        continue;
      unwritable_ = secrets_.hidden_in(line.substr(ours + kOurs.size()));
    }
    if (rest_.size() > kLongestLine) rest_.clear();
  }

  std::ifstream file_;
  const io::text::Secrets& secrets_;
  bool shows_;
  std::string rest_, to_show_, unwritable_;
};

/// A progress line: for one job the elapsed time until the first batch, then the batches of each part; for several how
/// many have ended, and the batches of all. None with -v.
class JobProgress {
 public:
  JobProgress(const Console& console, const std::string& what) : console_(console) { begin(what); }
  /// Another work begins.
  void begin(const std::string& what) {
    what_ = what;
    shown_ = 0;
    line_.reset();
    if (!console_.verbose()) line_.emplace(console_, Work{what_, "", {}});
  }
  /// While something else is printed.
  void pause() { line_.reset(); }
  void show(const io::process::HookReport& report) {
    if (console_.verbose() || report.batches() == 0) return;
    const bool begins = shown_ == 0 || report.batches() < shown_ || report.batches_in_all() != in_all_;
    if (begins) {  // a plan, and the stretch after it
      in_all_ = report.batches_in_all();
      line_.reset();
      line_.emplace(console_, Work{what_, "batches", in_all_});
    }
    shown_ = report.batches();
    line_->at(shown_);
  }
  void show(std::size_t ended, std::size_t jobs, std::uint64_t batches) {
    const std::string what = fmt::format("{} of {} jobs", ended, jobs);
    if (console_.verbose()) return;
    if (what != what_) {
      what_ = what;
      line_.reset();
      line_.emplace(console_, Work{what_, "batches", {}});
    }
    line_->at(batches);
  }

 private:
  const Console& console_;
  std::string what_;
  std::optional<ProgressLine> line_;
  std::uint64_t shown_ = 0;
  std::optional<std::uint64_t> in_all_;
};

/// The end of a job.
struct Ended {
  std::optional<int> status = {};  ///< exit status of the command; nothing: it was ended by this program
  bool silent = false;             ///< no batch came for too long
  bool foreign = false;          ///< in its first minute it has imported another library than PyTorch; no loop is held
  std::string unwritable = {};   ///< why a process could not write into the run's folder; empty: all could
  std::vector<pid_t> left = {};  ///< processes that are still there
};

/// Whether a job trains with a library whose loops are not found by themselves.
bool is_foreign(const io::process::HookReport& report) {
  const std::optional<std::string> library = report.library();
  return !report.held() && library && !library->empty() && library != "numpy";
}

/// "4711 (python3)"
std::string process_text(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/comm", pid));
  std::string name;
  return std::getline(file, name) ? fmt::format("{} ({})", pid, name) : std::to_string(pid);
}

/// Warns of processes of the job that are still there.
void warn_of_left(const std::vector<pid_t>& processes, Console& console) {
  if (processes.empty()) return;
  std::vector<std::string> texts;
  for (const pid_t pid : processes) texts.push_back(process_text(pid));
  console.warn(fmt::format("processes of the job cannot be ended: {}", fmt::join(texts, ", ")),
               "they may still use the machine: end them as the user to whom they belong");
}

/// Whether a warning ends with this text: processes of several builds may say the same.
bool was_warned_of(const Console& console, std::string_view text) {
  return std::ranges::any_of(console.warnings(), [&](const auto& earlier) { return earlier.message.ends_with(text); });
}

/// Prints the notes of the companion from that number on: warnings as such, once each; for the first process those
/// about the result as notes; others as details. Returns their number.
std::size_t report_notes(const io::process::HookReport& report, const HookedStart& start, std::size_t from,
                         Console& console) {
  if (!report.uncounted().empty() && start.process <= 1 && from == 0)
    console.note(fmt::format("{}: the length leaves out {}", start.log, report.uncounted()));
  for (const io::process::HookReport::Note& note : std::span(report.notes()).subspan(from)) {
    const std::string text = fmt::format("{}: {}", start.log, note.text);
    constexpr std::string_view kWarning = "warning: ";
    const std::string_view warning =
        note.text.starts_with(kWarning) ? std::string_view(note.text).substr(kWarning.size()) : "";
    if (!warning.empty() && !was_warned_of(console, warning))
      console.warn(fmt::format("{}: {}", start.log, warning));
    else if (note.of_result && start.process <= 1)
      console.note(text);
    else
      console.detail(text);
  }
  return report.notes().size();
}

// --- why there is no result ----------------------------------------------------------------------------------------

std::string status_text(const Ended& ended) {
  constexpr int kSignalled = 128;
  if (!ended.status) return "the job was ended";
  if (*ended.status > kSignalled) return fmt::format("the job was ended by signal {}", *ended.status - kSignalled);
  return fmt::format("the job ended with status {}", *ended.status);
}

/// Why a silent job was ended: it delivered no batch, or never fetched one.
std::string silence_text(const io::process::HookReport& report, double seconds) {
  const std::string time = io::views::duration_text(seconds);
  if (report.held()) return fmt::format("no batch came for {} (--start-timeout): the job was ended", time);
  return fmt::format("the job fetched no batch within {} (--start-timeout) and was ended", time);
}

constexpr auto kIterate = "in the script: import seqpoint, and for batch in seqpoint.iterate(batches):";

/// "no training loop was found: the job imported jax, and no PyTorch"
std::string foreign_text(const std::string& library) {
  return library.empty() ? "no training loop was found: the job imported no PyTorch"
                         : fmt::format("no training loop was found: the job imported {}, and no PyTorch", library);
}

/// The program of a command: of one that a shell runs, its first word.
std::string program_of(const std::vector<std::string>& words) {
  const std::string& first = words.size() == 3 && words[0] == "sh" && words[1] == "-c" ? words[2] : words[0];
  return io::text::without_secrets(first.substr(0, first.find(' ')));
}

/// The failure of a job that got no input, which is a reason if this program has some. A job's standard input is empty,
/// because it starts several times.
std::pair<std::string, std::string> with_input(const std::string& text, const std::string& hint) {
  if (!io::process::has_unread_input()) return {text, hint};
  return {text + "; its standard input was empty, and that of `seqpoint run` is not",
          "a job starts several times, so nothing is piped into it: let it read a file"};
}

/// The reason why a job has no result, and a way out. The first that applies, from the most specific cause to the end
/// of the job itself.
JobFailed failure_of(const io::process::HookReport& report, const Ended& ended, const std::string& log,
                     const io::artifacts::Build& build, const RunRequest& request) {
  const auto because = [&](const std::string& text, const std::string& hint, Exit status = kBadInput) {
    return JobFailed(text, hint, log, status, build.name);
  };
  if (!ended.unwritable.empty())
    return because(ended.unwritable,
                   "all machines of the job need the folder of the run: -o DIR on a file system that they share",
                   kCannotWrite);
  if (report.programs() > 1)
    return because(fmt::format("{} programs of the job train at once, and only one can be measured", report.programs()),
                   "start one of them alone");
  if (ended.foreign)
    return because(foreign_text(*report.library()), fmt::format("{}; --start-timeout 1h waits longer", kIterate));
  if (ended.silent)
    return because(silence_text(report, request.start_timeout_s),
                   "--start-timeout 1h waits longer; the log shows how far it came");
  if (const auto& error = report.error())
    return because(error->fault, error->hint, error->status == kCannotWrite ? kCannotWrite : kBadInput);
  constexpr int kNotFound = 127;  // of a shell
  if (!report.started() && ended.status == kNotFound) {
    const std::string program = program_of(build.words);
    if (!io::process::path_of_program(program).empty())
      return because("a program or script of the job was not found (status 127)",
                     "the log names it: check its name, folder and PATH");
    return because(program + ": command not found", program.ends_with(".py")
                                                        ? "a script needs its interpreter: -- python3 " + program
                                                        : "check its name and PATH");
  }
  const auto because_or_input = [&](const std::string& text, const std::string& hint) {
    const auto& [reason, way_out] = with_input(text, hint);
    return because(reason, way_out);
  };
  const bool failed = ended.status.value_or(0) != 0;
  if (failed && !report.held() && report.lacks()) return because(report.lacks()->fault, report.lacks()->hint);
  if (failed && !report.held())
    return because_or_input(status_text(ended) + " before it trained on a batch",
                            "correct the error in the log; the command alone shows whether it is the job's own");
  if (!report.started())
    return because(
        "the command started no Python that seqpoint could watch",
        "a training job? then it must pass on PYTHONPATH: not python -I or -E, not in a container. If it only submits "
        "a job: sbatch --wait, or `seqpoint run` in the job's script");
  if (!report.held() && report.untrained())
    return because_or_input(report.untrained()->fault, report.untrained()->hint);
  if (!report.held() && report.library()) return because(foreign_text(*report.library()), kIterate);
  if (!report.held())
    return because("the job used no PyTorch DataLoader for training",
                   fmt::format("if it resumed a finished training, start it without its checkpoint; if its batches "
                               "come from another loader, {}",
                               kIterate));
  return because(fmt::format("{} after {} batches, before its result", status_text(ended), report.batches()),
                 failed ? resume_command(request.folder) + " goes on, once the job is corrected" : "");
}

/// Why a run stops whose job has really changed an old file.
JobFailed real_changes(const std::vector<std::string>& changes, const std::string& log,
                       const io::artifacts::Build& build, const RunRequest& request) {
  return {fmt::format("{}, by native code of the job or by another program", listed(changes)),
          fmt::format("keep it from that ($SEQPOINT_MODE is set under `run`), or accept it: {} --allow-writes",
                      resume_command(request.folder)),
          log, kBadInput, build.name};
}

/// The rows of a CSV in the folder, below its header; 0 without the file.
std::uint64_t rows_of(const RunFolder& folder, const std::string& name) {
  std::ifstream file(folder.path(name), std::ios::binary);
  const auto lines = std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  return lines > 0 ? static_cast<std::uint64_t>(lines - 1) : 0;
}

/// Removes what earlier starts have left in the folder, and lists the user's files.
void prepare(RunFolder& folder) {
  fs::remove_all(folder.unfinished(kTraces));
  fs::remove(folder.unfinished(kPlanToCome));
  if (folder.old_files)
    folder.old_files->renew();
  else
    folder.old_files.emplace(".", folder.path());
}

/// A start under way.
class Start {
 public:
  Start(const RunRequest& request, const StartOfBuild& asked, const io::process::Machine& machine, RunFolder& folder,
        Console& console)
      : request_(request),
        build_(asked.build),
        start_(asked.start),
        machine_(machine),
        folder_(folder),
        console_(console),
        places_(places_of(start_, folder)),
        environment_(environment_of(start_, places_, folder, request.job)),
        date_(fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))),
        report_(places_.report, request.secrets),
        log_(folder.path(start_.log)) {}

  void begin() {
    fs::create_directory(places_.scratch);
    folder_.old_files->write(places_.scratch + "/inventory");
    job_.emplace(io::process::Command{.words = build_.words,
                                      .environment = environment_,
                                      .log = log_,
                                      .scratch = places_.scratch,
                                      .new_files = places_.new_files,
                                      .report = places_.report,
                                      .grace_s = request_.grace_s});
    tail_.emplace(log_, request_.secrets, console_);
    begun_ = heard_ = Clock::now();
  }
  /// Looks whether the job has ended. Ends it if the result or an error has been reported for longer than --grace, if a
  /// process cannot write into the folder, or if no event came for --start-timeout, or for a tenth of that if the job
  /// needs a line to be found. `heard`: when any job was heard; one that has not begun may wait for a machine on which
  /// another one is.
  void look(Clock::time_point heard, JobProgress& progress) {
    const std::optional<int> status = job_->status();  // first: events from before the end are then read completely
    if (report_.read()) heard_ = Clock::now();
    if (report_.is_alone()) end_duet();
    if (ready_s_ == 0 && report_.held()) ready_s_ = seconds_since(begun_);
    tail_->read();
    print_meanwhile();
    if (status) return end({.status = status});
    if (report_.ordered() && !has_order_) {
      if (!go_on(progress)) over_ = Clock::now();
      heard_ = Clock::now();
    }
    if (!over_ && (report_.done() || report_.error())) over_ = Clock::now();
    if (!tail_->unwritable().empty()) return end({});
    if (over_) {
      if (seconds_since(*over_) > request_.grace_s) end({});
      return;
    }
    if (seconds_since(begun_) > request_.start_timeout_s / kFirstMinute) {
      if (is_foreign(report_)) return end({.foreign = true});
      note_missing_loop();
    }
    if (seconds_since(report_.started() ? heard_ : std::max(heard, heard_)) > request_.start_timeout_s)
      end({.silent = true});
  }
  bool has_ended() const { return !job_; }
  Clock::time_point heard() const { return heard_; }  ///< when the last event came
  const io::process::HookReport& report() const { return report_; }
  /// Keeps the result and records the start, once it has ended. Throws JobFailed.
  void finish() {
    warn_of_left(ended_.left, console_);
    if (report_.programs() == 1 && has_order_ && !on_) return refuse_changes(start_);
    if (report_.programs() == 1 && report_.done()) return keep(on_ ? *on_ : start_, seconds_);
    const std::vector<std::string> changes = changes_by(report_, *folder_.old_files);
    if (!changes.empty()) console_.warn(fmt::format("{}: {}", log_, listed(changes)));
    warn_of_staying();
    throw failure_of(report_, ended_, log_, build_, request_);
  }
  const std::string& log() const { return log_; }

 private:
  /// Keeps the order, and gives the job its plan. Returns whether the job goes on.
  bool go_on(JobProgress& progress) {
    has_order_ = true;
    std::string plan;
    progress.pause();
    if (report_.programs() == 1) {
      keep(start_, seconds_since(begun_));
      plan = start_.at_order();
    }
    const std::string to_come = folder_.unfinished(kPlanToCome), part = to_come + ".part";
    io::stream::Output out(part);
    if (!plan.empty()) out.write(io::stream::Input::open(plan).read_all());
    out.commit();
    if (!plan.empty())
      on_ = {.verb = "measure", .process = 1, .output = start_.goes_on, .log = start_.log, .plan = plan};
    begun_ = Clock::now();
    fs::rename(part, to_come);
    progress.begin(fs::path(plan.empty() ? start_.output : start_.goes_on).stem());
    return on_.has_value();
  }
  /// Prints what the companion says of a job that goes on.
  void print_meanwhile() {
    for (; printed_ < report_.meanwhile().size(); ++printed_)
      console_.note(fmt::format("{}: {}", log_, report_.meanwhile()[printed_]));
  }
  /// Says once that the job has imported no PyTorch so far: it may prepare, or need a line to be found.
  void note_missing_loop() {
    if (has_said_missing_ || report_.held() || !report_.library() || !folder_.record.starts.empty()) return;
    has_said_missing_ = true;
    console_.note(
        fmt::format("{}: so far {}; if it trains already: {}", log_, foreign_text(*report_.library()), kIterate));
  }
  /// The other start of the duet goes on alone: it looks whether the folder is there.
  void end_duet() const {
    std::error_code gone_before;
    if (!start_.duet.empty()) fs::remove_all(start_.duet, gone_before);
  }
  /// Reads the last of a job that has ended, or is to. `how`: without its last two members.
  void end(Ended how) {
    job_->end();
    end_duet();
    report_.read();
    tail_->read_to_end();
    seconds_ = seconds_since(begun_);
    ended_ = std::move(how);
    ended_.unwritable = tail_->unwritable();
    ended_.left = job_->left();
    job_.reset();
  }
  /// Keeps the result of this work and records it; `seconds`: what it took.
  void keep(const HookedStart& work, double seconds) {
    notes_ = report_notes(report_, work, notes_, console_);
    keep_files(work);
    std::erase_if(folder_.record.starts, [&](const auto& earlier) { return earlier.output == work.output; });
    JobStart& record = folder_.record.starts.emplace_back(JobStart{report_.facts()});
    record.build = build_.name;
    record.verb = work.verb;
    record.process = work.process;
    record.begun = date_;
    record.output = work.output;
    record.log = work.log;
    record.kept = kept_by(report_);
    for (const auto& [name, value] : environment_)
      record.environment.emplace_back(name, request_.secrets.hidden_in(value));
    record.seconds = seconds - record.waited_s;
    record.after_order = &work != &start_;
    if (work.process > 0) record.machine = machine_;
    if (!record.after_order) record.ready_s = ready_s_;
    refuse_changes(work);
  }
  void keep_files(const HookedStart& work) {
    const std::string stretch = io::artifacts::stretch_of(work.output);
    const bool has_stretch = fs::exists(folder_.unfinished(stretch));
    if (has_stretch) folder_.keep(stretch);
    keep_traces(folder_, work.output);
    folder_.keep(work.output);
    if (work.verb != "order") folder_.record.cost.batches += report_.facts().batches;
    if (has_stretch) folder_.record.cost.batches += rows_of(folder_, stretch);
  }
  /// Records the old files that the job has really changed. Throws JobFailed for them, unless they are allowed.
  void refuse_changes(const HookedStart& work) {
    const std::vector<std::string> changes = changes_by(report_, *folder_.old_files);
    const auto record = std::ranges::find(folder_.record.starts, work.output, &JobStart::output);
    if (record != folder_.record.starts.end()) {
      const io::process::NewFiles files = io::process::read_new_files(places_.new_files);
      record->changed = changes;
      record->removed = files.removed;
      record->staying = staying_of(files);
    }
    folder_.save();
    if (changes.empty() || request_.allow_writes) return;
    warn_of_staying();
    throw real_changes(changes, log_, build_, request_);
  }

  /// Names the new files that a failed job leaves.
  void warn_of_staying() const {
    const std::string stay = staying_text(staying_of(io::process::read_new_files(places_.new_files)));
    if (!stay.empty()) console_.warn(fmt::format("{}: {}", log_, stay));
  }

  const RunRequest& request_;
  const io::artifacts::Build& build_;
  const HookedStart& start_;
  const io::process::Machine& machine_;
  RunFolder& folder_;
  Console& console_;
  Places places_;
  Variables environment_;
  std::string date_;
  io::process::HookReport report_;
  std::string log_;
  std::optional<io::process::Job> job_;  ///< until it has ended
  std::optional<LogTail> tail_;
  Ended ended_;
  Clock::time_point begun_ = Clock::now(), heard_ = begun_;
  std::optional<Clock::time_point> over_;  ///< when the result or an error was reported
  double ready_s_ = 0;                     ///< until it had trained on a batch
  double seconds_ = 0;                     ///< until it had ended
  bool has_order_ = false;                 ///< whether the order is kept, and the job was to go on, or to end
  std::size_t notes_ = 0, printed_ = 0;    ///< notes, and lines of a job that goes on, that were printed
  bool has_said_missing_ = false;          ///< that the job has imported no PyTorch
  std::optional<HookedStart> on_;          ///< what it goes on to
};

/// Waits until all jobs have ended.
void watch(std::deque<Start>& starts, JobProgress& progress) {
  Clock::time_point heard = Clock::now();
  for (;; std::this_thread::sleep_for(kLook)) {
    std::size_t ended = 0;
    std::uint64_t batches = 0;
    for (Start& start : starts) {
      if (!start.has_ended()) start.look(heard, progress);
      heard = std::max(heard, start.heard());
      batches += start.report().batches();
      ended += start.has_ended() ? 1 : 0;
    }
    if (ended == starts.size()) return;
    if (starts.size() > 1)
      progress.show(ended, starts.size(), batches);
    else
      progress.show(starts.front().report());
  }
}

/// Finishes all in their order. Throws the first failure, once all others are warnings.
void finish(std::deque<Start>& starts, Console& console) {
  std::optional<JobFailed> failed;
  for (Start& start : starts) try {
      start.finish();
    } catch (const JobFailed& failure) {
      if (failed)
        console.warn(fmt::format("{}: {}", failure.log(), failure.what()), failure.hint());
      else
        failed = failure;
    }
  if (failed) throw JobFailed(*failed);
}

// --- the end of a log ----------------------------------------------------------------------------------------------

/// What a terminal shows of a line: a progress bar's last state.
std::string shown_of(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  return std::string(line.substr(line.rfind('\r') + 1));  // npos + 1 is 0
}

/// At most 300 bytes from the end of a line.
std::string end_of(const std::string& line) {
  constexpr std::size_t kMost = 300;
  return line.substr(line.size() - std::min(line.size(), kMost));
}

/// The line; of one of more than 1,000 bytes its beginning and its end.
std::string with_ends(const std::string& line) {
  constexpr std::size_t kMost = 1000, kBegin = 700;
  return line.size() <= kMost ? line : fmt::format("{} [...] {}", line.substr(0, kBegin), end_of(line));
}

}  // namespace

std::vector<std::string> last_lines(const JobFailed& failure, const io::text::Secrets& secrets) {
  constexpr std::ptrdiff_t kLines = 10;
  constexpr std::streamoff kMostBytes = 64 * 1024;
  std::ifstream file(failure.log(), std::ios::binary | std::ios::ate);
  const std::streamoff left_out = std::max<std::streamoff>(file.tellg() - kMostBytes, 0);
  file.seekg(left_out);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> lines;
  for (std::string_view rest = text; !rest.empty();) lines.push_back(shown_of(io::stream::take_line(rest)));
  if (left_out > 0 && lines.size() > 1) lines.erase(lines.begin());  // half a line may have half a secret
  if (left_out > 0 && lines.size() == 1) lines.front() = "[...] " + end_of(lines.front());
  lines.erase(lines.begin(), lines.end() - std::min(std::ssize(lines), kLines));
  for (std::string& line : lines) line = with_ends(secrets.hidden_in(line));
  return lines;
}

void tell(const JobFailed& failure, const io::text::Secrets& secrets, Console& console) {
  for (const std::string& line : last_lines(failure, secrets)) console.line("  | " + line, Verbosity::silent);
  console.error(fmt::format("{}: {}", failure.log(), failure.what()), failure.hint(), Words::of_a_job);
}

void run_hooked(const RunRequest& request, std::vector<StartOfBuild> asked, RunFolder& folder, Console& console) {
  prepare(folder);
  const io::process::Machine machine = io::process::look_at_machine();
  std::deque<Start> starts;
  for (const StartOfBuild& each : asked) starts.emplace_back(request, each, machine, folder, console).begin();
  {
    JobProgress progress(console, fs::path(asked.front().start.output).stem());
    watch(starts, progress);
  }
  finish(starts, console);
}

}  // namespace seqpoint::cli::job
