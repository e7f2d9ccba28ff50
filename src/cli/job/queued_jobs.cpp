#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/job/run.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::job {
namespace {

using Words = std::vector<std::string>;

constexpr auto kQueued = "returns before its job starts, and there would be nothing to measure",
               kElsewhere = "starts its job where nothing of this environment arrives, so it cannot be measured",
               kInScript = ", or put `seqpoint run` into the job's script";

/// A command that submits a job.
struct Launcher {
  std::vector<std::string_view> words;  ///< the program, and words that follow it in this order
  std::vector<std::string_view> waits;  ///< options with which it waits for the job
  std::string_view fault;
  std::string hint;
};

const std::array<Launcher, 9>& launchers() {
  const std::string container = "make the container's command: seqpoint run -- COMMAND";
  static const std::array<Launcher, 9> kAll{{
      {{"sbatch"}, {"--wait", "-W"}, kQueued, std::string("sbatch --wait waits for it") + kInScript},
      {{"qsub"},
       {"-sync", "block=true", "-Wblock=true", "-I"},
       kQueued,
       std::string("qsub -V -sync y (Grid Engine) or qsub -V -W block=true (PBS) waits for it") + kInScript},
      {{"bsub"}, {"-K", "-I", "-Ip", "-Is"}, kQueued, std::string("bsub -K waits for it") + kInScript},
      {{"ray", "job", "submit"}, {}, kElsewhere, "submit the run: ray job submit -- seqpoint run -- COMMAND"},
      {{"kubectl", "apply"}, {}, kElsewhere, container},
      {{"kubectl", "create"}, {}, kElsewhere, container},
      {{"kubectl", "run"}, {}, kElsewhere, container},
      {{"at"}, {}, kQueued, "let it start the run: echo 'seqpoint run -- COMMAND' | at TIME"},
      {{"batch"}, {}, kQueued, "let it start the run: echo 'seqpoint run -- COMMAND' | batch"},
  }};
  return kAll;
}

/// A command that starts its job on a machine of its own.
struct Placing {
  std::string_view program;
  std::vector<std::string_view> hosts{};  ///< options, one of which it needs for that; none: it always may
};

const std::array<Placing, 14>& placing_launchers() {
  static const std::array<Placing, 14> kAll{{
      {"srun"},
      {"sbatch"},
      {"salloc"},
      {"qsub"},
      {"bsub"},
      {"jsrun"},
      {"flux"},
      {"aprun"},
      {"ray"},
      {"kubectl"},
      {"ssh"},
      {"mpirun", {"-H", "-host", "--host", "-hosts", "-hostfile", "--hostfile", "-machinefile", "--machinefile"}},
      {"mpiexec", {"-H", "-host", "--host", "-hosts", "-hostfile", "--hostfile", "-f", "-machinefile"}},
      {"pdsh", {"-w"}},
  }};
  return kAll;
}

/// The name of a program in PATH or at an absolute path; a relative path is a script of the user's.
std::string program_name(const std::string& word) {
  const std::size_t slash = word.rfind('/');
  return slash != std::string::npos && word.starts_with('/') ? word.substr(slash + 1) : word;
}

/// Whether a simple command is this launcher's. What follows `--` belongs to the job.
bool is_of(const Launcher& launcher, const Words& command) {
  if (program_name(command.front()) != launcher.words.front()) return false;
  auto wanted = launcher.words.begin() + 1;
  for (auto word = command.begin() + 1; word != command.end() && *word != "--" && wanted != launcher.words.end();
       ++word)
    if (*wanted == *word) ++wanted;
  return wanted == launcher.words.end();
}

bool waits(const Launcher& launcher, const Words& command) {
  return std::ranges::any_of(command, [&](const std::string& word) {
    return std::ranges::find(launcher.waits, word) != launcher.waits.end();
  });
}

/// The words of a command without what stands before its program: assignments, keywords of the shell, and programs that
/// start another one.
Words from_program(Words words) {
  constexpr std::array<std::string_view, 12> kLaunchesBefore{"exec", "nohup", "env",  "time", "nice", "command",
                                                             "then", "do",    "else", "if",   "!",    "{"};
  const auto is_before = [&](const std::string& word) {
    return std::ranges::find(kLaunchesBefore, word) != kLaunchesBefore.end() || word.find('=') != std::string::npos;
  };
  words.erase(words.begin(), std::ranges::find_if_not(words, is_before));
  return words;
}

/// The simple commands of a shell text, each as its words. Quotes keep a word together; what they contain is no
/// command.
std::vector<Words> commands_in(const std::string& text) {
  std::vector<Words> commands(1);
  std::string word;
  char quote = '\0';
  const auto end_word = [&] {
    if (!word.empty()) commands.back().push_back(std::exchange(word, {}));
  };
  for (const char c : text + "\n") {
    const bool is_quote = quote == '\0' ? c == '\'' || c == '"' : c == quote;
    if (is_quote) {
      quote = quote == '\0' ? c : '\0';
    } else if (quote != '\0' || std::string_view(" \t\n;&|()").find(c) == std::string_view::npos) {
      word += c;
    } else {
      end_word();
      if (c != ' ' && c != '\t') commands.emplace_back();
    }
  }
  return commands;
}

/// The launcher that the command calls without waiting; null if there is none.
const Launcher* launcher_of(const Words& command) {
  if (command.empty()) return nullptr;
  const auto found = std::ranges::find_if(
      launchers(), [&](const Launcher& launcher) { return is_of(launcher, command) && !waits(launcher, command); });
  return found == launchers().end() ? nullptr : &*found;
}

/// Whether a simple command starts its job on a machine of its own.
bool places(const Words& command) {
  if (command.empty()) return false;
  const auto found = std::ranges::find(placing_launchers(), program_name(command.front()), &Placing::program);
  if (found == placing_launchers().end() || found->hosts.empty()) return found != placing_launchers().end();
  return std::ranges::any_of(command, [&](const std::string& word) {
    return std::ranges::find(found->hosts, std::string_view(word).substr(0, word.find('='))) != found->hosts.end();
  });
}

/// The simple commands of a build.
std::vector<Words> commands_of(const io::artifacts::Build& build) {
  const bool in_shell = build.words.size() == 3 && build.words[1] == "-c";
  return in_shell ? commands_in(build.words[2]) : std::vector<Words>{build.words};
}

}  // namespace

void require_waiting(std::span<const io::artifacts::Build> builds) {
  for (const io::artifacts::Build& build : builds)
    for (const Words& words : commands_of(build))
      if (const Launcher* const launcher = launcher_of(from_program(words)))
        throw UsageError(fmt::format("{} {}", fmt::join(launcher->words, " "), launcher->fault), launcher->hint);
}

void require_launchers(std::span<const io::artifacts::Build> builds, std::uint64_t parallel) {
  for (const io::artifacts::Build& build : builds)
    if (std::ranges::none_of(commands_of(build), [](const Words& words) { return places(from_program(words)); }))
      throw UsageError(
          fmt::format("--parallel {}: {} starts its processes on this machine, where they would slow each "
                      "other down",
                      parallel, builds.size() > 1 ? build.name : "the command"),
          "let a launcher place each on a machine of its own: -- srun --exclusive -N1 COMMAND; the command "
          "has to name it, also if a script of yours calls it");
}

}  // namespace seqpoint::cli::job
