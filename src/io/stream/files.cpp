#include "io/stream/input.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace seqpoint::io::stream {
namespace {

class Disk : public Files {
 public:
  bool exists(const std::string& path) const override { return ::access(path.c_str(), F_OK) == 0; }
  std::optional<std::vector<std::string>> list(const std::string& path) const override {
    std::error_code failed;
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator entry(path, failed), end; !failed && entry != end;
         entry.increment(failed)) {
      const std::string name = entry->path().filename();
      std::error_code unknown;
      if (!name.starts_with('.')) names.push_back(entry->is_directory(unknown) ? name + '/' : name);
    }
    if (failed) return std::nullopt;
    std::sort(names.begin(), names.end());
    return names;
  }
  Input open(const std::string& path) const override { return Input::open(path); }
};

}  // namespace

const Files& disk_files() {
  static const Disk disk;
  return disk;
}

}  // namespace seqpoint::io::stream
