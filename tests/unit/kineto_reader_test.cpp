// PyTorch traces: exact nanoseconds, and a reader that moves a window over the file, against a second one that reads
// the whole document with another library and asks every step of every operation.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "core/findings.hpp"
#include "io/json/json_scan.hpp"
#include "io/profiles/engine/trace_events.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"
#include "unit/profile_checks.hpp"
#include "unit/read_profile.hpp"

namespace seqpoint::testing {
namespace {

TEST(Decimal, TextBecomesWholeNanoseconds) {
  EXPECT_EQ(io::text::parse_ns("1712195495505582.988", io::text::DecimalUnit::us), 1712195495505582988);
  EXPECT_EQ(io::text::parse_ns("0.0004", io::text::DecimalUnit::us), 0);
  EXPECT_EQ(io::text::parse_ns("0.0005", io::text::DecimalUnit::us), 1) << "half away from zero";
  EXPECT_EQ(io::text::parse_ns("-0.0005", io::text::DecimalUnit::us), -1);
  EXPECT_EQ(io::text::parse_ns("-12.5", io::text::DecimalUnit::us), -12500);
  EXPECT_EQ(io::text::parse_ns("1e-3", io::text::DecimalUnit::s), 1000000);
  EXPECT_EQ(io::text::parse_ns("1.5E+2", io::text::DecimalUnit::us), 150000);
  EXPECT_EQ(io::text::parse_ns("0.025", io::text::DecimalUnit::s), 25000000);
  EXPECT_EQ(io::text::parse_ns("0.007", io::text::DecimalUnit::us), 7);
  EXPECT_EQ(io::text::parse_ns("0.01074585146", io::text::DecimalUnit::s), 10745851);
  EXPECT_EQ(io::text::parse_ns("0.0999999999", io::text::DecimalUnit::us), 100);
  for (const char* const text :
       {"", "x", "1x", "NaN", "Infinity", "-", ".", "1e", "1e999", "0x10", "1.2.3", "5000000000000000000", " 1"})
    EXPECT_EQ(io::text::parse_ns(text, io::text::DecimalUnit::us), std::nullopt) << text;
}

TEST(Decimal, DurationsArePositiveAndBelievable) {
  EXPECT_EQ(io::text::parse_duration_ns("0", io::text::DecimalUnit::us), 0);
  EXPECT_EQ(io::text::parse_duration_ns("-0.001", io::text::DecimalUnit::us), std::nullopt);
  EXPECT_EQ(io::text::parse_duration_ns("1e6", io::text::DecimalUnit::s), 1000000000000000);
  EXPECT_EQ(io::text::parse_duration_ns("1000001", io::text::DecimalUnit::s), std::nullopt);
}

constexpr auto kTiny =
    R"({"schemaVersion":1,"displayTimeUnit":"ms","baseTimeNanoseconds":1700000000000000000,"traceEvents":[
 {"ph":"X","cat":"user_annotation","name":"ProfilerStep#7","pid":10,"tid":10,"ts":100.000,"dur":900.500,"args":{"External id":1}},
 {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":10,"tid":10,"ts":140.000,"dur":100.250,"args":{}},
 {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":10,"tid":11,"ts":150.250,"dur":5.000,"args":{"correlation":42}},
 {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":300.125,"dur":400.000,"args":{"correlation":42,"stream":7,"device":0}},
 {"ph":"i","s":"g","name":"Record Window End","pid":"","tid":"","ts":1200.000}],"traceName":"x.json"})";

TEST(Kineto, AStepAKernelAnOperator) {
  const profile::StepProfile profile = read_steps("x.json", kTiny);
  EXPECT_EQ(profile.format, "kineto");
  ASSERT_EQ(profile.steps.size(), 1u);
  const profile::ProfiledStep& step = profile.steps[0];
  EXPECT_EQ(step.key, "ProfilerStep#7");
  EXPECT_EQ(step.host_ns, 900500);
  EXPECT_EQ(step.gpu_ops, 1u);
  EXPECT_EQ(step.gpu_sum_ns, 400000);
  EXPECT_EQ(step.gpu_busy_ns, 400000);
  EXPECT_EQ(step.gpu_span_ns, 400000);
  EXPECT_EQ(step.kernels, (std::vector<profile::Operation>{{"gemm", 1, 400000}}));
  EXPECT_EQ(step.operators,
            (std::vector<profile::Operation>{{std::string(profile::kOutsideOperators), 0, 900500 - 100250},
                                             {"aten::mm", 1, 100250}}));
  EXPECT_EQ(profile.unattributed_gpu_ops, 0u);
}

TEST(Kineto, OrderOfKeysAndFormOfNumbersDoNotMatter) {
  const profile::StepProfile profile = read_steps("x.json", R"({"traceName":"x","traceEvents" : [
{"args":{"a":{"b":[1,{"correlation":"9"}]}},"tid":"7","pid":"GPU 0","dur":"4e2","ts":"300.1250004","name":"k \"q\" \u00e9","cat":"Kernel","ph":"X"},
{"dur":5,"ts":101,"args":{"cbid":3,"correlation":9},"cat":"Runtime","ph":"X","name":"l","pid":1,"tid":1}, {} ,
{"name":"ProfilerStep # 3","cat":"USER_ANNOTATION","ph":"X","ts":100,"dur":20,"pid":1,"tid":1}]})");
  ASSERT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.steps[0].key, "ProfilerStep # 3");
  EXPECT_EQ(profile.steps[0].kernels, (std::vector<profile::Operation>{{"k \"q\" \xc3\xa9", 1, 400000}}));
}

