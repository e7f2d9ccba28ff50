// The batches of a job's own loader, as they were recorded: works with any framework.
#include "core/batching/batches.hpp"

#include <array>
#include <stdexcept>

#include "core/batching/frameworks/frameworks.hpp"

namespace seqpoint::batching::frameworks {
namespace {

/// Sampler::run. Throws std::invalid_argument unless set_order() has adapted the policy, InputError as require_rows().
void run_recorded(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const RecordedOrder* const order = policy.order.get();
  if (order == nullptr || policy.world_size != order->ranks || policy.epoch != order->first_epoch() ||
      policy.epochs != order->epochs())
    throw std::invalid_argument("run_recorded: set_order() was not called");
  require_rows(*order, lengths);
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < order->size(); ++i) sink(order->micro_batch(i, ends));
}

std::string assumes_recorded(const BatchPolicy&) {
  return "its rows are counted from 0 among the samples that are read here: what is left out here is left out by the "
         "job, too";
}

constexpr std::array kRecordedOptions{
    OptionSpec{"order", OptionSpec::Kind::file, "",
               "the batches, a row a micro-batch: a column rows with dataset rows, blanks between them and bars "
               "between ranks; epoch, step and lengths where it has them"},
};

}  // namespace

const Sampler kRecorded{
    .name = "recorded",
    .summary = "the batches of a job's own loader, whatever it is, as they were recorded",
    .checked_against = "the batches of all samplers that do not pack, recorded and read again: the same traces",
    .example = ":order=order.csv",
    .options = kRecordedOptions,
    .run = run_recorded,
    .assumes = assumes_recorded,
    .needs_batch_size = false,
    .takes_seed = false,
    .needs_order = true,
    .resuming = {.about = "record the batches that are left"}};

}  // namespace seqpoint::batching::frameworks
