#include "io/stream/file_window.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace seqpoint::io::stream {

std::shared_ptr<const FileWindow> FileWindow::map(int fd, std::uint64_t offset, std::size_t size) {
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
