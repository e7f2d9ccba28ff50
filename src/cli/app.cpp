// The program, and the translation of results and exceptions into an exit status.
#include "cli/app.hpp"

#include <fmt/core.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/options/exports.hpp"
#include "cli/progress.hpp"
#include "io/process/job.hpp"
#include "io/stream/file_window.hpp"
#include "io/stream/output.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli {
namespace {

/// Handler of signals that end the program: removes the progress line, prints the last words, ends the user's job,
/// removes unfinished files, and exits with kInterrupted.
extern "C" void on_interrupt(int) {
  end_progress();
  print_last_words();
  io::process::end_jobs();
  io::stream::remove_unfinished_outputs();
  commands::remove_unfinished_folder();
  ::_exit(kInterrupted);
}

/// Handler of SIGBUS: another program truncated a mapped input. Removes unfinished files, names the input, and exits
/// with kBadInput.
extern "C" void on_lost_input(int) {
  constexpr std::string_view kBegin = "seqpoint: error: ",
                             kEnd = " became shorter while it was read, or cannot be read any more\n";
  end_progress();
  io::stream::remove_unfinished_outputs();
  commands::remove_unfinished_folder();
  for (const std::string_view part : {kBegin, io::stream::FileWindow::last_path(), kEnd})
    if (::write(STDERR_FILENO, part.data(), part.size()) < 0) ::_exit(kOurFault);
  ::_exit(kBadInput);
}

/// Writes an error and returns kCannotWrite; kOurFault if the message cannot be written. Needs no memory.
Exit out_of_memory() noexcept {
  constexpr std::string_view kMessage =
      "seqpoint: error: out of memory\n  hint: allow the program more memory, or give it less data at once\n";
  end_progress();
  return ::write(STDERR_FILENO, kMessage.data(), kMessage.size()) < 0 ? kOurFault : kCannotWrite;
}

/// Handler of std::terminate(). If the cause is std::bad_alloc, or there was no memory even for an exception, removes
/// unfinished files and exits like out_of_memory(). Aborts for any other exception.
[[noreturn]] void on_terminate() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
  } catch (...) {
    std::abort();
  }
  io::stream::remove_unfinished_outputs();
  commands::remove_unfinished_folder();
  ::_exit(out_of_memory());
}

/// Sets the handlers above. SIGPIPE and SIGXFSZ become errors of write(). Signals that are ignored from the start stay
/// ignored.
void set_signals() {
  std::signal(SIGBUS, on_lost_input);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write(), which we handle
  std::signal(SIGXFSZ, SIG_IGN);  // so is a file beyond the size limit
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2}) {
    struct sigaction inherited {};
    ::sigaction(number, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) std::signal(number, on_interrupt);  // nohup ignores SIGHUP
  }
}

/// Opens closed standard descriptors in the wrong direction: no file of ours gets their number, and reading and writing
/// them still fails.
void occupy_standard_descriptors() {
  for (const auto& [descriptor, mode] :
       {std::pair{STDIN_FILENO, O_WRONLY}, {STDOUT_FILENO, O_RDONLY}, {STDERR_FILENO, O_RDONLY}})
    if (::fcntl(descriptor, F_GETFD) < 0 && ::open("/dev/null", mode) != descriptor) ::_exit(kCannotWrite);
}

/// Prints every problem on its own line, then the number of those that are not listed; the hint follows the last line.
void tell(const InputError& error, Console& console) {
  const auto& problems = error.problems();
  for (std::size_t i = 0; i + 1 < problems.size(); ++i) console.error(problems[i].message());
  console.error(problems.back().message(), error.unlisted() == 0 ? error.hint() : "");
  if (error.unlisted() > 0) console.error("and " + counted(error.unlisted(), "more problem"), error.hint());
}

/// A way out for an error of writing, by its errno; never empty.
std::string hint_for(int error_number) {
  switch (error_number) {
    case ENOSPC: return "make room, or write to another disk";
    case ENOENT:
    case ENOTDIR: return "the folder does not exist: make it first";
    case EISDIR: return "it is a folder: name a file in it";
    case EACCES:
    case EPERM:
    case EROFS: return "write to a place that is yours";
    default: return "write to another place";
  }
}

/// Runs the program; prints exceptions and converts them to exit statuses. Rethrows std::bad_alloc only.
Exit guarded(int argc, const char* const* argv, Console& console) {
  try {
    return commands::run_program(argc, argv, console);
  } catch (const UsageError& error) {
    console.error(error.what(), error.hint());
    return kBadUsage;
  } catch (const InputError& error) {
    tell(error, console);
    return kBadInput;
  } catch (const OutputError& error) {
    if (error.closed_pipe()) return kClosedPipe;
    if (error.error_number() == ENOMEM) return out_of_memory();
    console.error(error.what(), hint_for(error.error_number()));
    return kCannotWrite;
  } catch (const std::bad_alloc&) {
    throw;  // handled where no message needs memory
  } catch (const std::system_error& error) {
    const bool gone = error.code() == std::errc::no_such_file_or_directory;
    console.error(std::string("the system refuses: ") + error.what(),
                  gone ? "change to a folder that exists" : "`ulimit -a` shows what is limited");
    return kCannotWrite;
  } catch (const std::exception& error) {
    console.error(std::string("internal error: ") + error.what(),
                  "this is our fault, please report it with the command and its input");
    return kOurFault;
  }
}

}  // namespace

int run(int argc, const char* const* argv) {
  std::set_terminate(on_terminate);
  occupy_standard_descriptors();
  set_signals();
  try {
    Console console;
    return guarded(argc, argv, console);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace seqpoint::cli