TEST(Kineto, AnArrayOfEventsIsATraceToo) {
  const std::string text = kTiny;
  const auto open = text.find('['), close = text.rfind(']');
  EXPECT_EQ(read_steps("x.json", text.substr(open, close + 1 - open)).steps.at(0).gpu_sum_ns, 400000);
}

// As torch 1.13 of Debian 12 writes it, which is built without Kineto.
TEST(Kineto, WithoutKinetoPytorchWritesNoCategories) {
  const std::string text =
      R"([{"name": "ProfilerStep#3", "ph": "X", "ts": 100, "dur": 50, "tid": 1, "pid": "CPU functions", "args": {}}, )"
      R"({"name": "sp2 src_len=21 batch_size=8", "ph": "X", "ts": 105, "dur": 40, "tid": 1, "pid": "CPU functions", "args": {}}, )"
      R"({"name": "aten::linear", "ph": "X", "ts": 110, "dur": 20, "tid": 1, "pid": "CPU functions", "args": {}}, )"
      R"({"name": "aten::addmm", "ph": "X", "ts": 112, "dur": 15, "tid": 1, "pid": "CPU functions", "args": {}}, )"
      R"({"name": "aten::add_", "ph": "X", "ts": 140, "dur": 2, "tid": 2, "pid": "CPU functions", "args": {}}, )"
      R"({"name": "launch", "ph": "s", "ts": 141, "tid": 2, "pid": "CPU functions", "id": 7, "cat": "cpu_to_cuda", "args": {}}])";
  const profile::StepProfile profile = read_steps("x.json", text);
  ASSERT_EQ(profile.steps.size(), 1u);
  const profile::ProfiledStep& step = profile.steps[0];
  EXPECT_EQ(step.host_ns, 50000);
  EXPECT_EQ(step.labels, (std::vector<std::string>{"sp2 src_len=21 batch_size=8"}))
      << "a range that names a step is no operator";
  EXPECT_EQ(step.operators, (std::vector<profile::Operation>{{std::string(profile::kOutsideOperators), 0, 28000},
                                                             {"aten::addmm", 1, 15000},
                                                             {"aten::linear", 1, 5000},
                                                             {"aten::add_", 1, 2000}}));
}

