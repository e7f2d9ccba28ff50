// Training without padding: the shape is the tokens and the squared lengths of a batch. Against sums taken sequence
// by sequence, tokens laid out one by one, and costs whose totals are known in closed form.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/measure.hpp"
#include "core/project/projection.hpp"
#include "core/select/select.hpp"
#include "core/trace/trace.hpp"
#include "io/artifacts/files.hpp"
#include "io/stream/input.hpp"
#include "property/draw.hpp"
#include "seqpoint/error.hpp"

namespace varlen_property {
namespace {

using namespace seqpoint;
using seqpoint::testing::Draw;
using Rows = std::vector<std::uint32_t>;

constexpr seqpoint::trace::ShapeRule kVarlen{1, seqpoint::trace::BatchLayout::varlen};

Rows random_lengths(Draw& draw, std::size_t n, std::uint32_t longest) {
  Rows lengths(n);
  for (std::uint32_t& length : lengths) length = static_cast<std::uint32_t>(draw.below(longest + 1));
  return lengths;
}

seqpoint::batching::BatchPolicy policy_of(const std::string& sampler, std::uint64_t batch_size,
                                          std::uint64_t ranks = 1) {
  seqpoint::batching::BatchPolicy policy;
  policy.sampler = sampler;
  policy.batch_size = batch_size;
  policy.world_size = ranks;
  return policy;
}

/// Tokens and squares of one rank.
struct Sums {
  std::uint64_t tokens = 0, squares = 0;
  void add(std::uint64_t length) {
    tokens += length;
    squares += length * length;
  }
};

/// A run of unpadded batches whose lengths are drawn; the cost is linear in tokens and squares.
double linear_cost(const seqpoint::trace::Shape& s) {
  return 0.03 + 2e-5 * static_cast<double>(s.tokens) + 7e-9 * static_cast<double>(s.sq_tokens);
}

seqpoint::trace::Trace linear_run(std::uint32_t seed, std::size_t batches = 300) {
  Draw draw(seed);
  seqpoint::lengths::Lengths lengths{.src = random_lengths(draw, 16 * batches, 400)};
  for (std::uint32_t& length : lengths.src) length += draw.below(8) == 0 ? 900 : 1;
  seqpoint::trace::Trace run = seqpoint::trace::trace_of(lengths, policy_of("sequential", 16), kVarlen);
  run.metrics.push_back({"runtime_s", {}});
  for (std::size_t i = 0; i < run.size(); ++i) run.metrics[0].values.push_back(linear_cost(run.shapes[i]));
  return run;
}

double total(const seqpoint::trace::Metric& metric) {
  double sum = 0;
  for (const double value : metric.values) sum += value;
  return sum;
}

seqpoint::select::SelectParams with_points(std::uint64_t points, const std::string& method = "calibrated") {
  seqpoint::select::SelectParams params;
  params.method = method;
  params.points = points;
  return params;
}

/// The run's own measurements as a profile, as a trace's columns make it.
seqpoint::profile::ProfileTable profile_of(const seqpoint::trace::Trace& run, bool squares = true) {
  seqpoint::profile::ProfileTable table;
  table.source = "run.csv";
  table.metrics = {"runtime_s"};
  if (squares) table.dimensions.insert(seqpoint::trace::Dimension::sq_tokens);
  for (std::size_t i = 0; i < run.size(); ++i) {
    seqpoint::profile::RowSubject subject;
    subject.key.tokens = run.shapes[i].tokens;
    if (squares) subject.key.sq_tokens = run.shapes[i].sq_tokens;
    table.add(subject, {run.metrics[0].values[i]}).line = static_cast<std::uint32_t>(i + 2);
  }
  return table;
}

seqpoint::project::Projection project_run(const seqpoint::select::Selection& selection,
                                          const seqpoint::trace::Trace& run) {
  seqpoint::profile::ProfileTable of_points = profile_of(run);  // of all iterations the total would be the run's own
  std::erase_if(of_points.rows, [&](const seqpoint::profile::ProfileRow& row) {
    return std::ranges::none_of(selection.points, [&](const seqpoint::select::Point& point) {
      const seqpoint::trace::PartialShape& key = of_points.subject(row).key;
      return key.tokens == point.shape.tokens && (key.sq_tokens == point.shape.sq_tokens || point.length_group);
    });
  });
  const std::vector<seqpoint::profile::ProfileTable> files{of_points};
  const std::vector<seqpoint::project::NamedMeasurements> all{{"run", seqpoint::profile::match(files, selection)}};
  return seqpoint::project::project(selection, all, {});
}

TEST(Varlen, ShapeIsOfTheRankWithTheMostTokens) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed);
    seqpoint::lengths::Lengths lengths{.src = random_lengths(draw, 1 + draw.below(60), 100)};
    if (draw.below(2) == 0) lengths.tgt = random_lengths(draw, lengths.size(), 100);
    const seqpoint::batching::BatchPolicy policy =
        policy_of("pytorch-distributed", 1 + draw.below(5), 1 + draw.below(4));
    const seqpoint::trace::Trace run = seqpoint::trace::trace_of(lengths, policy, kVarlen);
    std::size_t i = 0;
    seqpoint::batching::for_each_micro_batch(lengths, policy, [&](const seqpoint::batching::MicroBatch& step) {
      std::uint64_t all = 0, samples = 0;
      Sums most;
      for (std::size_t r = 0; r < step.ranks(); ++r) {
        Sums rank;
        for (const std::uint32_t row : step.rows_of_rank(r)) {
          rank.add(lengths.src[row]);
          if (lengths.paired()) rank.add(lengths.tgt[row]);
        }
        samples += step.rows_of_rank(r).size();
        all += rank.tokens;
        const bool more = rank.tokens == most.tokens ? rank.squares > most.squares : rank.tokens > most.tokens;
        if (more) most = rank;
      }
      EXPECT_EQ(run.shapes[i],
                (seqpoint::trace::Shape{.tokens = static_cast<std::uint32_t>(most.tokens), .sq_tokens = most.squares}));
      EXPECT_EQ(run.tokens[i], all);
      EXPECT_EQ(run.padded_tokens_at(i), all);
      EXPECT_EQ(run.samples_at(i), samples);
      ++i;
    });
    EXPECT_EQ(i, run.size());
  }
}

