// Stages one after the other: what the first of them lets through, the later ones must be able to work with.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "core/lengths/overlap.hpp"
#include "expectations.hpp"
#include "io/views/report_page.hpp"
#include "seqpoint/io/files.hpp"
#include "seqpoint/measure.hpp"
#include "seqpoint/project.hpp"
#include "targets.hpp"

namespace seqpoint::fuzz {

void page(std::string_view bytes) {
  expect_value_or_error([&] {
    const io::artifacts::SeqpointsFile file = io::artifacts::read_seqpoints(input_of(bytes));
    const report::Report figures =
        report::make_report({.title = "run", .run = &file.selection.run, .selection = &file.selection});
    expect(io::views::report_html(figures, {}).ends_with("</html>\n"));
  });
}

void join(std::string_view bytes) {
  expect_value_or_error([&] {
    const io::artifacts::SeqpointsFile file = io::artifacts::read_seqpoints(input_of(take_part(bytes)));
    const io::artifacts::ProfileFile profile = io::artifacts::read_profile(input_of(bytes));
    const std::array measured{
        project::NamedMeasurements{"v1", profile::match(std::array{profile.table}, file.selection)}};
    const project::Projection projection = project::project(file.selection, measured, {});
    expect(projection.configurations.size() == 1);
  });
}

namespace {

lengths::Lengths shard_of(std::string_view bytes) {
  io::manifests::ReadOptions options;
  options.format = "lengths";
  std::vector<io::stream::Input> shard;
  shard.push_back(input_of(bytes));
  return io::manifests::read_dataset(std::move(shard), {}, options).lengths;
}

/// Whether the last `count` samples of one are the first of the other, or all that it has.
bool begins_inside(const lengths::Lengths& first, const lengths::Lengths& second, std::size_t count) {
  const auto is_at = [&](std::size_t begin) {
    for (std::size_t i = 0; i < count; ++i)
      if (first.src[begin + i] != second.src[i] || (first.paired() && first.tgt[begin + i] != second.tgt[i]))
        return false;
    return begin + count == first.size() || count == second.size();
  };
  for (std::size_t begin = 0; begin + count <= first.size(); ++begin)
    if (is_at(begin)) return true;
  return false;
}

}  // namespace

void merge(std::string_view bytes) {
  expect_value_or_error([&] {
    const lengths::Lengths first = shard_of(take_part(bytes)), second = shard_of(bytes);
    if (first.paired() != second.paired()) return;
    const std::size_t shared = lengths::shared_samples(first, second);
    expect(shared == 0 || begins_inside(first, second, shared));
  });
}

void step_pattern(std::string_view bytes) {
  expect_value_or_error([&] {
    const std::string expression(take_part(bytes));
    static_cast<void>(profile::NamePattern(expression).identity(bytes));
  });
}

}  // namespace seqpoint::fuzz
