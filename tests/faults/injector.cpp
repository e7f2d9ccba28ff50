// Loaded into a program before libc (LD_PRELOAD), this lets calls fail as they rarely do. The environment says which:
//
//   SEQPOINT_FAULT=KIND:N:EFFECT    the N-th call of a kind that main() makes, counted from 1; N+: and all after it
//     errno=E    it fails with that errno (a close closes nevertheless, as Linux does)
//     short=B    of a read or write: it does at most B bytes
//     signal=S   the process gets that signal before the call
//   SEQPOINT_FAULT_REPORT=FILE      where "KIND CALLS" is written at main's end, and "hit WHAT" when a fault strikes
//
// What the loader and libraries do before main() is not counted. <fcntl.h> is left out: it declares open() with "...",
// of which the mode could not be handed on.
#include <dlfcn.h>
#include <linux/fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

enum Kind { kOpen, kRead, kWrite, kEntry, kStat, kSync, kMap, kMemory, kClose, kThread, kRandom, kKinds };
constexpr std::array<std::string_view, kKinds> kNames{"open", "read",   "write", "entry",  "stat",  "sync",
                                                      "map",  "memory", "close", "thread", "random"};

struct Fault {
  Kind kind = kKinds;  ///< kKinds: none
  long first = 0;
  bool lasting = false;
  int error = 0, signal = 0;
  std::size_t most_bytes = 0;  ///< 0: all
};

Fault fault;
const char* report_path = nullptr;
std::array<std::atomic<long>, kKinds> calls;
std::atomic<bool> running{false}, was_hit{false};

/// No memory is allocated, as that may be what fails.
void report(std::string_view word, std::string_view value) {
  if (report_path == nullptr) return;
  std::array<char, 512> line{};
  const int size = std::snprintf(line.data(), line.size(), "%.*s %.*s\n", static_cast<int>(word.size()), word.data(),
                                 static_cast<int>(value.size()), value.data());
  const long fd = syscall(SYS_openat, AT_FDCWD, report_path, O_WRONLY | O_CREAT | O_APPEND, 0666);
  syscall(SYS_write, fd, line.data(), static_cast<std::size_t>(size));
  syscall(SYS_close, fd);
}

/// A descriptor's path, or what it is in place of a file.
std::string_view name_of(int fd, std::array<char, 256>& to) {
  std::array<char, 40> link{};
  std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", fd);
  const long size = syscall(SYS_readlink, link.data(), to.data(), to.size());
  return {to.data(), static_cast<std::size_t>(std::max(size, 0L))};
}

bool is_due(Kind kind) {
  if (!running) return false;
  const long number = ++calls[kind];
  return fault.kind == kind && (number == fault.first || (fault.lasting && number > fault.first));
}

/// Lets the fault strike: whether the call fails, with errno set.
bool strike(std::string_view what) {
  if (!was_hit.exchange(true)) report("hit", what);
  if (fault.signal != 0) syscall(SYS_tgkill, getpid(), static_cast<pid_t>(syscall(SYS_gettid)), fault.signal);
  errno = fault.error;
  return fault.error != 0;
}

bool fails(Kind kind, std::string_view what) { return is_due(kind) && strike(what); }
bool fails(Kind kind, int fd) {
  if (!is_due(kind)) return false;
  std::array<char, 256> name{};
  return strike(name_of(fd, name));
}

/// Of a read or write: -1 where it fails, else the bytes that it may do.
ssize_t allowed(Kind kind, int fd, std::size_t size) {
  if (!is_due(kind)) return static_cast<ssize_t>(size);
  std::array<char, 256> name{};
  if (strike(name_of(fd, name))) return -1;
  return static_cast<ssize_t>(fault.most_bytes == 0 ? size : std::min(size, fault.most_bytes));
}

int opened(int folder, const char* path, int flags, mode_t mode) {
  if (fails(kOpen, path)) return -1;
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

/// Of the name after this library's: libc's own function.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void read_fault(std::string_view text) {
  const auto kind = std::find(kNames.begin(), kNames.end(), text.substr(0, text.find(':')));
  if (kind == kNames.end()) return;
  text.remove_prefix(kind->size() + 1);
  fault.first = std::strtol(text.data(), nullptr, 10);
  fault.lasting = text.substr(0, text.find(':')).ends_with('+');
  text.remove_prefix(text.find(':') + 1);
  const auto equals = text.find('=');
  const long number = std::strtol(text.data() + equals + 1, nullptr, 10);
  if (text.starts_with("errno")) fault.error = static_cast<int>(number);
  if (text.starts_with("signal")) fault.signal = static_cast<int>(number);
  if (text.starts_with("short")) fault.most_bytes = static_cast<std::size_t>(number);
  fault.kind = static_cast<Kind>(kind - kNames.begin());
}

using Main = int(int, char**, char**);
Main* program_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  running = true;
  const int status = program_main(argc, argv, environment);
  running = false;
  for (int kind = 0; kind < kKinds; ++kind) {
    std::array<char, 24> number{};
    std::snprintf(number.data(), number.size(), "%ld", calls.at(kind).load());
    report(kNames.at(kind), number.data());
  }
  return status;
}

}  // namespace

