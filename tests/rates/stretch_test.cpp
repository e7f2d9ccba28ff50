// Consecutive batches of recorded epochs, compared with what other batches of the same process predict for them: how
// often they are called off where nothing is wrong, and how often if they cost more or less. The form of the threshold
// was changed twice after looking at these epochs, so the rates are not out of sample. Seeds are fixed.
#include "core/run/stretch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/run/turns.hpp"
#include "io/files.hpp"
#include "property/draw.hpp"

namespace seqpoint::stretches {
namespace {

namespace fs = std::filesystem;
using testing::Draw;

constexpr std::size_t kBatches = 20, kDraws = 10;
constexpr std::ptrdiff_t kLeastPoints = 6;
constexpr std::array kFactors{0.1, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4};

io::stream::Input input(const fs::path& path) { return io::stream::Input::open(path.string()); }

/// A process that ran a whole epoch.
struct Epoch {
  select::Selection selection;
  trace::Trace trace;
  std::vector<double> seconds;

  /// The batches of each shape that the process had run before.
  std::map<trace::Shape, std::vector<std::size_t>> steady() const {
    std::map<trace::Shape, std::vector<std::size_t>> found;
    std::set<trace::Shape> known;
    for (std::size_t i = 0; i < trace.size(); ++i)
      if (!known.insert(trace.shapes[i]).second) found[trace.shapes[i]].push_back(i);
    return found;
  }
  /// A measurement of each point that has a steady batch outside of the stretch from `begin` on.
  project::NamedMeasurements measured(std::size_t begin, Draw& draw) const {
    project::NamedMeasurements process{"run", {}};
    process.measurements.metrics = {std::string(run::kMetric)};
    process.measurements.readings.emplace_back(selection.points.size());
    const auto batches = steady();
    for (std::size_t p = 0; p < selection.points.size(); ++p) {
      const auto of_shape = batches.find(selection.points[p].shape);
      if (of_shape == batches.end()) continue;
      std::vector<std::size_t> others;
      std::ranges::copy_if(of_shape->second, std::back_inserter(others),
                           [&](std::size_t i) { return i < begin || i >= begin + kBatches; });
      if (others.empty()) continue;
      const std::size_t chosen = others[draw.below(others.size())];
      process.measurements.readings[0][p].push_back({seconds[chosen], chosen});
    }
    return process;
  }
  /// The batches of the stretch that repeat a shape, each `factor` times as long.
  trace::Trace stretch(std::size_t begin, double factor) const {
    trace::Trace part;
    part.kind = trace.kind;
    part.statistics.push_back({std::string(run::kMetric), {}});
    const auto batches = steady();
    for (std::size_t i = begin; i < begin + kBatches; ++i) {
      const auto of_shape = batches.find(trace.shapes[i]);
      if (of_shape == batches.end() || !std::ranges::binary_search(of_shape->second, i)) continue;
      part.shapes.push_back(trace.shapes[i]);
      part.statistics[0].values.push_back(factor * seconds[i]);
    }
    return part;
  }
};

/// An epoch whose times are in that column; its points are those of a file beside it or, without one, ten.
Epoch epoch_of(const fs::path& file, const char* column, const fs::path& points = {}) {
  Epoch epoch;
  epoch.trace = io::artifacts::read_trace(input(file)).trace;
  epoch.seconds = epoch.trace.find_statistic(column)->values;
  select::SelectParams params;
  params.points = 10;
  epoch.selection =
      points.empty() ? select::select(epoch.trace, params) : io::artifacts::read_seqpoints(input(points)).selection;
  return epoch;
}

fs::path data(const std::string& folder) { return fs::path(SEQPOINT_SOURCE_DIR) / "examples/data" / folder; }

/// Single measurements on a processor. During the two epochs of speech1 another program took the processor for a while,
/// and batches half as long again, which is what a stretch is to find: they count as false alarms here.
std::vector<Epoch> processor_epochs() {
  std::vector<Epoch> found;
  for (const char* const folder : {"pytorch-cpu-quiet", "pytorch-cpu-aside", "gnmt-multi30k", "ds2-librispeech100"})
    for (const auto& file : fs::directory_iterator(data(folder))) found.push_back(epoch_of(file, "single_s"));
  return found;
}

/// Three processes of each of ten jobs on an H100, most of which the host slows down.
std::vector<Epoch> accelerator_epochs() {
  std::vector<Epoch> found;
  for (const auto& job : fs::directory_iterator(data("pytorch-h100")))
    for (const char* const file : {"gpu/epoch-0.csv.gz", "gpu/epoch-1.csv.gz", "gpu/epoch-2.csv.gz"})
      found.push_back(epoch_of(job.path() / file, "runtime_s", job.path() / "points.json"));
  return found;
}

/// By factor of the stretch's times: how many of the stretches are called off, and of how many.
struct Count {
  double off = 0, of = 0;
  double rate() const { return off / of; }
};
using Counts = std::map<double, Count>;

Counts counted(const std::vector<Epoch>& epochs, std::optional<double> device_busy, const char* name) {
  Counts counts;
  Draw draw(1);
  for (const Epoch& epoch : epochs)
    for (std::size_t n = 0; n < kDraws && epoch.trace.size() >= 3 * kBatches; ++n) {
      const std::size_t begin = kBatches + draw.below(epoch.trace.size() - 2 * kBatches);
      project::NamedMeasurements process = epoch.measured(begin, draw);
      process.measurements.device_busy = device_busy;
      const auto& readings = process.measurements.readings[0];
      if (std::ranges::count_if(readings, [](const auto& of) { return !of.empty(); }) < kLeastPoints) continue;
      for (const double factor : kFactors) {
        const auto found = run::compare_stretch(epoch.selection, process, {}, epoch.stretch(begin, factor), {});
        if (!found || !found->expected) continue;
        counts[factor].of += 1;
        counts[factor].off += found->is_off() ? 1 : 0;
      }
    }
  for (const auto& [factor, count] : counts)
    std::cout << name << ", x " << factor << ": " << 100 * count.rate() << " % of " << count.of << '\n';
  return counts;
}

TEST(Stretches, OfAProcessorAreRarelyCalledOffWhereNothingIsWrong) {
  Counts counts = counted(processor_epochs(), {}, "processor");
  EXPECT_GT(counts[1].of, 200);
  EXPECT_LE(counts[1].rate(), 0.03);  // 2.7 %, of which the disturbed epochs are a part
  EXPECT_GE(counts[0.1].rate(), 0.99);
  EXPECT_GE(counts[1.4].rate(), 0.8);
}

TEST(Stretches, OfAnAcceleratorThatWaitsAreCalledOffInAtMostTwoPercentWhereNothingIsWrong) {
  Counts counts = counted(accelerator_epochs(), 0.5, "accelerator");
  EXPECT_GT(counts[1].of, 100);
  EXPECT_LE(counts[1].rate(), 0.02);
  EXPECT_GE(counts[0.1].rate(), 0.95);
}

}  // namespace
}  // namespace seqpoint::stretches
