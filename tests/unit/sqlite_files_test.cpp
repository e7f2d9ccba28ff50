// Databases in files: what stands beside them, names that a URI would read otherwise, and views that never end.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>

#include "unit/profile_checks.hpp"
#include "unit/profile_samples.hpp"

namespace seqpoint::testing {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, removed at the end.
class SqliteFiles : public ::testing::Test {
 protected:
  SqliteFiles() { fs::create_directories(folder_); }
  ~SqliteFiles() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string sample(const std::string& name) const {
    std::ofstream(path(name), std::ios::binary) << nsys_sample();
    return path(name);
  }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.insert(entry.path().filename().string());
    return found;
  }

 private:
  fs::path folder_ = fs::path(::testing::TempDir()) / ("seqpoint_sqlite_" + std::to_string(::getpid()));
};

/// A connection of another program's.
class Writer {
 public:
  explicit Writer(const std::string& path) { sqlite3_open(path.c_str(), &database_); }
  ~Writer() { sqlite3_close(database_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  void run(const std::string& sql) {
    if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
      throw std::logic_error(sqlite3_errmsg(database_));
  }

 private:
  sqlite3* database_ = nullptr;
};

std::size_t steps_of(const std::string& path) {
  return io::profiles::read_step_profile(io::stream::Input::open(path)).profile.steps.size();
}

std::string problem_of_file(const std::string& path) {
  try {
    steps_of(path);
  } catch (const InputError& error) {
    return error.problems().front().message();
  }
  return {};
}

/// More pages than a cache of one page holds.
constexpr auto kFill =
    "CREATE TABLE filler(x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) "
    "INSERT INTO filler SELECT hex(randomblob(100)) FROM n;";

TEST_F(SqliteFiles, ChangesThatAJournalWouldUndoAreRefused) {
  const std::string path = sample("live.sqlite"), copy = this->path("copy.sqlite");
  Writer writer(path);
  writer.run(std::string("PRAGMA cache_size = 1; BEGIN; UPDATE NVTX_EVENTS SET \"end\" = start + 1;") + kFill);
  ASSERT_GT(fs::file_size(path + "-journal"), 0u);
  fs::copy_file(path, copy);
  fs::copy_file(path + "-journal", copy + "-journal");
  EXPECT_EQ(problem_of_file(copy),
            copy + ": is in the middle of changes, which " + copy + "-journal beside it can undo");
  // What the hint says is what helps.
  Writer(copy).run("SELECT * FROM sqlite_master");
  EXPECT_FALSE(fs::exists(copy + "-journal"));
  EXPECT_EQ(steps_of(copy), 1u);
}

TEST_F(SqliteFiles, AJournalThatIsDoneWithIsNone) {
  const std::string path = sample("run.sqlite");
  Writer(path).run(std::string("PRAGMA journal_mode = PERSIST;") + kFill);
  ASSERT_GT(fs::file_size(path + "-journal"), 0u);
  EXPECT_EQ(steps_of(path), 1u);
}

TEST_F(SqliteFiles, ChangesThatAreStillInTheLogAreRefused) {
  const std::string path = sample("live.sqlite"), copy = this->path("copy.sqlite"), link = this->path("link.sqlite");
  Writer writer(path);
  writer.run("PRAGMA journal_mode = WAL; DELETE FROM NVTX_EVENTS;");
  fs::copy_file(path, copy);
  fs::copy_file(path + "-wal", copy + "-wal");
  EXPECT_EQ(problem_of_file(copy), copy + ": lacks the changes that are in " + copy + "-wal beside it");
  fs::create_symlink(copy, link);
  EXPECT_EQ(problem_of_file(link), link + ": lacks the changes that are in " + copy + "-wal beside it");
  Writer(copy).run("SELECT * FROM sqlite_master");
  EXPECT_FALSE(fs::exists(copy + "-wal"));
  EXPECT_EQ(problem_of_file(copy), "");
}

TEST_F(SqliteFiles, ReadingLeavesNothingBesideTheFile) {
  const std::string path = sample("run.sqlite");
  Writer(path).run("PRAGMA journal_mode = WAL; CREATE TABLE more(x);");
  ASSERT_EQ(names(), std::set<std::string>{"run.sqlite"});
  EXPECT_EQ(steps_of(path), 1u);
  EXPECT_EQ(names(), std::set<std::string>{"run.sqlite"});
}

TEST_F(SqliteFiles, PathsAreNoUris) {
  for (const char* const name :
       {"a?mode=memory.sqlite", "a#b.sqlite", "50%.sqlite", "%41.sqlite", "\xc3\xa9 \xff.sqlite"})
    EXPECT_EQ(steps_of(sample(name)), 1u) << name;
  EXPECT_EQ(steps_of("/" + sample("run.sqlite")), 1u) << "two slashes at the beginning";
}

TEST(Sqlite, AViewThatNeverEndsIsStopped) {
  // Without rows, and with ever more of them.
  for (const char* const condition : {"i < 0", "i > 0"}) {
    const std::string problem = problem_of(
        "run.sqlite", sqlite_bytes(std::string("CREATE TABLE StringIds(id, value);"
                                               "CREATE TABLE META_DATA_EXPORT(name, value);"
                                               "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(i)"
                                               " AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                                               " SELECT i AS start, i + 1 AS \"end\" FROM n WHERE ") +
                                   condition));
    EXPECT_TRUE(has(problem, "one of its views may not end")) << condition << ": " << problem;
  }
}

TEST_F(SqliteFiles, AFileThatIsReplacedMeanwhileIsRefused) {
  const std::string run = sample("run.sqlite"), other = sample("other.sqlite");
  Writer(other).run("CREATE TABLE more(x)");
  io::stream::Input begun = io::stream::Input::open(run);
  begun.head();
  fs::rename(other, run);
  EXPECT_THROW(io::profiles::read_step_profile(std::move(begun)), InputError) << "the digest would be of the first";
  EXPECT_GT(steps_of(run), 0u) << "as it now is";
}

}  // namespace
}  // namespace seqpoint::testing
