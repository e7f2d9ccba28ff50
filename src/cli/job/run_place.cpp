#include "cli/job/run_place.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "io/process/job.hpp"
#include "io/text/command_words.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::job {
namespace {

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

bool is_decisive(std::string_view name) {
  const auto begins = [&](std::string_view with) { return name.starts_with(with); };
  const auto contains = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  return std::ranges::any_of(kDecisive, begins) && std::ranges::none_of(kSecret, contains);
}

/// Stores a variable, or its digest if its value may be a secret.
void store(RunPlace& place, std::string_view name, std::string_view value) {
  const std::string stored = as_stored(std::string(name));
  if (std::ranges::find(kPlain, name) != kPlain.end())
    place.variables[stored] = io::text::without_secrets(as_stored(std::string(value)));
  else
    place.digests[stored] = io::artifacts::secret_digest(value);
}

/// "NAME=VALUE" of a text, or that there is none.
std::string value_text(const Texts& texts, const std::string& name) {
  const auto found = texts.find(name);
  return found == texts.end() ? fmt::format("without {}", name) : fmt::format("with {}={}", name, found->second);
}

/// "with another A" of the first text that differs; empty if none does.
std::string difference_of_digests(const Texts& then, const Texts& now) {
  Texts all = then;
  all.insert(now.begin(), now.end());
  for (const auto& [name, digest] : all) {
    if (!then.contains(name)) return "without " + name;
    if (!now.contains(name)) return "with " + name;
    if (then.at(name) != now.at(name)) return "with another " + name;
  }
  return "";
}

/// "with A=1, and not with A=2" of the first text that differs; empty if none does.
std::string difference(const Texts& then, const Texts& now) {
  Texts all = then;
  all.insert(now.begin(), now.end());
  for (const auto& [name, value] : all) {
    const std::string before = value_text(then, name), here = value_text(now, name);
    if (before != here) return fmt::format("{}, and not {}", before, here);
  }
  return "";
}

}  // namespace

RunPlace place_here(std::span<const io::artifacts::Build> builds) {
  RunPlace place{.folder = as_stored(std::filesystem::current_path().string())};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    if (is_decisive(name) && name.size() < text.size()) store(place, name, text.substr(name.size() + 1));
  }
  std::vector<std::string> programs{"python3", "python"};
  for (const io::artifacts::Build& build : builds) programs.push_back(build.words.front());
  for (const std::string& program : programs)
    if (const std::string path = io::process::path_of_program(program); !path.empty())
      place.programs[as_stored(program)] = as_stored(path);
  return place;
}

void require_same_place(const RunPlace& then, const RunPlace& now, const std::string& folder) {
  if (then.folder != now.folder)
    throw UsageError(fmt::format("{} was begun in {}, and not in {}", folder, then.folder, now.folder),
                     "change to that folder, or begin a new run: -o DIR");
  for (const std::string& text :
       {difference(then.variables, now.variables), difference_of_digests(then.digests, now.digests),
        difference(then.programs, now.programs)})
    if (!text.empty())
      throw UsageError(fmt::format("{} was begun {}", folder, text), "make it as it was, or begin a new run: -o DIR");
}

}  // namespace seqpoint::cli::job
