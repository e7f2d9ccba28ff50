#include "cli/documents.hpp"

#include <filesystem>
#include <string_view>

namespace seqpoint::cli {
namespace {

namespace fs = std::filesystem;

/// PREFIX/share/doc/seqpoint/ of PREFIX/bin/seqpoint; empty if it does not exist.
std::string installed_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = program.parent_path().parent_path() / "share" / "doc" / "seqpoint";
  return !error && fs::is_directory(folder / "docs", error) ? folder.string() + "/" : "";
}

}  // namespace

std::string with_documents(std::string text) {
  for (const std::string_view name : {"docs/", "examples/"})
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
      const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '(';
      const std::string folder = begins ? installed_folder() : "";
      text.insert(at, folder);
      at += folder.size() + name.size();
    }
  return text;
}

}  // namespace seqpoint::cli