/// Sequences of 6 tokens from documents of 6 are whole documents, whatever their order; from documents of 3, two of
/// them.
TEST(Varlen, MegatronsSequencesLeaveTheLabelOut) {
  for (const std::uint32_t document : {1U, 2U, 3U, 6U}) {
    const seqpoint::lengths::Lengths lengths{.src = Rows(60, document)};
    seqpoint::batching::BatchPolicy policy = policy_of("megatron", 2);
    policy.options.set("seq-length", "6");
    const seqpoint::trace::Trace run = seqpoint::trace::trace_of(lengths, policy, kVarlen);
    ASSERT_GT(run.size(), 0U);
    for (std::size_t i = 0; i < run.size(); ++i)
      EXPECT_EQ(run.shapes[i], (seqpoint::trace::Shape{.tokens = 12, .sq_tokens = 12ULL * document}));
  }
  seqpoint::batching::BatchPolicy policy = policy_of("megatron", 2);
  policy.options.set("seq-length", "6");
  const seqpoint::trace::Trace run = seqpoint::trace::trace_of(
      {.src = {121}}, policy, kVarlen);  // the 7th token that a sequence reads is its last label
  ASSERT_EQ(run.size(), 10U);
  for (std::size_t i = 0; i < run.size(); ++i)
    EXPECT_EQ(run.shapes[i], (seqpoint::trace::Shape{.tokens = 12, .sq_tokens = 72}));
}

TEST(Varlen, TokensBeyond32BitsAreRefused) {
  const seqpoint::lengths::Lengths fits{.src = {0xFFFFFFF0U, 15}}, beyond{.src = {0xFFFFFFF0U, 16}};
  const seqpoint::trace::Trace run = seqpoint::trace::trace_of(fits, policy_of("sequential", 2), kVarlen);
  EXPECT_EQ(run.shapes[0].sq_tokens, 0xFFFFFFF0ULL * 0xFFFFFFF0ULL + 225);
  EXPECT_THROW(seqpoint::trace::trace_of(beyond, policy_of("sequential", 2), kVarlen), UsageError);
  EXPECT_THROW(seqpoint::trace::trace_of(fits, policy_of("sequential", 2), {8, seqpoint::trace::BatchLayout::varlen}),
               UsageError);
}

