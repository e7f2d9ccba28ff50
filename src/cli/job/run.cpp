#include "cli/job/run.hpp"

#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string_view>

#include "cli/job/hooked_start.hpp"
#include "cli/job/run_state.hpp"
#include "cli/job/run_text.hpp"
#include "cli/progress.hpp"
#include "io/process/job.hpp"
#include "io/text/secrets.hpp"
#include "io/views/ci.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::job {
namespace {

// --- where a run takes place, compared with where it was begun -----------------------------------------------------

using io::artifacts::as_stored;
using io::artifacts::RunPlace;
using Texts = std::map<std::string, std::string>;

/// Beginnings of names: devices, threads, memory, libraries, Python, PyTorch and what it is built on.
constexpr std::array<std::string_view, 27> kDecisive{
    "CUDA_",        "NVIDIA_",    "NCCL_",    "HIP_",      "HSA_",     "ROCR_",   "OMP_",   "GOMP_",
    "KMP_",         "MKL_",       "BLIS_",    "OPENBLAS_", "NUMEXPR_", "MALLOC_", "GLIBC_", "LD_LIBRARY_PATH",
    "LD_PRELOAD",   "PYTHON",     "PYTORCH_", "TORCH",     "TRITON_",  "XLA_",    "HF_",    "TRANSFORMERS_",
    "CONDA_PREFIX", "WORLD_SIZE", "RANK"};
constexpr std::array<std::string_view, 4> kSecret{"TOKEN", "KEY", "SECRET", "PASSWORD"};
/// Those whose values are stored: numbers, switches, devices and paths.
constexpr std::array<std::string_view, 31> kPlain{"CONDA_PREFIX",
                                                  "CUDA_DEVICE_ORDER",
                                                  "CUDA_LAUNCH_BLOCKING",
                                                  "CUDA_MODULE_LOADING",
                                                  "CUDA_VISIBLE_DEVICES",
                                                  "HF_DATASETS_OFFLINE",
                                                  "HF_HUB_OFFLINE",
                                                  "HIP_VISIBLE_DEVICES",
                                                  "KMP_AFFINITY",
                                                  "KMP_BLOCKTIME",
                                                  "LD_LIBRARY_PATH",
                                                  "LD_PRELOAD",
                                                  "MALLOC_ARENA_MAX",
                                                  "MKL_NUM_THREADS",
                                                  "NCCL_DEBUG",
                                                  "NCCL_IB_DISABLE",
                                                  "NCCL_P2P_DISABLE",
                                                  "NUMEXPR_NUM_THREADS",
                                                  "NVIDIA_TF32_OVERRIDE",
                                                  "NVIDIA_VISIBLE_DEVICES",
                                                  "OMP_NUM_THREADS",
                                                  "OMP_PROC_BIND",
                                                  "OPENBLAS_NUM_THREADS",
                                                  "PYTHONHASHSEED",
                                                  "PYTHONPATH",
                                                  "PYTORCH_ALLOC_CONF",
                                                  "PYTORCH_CUDA_ALLOC_CONF",
                                                  "RANK",
                                                  "ROCR_VISIBLE_DEVICES",
                                                  "TRANSFORMERS_OFFLINE",
                                                  "WORLD_SIZE"};

/// The variables of this program's environment.
std::vector<std::pair<std::string, std::string>> environment() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    if (const std::size_t sign = text.find('='); sign != std::string::npos)
      variables.emplace_back(text.substr(0, sign), text.substr(sign + 1));
  }
  return variables;
}

/// The secrets of the builds' commands and of the environment.
io::text::Secrets secrets_of(std::span<const io::artifacts::Build> builds) {
  io::text::Secrets secrets;
  for (const auto& [name, value] : environment()) secrets.add_variable(name, value);
  for (const io::artifacts::Build& build : builds) secrets.add(build.words);
  return secrets;
}

bool is_decisive(std::string_view name) {
  const auto begins = [&](std::string_view with) { return name.starts_with(with); };
  const auto contains = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  return std::ranges::any_of(kDecisive, begins) && std::ranges::none_of(kSecret, contains);
}

/// Stores a variable, or its digest if its value may be a secret.
void store(RunPlace& place, std::string_view name, std::string_view value, const io::text::Secrets& secrets) {
  const std::string stored = as_stored(std::string(name));
  if (std::ranges::find(kPlain, name) != kPlain.end())
    place.variables[stored] = secrets.hidden_in(as_stored(std::string(value)));
  else
    place.digests[stored] = io::artifacts::secret_digest(value);
}

/// "NAME=VALUE" of a text, or that there is none.
std::string value_text(const Texts& texts, const std::string& name) {
  const auto found = texts.find(name);
  return found == texts.end() ? fmt::format("without {}", name) : fmt::format("with {}={}", name, found->second);
}

/// "with A=1, and not with A=2" of the first text that differs, or "with another A" if they are digests; empty if none
/// does.
std::string difference(const Texts& then, const Texts& now, bool are_digests) {
  Texts all = then;
  all.insert(now.begin(), now.end());
  for (const auto& [name, value] : all) {
    const std::string before = value_text(then, name), here = value_text(now, name);
    if (before == here) continue;
    if (!are_digests) return fmt::format("{}, and not {}", before, here);
    if (!then.contains(name)) return "without " + name;
    return (now.contains(name) ? "with another " : "with ") + name;
  }
  return "";
}

