#include "cli/job/run_place.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "io/process/job.hpp"
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

bool is_decisive(std::string_view name) {
  const auto begins = [&](std::string_view with) { return name.starts_with(with); };
  const auto contains = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  return std::ranges::any_of(kDecisive, begins) && std::ranges::none_of(kSecret, contains);
}

/// "NAME=VALUE" of a text, or that there is none.
std::string value_text(const Texts& texts, const std::string& name) {
  const auto found = texts.find(name);
  return found == texts.end() ? fmt::format("without {}", name) : fmt::format("with {}={}", name, found->second);
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
    if (is_decisive(name) && name.size() < text.size())
      place.variables[as_stored(std::string(name))] = as_stored(std::string(text.substr(name.size() + 1)));
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
  for (const auto& [before, here] : {std::pair{&then.variables, &now.variables}, {&then.programs, &now.programs}})
    if (const std::string text = difference(*before, *here); !text.empty())
      throw UsageError(fmt::format("{} was begun {}", folder, text), "make it as it was, or begin a new run: -o DIR");
}

}  // namespace seqpoint::cli::job