TEST(Varlen, ATraceReadsBackAsTheRunItIsOf) {
  for (const std::uint64_t ranks : {1U, 3U}) {
    Draw draw(7);
    const seqpoint::lengths::Lengths lengths{.src = random_lengths(draw, 50, 0x70000000U),
                                             .tgt = random_lengths(draw, 50, 20)};
    const seqpoint::batching::BatchPolicy policy = policy_of("pytorch-distributed", 1, ranks);
    std::string text;
    seqpoint::io::artifacts::TraceWriter writer(
        {.paired = true, .ranks = ranks > 1, .layout = seqpoint::trace::BatchLayout::varlen},
        [&](std::string_view bytes) { text += bytes; });
    seqpoint::trace::for_each_iteration(lengths, policy, kVarlen,
                                        [&](const seqpoint::trace::IterationRow& row,
                                            const seqpoint::batching::MicroBatch& step) { writer.add(row, step); });
    const seqpoint::io::artifacts::TraceFile file = seqpoint::io::artifacts::read_trace(
        seqpoint::io::stream::Input::from_memory("run.csv", text), {}, seqpoint::trace::BatchLayout::varlen);
    const seqpoint::trace::Trace run = seqpoint::trace::trace_of(lengths, policy, kVarlen);
    EXPECT_TRUE(file.notes.empty());
    EXPECT_EQ(file.trace.shapes, run.shapes) << "up to 2^62: not through doubles";
    EXPECT_EQ(file.trace.tokens, run.tokens);
    EXPECT_EQ(file.trace.ranks, ranks);
    EXPECT_EQ(file.trace.mean_padded_tokens, run.mean_padded_tokens);
    for (std::size_t i = 0; i < run.size(); ++i) EXPECT_EQ(file.trace.samples_at(i), run.samples_at(i));
  }
}

TEST(Varlen, CalibratedWeightsReproduceCountTokensAndSquares) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const seqpoint::trace::Trace run = linear_run(seed);
    const seqpoint::select::Selection selection = seqpoint::select::select(run, with_points(6 + seed % 10));
    std::int64_t count = 0;
    double tokens = 0, squares = 0, all_tokens = 0, all_squares = 0;
    for (const seqpoint::select::Point& point : selection.points) {
      EXPECT_FALSE(point.length_group.has_value());
      count += point.weight.millionths;
      tokens += point.weight.iterations() * static_cast<double>(point.shape.tokens);
      squares += point.weight.iterations() * static_cast<double>(point.shape.sq_tokens);
    }
    for (std::size_t i = 0; i < run.size(); ++i) {
      all_tokens += run.shapes[i].tokens;
      all_squares += static_cast<double>(run.shapes[i].sq_tokens);
    }
    EXPECT_EQ(count, static_cast<std::int64_t>(run.size()) * seqpoint::select::Weight::kUnit);
    // All that is left is the rounding of weights to millionths.
    EXPECT_NEAR(tokens / all_tokens, 1, 1e-7);
    EXPECT_NEAR(squares / all_squares, 1, 1e-7);
  }
}

/// Batches of equal tokens whose squares differ lie between each other in the run.
TEST(Varlen, EqualShapesAreOnePointThatWeighsTheirNumber) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed);
    seqpoint::trace::Trace run;
    run.kind = seqpoint::trace::ShapeKind::varlen;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> counts;
    for (std::uint64_t i = 5 + draw.below(60); i > 0; --i) {
      const std::uint64_t tokens = 50 + draw.below(3);
      const std::uint64_t high = draw.below(std::uint64_t{2}) << 33U, squares = high + 600 + draw.below(3);
      run.shapes.push_back({.tokens = static_cast<std::uint32_t>(tokens), .sq_tokens = squares});
      run.samples.push_back(1);
      ++counts[{tokens, squares}];
    }
    const seqpoint::select::Selection selection = seqpoint::select::select(run, with_points(counts.size()));
    ASSERT_EQ(selection.points.size(), counts.size());
    for (const seqpoint::select::Point& point : selection.points) {
      EXPECT_EQ(point.weight.millionths,
                static_cast<std::int64_t>(counts.at({point.shape.tokens, point.shape.sq_tokens})) *
                    seqpoint::select::Weight::kUnit);
    }
  }
}