/// The working folder, the variables that may decide times or what is run, and the paths of the builds' programs and of
/// Python. Values of variables that are not known to be plain are digests; those that look like secrets are left out.
RunPlace place_here(const RunRequest& request) {
  RunPlace place{.folder = as_stored(std::filesystem::current_path().string())};
  for (const auto& [name, value] : environment())
    if (is_decisive(name)) store(place, name, value, request.secrets);
  std::vector<std::string> programs{"python3", "python"};
  for (const io::artifacts::Build& build : request.job.builds) programs.push_back(build.words.front());
  for (const std::string& program : programs)
    if (const std::string path = io::process::path_of_program(program); !path.empty())
      place.programs[as_stored(program)] = as_stored(path);
  return place;
}

/// Throws UsageError with the values that are stored if the places differ. `folder`: of the run.
void require_same_place(const RunPlace& then, const RunPlace& now, const std::string& folder) {
  if (then.folder != now.folder)
    throw UsageError(fmt::format("{} was begun in {}, and not in {}", folder, then.folder, now.folder),
                     "change to that folder, or begin a new run: -o DIR");
  for (const std::string& text :
       {difference(then.variables, now.variables, false), difference(then.digests, now.digests, true),
        difference(then.programs, now.programs, false)})
    if (!text.empty())
      throw UsageError(fmt::format("{} was begun {}", folder, text), "make it as it was, or begin a new run: -o DIR");
}

// --- the command ---------------------------------------------------------------------------------------------------

/// The test report of a run without a result. `failed`: the build whose job failed; empty: not known.
std::string failed_report(const RunRequest& request, const std::string& failed, const std::string& reason) {
  std::vector<std::string> builds;
  for (const io::artifacts::Build& build : request.job.builds) builds.push_back(build.name);
  if (builds.empty()) builds.emplace_back("run");  // --resume: the folder is not read yet
  return io::views::failed_junit("seqpoint.run", builds, failed, reason);
}

/// Replaces test reports of an earlier run, which CI would read if this one is refused, or ended by a signal. A file
/// that is no XML is none. A link may lead to an open descriptor, to which a second report would be appended.
void replace_earlier_reports(const RunRequest& request) {
  std::error_code none;
  for (const auto& [format, path] : request.exports.exports) {
    if (format != ExportFormat::junit) continue;
    if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(path, none))) continue;
    std::string first(5, ' ');
    std::ifstream(path).read(first.data(), 5);
    if (first == "<?xml")
      write_text(path, failed_report(request, "", "the run was refused, or ended before it had a result"));
  }
}

/// Tells CI that a run has no result, as far as that was asked for: in an annotation and in the test report.
void export_failure(const RunRequest& request, const std::string& failed, const std::string& reason, Console& console) {
  report_ci(request.ci, {.title = "seqpoint run", .table = {}, .warnings = {}, .failures = {reason}}, {},
            !request.exports.to_stdout(), console);
  for (const auto& [format, path] : request.exports.exports)
    if (format == ExportFormat::junit) write_text(path, failed_report(request, failed, reason));
}

Exit run(RunOptions given, const CLI::App& app, Console& console) {
  RunRequest request = request_of(std::move(given), app);
  replace_earlier_reports(request);
  request.secrets = secrets_of(request.job.builds);
  RunFolder folder(request.folder, request.resume);
  const bool is_begun = !folder.record.request.builds.empty();
  if (is_begun) adopt(request, folder.record);
  const RunPlace place = place_here(request);
  if (is_begun) require_same_place(folder.record.place, place, request.folder);
  request.rule.gated = request.limit.max_regression.has_value();
  request.rule.keeps_price = request.rule.keeps_price && !request.rule.gated;
  folder.record.request = without_secrets(request.job, request.secrets);
  folder.record.limit = request.limit;
  folder.record.place = place;
  folder.save();
  if (console.verbosity() >= Verbosity::normal)
    set_last_words(step_line("next", resume_command(request.folder)) + "\n");
  { const Exports probe(request.exports); }  // reports an unwritable output before anything is measured
  try {
    RunState state(request, folder, console);
    return request.record ? record(state) : measure(state);
  } catch (const InputError& refused) {
    export_failure(request, "", request.secrets.hidden_in(refused.what()), console);
    throw;
  } catch (const JobFailed& failure) {
    tell(failure, request.secrets, console);
    export_failure(
        request, failure.build(),
        fmt::format("{}: {}\n{}", failure.log(), failure.what(), fmt::join(last_lines(failure, request.secrets), "\n")),
        console);
    return failure.status();
  }
}

}  // namespace

Command add_run(CLI::App& program) {
  return add_command<RunOptions>(
      program, "run", "Measure a training job: epoch time, or a verdict between builds",
      "Examples:\n"
      "  seqpoint run -- python3 train.py --config chat.yaml\n"
      "  seqpoint run --max-regression 3% old='bash old.sh' new='bash new.sh'\n"
      "  seqpoint run --resume seqpoint-run --precision 1%\n"
      "  seqpoint run --record --resume seqpoint-run\n"
      "Any command works whose Python processes keep PYTHONPATH: bash train.sh, torchrun, accelerate launch, make, "
      "srun",
      declare, run);
}

}  // namespace seqpoint::cli::job
