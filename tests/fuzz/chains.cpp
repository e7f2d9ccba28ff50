// Stages one after the other: what the first of them lets through, the later ones must be able to work with.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "core/profile/measure.hpp"
#include "core/project/projection.hpp"
#include "expectations.hpp"
#include "io/artifacts/files.hpp"
#include "io/views/report_page.hpp"
#include "targets.hpp"

namespace seqpoint::fuzz {

void page(std::string_view bytes) {
  expect_value_or_error([&] {
    const io::artifacts::SeqpointsFile file = io::artifacts::read_seqpoints(input_of(bytes));
    const report::Report figures = report::make_report({.run = &file.selection.run, .selection = &file.selection});
    expect(io::views::report_html(figures, {}, {}).ends_with("</html>\n"));
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

void step_pattern(std::string_view bytes) {
  expect_value_or_error([&] {
    const std::string expression(take_part(bytes));
    static_cast<void>(profile::NamePattern(expression).identity(bytes));
  });
}

}  // namespace seqpoint::fuzz