TEST(Varlen, CostLinearInTokensAndSquaresIsProjectedExactly) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const seqpoint::trace::Trace run = linear_run(seed);
    const seqpoint::project::Projection projection = project_run(seqpoint::select::select(run, with_points(8)), run);
    const seqpoint::project::MetricProjection& metric = projection.configurations.at(0).metrics.at(0);
    const double truth = total(run.metrics[0]);
    EXPECT_NEAR(metric.value / truth, 1, 1e-7);
    ASSERT_TRUE(metric.interval) << metric.interval.reason;
    EXPECT_TRUE(metric.interval->low < truth && truth < metric.interval->high);
  }
}

/// Of as few points as four: three determine the cost, and one is left to show that.
TEST(Varlen, OfAnotherRunSuchACostIsProjectedNearlyExactlyToo) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const seqpoint::trace::Trace run = linear_run(seed), other = linear_run(seed + 100);
    const seqpoint::select::Selection selection = seqpoint::select::select(run, with_points(4 + seed % 9));
    const std::vector<seqpoint::profile::ProfileTable> files{profile_of(run)};
    const std::vector<seqpoint::project::NamedMeasurements> all{{"run", seqpoint::profile::match(files, selection)}};
    const seqpoint::project::Projection projection =
        seqpoint::project::project_onto(selection, {"other.csv", "", seqpoint::trace::summarise(other)}, all, {});
    const seqpoint::project::MetricProjection& metric = projection.configurations.at(0).metrics.at(0);
    const double truth = total(other.metrics[0]);
    EXPECT_NEAR(metric.value / truth, 1, 0.03) << selection.points.size();
    ASSERT_TRUE(metric.interval) << metric.interval.reason;
    EXPECT_TRUE(metric.interval->low < truth && truth < metric.interval->high);
  }
}

/// What squares explain is no noise: the interval is as wide as of a cost that goes by tokens alone. Without them it is
/// wider.
TEST(Varlen, SquaresDoNotWidenTheInterval) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    seqpoint::trace::Trace run = linear_run(seed);
    const seqpoint::select::Selection selection = seqpoint::select::select(run, with_points(8));
    const auto width = [&](double per_square, double power) {
      for (std::size_t i = 0; i < run.size(); ++i)
        run.metrics[0].values[i] =
            1e-3 * run.shapes[i].tokens + per_square * std::pow(static_cast<double>(run.shapes[i].sq_tokens), power);
      const seqpoint::project::MetricProjection metric = project_run(selection, run).configurations.at(0).metrics.at(0);
      EXPECT_TRUE(metric.interval) << metric.interval.reason;
      return (metric.interval->high - metric.interval->low) / metric.value;
    };
    const double tokens = width(0, 1);
    EXPECT_NEAR(width(1e-5, 1) / tokens, 1, 1e-6);
    EXPECT_GT(width(1e-11, 2) / tokens, 1 + 1e-6);
  }
}

/// A point that could not be measured is no loss where four are left.
TEST(Varlen, WithAMissingPointSuchACostIsStillNearlyExact) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const seqpoint::trace::Trace run = linear_run(seed);
    const seqpoint::select::Selection selection = seqpoint::select::select(run, with_points(8));
    seqpoint::profile::ProfileTable profile = profile_of(run);
    const seqpoint::trace::Shape& missing = selection.points[seed % selection.points.size()].shape;
    std::erase_if(profile.rows, [&](const seqpoint::profile::ProfileRow& row) {
      const seqpoint::trace::PartialShape& key = profile.subject(row).key;
      return key.tokens == missing.tokens && key.sq_tokens == missing.sq_tokens;
    });
    const std::vector<seqpoint::profile::ProfileTable> files{profile};
    const std::vector<seqpoint::project::NamedMeasurements> all{{"run", seqpoint::profile::match(files, selection)}};
    const seqpoint::project::ConfigurationProjection projected =
        seqpoint::project::project(selection, all, {}).configurations.at(0);
    ASSERT_EQ(projected.missing_points.size(), 1U);
    EXPECT_NEAR(projected.metrics.at(0).value / total(run.metrics[0]), 1, 0.01);
  }
}

