// What jobs print and log by the step, on examples whose figures can be worked out by hand.
#include <gtest/gtest.h>

#include <bit>

#include "io/text/tf_record.hpp"
#include "unit/profile_checks.hpp"
#include "unit/profile_samples.hpp"

namespace seqpoint::testing {
namespace {

using Line = std::tuple<std::uint64_t, std::uint64_t, std::int64_t>;  ///< first and last iteration, ns

std::vector<Line> lines_of(const profile::StepProfile& profile) {
  std::vector<Line> lines;
  for (const profile::ProfiledStep& step : profile.steps)
    if (step.iterations) lines.emplace_back(step.iterations->first, step.iterations->last, *step.host_ns);
  return lines;
}

std::string notes_of(const profile::StepProfile& profile) {
  std::string all;
  for (const std::string& note : profile.notes) all += note + "\n";
  return all;
}

constexpr std::int64_t kMs = 1'000'000;

TEST(TrainingLog, GnmtNumbersIterationsOfEveryEpoch) {
  const profile::StepProfile profile = read_steps(
      "x.log",
      ":::MLL 1541635753.125 run_start: {\"value\": null, \"metadata\": {}}\n"
      "0: TRAIN [0][0/40]\tTime 0.443 (0.443)\tData 3.80e-01 (3.80e-01)\tTok/s 11990 (11990)\tLoss/tok 10.5\n"
      "0: TRAIN [0][10/40]\tTime 0.115 (0.186)\tData 1.83e-04 (3.99e-02)\tTok/s 89553 (81553)\tLoss/tok 9.6\n"
      "0: VALIDATION [0][0/80]\tTime 0.070 (0.070)\tData 1e-3 (1e-3)\tTok/s 30000 (30000)\n"
      "0: TRAIN [1][10/40]\tTime 0.170 (0.169)\tData 1.54e-04 (2.10e-02)\tTok/s 98103 (87010)\tLoss/tok 9.4\n"
      ":::MLL 1541635763.125 run_stop: {\"value\": null, \"metadata\": {}}\n");
  EXPECT_EQ(profile.format, "log");
  EXPECT_EQ(lines_of(profile), (std::vector<Line>{{0, 0, 443 * kMs}, {10, 10, 115 * kMs}, {50, 50, 170 * kMs}}));
  EXPECT_EQ(profile.steps.back().key, "run") << "what MLPerf's lines say is there, too";
  EXPECT_EQ(profile.steps[1].identity.iteration, 10u);
  EXPECT_EQ(profile.steps[1].identity.key.tokens, 10300u) << "0.115 x 89553 = 10299, of three digits";
  EXPECT_EQ(profile.steps[1].line, 3u);
  EXPECT_FALSE(profile.counts_optimiser_steps);
}

TEST(TrainingLog, MegatronSaysMeansOfTheIterationsBetweenLines) {
  const profile::StepProfile profile = read_steps(
      "x.log",
      " iteration       10/    1000 | consumed samples:  640 | elapsed time per iteration (ms): 4000.0 | lm loss: 1 |\n"
      "[2026-04-27 00:00:01] iteration 20/ 1000 | elapsed time per iteration (ms): 1000.5 | lm loss: 1 |\n"
      " iteration       30/    1000 | consumed samples:  640 | elapsed time per iteration (ms): 12\n"
      " iteration       40/    1000 | consumed samples:  640 | elapsed time per iteration (s): 2.5 | lm loss: 1 |\n");
  EXPECT_EQ(lines_of(profile),
            (std::vector<Line>{{0, 9, 4000 * kMs}, {10, 19, 1000 * kMs + 500000}, {30, 39, 2500 * kMs}}));
  EXPECT_EQ(profile.steps[0].repeats, 10u);
  EXPECT_TRUE(profile.steps[0].identity.empty()) << "no single iteration took that long";
  EXPECT_TRUE(profile.counts_optimiser_steps);
  EXPECT_TRUE(has(notes_of(profile), "x.log:3: 1 line of Megatron-LM, cut or mixed with others"));
}

TEST(TrainingLog, ASingleMeanMayBeOfAnyNumberOfIterations) {
  const auto line = [](int number) {
    return "iteration " + std::to_string(number) +
           "/ 40 | elapsed time per iteration (ms): 4000.0/3999.5 | lm loss: 1 |\n";
  };
  EXPECT_TRUE(has(notes_of(read_steps("x.log", line(10))), "a single line does not say"));
  EXPECT_EQ(lines_of(read_steps("x.log", line(1))), (std::vector<Line>{{0, 0, 4000 * kMs}}));
  const profile::StepProfile twice = read_steps("x.log", line(10) + line(20) + line(20));
  EXPECT_EQ(lines_of(twice).size(), 2u);
  EXPECT_TRUE(has(notes_of(twice), "1 more line of an iteration that has one"));
}

std::string megatron(int number, const std::string& ms) {
  return " iteration " + std::to_string(number) + "/ 1000 | elapsed time per iteration (ms): " + ms + " | loss: 1 |\n";
}

TEST(TrainingLog, AJobThatGoesOnMayLogAtAnotherInterval) {
  const auto lines = [](int first, int last, int step) {
    std::string text;
    for (int i = first; i <= last; i += step) text += megatron(i, "5.0");
    return text;
  };
  const auto sizes = [&](const std::string& text) {
    std::vector<std::uint64_t> all;
    for (const auto& [first, last, ns] : lines_of(read_steps("x.log", text))) all.push_back(last - first + 1);
    return all;
  };
  const std::string tens = lines(10, 40, 10);
  EXPECT_EQ(sizes(tens + lines(41, 44, 1)), (std::vector<std::uint64_t>{10, 10, 10, 10, 1, 1, 1, 1}));
  EXPECT_EQ(sizes(tens + lines(31, 34, 1)), (std::vector<std::uint64_t>{10, 10, 10, 10, 1, 1, 1, 1})) << "again";
  EXPECT_EQ(sizes(lines(1, 4, 1) + lines(14, 44, 10)), (std::vector<std::uint64_t>{1, 1, 1, 1, 10, 10, 10, 10}));
  EXPECT_EQ(sizes(tens + lines(60, 90, 10)), (std::vector<std::uint64_t>(8, 10))) << "one was lost";
}

TEST(TrainingLog, ATimeBehindTheBeginningsOfTwoLinesMayBeOfEither) {
  const profile::StepProfile profile =
      read_steps("x.log", megatron(1, "5.0") + " iteration 2/ 9 | consumed samples: 8" + megatron(5, "9.0") +
                              megatron(3, "4.0") + megatron(4, "3.0"));
  EXPECT_EQ(lines_of(profile).size(), 3u);
  EXPECT_TRUE(has(notes_of(profile), "x.log:2: 1 line of Megatron-LM, cut or mixed with others"));
}

TEST(TrainingLog, NumbersOfLinesAreNoRanks) {
  const profile::StepProfile profile =
      read_steps("x.log", "101:" + megatron(1, "5.0") + "103:" + megatron(2, "4.0") + "107:" + megatron(3, "3.0"));
  EXPECT_EQ(lines_of(profile), (std::vector<Line>{{0, 0, 5 * kMs}, {1, 1, 4 * kMs}, {2, 2, 3 * kMs}}));
  EXPECT_FALSE(has(notes_of(profile), "ranks"));
}

TEST(TrainingLog, AnIterationIsAsLongAsTheSlowestRank) {
  const profile::StepProfile profile = read_steps(
      "x.log",
      "0: Training epoch 0, iteration 7/9 | global_step: 7 | train_step_timing in s: 0.5 | consumed_samples: 8\n"
      "1: Training epoch 0, iteration 7/9 | global_step: 7 | train_step_timing in s: 0.75 | consumed_samples: 8\n"
      "1: Training epoch 0, iteration 8/9 | global_step: 8 | train_step_timing in s: 0.25\n"
      "0: Training epoch 0, iteration 8/9 | global_step: 8 | train_step_timing in s: 0.125\n");
  EXPECT_EQ(lines_of(profile), (std::vector<Line>{{7, 7, 750 * kMs}, {8, 8, 250 * kMs}}));
  EXPECT_TRUE(has(notes_of(profile), "lines of 2 ranks"));
}

TEST(TrainingLog, AJobThatBeginsAgainIsSaid) {
  const auto line = [](int number, int ms) {
    return "step:" + std::to_string(number) + " - perf/time_per_step:" + std::to_string(ms) +
           "e-3 - perf/throughput:1\n";
  };
  const profile::StepProfile profile =
      read_steps("x.log", line(1, 100) + line(2, 200) + line(3, 300) + line(2, 400) + line(3, 500) + line(1, 600));
  EXPECT_EQ(lines_of(profile), (std::vector<Line>{{0, 0, 100 * kMs},
                                                  {1, 1, 200 * kMs},
                                                  {2, 2, 300 * kMs},
                                                  {1, 1, 400 * kMs},
                                                  {2, 2, 500 * kMs},
                                                  {0, 0, 600 * kMs}}));
  EXPECT_TRUE(has(notes_of(profile), "x.log:4: iteration 1 follows 2: the job began again, 2 times in all"));
}

TEST(TrainingLog, ALastLineWithoutItsEndMayLackDigits) {
  const std::string whole = "step:1 - perf/time_per_step:31.5\nstep:2 - perf/time_per_step:31.5";
  EXPECT_EQ(lines_of(read_steps("x.log", whole)).size(), 1u);
  EXPECT_EQ(lines_of(read_steps("x.log", whole + "\n")).size(), 2u);
}

TEST(TrainingLog, StatesOfAProgressBarStandBehindOneAnother) {
  const profile::StepProfile profile =
      read_steps("x.log",
                 "Epoch 0:  1%| 1/99 [00:01, global_step=0.000]\rEpoch 0:  2%| 2/99 [00:02, global_step=1.000, "
                 "train_step_timing in "
                 "s=0.500]\rEpoch 0:  3%| 3/99 [00:03, global_step=2.000, train_step_timing in s=0.250]\n");
  EXPECT_EQ(lines_of(profile), (std::vector<Line>{{1, 1, 500 * kMs}, {2, 2, 250 * kMs}}));
}

TEST(TrainingLog, NumbersThatABarHasShortenedTellNoIteration) {
  const profile::StepProfile profile = read_steps("x.log",
                                                  "global_step=999.0, train_step_timing in s=0.250]\n"
                                                  "global_step=1e+3, train_step_timing in s=0.500]\n"
                                                  "global_step=1.23e+5, train_step_timing in s=0.500]\n"
                                                  "global_step=1e+3.0, train_step_timing in s=0.500]\n"
                                                  "global_step=1001.0, train_step_timing in s=1.5e+3]\n");
  EXPECT_EQ(lines_of(profile), (std::vector<Line>{{999, 999, 250 * kMs}, {1001, 1001, 1500000 * kMs}}));
}

TEST(TrainingLog, ClocksOfWholeSecondsTellNoIteration) {
  const auto line = [](const char* number, const char* clock) {
    return std::string("{\"current_steps\": ") + number + ", \"total_steps\": 9, \"elapsed_time\": \"" + clock +
           "\", \"remaining_time\": \"0:00:01\"}\n";
  };
  const profile::StepProfile profile =
      read_steps("trainer_log.jsonl", line("10", "0:59:58") + line("11", "1:00:00") + line("21", "1 day, 0:00:00"));
  EXPECT_EQ(lines_of(profile), (std::vector<Line>{{10, 10, 2000 * kMs}, {11, 20, 8280000 * kMs}}));
  EXPECT_TRUE(profile.steps[0].identity.empty());
  EXPECT_TRUE(profile::identity_in_name(profile.steps[0].key).empty());
}

TEST(TrainingLog, FairseqsClock) {
  const profile::StepProfile profile =
      read_steps("x.log",
                 "| epoch 001:    100 / 150 loss=7.6, wps=319403, num_updates=96, lr=0.001, wall=241\n"
                 "| epoch 001 | loss 6.6 | num_updates 146 | wall 390\n"
                 "| epoch 002:    100 / 150 loss=4.6, wps=319403, num_updates=245, lr=0.001, wall=541\n");
  EXPECT_EQ(lines_of(profile), (std::vector<Line>{{100, 249, 2000 * kMs}}));
}

TEST(TrainingLog, EpochsMayDifferInSize) {
  const profile::StepProfile profile = read_steps("x.log",
                                                  "| epoch 001:    100 / 150 loss=7.6, num_updates=96, wall=240\n"
                                                  "| epoch 002:     50 / 140 loss=4.6, num_updates=196, wall=340\n"
                                                  "| epoch 004:     10 / 150 loss=4.6, num_updates=196, wall=590\n");
  EXPECT_EQ(lines_of(profile), (std::vector<Line>{{100, 199, 1000 * kMs}, {200, 449, 1000 * kMs}}))
      << "the third is taken to be as large as the fourth";
  EXPECT_TRUE(has(notes_of(profile), "epochs differ in how many iterations they have"));
}

// --- TensorBoard

TEST(TfRecord, ChecksumsAreThoseOfRfc3720) {
  const auto unmasked = [](std::string_view bytes) {
    return std::rotl(io::text::masked_checksum(bytes) - 0xa282ead8U, 15);
  };
  EXPECT_EQ(unmasked(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(unmasked(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(unmasked("123456789"), 0xe3069283u);
}

TEST(TensorBoard, TheClockOfWhatWasLoggedMost) {
  const profile::StepProfile profile = read_steps(
      "events", tensorboard_version() + tensorboard_event(100, 10, "train/loss", 1) +
                    tensorboard_event(101, 10, "eval/loss", 1) + tensorboard_event(105, 20, "train/loss", 1) +
                    tensorboard_event(106, 20, "train/loss", 1) + tensorboard_event(107, 20, "eval/accuracy", 1) +
                    tensorboard_event(125, 30, "train/loss", 1));
  EXPECT_EQ(profile.format, "tensorboard");
  EXPECT_EQ(lines_of(profile), (std::vector<Line>{{10, 19, 500 * kMs}, {20, 29, 2000 * kMs}}));
}

TEST(TensorBoard, TimesOfStepsAreReadWhereTheyAre) {
  const profile::StepProfile profile = read_steps(
      "events", tensorboard_version() + tensorboard_event(100, 0, "train_step_timing in s", 0.5) +
                    tensorboard_event(100, 0, "loss", 1) + tensorboard_event(105, 1, "train_step_timing in s", 0.25) +
                    tensorboard_event(105, 1, "loss", 1));
  EXPECT_EQ(lines_of(profile), (std::vector<Line>{{0, 0, 500 * kMs}, {1, 1, 250 * kMs}}));
  EXPECT_EQ(profile.steps[1].identity.iteration, 1u);
}

TEST(TensorBoard, DamagedAndCutEventsAreSaid) {
  const std::string good = tensorboard_version() + tensorboard_event(100, 10, "iteration-time", 0.5) +
                           tensorboard_event(101, 20, "iteration-time", 0.25);
  std::string broken = tensorboard_event(102, 30, "iteration-time", 9);
  broken[25] ^= 1;
  const profile::StepProfile damaged =
      read_steps("events", good + broken + tensorboard_event(103, 40, "iteration-time", 0.75));
  EXPECT_EQ(lines_of(damaged), (std::vector<Line>{{0, 9, 500 * kMs}, {10, 19, 250 * kMs}, {30, 39, 750 * kMs}}));
  EXPECT_TRUE(has(notes_of(damaged), "1 event damaged"));
  const profile::StepProfile cut = read_steps("events", good + broken.substr(0, 30));
  EXPECT_EQ(lines_of(cut).size(), 2u);
  EXPECT_TRUE(has(notes_of(cut), "ends inside an event, behind 3 whole ones"));
}

// --- Lightning, Hugging Face

TEST(Lightning, AColumnOfTimes) {
  const profile::StepProfile profile = read_steps(
      "metrics.csv", "epoch,step,train_loss,step_s,val_s\n0,49,8.6,0.25,\n0,49,,,3.5\n0,99,7.6,0.5,\n0,149,7.5,x,\n");
  EXPECT_EQ(lines_of(profile), (std::vector<Line>{{49, 49, 250 * kMs}, {99, 99, 500 * kMs}}));
  EXPECT_TRUE(has(notes_of(profile), "1 value left out"));
  EXPECT_TRUE(has(notes_of(read_steps("metrics.csv", "epoch,step,train_loss\n0,49,8.6\n")), "has no column of times"));
}

TEST(Lightning, OfSeveralColumnsOfTimesOneIsAStep) {
  EXPECT_EQ(lines_of(read_steps("metrics.csv", "data_s,epoch,step,step_s\n0.125,0,7,0.5\n")),
            (std::vector<Line>{{7, 7, 500 * kMs}}));
  const profile::StepProfile unclear = read_steps("metrics.csv", "data_s,epoch,step,train_s\n0.125,0,7,0.5\n");
  EXPECT_EQ(lines_of(unclear).size(), 0u);
  EXPECT_TRUE(has(notes_of(unclear), "has several columns of times, data_s, train_s"));
}

TEST(TrainerState, SaysHowLongAllStepsTook) {
  const std::string begin = "{\"global_step\": 8, \"log_history\": [{\"step\": 4, \"loss\": 1.5}";
  const profile::StepProfile profile =
      read_steps("trainer_state.json", begin + ", {\"step\": 8, \"train_runtime\": 12.0}]}");
  EXPECT_EQ(lines_of(profile), (std::vector<Line>{{0, 7, 1500 * kMs}}));
  EXPECT_TRUE(has(notes_of(read_steps("trainer_state.json", begin + "]}")), "says of no step how long it took"));
  EXPECT_TRUE(has(problem_of("trainer_state.json", "{\"global_step\": 8, \"log_history\": 3}"), "log_history"));
}

// --- a log as a run

TEST(LogAsRun, IterationsHaveTheTokensOfTheirLines) {
  const std::string log =
      "TRAIN [0][0/4]\tTime 0.100 (0.1)\tData 1e-4 (2e-4)\tTok/s 90000 (1)\n"
      "TRAIN [0][2/4]\tTime 0.200 (0.1)\tData 1e-4 (2e-4)\tTok/s 90000 (1)\n"
      "TRAIN [0][2/4]\tTime 0.250 (0.1)\tData 1e-4 (2e-4)\tTok/s 80000 (1)\n"
      "TRAIN [1][0/4]\tTime 0.300 (0.1)\tData 1e-4 (2e-4)\tTok/s 90000 (1)\n"
      "TRAIN [0][2/4]\tTime 0.125 (0.1)\tData 1e-4 (2e-4)\tTok/s 40000 (1)\n";
  const trace::Trace run = io::profiles::read_trace_or_log(io::stream::Input::from_memory("x.log", log)).trace;
  EXPECT_EQ(run.kind, trace::SignatureKind::varlen);
  EXPECT_EQ(run.signatures, (std::vector<trace::Signature>{{.tokens = 9000}, {.tokens = 5000}}))
      << "what ran again counts once";
  EXPECT_EQ(run.epoch, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_EQ(run.statistics.at(0).values, (std::vector<double>{0.1, 0.125}));
  EXPECT_THROW(
      io::profiles::read_trace_or_log(io::stream::Input::from_memory("x.log", "step:1 - perf/time_per_step:31.5\n")),
      InputError);
}

}  // namespace
}  // namespace seqpoint::testing
