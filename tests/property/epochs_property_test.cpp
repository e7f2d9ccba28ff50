// A run of several epochs is chosen from, weighed and projected as a whole: against the epochs' own traces laid end to
// end.

#include <gtest/gtest.h>

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
#include "property/draw.hpp"

namespace epochs_property {
namespace {

using namespace seqpoint;
using seqpoint::testing::Draw;

seqpoint::lengths::Lengths random_lengths(Draw& draw) {
  seqpoint::lengths::Lengths lengths;
  const bool paired = draw.below(2) == 0;
  for (std::uint64_t i = 0, samples = 40 + draw.below(200); i < samples; ++i) {
    lengths.src.push_back(static_cast<std::uint32_t>(1 + draw.below(60)));
    if (paired) lengths.tgt.push_back(static_cast<std::uint32_t>(1 + draw.below(60)));
  }
  return lengths;
}

/// Shuffled anew in every epoch, so that each epoch has batches of its own.
seqpoint::batching::BatchPolicy shuffled(Draw& draw, std::uint64_t epochs) {
  seqpoint::batching::BatchPolicy policy;
  policy.sampler = "pytorch";
  policy.batch_size = 2 + draw.below(6);
  policy.seed = draw.below(1000);
  policy.epochs = epochs;
  return policy;
}

/// The epochs walked one by one.
std::vector<seqpoint::trace::Trace> one_by_one(const seqpoint::lengths::Lengths& lengths,
                                               seqpoint::batching::BatchPolicy policy,
                                               const seqpoint::trace::ShapeRule& rule) {
  std::vector<seqpoint::trace::Trace> epochs;
  for (const std::uint64_t end = policy.epoch + policy.epochs; policy.epoch < end; ++policy.epoch) {
    policy.epochs = 1;
    epochs.push_back(seqpoint::trace::trace_of(lengths, policy, rule));
  }
  return epochs;
}

double cost(const seqpoint::trace::Shape& s) {
  return 1 + 0.01 * (s.tokens + s.src_len * s.batch_size) + 1e-3 * s.tgt_len * s.batch_size +
         1e-6 * static_cast<double>(s.sq_tokens);
}

/// Calls `check(run, epochs one by one, draw)` for many runs of two epochs or more.
template <class Check>
void for_many_runs(Check check) {
  for (std::uint32_t seed = 0; seed < 40 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed);
    const seqpoint::lengths::Lengths lengths = random_lengths(draw);
    const seqpoint::batching::BatchPolicy policy = shuffled(draw, 2 + draw.below(4));
    const seqpoint::trace::ShapeRule rule{
        1, seed % 4 == 3 ? seqpoint::trace::BatchLayout::varlen : seqpoint::trace::BatchLayout::padded};
    check(seqpoint::trace::trace_of(lengths, policy, rule), one_by_one(lengths, policy, rule), draw);
  }
}

TEST(Epochs, TheRunIsAllOfThem) {
  for_many_runs([](const seqpoint::trace::Trace& run, const std::vector<seqpoint::trace::Trace>& epochs, Draw&) {
    std::map<seqpoint::trace::Shape, std::uint64_t> counts;
    std::set<std::set<seqpoint::trace::Shape>> different;
    std::uint64_t iterations = 0, samples = 0, tokens = 0;
    for (const seqpoint::trace::Trace& epoch : epochs) {
      const seqpoint::trace::RunSummary summary = seqpoint::trace::summarise(epoch);
      std::set<seqpoint::trace::Shape> own;
      for (const auto& [shape, count] : summary.histogram) {
        counts[shape] += count;
        own.insert(shape);
      }
      different.insert(own);
      iterations += summary.iterations;
      samples += summary.samples;
      tokens += summary.tokens.value();
    }
    EXPECT_GT(different.size(), 1U) << "every epoch has the same shapes: this tests nothing";
    const seqpoint::trace::RunSummary all = seqpoint::trace::summarise(run);
    EXPECT_EQ(all.epochs, epochs.size());
    EXPECT_EQ(all.iterations, iterations);
    EXPECT_EQ(all.samples, samples);
    EXPECT_EQ(all.tokens, tokens);
    ASSERT_EQ(all.histogram.size(), counts.size());
    for (const auto& [shape, count] : all.histogram) EXPECT_EQ(count, counts[shape]);
  });
}

TEST(Epochs, PointsAreChosenAndWeighedOverAllOfThem) {
  for_many_runs([](const seqpoint::trace::Trace& run, const std::vector<seqpoint::trace::Trace>& epochs, Draw& draw) {
    seqpoint::trace::Trace laid_out;
    for (const seqpoint::trace::Trace& epoch : epochs)
      for (std::size_t i = 0; i < epoch.size(); ++i) {
        laid_out.kind = epoch.kind;
        laid_out.shapes.push_back(epoch.shapes[i]);
        laid_out.samples.push_back(epoch.samples_at(i));
      }
    ASSERT_EQ(laid_out.size(), run.size());
    for (const std::string method : {"calibrated", "bins", "prior", "random"}) {
      seqpoint::select::SelectParams params;
      params.method = method;
      if (seqpoint::select::find_method(method).points != seqpoint::select::Method::Points::none)
        params.points = 2 + draw.below(8);
      const seqpoint::select::Selection several = seqpoint::select::select(run, params),
                                        whole = seqpoint::select::select(laid_out, params);
      ASSERT_EQ(several.points.size(), whole.points.size()) << method;
      std::int64_t weight = 0;
      for (std::size_t p = 0; p < whole.points.size(); ++p) {
        EXPECT_EQ(several.points[p].shape, whole.points[p].shape) << method;
        EXPECT_EQ(several.points[p].weight, whole.points[p].weight) << method;
        EXPECT_EQ(several.points[p].iterations, whole.points[p].iterations) << "numbers go on from epoch to epoch";
        weight += several.points[p].weight.millionths;
      }
      EXPECT_EQ(weight, static_cast<std::int64_t>(run.size()) * seqpoint::select::Weight::kUnit);
    }
  });
}

TEST(Epochs, ProjectedIsTheRunAndAnEpochIsItsMean) {
  for_many_runs([](const seqpoint::trace::Trace& run, const std::vector<seqpoint::trace::Trace>& epochs, Draw&) {
    double truth = 0;
    for (const seqpoint::trace::Trace& epoch : epochs)
      for (std::size_t i = 0; i < epoch.size(); ++i) truth += cost(epoch.shapes[i]);
    seqpoint::select::SelectParams params;
    params.points = run.size();  // every shape is a point
    const seqpoint::select::Selection selection = seqpoint::select::select(run, params);
    seqpoint::profile::ProfileTable table;
    table.source = "v1.csv";
    table.metrics = {"runtime_s"};
    for (const seqpoint::trace::Dimension d : seqpoint::trace::dimensions_of(run.kind)) table.dimensions.insert(d);
    for (const auto& [shape, count] : selection.run.histogram)
      table.add({.point = {}, .key = seqpoint::trace::PartialShape::of(run.kind, shape)}, {cost(shape)});
    const std::vector<seqpoint::project::NamedMeasurements> all{
        {"v1", seqpoint::profile::match(std::vector<seqpoint::profile::ProfileTable>{table}, selection)}};
    const seqpoint::project::MetricProjection metric =
        seqpoint::project::project(selection, all, {}).configurations.at(0).metrics.at(0);
    EXPECT_NEAR(metric.value / truth, 1, 1e-12);
    EXPECT_NEAR(metric.per_epoch.value() * static_cast<double>(epochs.size()) / truth, 1, 1e-12);
  });
}

}  // namespace
}  // namespace epochs_property