/// Where the tokens alone cannot: bins of the same size are off by more.
TEST(Varlen, SquaresAreWorthMoreThanTokensAlone) {
  double calibrated = 0, bins = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    seqpoint::trace::Trace run = linear_run(seed);
    for (std::size_t i = 0; i < run.size(); ++i)  // neither a feature nor a constraint
      run.metrics[0].values[i] = std::pow(static_cast<double>(run.shapes[i].sq_tokens), 0.8) +
                                 3 * std::pow(static_cast<double>(run.shapes[i].tokens), 1.1);
    const double truth = total(run.metrics[0]);
    const auto error = [&](const std::string& method) {
      return project_run(seqpoint::select::select(run, with_points(8, method)), run)
                     .configurations.at(0)
                     .metrics.at(0)
                     .value /
                 truth -
             1;
    };
    calibrated += error("calibrated") * error("calibrated");
    bins += error("bins") * error("bins");
  }
  EXPECT_LT(calibrated, bins / 4);
}

TEST(Varlen, MethodsOfOneLengthGoByTokens) {
  const seqpoint::trace::Trace run = linear_run(3);
  for (const std::string method : {"bins", "kmeans", "frequent", "median", "worst"}) {
    seqpoint::select::SelectParams params = with_points(5, method);
    if (seqpoint::select::find_method(method).points == seqpoint::select::Method::Points::none) params.points.reset();
    const seqpoint::select::Selection selection = seqpoint::select::select(run, params);
    EXPECT_EQ(selection.method.metric, "tokens");
    std::set<std::uint64_t> tokens;
    for (const seqpoint::trace::Shape& s : run.shapes) tokens.insert(s.tokens);
    for (const seqpoint::select::Point& point : selection.points) {
      EXPECT_EQ(point.length_group, point.shape.tokens);
      EXPECT_TRUE(tokens.contains(point.shape.tokens));
    }
  }
}

TEST(Varlen, TheArtefactReadsBack) {
  const seqpoint::trace::Trace run = linear_run(5);
  for (const std::string method : {"calibrated", "bins", "random"}) {
    const seqpoint::select::Selection selection = seqpoint::select::select(run, with_points(7, method));
    const seqpoint::select::Selection read =
        seqpoint::io::artifacts::read_seqpoints(
            seqpoint::io::stream::Input::from_memory("points.json",
                                                     seqpoint::io::artifacts::seqpoints_json(selection, {})))
            .selection;
    EXPECT_EQ(read.run.kind, seqpoint::trace::ShapeKind::varlen);
    ASSERT_EQ(read.run.histogram.size(), selection.run.histogram.size());
    for (std::size_t h = 0; h < read.run.histogram.size(); ++h)
      EXPECT_EQ(read.run.histogram[h].shape, selection.run.histogram[h].shape);
    ASSERT_EQ(read.points.size(), selection.points.size());
    for (std::size_t p = 0; p < read.points.size(); ++p) {
      EXPECT_EQ(read.points[p].shape, selection.points[p].shape);
      EXPECT_EQ(read.points[p].length_group, selection.points[p].length_group);
    }
  }
}

TEST(Varlen, ProfilesThatCannotTellPointsApartAreRefused) {
  seqpoint::trace::Trace run;
  run.kind = seqpoint::trace::ShapeKind::varlen;
  run.shapes = {{.tokens = 50, .sq_tokens = 700}, {.tokens = 50, .sq_tokens = 900}, {.tokens = 70, .sq_tokens = 1900}};
  run.samples = {1, 1, 1};
  run.metrics.push_back({"runtime_s", {1, 2, 3}});
  const seqpoint::select::Selection selection = seqpoint::select::select(run, with_points(3));
  const std::vector<seqpoint::profile::ProfileTable> without{profile_of(run, false)}, with{profile_of(run)};
  EXPECT_EQ(seqpoint::profile::match(with, selection).matched_rows, 3U);
  try {
    seqpoint::profile::match(without, selection);
    FAIL() << "sp1 and sp2 have the same tokens";
  } catch (const InputError& error) {
    EXPECT_NE(error.hint().find("'sq_tokens'"), std::string::npos) << error.hint();
  }
  // Points that go by tokens alone need no squares.
  EXPECT_EQ(seqpoint::profile::match(without, seqpoint::select::select(run, with_points(2, "bins"))).matched_rows, 3U);
}

}  // namespace
}  // namespace varlen_property