extern "C" {

int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(), void (*loader_fini)(),
                      void* stack_end) {
  program_main = main;
  report_path = std::getenv("SEQPOINT_FAULT_REPORT");
  if (const char* const text = std::getenv("SEQPOINT_FAULT")) read_fault(text);
  return next<int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*)>("__libc_start_main")(
      counted_main, argc, argv, init, fini, loader_fini, stack_end);
}

int open(const char* path, int flags, mode_t mode) { return opened(AT_FDCWD, path, flags, mode); }
int open64(const char* path, int flags, mode_t mode) { return opened(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char* path, int flags, mode_t mode) { return opened(folder, path, flags, mode); }
int openat64(int folder, const char* path, int flags, mode_t mode) { return opened(folder, path, flags, mode); }
FILE* fopen(const char* path, const char* mode) {
  return fails(kOpen, path) ? nullptr : next<FILE*(const char*, const char*)>("fopen")(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return fails(kOpen, path) ? nullptr : next<FILE*(const char*, const char*)>("fopen64")(path, mode);
}

ssize_t read(int fd, void* to, std::size_t size) {
  const ssize_t most = allowed(kRead, fd, size);
  return most < 0 ? most : syscall(SYS_read, fd, to, most);
}
ssize_t pread(int fd, void* to, std::size_t size, off_t offset) {
  const ssize_t most = allowed(kRead, fd, size);
  return most < 0 ? most : syscall(SYS_pread64, fd, to, most, offset);
}
ssize_t pread64(int fd, void* to, std::size_t size, off_t offset) { return pread(fd, to, size, offset); }

ssize_t write(int fd, const void* from, std::size_t size) {
  const ssize_t most = allowed(kWrite, fd, size);
  return most < 0 ? most : syscall(SYS_write, fd, from, most);
}
ssize_t pwrite(int fd, const void* from, std::size_t size, off_t offset) {
  const ssize_t most = allowed(kWrite, fd, size);
  return most < 0 ? most : syscall(SYS_pwrite64, fd, from, most, offset);
}
ssize_t pwrite64(int fd, const void* from, std::size_t size, off_t offset) { return pwrite(fd, from, size, offset); }

int rename(const char* from, const char* to) {
  return fails(kEntry, to) ? -1 : static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int link(const char* from, const char* to) {
  return fails(kEntry, to) ? -1 : static_cast<int>(syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int symlink(const char* target, const char* path) {
  return fails(kEntry, path) ? -1 : static_cast<int>(syscall(SYS_symlinkat, target, AT_FDCWD, path));
}
int mkdir(const char* path, mode_t mode) {
  return fails(kEntry, path) ? -1 : static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}
int fchmodat(int folder, const char* path, mode_t mode, int) {
  return fails(kEntry, path) ? -1 : static_cast<int>(syscall(SYS_fchmodat, folder, path, mode));
}
int chmod(const char* path, mode_t mode) { return fchmodat(AT_FDCWD, path, mode, 0); }

int stat(const char* path, struct stat* to) {
  return fails(kStat, path) ? -1 : static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, to, 0));
}
int lstat(const char* path, struct stat* to) {
  return fails(kStat, path) ? -1 : static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW));
}
int fstat(int fd, struct stat* to) {
  return fails(kStat, fd) ? -1 : static_cast<int>(syscall(SYS_newfstatat, fd, "", to, AT_EMPTY_PATH));
}
int access(const char* path, int mode) {
  return fails(kStat, path) ? -1 : static_cast<int>(syscall(SYS_faccessat, AT_FDCWD, path, mode));
}

int fsync(int fd) { return fails(kSync, fd) ? -1 : static_cast<int>(syscall(SYS_fsync, fd)); }
int fdatasync(int fd) { return fails(kSync, fd) ? -1 : static_cast<int>(syscall(SYS_fdatasync, fd)); }

void* mmap(void* at, std::size_t size, int protection, int flags, int fd, off_t offset) {
  if (fails(kMap, fd)) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, size, protection, flags, fd, offset));
}
void* mmap64(void* at, std::size_t size, int protection, int flags, int fd, off_t offset) {
  return mmap(at, size, protection, flags, fd, offset);
}

void* malloc(std::size_t size) noexcept { return fails(kMemory, "memory") ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) noexcept {
  return fails(kMemory, "memory") ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) noexcept {
  return fails(kMemory, "memory") ? nullptr : __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return fails(kMemory, "memory") ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** to, std::size_t alignment, std::size_t size) noexcept {
  if (fails(kMemory, "memory")) return ENOMEM;
  *to = __libc_memalign(alignment, size);
  return *to == nullptr ? ENOMEM : 0;
}

int close(int fd) {
  const bool fault_strikes = fails(kClose, fd);
  const int error = errno;
  const int status = static_cast<int>(syscall(SYS_close, fd));
  if (!fault_strikes) return status;
  errno = error;
  return -1;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*begin)(void*),
                   void* argument) noexcept {
  if (fails(kThread, "thread")) return fault.error;
  return next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create")(thread, attributes,
                                                                                                 begin, argument);
}

ssize_t getrandom(void* to, std::size_t size, unsigned flags) {
  return fails(kRandom, "getrandom") ? -1 : syscall(SYS_getrandom, to, size, flags);
}

}  // extern "C"
