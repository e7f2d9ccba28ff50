#include "io/views/projection_columns.hpp"

#include <algorithm>
#include <array>

namespace seqpoint::io::views {
namespace {

using project::Throughput;

/// A figure of the throughput of a row; nothing if the row has none.
template <auto kMember>
std::optional<double> of_throughput(const MetricRow& row) {
  return row.throughput == nullptr ? std::nullopt : std::optional<double>(row.throughput->*kMember);
}

bool with_throughput(const ShownParts& shown) { return shown.throughput; }

constexpr auto kColumns = std::to_array<Column>({
    {.name = "value",
     .heading = "{run}",
     .figure = [](const MetricRow& row) { return std::optional(row.metric.value); },
     .form = Form::amount,
     .low = "low",
     .high = "high",
     .interval = [](const MetricRow& row) { return row.metric.interval; }},
    {.name = "per_epoch",
     .heading = "per epoch",
     .figure = [](const MetricRow& row) { return row.metric.per_epoch; },
     .form = Form::amount,
     .is_shown = [](const ShownParts& shown) { return shown.several_epochs; },
     .json = JsonObject::metric},
    {.name = "samples_per_s",
     .heading = "samples/s",
     .figure = of_throughput<&Throughput::samples_per_s>,
     .is_shown = with_throughput,
     .json = JsonObject::throughput,
     .is_required = true},
    {.name = "tokens_per_s",
     .heading = "tokens/s",
     .figure = of_throughput<&Throughput::tokens_per_s>,
     .is_shown = with_throughput,
     .json = JsonObject::throughput,
     .is_required = true},
    {.name = "padded_tokens_per_s",
     .figure = of_throughput<&Throughput::padded_tokens_per_s>,
     .json = JsonObject::throughput,
     .is_required = true},
    {.name = "speedup",
     .heading = "speedup",
     .figure = [](const MetricRow& row) { return row.speedup ? std::optional(row.speedup->value) : std::nullopt; },
     .form = Form::factor,
     .digits = 3,
     .is_shown = [](const ShownParts& shown) { return shown.several_configurations; },
     .low = "speedup_low",
     .high = "speedup_high",
     .interval =
         [](const MetricRow& row) { return row.speedup ? row.speedup->interval : project::IntervalOrReason(); }},
    {.name = "measured_weight",
     .heading = "measured weight",
     .figure = [](const MetricRow& row) { return std::optional(row.metric.measured_weight); },
     .form = Form::percent,
     .digits = 3,
     .is_shown = [](const ShownParts& shown) { return !shown.all_measured; }},
    {.name = "overhead_s",
     .heading = "incl. overhead",
     .figure = [](const MetricRow& row) { return row.overhead; },
     .form = Form::duration},
    {.name = "cold_start_s",
     .figure =
         [](const MetricRow& row) { return row.cold_start ? std::optional(row.cold_start->about()) : std::nullopt; }},
    {.name = "profile_rows",
     .figure = [](const MetricRow& row) { return std::optional<double>(row.configuration.rows); },
     .form = Form::count,
     .json = JsonObject::configuration,
     .is_in_csv = false},
    {.name = "matched_rows",
     .figure = [](const MetricRow& row) { return std::optional<double>(row.configuration.matched_rows); },
     .form = Form::count,
     .json = JsonObject::configuration,
     .is_in_csv = false},
    {.name = "mfu",
     .heading = "MFU",
     .figure = of_throughput<&Throughput::mfu>,
     .form = Form::percent,
     .digits = 2,
     .json = JsonObject::throughput,
     .is_in_csv = false},
});

constexpr std::array<std::string_view, 8> kForPeople{"value",           "per_epoch",     "overhead_s",   "speedup",
                                                     "measured_weight", "samples_per_s", "tokens_per_s", "mfu"};

}  // namespace

std::span<const Column> projection_columns() { return kColumns; }

std::vector<const Column*> columns_for_people() {
  std::vector<const Column*> columns;
  for (const std::string_view name : kForPeople) columns.push_back(&*std::ranges::find(kColumns, name, &Column::name));
  return columns;
}

}  // namespace seqpoint::io::views