TEST(Kineto, StepsMayStandUnderAnotherCategory) {
  const auto trace = [](const std::string& category) {
    return R"([{"name":"ProfilerStep#3","ph":"X","ts":"100","dur":20,"pid":1,"tid":1,"cat":")" + category +
           R"("},{"name":"aten::mm","cat":"cpu_op","ph":"X","ts":"105","dur":2,"pid":1,"tid":1}])";
  };
  for (const char* const category : {"cpu_op", "npu_range", "Trace", "python_function", ""}) {
    const profile::StepProfile profile = read_steps("x.json", trace(category));
    ASSERT_EQ(profile.steps.size(), 1u) << category;
    EXPECT_EQ(profile.steps[0].host_ns, 20000) << category;
    EXPECT_TRUE(profile.notes.empty()) << category;
  }
  std::string both = trace("cpu_op");
  both.insert(1, R"({"name":"ProfilerStep#3","ph":"X","ts":"100","dur":30,"pid":1,"tid":1,"cat":"user_annotation"},)");
  EXPECT_EQ(read_steps("x.json", both).steps.size(), 1u) << "the annotation's";
}

TEST(Kineto, RangesThatNameIterationsAreStepsWhereThereIsNoProfilerStep) {
  std::string text = kTiny;
  text.replace(text.find("ProfilerStep#7"), 14, "seqlen=17");
  text.replace(text.find("\"cat\":\"cpu_op\",\"name\":\"aten::mm\""), 32,
               "\"cat\":\"user_annotation\",\"name\":\"seqlen=17 forward\"");
  const profile::StepProfile profile = read_steps("x.json", text);
  ASSERT_EQ(profile.steps.size(), 1u) << "the range inside is a part of the step";
  EXPECT_EQ(profile.steps[0].key, "seqlen=17");
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 400000);
}

TEST(Kineto, ProcessesOfOneTimeAreRanksAndLaterOnesAreNot) {
  const auto step = [](int pid, int ts, int dur, const char* name) {
    return R"({"ph":"X","cat":"user_annotation","pid":)" + std::to_string(pid) + R"(,"tid":1,"ts":)" +
           std::to_string(ts) + R"(,"dur":)" + std::to_string(dur) + R"(,"name":")" + name + R"("},)";
  };
  const std::string first = step(1, 0, 10, "iter 3") + step(1, 10, 40, "iter 4") + step(2, 1, 20, "iter 3") +
                            step(2, 21, 30, "iter 4"),
                    later = step(3, 100, 15, "iter 3") + step(4, 105, 5, "iter 3");
  const profile::StepProfile profile = read_steps("x.json", R"({"traceEvents":[)" + first + later + "{}]}");
  std::vector<std::pair<std::string, std::int64_t>> steps;
  for (const profile::ProfiledStep& one : profile.steps) steps.emplace_back(one.key, *one.host_ns);
  EXPECT_EQ(steps, (std::vector<std::pair<std::string, std::int64_t>>{
                       {"iter 3", 20000}, {"iter 4", 40000}, {"iter 3", 15000}}));
  EXPECT_TRUE(has(profile.notes.at(0), "processes at the same time: profiles of 2 ranks"));
}

TEST(Kineto, AProcessThatEndedEarlyIsFound) {
  const auto step = [](int pid, int ts, int number) {
    return R"({"ph":"X","cat":"user_annotation","pid":)" + std::to_string(pid) + R"(,"tid":1,"ts":)" +
           std::to_string(ts) + R"(,"dur":10,"name":"iter )" + std::to_string(number) + R"("},)";
  };
  std::string events;
  for (int number = 0; number < 4; ++number) events += step(1, 20 * number, number);
  events += step(2, 1, 0) + step(2, 21, 1);
  const profile::StepProfile profile = read_steps("x.json", R"({"traceEvents":[)" + events + "{}]}");
  ASSERT_EQ(profile.findings.size(), 1u) << "two steps lack the second process";
  EXPECT_TRUE(profile.findings[0].is(findings::kRanksMissing));
  EXPECT_EQ(profile.findings[0].place.source, "x.json");
}

