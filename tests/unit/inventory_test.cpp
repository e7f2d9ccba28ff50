// What a job's folder contained, and what has become of it.
#include "io/process/inventory.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace seqpoint::io::process {
namespace {

namespace fs = std::filesystem;

class InventoryOfAFolder : public ::testing::Test {
 protected:
  InventoryOfAFolder() {
    std::string name = fs::temp_directory_path() / "inventory-XXXXXX";
    folder_ = fs::canonical(::mkdtemp(name.data()));
    for (const char* const path : {"best.pt", "runs/exp1/log", "runs-2/log", ".git/index", "out/run.json"}) write(path);
    fs::create_symlink("best.pt", folder_ / "latest");
  }
  ~InventoryOfAFolder() override { fs::remove_all(folder_); }

  void write(const std::string& path, const std::string& text = "old") const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  Inventory take() const { return Inventory(folder_, folder_ / "out"); }

  fs::path folder_;
};

using Texts = std::vector<std::string>;

TEST_F(InventoryOfAFolder, FindsWhatChanged) {
  const Inventory before = take();
  EXPECT_EQ(before.changes(), Texts{});
  write("best.pt", "longer");
  fs::remove_all(folder_ / "runs");
  fs::create_symlink("x", folder_ / "new");  // while the old one is there: a file system gives an inode again
  fs::rename(folder_ / "new", folder_ / "latest");
  ::chmod((folder_ / "runs-2/log").c_str(), 0600);
  EXPECT_EQ(before.changes(),
            (Texts{"best.pt was changed", "latest was replaced", "runs was removed", "runs-2/log was changed"}));
}

TEST_F(InventoryOfAFolder, FindsAFileOfTheSameSizeByItsTime) {
  const Inventory before = take();
  const timespec times[2] = {{1, 0}, {1, 0}};
  ::utimensat(AT_FDCWD, (folder_ / "best.pt").c_str(), times, 0);
  EXPECT_EQ(before.changes(), Texts{"best.pt was changed"});
}

TEST_F(InventoryOfAFolder, LeavesOutCachesNewFilesAndTheRun) {
  const Inventory before = take();
  write(".git/index", "new index");
  write("out/run.json", "new record");
  write("runs/exp1/new");
  EXPECT_EQ(before.changes(), Texts{});
}

TEST_F(InventoryOfAFolder, IsOfTheSameFilesOnceItIsRenewed) {
  Inventory before = take();
  write("best.pt", "accepted");
  write("runs/exp1/new");
  fs::remove(folder_ / "latest");
  before.renew();
  EXPECT_EQ(before.changes(), Texts{});
  write("runs/exp1/new", "by the next process");
  EXPECT_EQ(before.changes(), Texts{});
  write("best.pt", "changed again");
  EXPECT_EQ(before.changes(), Texts{"best.pt was changed"});
}

TEST_F(InventoryOfAFolder, LeavesOutWhatAProgramHasOpenForWriting) {
  const std::string log = folder_ / "runs-2/log", best = folder_ / "best.pt";
  const int writes = ::open(log.c_str(), O_WRONLY | O_APPEND), reads = ::open(best.c_str(), O_RDONLY);
  const Inventory before = take();
  write("runs-2/log", "more");
  write("best.pt", "more");
  EXPECT_EQ(before.changes(), Texts{"best.pt was changed"});
  ::close(writes);
  ::close(reads);
}

TEST_F(InventoryOfAFolder, WritesTheFolder) {
  take().write(folder_ / "out/list");
  std::ifstream file(folder_ / "out/list", std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), folder_.string());
}

TEST_F(InventoryOfAFolder, ReadsWhatBecameOfNewFiles) {
  EXPECT_EQ(read_new_files(folder_ / "missing").removed, 0U);
  using namespace std::string_literals;
  write("out/new-files", "-/job/a\0-/job/two\nlines\0=/job/log.csv\0"s);
  const NewFiles files = read_new_files(folder_ / "out/new-files");
  EXPECT_EQ(files.removed, 2U);
  EXPECT_EQ(files.stay, Texts{"/job/log.csv"});
}

TEST_F(InventoryOfAFolder, ComparesPathsElsewhere) {
  struct stat found {};
  ::stat((folder_ / "best.pt").c_str(), &found);
  const FileState state{found.st_ino, 3, found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec};
  const std::string path = folder_ / "best.pt";
  EXPECT_EQ(changes_of({{path, state}}), Texts{});
  write("best.pt", "longer");
  EXPECT_EQ(changes_of({{path, state}}), Texts{path + " was changed"});
}

}  // namespace
}  // namespace seqpoint::io::process
