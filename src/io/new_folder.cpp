#include <cerrno>
#include <filesystem>

#include "seqpoint/error.hpp"
#include "seqpoint/io/output.hpp"
#include "seqpoint/io/plan.hpp"

namespace seqpoint {

namespace fs = std::filesystem;

NewFolder::NewFolder(std::string path) : path_(std::move(path)) {
  std::error_code error;
  if (fs::is_directory(path_, error)) {
    if (!fs::is_empty(path_, error))
      throw UsageError("-o: " + path_ + " is a folder with something in it", "name a new one, or remove that one first");
    return;
  }
  if (fs::exists(path_, error)) throw UsageError("-o: " + path_ + " is not a folder", "name a new one");
  if (!fs::create_directory(path_, error)) throw OutputError(path_, error.value());
  made_.push_back(path_);
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  for (auto path = made_.rbegin(); path != made_.rend(); ++path) fs::remove(*path, ignored);
}

void NewFolder::make_folders_of(const std::string& name) {
  for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    const std::string folder = path_ + "/" + name.substr(0, slash);
    std::error_code error;
    if (fs::create_directory(folder, error)) made_.push_back(folder);
    if (error) throw OutputError(folder, error.value());
  }
}

void NewFolder::add(const NewFile& file) {
  make_folders_of(file.name);
  const std::string path = path_ + "/" + file.name;
  Output out(path);
  out.write(file.bytes);
  out.commit();
  made_.push_back(path);
  if (!file.executable) return;
  using fs::perms;
  const perms readable = fs::status(path).permissions();
  perms added = perms::none;
  if ((readable & perms::owner_read) != perms::none) added |= perms::owner_exec;
  if ((readable & perms::group_read) != perms::none) added |= perms::group_exec;
  if ((readable & perms::others_read) != perms::none) added |= perms::others_exec;
  fs::permissions(path, added, fs::perm_options::add);
}

void NewFolder::add(const NewLink& link) {
  std::error_code error;
  const std::string path = path_ + "/" + link.name;
  fs::create_symlink(link.target, path, error);
  if (error) throw OutputError(path, error.value());
  made_.push_back(path);
}

}  // namespace seqpoint
