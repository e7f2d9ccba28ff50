// What a job under the hook tells, event by event, as python/seqpoint_companion/hooked.py lists them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "io/process/hook_report.hpp"

namespace seqpoint::io::process {
namespace {

namespace fs = std::filesystem;

TEST(HookReport, ReadsWhatSeveralMachinesWrite) {
  std::string folder = fs::temp_directory_path() / "hook-report-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const auto add = [&](const char* name, const char* text) {
    std::ofstream(folder + "/" + name, std::ios::app) << text;
  };
  HookReport report(folder + "/events-1");
  EXPECT_FALSE(report.read());
  add("events-1", "{\"event\": \"held\", \"pid\": 7, \"rank\": 0, \"world_size\": 2}\n{\"event\": \"done\", ");
  add("events-1.node2", "{\"event\": \"done\", \"rank\": 1}\n");
  add("events-10", "{\"event\": \"error\", \"fault\": \"of another start\"}\n");
  EXPECT_TRUE(report.read());
  EXPECT_FALSE(report.done()) << "the line is not complete";
  add("events-1", "\"rank\": 0, \"rows\": 41}\n");
  EXPECT_TRUE(report.read());
  EXPECT_TRUE(report.done());
  EXPECT_EQ(report.facts().batches, 41U);
  EXPECT_FALSE(report.error());
  EXPECT_FALSE(report.read());
  fs::remove_all(folder);
}

TEST(HookReport, TextsForTheUserAreWithoutSecrets) {
  text::Secrets secrets;
  secrets.add_variable("MY_TOKEN", "tiger-1");
  HookReport report({}, secrets);
  report.take(R"({"event": "started", "python": "3.11.2"})");
  report.take(R"({"event": "held", "pid": 7, "loader": "load('tiger-1') at t.py:3"})");
  report.take(R"({"event": "lengths", "counted": "tiger-1 axis 1", "uncounted": "tiger-1 axis 2"})");
  report.take(R"({"event": "note", "text": "a tiger-1"})");
  report.take(R"({"event": "warning", "text": "b tiger-1"})");
  report.take(R"({"event": "untouched", "text": "c tiger-1"})");
  report.take(R"({"event": "kept", "path": "/x/tiger-1"})");
  report.take(R"({"event": "error", "fault": "['--api-key', 'X1']", "hint": "not tiger-1"})");
  EXPECT_EQ(report.facts().loader, "load('***') at t.py:3");
  EXPECT_EQ(report.facts().counted + report.uncounted(), "*** axis 1*** axis 2");
  EXPECT_EQ(report.notes().front().text + report.facts().warnings.front().text, "a ***b ***");
  EXPECT_EQ(report.facts().untouched.front(), "c ***");
  EXPECT_EQ(report.error()->fault + report.error()->hint, "['--api-key', ***]not ***");
  EXPECT_TRUE(report.kept().contains("/x/tiger-1")) << "a path is used";
}

TEST(HookReport, OfAJobOfOneProcess) {
  HookReport report;
  EXPECT_FALSE(report.started());
  EXPECT_FALSE(report.take(R"({"event": "started", "pid": 7, "python": "3.11.2"})")) << "a start is no sign of a batch";
  EXPECT_TRUE(report.started());
  EXPECT_EQ(report.facts().python, "3.11.2");
  EXPECT_FALSE(report.held());
  EXPECT_TRUE(report.take(R"({"event": "held", "pid": 7, "rank": 0, "world_size": 1, "batches": null})"));
  EXPECT_TRUE(report.held());
  EXPECT_TRUE(report.take(R"({"event": "progress", "pid": 7, "done": 5, "of": null})"));
  EXPECT_EQ(report.batches(), 5U);
  EXPECT_FALSE(report.batches_in_all());
  report.take(R"({"event": "progress", "pid": 7, "done": 6, "of": 41})");
  EXPECT_EQ(report.batches_in_all(), 41U);
  EXPECT_FALSE(report.done());
  report.take(R"({"event": "done", "pid": 7, "rank": 0, "output": "x", "rows": 41})");
  EXPECT_TRUE(report.done());
  EXPECT_EQ(report.facts().batches, 41U);
}

TEST(HookReport, NamesTheLoopTheLengthAndWhatWasProtected) {
  HookReport report;
  for (int i = 0; i < 2; ++i) report.take(R"({"event": "untouched", "text": "Comet was disabled"})");
  for (int i = 0; i < 2; ++i) report.take(R"({"event": "kept", "path": "/data/best.pt"})");
  report.take(R"({"event": "touched", "path": "/data/x.db", "inode": 7, "size": 8, "mtime": 1795982661461114130})");
  report.take(R"({"event": "touched", "path": "/data/x.db", "inode": 7, "size": 9, "mtime": 9})");
  report.take(R"({"event": "held", "pid": 1, "loader": "DataLoader at train.py:41", "batches": 400})");
  report.take(R"({"event": "lengths", "counted": "input_ids axis 1", "uncounted": "labels axis 1"})");
  EXPECT_EQ(report.facts().untouched, std::vector<std::string>{"Comet was disabled"});
  EXPECT_EQ(report.kept(), std::set<std::string>{"/data/best.pt"});
  ASSERT_EQ(report.touched().size(), 1U);
  EXPECT_EQ(report.touched().at("/data/x.db"), (FileState{7, 8, 1'795'982'661'461'114'130})) << "as it was first";
  EXPECT_EQ(report.facts().loader, "DataLoader at train.py:41");
  EXPECT_EQ(report.batches_in_all(), 400U);
  EXPECT_EQ(report.facts().counted, "input_ids axis 1");
  EXPECT_EQ(report.uncounted(), "labels axis 1");
}

TEST(HookReport, OfAnOrderThatGoesOn) {
  HookReport report;
  report.take(R"({"event": "held", "pid": 1, "rank": 0, "world_size": 1})");
  EXPECT_FALSE(report.ordered());
  report.take(R"({"event": "ordered", "pid": 1, "rank": 0, "rows": 400})");
  EXPECT_TRUE(report.ordered());
  EXPECT_FALSE(report.done());
  EXPECT_EQ(report.facts().batches, 400U);
  EXPECT_TRUE(report.take(R"({"event": "goes on", "pid": 1, "verb": "measure", "rank": 0, "world_size": 1})"));
  report.take(R"({"event": "done", "pid": 1, "rank": 0, "rows": 41})");
  EXPECT_TRUE(report.done());
  EXPECT_EQ(report.facts().batches, 41U);
}

TEST(HookReport, KnowsWhatABatchTakes) {
  HookReport report;
  report.take(R"({"event": "held", "pid": 1, "batch_s": 2.5})");
  EXPECT_EQ(report.facts().first_batch_s, 2.5);
  EXPECT_EQ(report.facts().mean_batch_s, 0);
  report.take(R"({"event": "pace", "pid": 1, "batch_s": 0.25})");
  EXPECT_EQ(report.facts().mean_batch_s, 0.25);
  EXPECT_EQ(report.facts().first_batch_s, 2.5);
}

TEST(HookReport, ReadsPythonsEscapesOfBytesThatAreNotUtf8) {
  HookReport report;
  report.take(R"({"event": "note", "text": "run\udcff \ud83d\udc80"})");
  ASSERT_EQ(report.notes().size(), 1u);
  EXPECT_EQ(report.notes()[0].text, "run\xEF\xBF\xBD \xF0\x9F\x92\x80");
}

TEST(HookReport, NamesTheLibraryOfAJobWithoutPyTorch) {
  HookReport report;
  EXPECT_FALSE(report.library()) << "no Python process has begun";
  report.take(R"({"event": "started", "pid": 7, "python": "3.11.2"})");
  EXPECT_EQ(report.library(), "");
  EXPECT_FALSE(report.take(R"({"event": "imported", "pid": 7, "library": "numpy"})")) << "no sign of a batch";
  EXPECT_EQ(report.library(), "numpy");
  report.take(R"({"event": "imported", "pid": 7, "library": "tensorflow"})");
  report.take(R"({"event": "imported", "pid": 8, "library": "numpy"})");
  EXPECT_EQ(report.library(), "tensorflow");
  report.take(R"({"event": "imported", "pid": 8, "library": "torch"})");
  EXPECT_FALSE(report.library());
}

TEST(HookReport, KnowsWhatAPythonOfOurEnvironmentLacks) {
  HookReport report;
  EXPECT_FALSE(report.lacks());
  report.take(R"({"event": "lacks", "pid": 7, "fault": "no torch", "hint": "another python"})");
  EXPECT_EQ(report.lacks()->fault, "no torch");
  EXPECT_EQ(report.lacks()->hint, "another python");
  EXPECT_FALSE(report.error());
}

TEST(HookReport, IsDoneOnceAllRanksAre) {
  HookReport report;
  for (const char* const held : {R"({"event": "held", "pid": 1, "rank": 0, "world_size": 2})",
                                 R"({"event": "held", "pid": 2, "rank": 1, "world_size": 2})",
                                 R"({"event": "done", "pid": 2, "rank": 1, "rows": 40})"})
    report.take(held);
  EXPECT_FALSE(report.done());
  EXPECT_EQ(report.programs(), 1U);
  report.take(R"({"event": "done", "pid": 1, "rank": 0, "rows": 41})");
  EXPECT_TRUE(report.done());
  EXPECT_EQ(report.facts().batches, 41U);
}

TEST(HookReport, CountsProgramsThatTrainByThemselves) {
  HookReport report;
  report.take(R"({"event": "held", "pid": 1, "rank": 0, "world_size": 1})");
  report.take(R"({"event": "held", "pid": 2, "rank": 0, "world_size": 1})");
  EXPECT_EQ(report.programs(), 2U);
}

TEST(HookReport, KeepsTheFirstErrorAndEachNoteOnce) {
  HookReport report;
  for (int i = 0; i < 2; ++i) report.take(R"({"event": "note", "text": "not held"})");
  for (int i = 0; i < 2; ++i) report.take(R"({"event": "meanwhile", "text": "no loader so far"})");
  EXPECT_EQ(report.meanwhile(), std::vector<std::string>{"no loader so far"});
  report.take(R"({"event": "error", "fault": "a", "hint": "b", "status": 4})");
  report.take(R"({"event": "error", "fault": "c", "hint": "", "status": 3})");
  ASSERT_EQ(report.notes().size(), 1u);
  EXPECT_EQ(report.notes()[0].text, "not held");
  EXPECT_FALSE(report.notes()[0].of_result);
  ASSERT_TRUE(report.error());
  EXPECT_EQ(report.error()->fault, "a");
  EXPECT_EQ(report.error()->hint, "b");
  EXPECT_EQ(report.error()->status, 4);
}

TEST(HookReport, KeepsEachWarningOnceAndThePartOfAPass) {
  HookReport report;
  EXPECT_EQ(report.facts().left_after, 0U);
  for (int i = 0; i < 2; ++i) report.take(R"({"event": "warning", "text": "it ends", "option": "--batches 60"})");
  report.take(R"({"event": "part", "first": 3, "of": null})");
  report.take(R"({"event": "part", "last": 60, "of": 200})");
  ASSERT_EQ(report.facts().warnings.size(), 1U);
  EXPECT_EQ(report.facts().warnings[0].option, "--batches 60");
  EXPECT_EQ(report.facts().first_trained, 3U);
  EXPECT_EQ(report.facts().left_after, 60U);
}

TEST(HookReport, SaysWhyNothingWasTrained) {
  HookReport report;
  EXPECT_FALSE(report.untrained());
  EXPECT_TRUE(report.take(R"({"event": "untrained", "pid": 7, "fault": "no backward pass", "hint": "train"})"));
  ASSERT_TRUE(report.untrained());
  EXPECT_EQ(report.untrained()->fault, "no backward pass");
  EXPECT_EQ(report.untrained()->hint, "train");
  EXPECT_FALSE(report.error()) << "another program of the job may train";
  EXPECT_FALSE(report.held());
}

TEST(HookReport, PassesOverWhatIsNoEvent) {
  HookReport report("/no/such/file");
  EXPECT_FALSE(report.read());
  for (const char* const line : {"", "{", "[]", "7", R"("done")"}) EXPECT_FALSE(report.take(line));
  EXPECT_TRUE(report.take(R"({"event": "done", "rank": "x", "rows": -1.5})"));
  EXPECT_EQ(report.facts().batches, 0U);
}

}  // namespace
}  // namespace seqpoint::io::process
