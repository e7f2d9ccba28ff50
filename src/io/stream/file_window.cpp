#include "io/stream/file_window.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "io/text/escape.hpp"

namespace seqpoint::io::stream {
namespace {

/// Files are read one after the other, so a window in use is nearly always of the last one.
std::array<char, 4096> last{"an input"};

/// Stores the path, printable and truncated, for last_path().
void remember(const std::string& path) {
  const std::string shown = text::printable(path).substr(0, last.size() - 1);
  if (shown != last.data()) std::copy_n(shown.c_str(), shown.size() + 1, last.data());
}

}  // namespace

std::string_view FileWindow::last_path() noexcept { return last.data(); }

std::shared_ptr<const FileWindow> FileWindow::map(int fd, const std::string& path, std::uint64_t offset,
                                                  std::size_t size) {
  remember(path);
#if defined(MAP_POPULATE)
  constexpr int kFlags = MAP_PRIVATE | MAP_POPULATE;  // all pages by one call, not by a fault each
#else
  constexpr int kFlags = MAP_PRIVATE;
#endif
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t begin = offset / page * page;
  const std::size_t whole = size + static_cast<std::size_t>(offset - begin);
  void* const memory = ::mmap(nullptr, whole, PROT_READ, kFlags, fd, static_cast<off_t>(begin));
  if (memory == MAP_FAILED) return nullptr;
  return std::shared_ptr<const FileWindow>(new FileWindow(memory, begin, whole));
}

FileWindow::~FileWindow() { ::munmap(memory_, size_); }

}  // namespace seqpoint::io::stream