TEST(Kineto, HalvesOfEventsAreSaid) {
  std::string text = kTiny;
  text.replace(text.find('[') + 1, 0, R"({"ph":"B","name":"seqlen=3","pid":1,"tid":1,"ts":0},)");
  EXPECT_TRUE(has(read_steps("x.json", text).notes.at(0), "1 event in two halves"));
}

TEST(Kineto, WithoutStepsNothingIsMadeUp) {
  std::string text = kTiny;
  text.replace(text.find("ProfilerStep#7"), 14, "forward");
  const profile::StepProfile profile = read_steps("x.json", text);
  EXPECT_TRUE(profile.steps.empty());
  EXPECT_EQ(profile.unattributed_gpu_ops, 1u);
  ASSERT_FALSE(profile.notes.empty());
  EXPECT_NE(profile.notes.back().find("'forward' (1)"), std::string::npos);
}

std::string kineto_problem(const std::string& text) {
  try {
    read_steps("x.json", text);
  } catch (const InputError& error) {
    return error.problems().front().message();
  }
  return {};
}

TEST(Kineto, BadTimesNameTheEvent) {
  const auto with = [](const char* from, const char* to) {
    std::string text = kTiny;
    return text.replace(text.find(from), std::string(from).size(), to);
  };
  EXPECT_NE(
      kineto_problem(with("\"dur\":400.000", "\"dur\":-400.000")).find("traceEvents[3].dur': -400.000 is not a time"),
      std::string::npos);
  EXPECT_NE(kineto_problem(with("\"ts\":300.125", "\"ts\":\"NaN\"")).find("NaN is not a time"), std::string::npos);
  EXPECT_NE(kineto_problem(with("\"dur\":900.500", "\"dur\":null")).find("traceEvents[0].dur"), std::string::npos);
  EXPECT_NE(kineto_problem(with("\"dur\":900.500,", "")).find("is missing"), std::string::npos);
  EXPECT_NE(kineto_problem(with("\"ts\":300.125", "\"ts\":1e300")).find("traceEvents[3].ts"), std::string::npos);
}

TEST(Kineto, WhatIsCutShortIsSalvagedIfAStepIsLeft) {
  const std::string text = kTiny;
  const profile::StepProfile profile = read_steps("x.json", text.substr(0, text.find("{\"ph\":\"i\"") + 4));
  EXPECT_EQ(profile.steps.at(0).gpu_sum_ns, 400000);
  EXPECT_NE(profile.notes.at(0).find("cut short"), std::string::npos);
  EXPECT_NE(kineto_problem(text.substr(0, text.find("\"cat\""))).find("cut short"), std::string::npos);
}

TEST(Kineto, EventsThatAreNoJsonAreLeftOutAndCounted) {
  std::string text = kTiny;
  text.insert(text.find("{\"ph\":\"i\""), R"({"ph":"X","cat":"kernel","name":"a "quoted" b","ts":1,"dur":2},)");
  const profile::StepProfile profile = read_steps("x.json", text);
  EXPECT_EQ(profile.steps.at(0).gpu_ops, 1u);
  EXPECT_NE(profile.notes.at(0).find("1 event left out, as they are not valid JSON"), std::string::npos);
}

TEST(Kineto, ATraceWhoseKernelsHaveNoDurationIsRefused) {
  std::string text = kTiny;
  for (int i = 0; i < 2; ++i)
    text.insert(text.find("{\"ph\":\"i\""), R"({"ph":"X","cat":"kernel","name":"a","ts":0,"dur":0},)");
  EXPECT_NE(kineto_problem(text).find("2 device operations of 3 have a duration of 0"), std::string::npos);
}

// --- the window ----------------------------------------------------------------------------------

std::string microseconds(std::int64_t ns) {
  const std::string fraction = std::to_string(1000 + ns % 1000);
  return std::to_string(ns / 1000) + "." + fraction.substr(1);
}

