#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <forward_list>
#include <system_error>

#include "cli/commands/command.hpp"
#include "cli/options/dataset_inputs.hpp"
#include "cli/options/exports.hpp"
#include "cli/progress.hpp"
#include "core/numbers.hpp"
#include "core/select/select.hpp"
#include "io/artifacts/files.hpp"
#include "io/stream/output.hpp"
#include "io/text/command_words.hpp"
#include "io/views/tables.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::commands {
namespace {

struct PlanRequest {
  std::string seqpoints;
  std::string folder;                      ///< empty only with dry_run
  select::PlanParams params;               ///< processes are set after the selection is read
  std::optional<std::uint64_t> processes;  ///< nothing: as the selection advises
  bool dry_run = false;
  OptionsInForce options;
};

constexpr std::uint64_t kMaxRepeats = 1'000'000;

/// A parser that sets `to` to a whole number from `least` to kMaxRepeats, or to nothing for "auto".
Take count_or_auto(std::uint64_t least, std::optional<std::uint64_t>& to) {
  return [least, &to](const std::string& name, const std::string& text) {
    const auto count = number_in<std::uint64_t>(text);  // nothing for "auto"
    if (text != "auto" && (!count || *count < least || *count > kMaxRepeats))
      throw UsageError(fmt::format("{} must be auto, or {} to {}, and not '{}'", name, least, kMaxRepeats, text));
    to = count;
  };
}

void declare(CLI::App& app, PlanRequest& o) {
  OptionGroup usual(app);
  usual.text("seqpoints", o.seqpoints, "SEQPOINTS", "points, as `seqpoint select` wrote them; - is standard input")
      ->required();
  usual.path("-o,--output", o.folder, "write the plan into this folder, which must be new or empty", "DIR");
  usual.count("--processes", o.processes,
              "processes to measure in; each measures every point [those of the selection, else 2]", 1,
              select::kMaxPlannedProcesses);
  usual.other("--warmup", "N|auto", count_or_auto(0, o.params.warmup),
              "batches of varied shapes before the first point; auto: a tenth of all. Each point also warms up once "
              "before its first measurement",
              "auto");
  usual.flag("--preflight", o.params.preflight,
             "run the largest batches first, unmeasured: a job short of memory fails at once");
  usual.other("--repeats", "N|auto", count_or_auto(1, o.params.repeats),
              "measurements of each point, over all processes, at different batches of its shape; auto: as the "
              "selection advises",
              "auto");
  usual.flag("--dry-run", o.dry_run, "write nothing: print the files that would be written");
}

/// A file of the plan's folder.
struct NewFile {
  std::string name;   ///< in the folder
  std::string bytes;  ///< its content
};

std::vector<NewFile> files_of(const PlanRequest& request, const io::artifacts::SeqpointsFile& source,
                              const select::Plan& plan) {
  const io::artifacts::PlanDocument document{source.selection, plan};
  const io::artifacts::Provenance made{.options = request.options, .inputs = {source.record}};
  return {{"rows.txt", io::artifacts::plan_rows(document)}, {"plan.json", io::artifacts::plan_json(document, made)}};
}

// --- the folder ----------------------------------------------------------------------------------------------------

namespace fs = std::filesystem;

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

/// A path to remove when a signal ends the program.
struct CreatedPath {
  std::string path;                       ///< a file or folder
  const CreatedPath* previous = nullptr;  ///< created before this one; null: the first
};

/// The head of the list of these paths. Entries of the list never change.
std::atomic<const CreatedPath*> latest_created{nullptr};
static_assert(std::atomic<const CreatedPath*>::is_always_lock_free);

/// A new folder with files. Unless commit() is called, all of it is removed again. One at a time.
class NewFolder {
 public:
  explicit NewFolder(std::string path) : path_(std::move(path)) {}
  /// Removes all that was created, unless commit() was called. Works even without memory.
  ~NewFolder() {
    remove_unfinished_folder();
    latest_created = nullptr;
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// Creates the folder, unless it exists and is empty. Throws UsageError if it is not a folder, contains something, or
  /// another program writes to it; OutputError if it cannot be created.
  void create() {
    create_folder(path_);
    if (!create_folder(path_ + kClaim))
      throw UsageError("-o: another seqpoint writes to " + path_ + ", or was ended while it did",
                       "name a new folder, or remove that one");
    if (holds_more_than_claim(path_))
      throw UsageError(fmt::format("-o: folder '{}' is not empty", path_), "name a new folder: -o plan");
  }
  /// Writes a file. Throws OutputError.
  void add(const NewFile& file) {
    const std::string path = path_ + "/" + file.name;
    record_created(path);
    io::stream::Output out(path);
    out.write(file.bytes);
    out.commit();
  }
  /// Keeps the files. Until then the folder contains an empty folder, kClaim. Throws OutputError.
  void commit() {
    std::error_code error;
    if (!fs::remove(path_ + kClaim, error)) throw OutputError(path_ + kClaim, error.value());
    latest_created = nullptr;
  }

 private:
  /// Creates a folder and records it for removal. False if it existed, or another program created it meanwhile. Throws
  /// UsageError if `path` is not a folder, OutputError if it cannot be created.
  bool create_folder(const std::string& path) {
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
  /// Adds a path to those that are removed again. To be called before the path is created: a signal may come between
  /// the two.
  void record_created(const std::string& path) {
    created_.push_front({path, latest_created});
    latest_created = &created_.front();
  }

  std::string path_;
  std::forward_list<CreatedPath> created_;  ///< the latest first
};

// --- messages ------------------------------------------------------------------------------------------------------

/// The number of measured executions, without warm-up, over all processes.
std::uint64_t measurements_of(const select::Plan& plan) {
  std::uint64_t measured = 0;
  for (const select::ProcessPlan& process : plan.processes)
    measured += static_cast<std::uint64_t>(std::ranges::count(process, false, &select::BatchExecution::warmup));
  return measured;
}

std::string extent_text(const select::Selection& selection, const select::Plan& plan) {
  return fmt::format("{} in {}: {}, of which {} are measured", counted(selection.points.size(), "point"),
                     counted(plan.processes.size(), "process"), counted(plan.executions(), "batch"),
                     measurements_of(plan));
}

/// The shell command that measures a job that trains with PyTorch: all processes one after the other.
std::string measure_command(const std::string& folder, std::size_t processes) {
  const std::string plan = io::text::shell_words(std::vector{folder + "/plan.json"});
  const std::string measure = "python3 -m seqpoint_companion measure " + plan + " -o ";
  if (processes == 1) return measure + "new.csv -- train.py";
  return fmt::format("for p in $(seq 0 {}); do SEQPOINT_PROCESS=$p {}new-$p.csv -- train.py; done", processes - 1,
                     measure);
}

/// Prints notes if no repeats are advised, if every process measures more than --repeats asks for, and if --repeats is
/// less than the selection advises.
void report_repeats(const PlanRequest& request, const select::Selection& selection, Console& console) {
  const bool advised = selection.method.repeats.has_value() ||
                       std::ranges::any_of(selection.points, [](const auto& point) { return point.repeats > 1; });
  if (!advised && !request.params.repeats)
    console.note("--repeats auto: the selection advises none, so every point is measured once in each process");
  if (!advised) return;
  std::uint64_t least = UINT64_MAX, all = 0;
  for (const select::Point& point : selection.points) {
    least = std::min(least, point.repeats);
    all += point.repeats;
  }
  const std::uint64_t processes = request.params.processes, repeats = request.params.repeats.value_or(least);
  if (repeats < processes)
    console.note(
        fmt::format("each of {} processes measures every point, so none is measured less than {} times: "
                    "--processes N says how many processes",
                    processes, processes));
  if (request.params.repeats && *request.params.repeats * selection.points.size() < all)
    console.note(fmt::format("{} a point; the selection advises {} in all (--repeats auto)",
                             counted(std::max(repeats, processes), "measurement"), counted(all, "measurement")));
}

/// Padded tokens of all executions of the plan.
std::uint64_t planned_tokens(const select::Plan& plan) {
  std::uint64_t tokens = 0;
  for (const select::ProcessPlan& process : plan.processes)
    for (const select::BatchExecution& step : process) tokens += plan.batches[step.batch].shape.padded_tokens();
  return tokens;
}

/// The cost of the plan, compared with the run.
void report_cost(const select::Plan& plan, const select::Selection& selection, Console& console) {
  const trace::RunSummary& run = selection.run;
  const std::uint64_t accumulation = selection.method.repeats ? selection.method.repeats->accumulation : 1;
  const std::uint64_t tokens = run.padded_tokens_of_rank();
  const auto share = [&](std::uint64_t part, std::uint64_t whole) {
    return io::views::number_text(100 * static_cast<double>(part) / static_cast<double>(whole), 3);
  };
  if (accumulation > 1)
    console.note(
        fmt::format("a job that accumulates gradients over {} batches repeats up to a quarter as many, to see "
                    "the optimiser step: docs/companion.md",
                    accumulation));
  console.note(
      fmt::format("{}, warm-up included: {} % of the run's{}", counted(plan.executions(), "batch"),
                  share(plan.executions(), run.iterations),
                  tokens > 0 ? fmt::format(", {} % of its padded tokens", share(planned_tokens(plan), tokens)) : ""));
}

void report_batches(const PlanRequest& request, const select::Selection& selection, const select::Plan& plan,
                    Console& console) {
  const auto largest = std::ranges::count(plan.processes.front(), true, &select::BatchExecution::preflight);
  if (request.params.preflight)
    console.note(fmt::format("preflight: {} first, as large as any of the run",
                             counted(static_cast<std::uint64_t>(largest), "step")));
  if (selection.points.front().samples.empty())
    console.note("the rows of the batches are not known: measure under the job's own loader, which makes them again");
}

// --- the command ---------------------------------------------------------------------------------------------------

Exit run(PlanRequest request, const CLI::App& app, Console& console) {
  if (request.folder.empty() && !request.dry_run)
    throw UsageError("-o is missing: the folder that the plan goes to", "-o plan; --dry-run writes nothing");
  request.options = options_in_force(app);
  NewFolder folder(request.folder);
  if (!request.dry_run) folder.create();  // early, in case it cannot be made
  const io::artifacts::SeqpointsFile source = io::artifacts::read_seqpoints(open_shown(request.seqpoints, console));
  for (const std::string& note : source.notes) console.note(note);
  const select::Selection& selection = source.selection;
  const auto advised = selection.method.repeats ? selection.method.repeats->processes : std::nullopt;
  request.params.processes = request.processes.value_or(advised.value_or(select::kDefaultProcesses));
  if (request.params.preflight && selection.largest.empty())
    throw InputError({request.seqpoints, 0, "largest"}, "is not there: the largest batches of the run are not known",
                     "make the file anew with `seqpoint select`, or leave out --preflight");
  const select::Plan plan = select::make_plan(selection, request.params);
  const std::vector<NewFile> files = files_of(request, source, plan);
  report_repeats(request, selection, console);
  report_cost(plan, selection, console);
  report_batches(request, selection, plan, console);
  if (request.dry_run) {
    std::string listing;
    for (const NewFile& file : files) listing += fmt::format("{}  {} bytes\n", file.name, file.bytes.size());
    write_text("-", listing + extent_text(selection, plan) + "\n");
    return kDone;
  }
  for (const NewFile& file : files) folder.add(file);
  folder.commit();
  console.note(fmt::format("{}: {}", request.folder, extent_text(selection, plan)));
  console.note("next: " + measure_command(request.folder, plan.processes.size()));
  return kDone;
}

}  // namespace

void remove_unfinished_folder() noexcept {
  for (const CreatedPath* made = latest_created; made != nullptr; made = made->previous)
    if (::unlink(made->path.c_str()) != 0) ::rmdir(made->path.c_str());
}

Command add_plan(CLI::App& program) {
  return add_command<PlanRequest>(program, "plan", "Write a measurement plan: order, warm-up, repeats",
                                  "Examples:\n"
                                  "  seqpoint plan points.json -o plan\n"
                                  "  seqpoint plan points.json -o plan --processes 3\n"
                                  "  seqpoint plan points.json --dry-run",
                                  declare, run);
}

}  // namespace seqpoint::cli::commands