/// Events with everything that could mislead who looks for their ends, in blanks of any kind.
std::string random_trace(std::mt19937_64& rng, std::size_t events) {
  const std::vector<std::string> junk{"}, {", "\\\"},{\\\"", "]}", "\\\\", "[{", "plain", "a b c"};
  const std::vector<std::string> blanks{"", " ", "\n  ", "\r\n\t"};
  const auto any = [&rng](const auto& of) { return of[rng() % of.size()]; };
  std::string text = "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0}, {\"id\": 1}],\"traceEvents\": [";
  std::int64_t now = 0;
  for (std::size_t e = 0; e < events; ++e) {
    now += static_cast<std::int64_t>(rng() % 3000);
    const char* const cats[] = {"kernel", "cuda_runtime", "cpu_op", "user_annotation", "gpu_memcpy", "python_function"};
    const std::string cat = cats[rng() % 6];
    const bool step = cat == "user_annotation" && rng() % 4 == 0;
    const bool on_device = cat == "kernel" || cat == "gpu_memcpy";  // each in a stream of its own: none has a late end
    const std::int64_t duration = step ? 60000 : static_cast<std::int64_t>(rng() % 900);
    text += (e > 0 ? "," : "") + any(blanks) + "{\"ph\": \"X\", \"cat\": \"" + cat + "\"," + any(blanks) +
            "\"name\": \"" + (step ? "ProfilerStep#" + std::to_string(e) : any(junk) + std::to_string(rng() % 50)) +
            "\", \"pid\": 1, \"tid\": " + std::to_string(rng() % 3 + (on_device ? 3 * (e + 1) : 0)) +
            ", \"ts\": " + microseconds(now) + ", \"dur\": " + microseconds(duration) + any(blanks) +
            ",\"args\": {\"x\": [{\"y\": \"" + any(junk) +
            "\"}, {\"z\": [1, 2]}], \"correlation\": " + std::to_string(rng() % (events / 3 + 1)) + "}}" + any(blanks);
  }
  return text + "], \"pg_config\": [{\"a\": 1}, {\"b\": 2}], \"traceName\": \"}, {\"}";
}

std::int64_t exact_ns(const std::string& text) {
  const auto point = text.find('.');
  return std::stoll(text.substr(0, point) + text.substr(point + 1));
}

/// Keeps the numbers' own text: a double would not do.
struct TextOfNumbers : nlohmann::json_sax<nlohmann::json> {
  bool number_float(double, const std::string& text) override { return texts.push_back(text), true; }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t) override { return true; }
  bool number_unsigned(std::uint64_t) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(nlohmann::json::binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(std::string&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }
  std::vector<std::string> texts;
};

struct Expected {
  std::string key;
  std::int64_t gpu_sum = 0;
  std::uint64_t operations = 0, weak = 0;
};

std::vector<Expected> expected_steps(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  TextOfNumbers numbers;
  nlohmann::json::sax_parse(text, &numbers);
  const auto& events = json["traceEvents"];
  const auto ts = [&](std::size_t e) { return exact_ns(numbers.texts[2 * e]); };
  const auto dur = [&](std::size_t e) { return exact_ns(numbers.texts[2 * e + 1]); };
  std::vector<Expected> steps;
  std::vector<std::pair<std::int64_t, std::int64_t>> windows;
  std::map<int, std::int64_t> launches;
  for (std::size_t e = 0; e < events.size(); ++e) {
    const std::string name = events[e]["name"];
    if (events[e]["cat"] == "cuda_runtime") launches.try_emplace(events[e]["args"]["correlation"].get<int>(), ts(e));
    if (!name.starts_with("ProfilerStep")) continue;
    steps.push_back({name, 0, 0, 0});
    windows.emplace_back(ts(e), ts(e) + dur(e));
  }
  for (std::size_t e = 0; e < events.size(); ++e) {
    if (events[e]["cat"] != "kernel" && events[e]["cat"] != "gpu_memcpy") continue;
    const auto launch = launches.find(events[e]["args"]["correlation"].get<int>());
    const std::int64_t at = launch != launches.end() ? launch->second : ts(e);
    for (std::size_t s = steps.size(); s-- > 0;) {  // the last that began
      if (at < windows[s].first || at >= windows[s].second) continue;
      (launch != launches.end() ? steps[s].operations : steps[s].weak) += 1;
      if (launch != launches.end()) steps[s].gpu_sum += dur(e);
      break;
    }
  }
  return steps;
}

void expect_same(const profile::StepProfile& profile, const std::vector<Expected>& expected) {
  ASSERT_EQ(profile.steps.size(), expected.size());
  for (std::size_t s = 0; s < expected.size(); ++s) {
    EXPECT_EQ(profile.steps[s].key, expected[s].key);
    EXPECT_EQ(profile.steps[s].gpu_sum_ns, expected[s].gpu_sum) << expected[s].key;
    EXPECT_EQ(profile.steps[s].gpu_ops, expected[s].operations) << expected[s].key;
    EXPECT_EQ(profile.steps[s].weak_gpu_ops, expected[s].weak) << expected[s].key;
  }
}

TEST(Kineto, AWindowFindsWhatTheWholeDocumentHolds) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    const std::string text = random_trace(rng, 300);
    expect_same(read_steps("x.json", text), expected_steps(text));
  }
}

TEST(Kineto, AlsoOverManyWindows) {
  std::mt19937_64 rng(7);
  const std::string text = random_trace(rng, 60000);
  ASSERT_GT(text.size(), 10U * 1024 * 1024) << "more than two windows";
  expect_same(read_steps("x.json", text), expected_steps(text));
}

TEST(TraceEvents, AnEventLongerThanAWindowMakesTheWindowLonger) {
  const std::string text =
      R"([{"ph":"M","name":")" + std::string(9 * 1024 * 1024, 'x') + R"("},{"ph":"X","name":"b"}])";
  io::stream::Input input = io::stream::Input::from_memory("x.json", text);
  std::vector<std::size_t> sizes;
  const io::profiles::engine::TraceSummary end = io::profiles::engine::read_trace_events(
      input, [&](const io::profiles::engine::TraceEvent& event) { sizes.push_back(event.name.size()); });
  EXPECT_EQ(sizes, (std::vector<std::size_t>{9 * 1024 * 1024, 1}));
  EXPECT_FALSE(end.truncated);
}

TEST(TraceEvents, ArgumentsAreFoundByTheirKey) {
  EXPECT_EQ(io::json::find_value(R"({"a \"correlation\"": 1, "correlation" : 42 })", "correlation"), "42");
  EXPECT_EQ(io::json::find_value(R"({"x":"correlation","correlation":"7"})", "correlation"), "7");
  EXPECT_EQ(io::json::find_value(R"({"correlationId":3})", "correlation"), "");
  EXPECT_EQ(io::json::find_value(R"({"correlation")", "correlation"), "");
}

TEST(Kineto, CategoriesThatNoRuleKnowsAreNamedAndCounted) {
  const profile::StepProfile profile = read_steps("t.json", R"({"traceEvents": [
    {"ph": "X", "cat": "user_annotation", "name": "iter 1", "pid": 1, "tid": 1, "ts": 0, "dur": 10},
    {"ph": "X", "cat": "mtia_ccp_events", "name": "gemm", "pid": 2, "tid": 1, "ts": 1, "dur": 3},
    {"ph": "X", "cat": "mtia_ccp_events", "name": "gemm", "pid": 2, "tid": 1, "ts": 5, "dur": 3},
    {"ph": "i", "cat": "marks", "name": "m", "pid": 2, "tid": 1, "ts": 5},
    {"ph": "X", "cat": "python_function", "name": "f", "pid": 1, "tid": 1, "ts": 5, "dur": 1}]})");
  ASSERT_EQ(profile.notes.size(), 1u);
  EXPECT_EQ(profile.notes[0],
            "t.json: 2 events of category 'mtia_ccp_events' are in no figure; use host times: their kind is not known");
}

}  // namespace
}  // namespace seqpoint::testing
