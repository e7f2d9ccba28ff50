// The one list of samplers.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/enum_names.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching {

std::span<const Sampler> samplers() {
#define ROW(name) frameworks::name,
  static const std::array kTable{
#include "core/batching/samplers.def"
  };
  return kTable;
}

namespace {

/// Names that frameworks and their users give an order, and the samplers that may be meant. Lower-case letters and
/// digits only.
struct Word {
  std::string_view word, samplers;
};
constexpr std::array kWords{
    Word{"batchsamplershard", "accelerate"},
    Word{"bfd", "trl"},
    Word{"bucketingsampler", "lhotse-bucketing"},
    Word{"dataloader", "pytorch (shuffle=True) or sequential"},
    Word{"distributedlengthgroupedsampler", "hf-length-grouped"},
    Word{"distributedsampler", "pytorch-distributed"},
    Word{"dynamicbucketingsampler", "lhotse-bucketing"},
    Word{"dynamiccutsampler", "lhotse-dynamic"},
    Word{"gptdataset", "megatron"},
    Word{"groupbylength", "hf-length-grouped"},
    Word{"huggingface", "accelerate (the Trainer's own order) or hf-length-grouped"},
    Word{"lengthgrouped", "hf-length-grouped"},
    Word{"lengthgroupedsampler", "hf-length-grouped"},
    Word{"maxtokens", "token-budget"},
    Word{"megatronpretrainingrandomsampler", "megatron"},
    Word{"megatronpretrainingsampler", "megatron"},
    Word{"packdataset", "trl"},
    Word{"random", "pytorch"},
    Word{"randomsampler", "pytorch or, of the Trainer, accelerate"},
    Word{"repeatsampler", "recorded"},
    Word{"seedablerandomsampler", "accelerate"},
    Word{"sequentialsampler", "sequential"},
    Word{"shuffle", "pytorch"},
    Word{"simplecutsampler", "lhotse-simple"},
    Word{"trainer", "accelerate (the Trainer's own order) or hf-length-grouped"},
    Word{"transformers", "accelerate (the Trainer's own order) or hf-length-grouped"},
};

/// Frameworks whose own sampler makes the order, by their names here up to version 1 and in their packages.
constexpr std::array<std::string_view, 27> kElsewhere{"axolotl",
                                                      "deepspeechpytorch",
                                                      "espnet",
                                                      "fairseq",
                                                      "fairseq2",
                                                      "funasr",
                                                      "grouptexts",
                                                      "hfgrouptexts",
                                                      "llamafactory",
                                                      "mosaicml",
                                                      "mosaicmlstreaming",
                                                      "mozilladeepspeech",
                                                      "multipack",
                                                      "nemo",
                                                      "nemorl",
                                                      "nemosemisorted",
                                                      "nmt",
                                                      "opennmt",
                                                      "sockeye",
                                                      "speechbrain",
                                                      "streamingdataset",
                                                      "tfbucket",
                                                      "torchtext",
                                                      "torchtune",
                                                      "verl",
                                                      "wenet",
                                                      "dynamicbatchsampler"};

std::string letters_and_digits(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') kept += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) kept += c;
  }
  return kept;
}

/// The samplers that may be meant; "" if none is known.
std::string named_elsewhere(std::string_view name) {
  const std::string word = letters_and_digits(name);
  for (const Sampler& sampler : samplers())
    if (letters_and_digits(sampler.name) == word) return std::string(sampler.name);
  for (const Word& known : kWords)
    if (known.word == word) return std::string(known.samplers);
  return {};
}

}  // namespace

const Sampler& find_sampler(std::string_view name) {
  for (const Sampler& sampler : samplers())
    if (sampler.name == name) return sampler;
  const std::string word = letters_and_digits(name);
  if (word == "iterabledataset")
    throw ParameterError("sampler", ": an IterableDataset has no rows, which a sampler would order",
                         "the companion's order, with lengths, writes its batches as a trace; select from that alone");
  if (std::ranges::find(kElsewhere, word) != kElsewhere.end())
    throw ParameterError("sampler", fmt::format(": the order of {} comes from the framework itself", name),
                         "write it by the companion's order, with its sampler (docs/2.0.md); read it by `sampler` "
                         "recorded `order` FILE");
  const std::string meant = named_elsewhere(name);
  throw ParameterError("sampler", fmt::format(": there is no sampler '{}'", name),
                       meant.empty()
                           ? names_hint(name, row_names(samplers())) + "; a loader that is none of them: recorded"
                           : fmt::format("did you mean {}? {}", meant, names_hint("", row_names(samplers()))));
}

namespace {

/// Rejects absurdly large numbers, before sums of them could overflow.
void require_plausible_counts(const Sampler& sampler, const OptionValues& options) {
  constexpr std::uint64_t kMost = 0xFFFFFFFFU, kMaxObjects = 1U << 20U;
  for (const OptionSpec& spec : sampler.options) {
    const bool is_seed = spec.name.find("seed") != std::string_view::npos;
    if (spec.kind != OptionSpec::Kind::count || is_seed) continue;
    const std::uint64_t most = spec.name.starts_with("num-") ? kMaxObjects : kMost;
    if (options.count_or(spec.name, 0) > most) throw ParameterError(spec.name, fmt::format("must be at most {}", most));
  }
}

/// Rejects options of other samplers, and names those samplers.
void require_own_options(const Sampler& sampler, const BatchPolicy& policy) {
  for (const auto& [name, value] : policy.options.all()) {
    std::string owners;
    bool own = false;
    for (const Sampler& other : samplers())
      for (const OptionSpec& spec : other.options) {
        if (spec.name != name) continue;
        own = own || other.name == sampler.name;
        owners += (owners.empty() ? "" : ", ") + std::string(other.name);
      }
    if (!own)
      throw ParameterError(name, fmt::format("is not an option of `sampler` {}", sampler.name),
                           owners.empty() ? "no sampler has it: leave it out" : "it is one of: " + owners);
  }
}

bool is_of(const Releases& releases, const Version& version) {
  const Version first = parse_version(releases.first);
  constexpr unsigned kFirstYear = 1900;  // version numbers that are dates begin with a year
  if (releases.last.empty())
    return version >= first && (version.major == first.major || first.major / 100 >= kFirstYear);
  const Version last = parse_version(releases.last);
  return version >= first && Version{version.major, version.minor} <= last;
}

void require_known_version(const Sampler& sampler, const std::string& version) {
  if (version.empty() || version == sampler.versions.used) return;
  if (sampler.versions.used.empty())
    throw ParameterError("version",
                         fmt::format(": the order of `sampler` {} does not depend on a version", sampler.name));
  const std::span<const Releases> known = sampler.versions.known;
  const Version number = parse_version(version);
  if (std::none_of(known.begin(), known.end(), [&](const Releases& releases) { return is_of(releases, number); }))
    throw ParameterError("version", fmt::format(": no version {} of `sampler` {} is known", version, sampler.name),
                         "one of: " + known_versions(sampler));
}

void require_resumable(const Sampler& sampler, const BatchPolicy& policy) {
  if (policy.resume_at == 0 || sampler.resuming.same_batches) return;
  throw ParameterError("resume_at",
                       fmt::format("has no use with `sampler` {}: {}", sampler.name, sampler.resuming.about),
                       "leave it out; `first_epoch` E begins with an epoch");
}

/// Passes on the micro-batches after a checkpoint.
class RestOfRun {
 public:
  RestOfRun(const lengths::Lengths& lengths, const BatchPolicy& policy, const Resuming& resuming,
            const MicroBatchSink& sink)
      : lengths_(lengths), policy_(policy), resuming_(resuming), sink_(sink), counter_(policy.grad_accumulation) {}

  void add(const MicroBatch& micro_batch) {
    steps_ = counter_.next(micro_batch.epoch) + 1;
    if (at_.epoch != micro_batch.epoch) at_ = {micro_batch.epoch, 0};
    if (steps_ <= policy_.resume_at) {
      ++at_.done;
      return;
    }
    if (!begun_ && resuming_.require_same != nullptr) resuming_.require_same(lengths_, policy_, at_);
    begun_ = true;
    sink_(micro_batch);
  }

  /// A run without batches is rejected elsewhere.
  void require_some() const {
    if (begun_ || steps_ == 0) return;
    throw ParameterError("resume_at",
                         fmt::format("{}: nothing is left, the run has {} optimiser step{}", policy_.resume_at, steps_,
                                     steps_ == 1 ? "" : "s"),
                         "fewer steps, or more `epochs`");
  }

 private:
  const lengths::Lengths& lengths_;
  const BatchPolicy& policy_;
  const Resuming& resuming_;
  const MicroBatchSink& sink_;
  OptimiserStepCounter counter_;
  ResumePoint at_;
  std::uint64_t steps_ = 0;
  bool begun_ = false;
};

}  // namespace

std::uint64_t OptimiserStepCounter::next(std::uint64_t epoch) {
  if (started_ && (epoch != epoch_ || taken_ == accumulation_)) {
    ++step_;
    taken_ = 0;
  }
  started_ = true;
  epoch_ = epoch;
  ++taken_;
  return step_;
}

std::string known_versions(const Sampler& sampler) {
  std::string text;
  for (const Releases& releases : sampler.versions.known) {
    text += (text.empty() ? "" : ", ") + std::string(releases.first);
    if (releases.last.empty()) text += " on";
    if (!releases.last.empty() && releases.last != releases.first) text += " to " + std::string(releases.last);
  }
  const std::string used(sampler.versions.used);
  const bool is_number = !used.empty() && used.front() >= '0' && used.front() <= '9';
  return is_number || used.empty() ? text : text + ", " + used;
}

void require_valid(const BatchPolicy& policy) {
  const Sampler& sampler = find_sampler(policy.sampler);
  require_own_options(sampler, policy);
  require_plausible_counts(sampler, policy.options);
  if (policy.seed && !sampler.takes_seed)
    throw ParameterError(
        "seed", fmt::format("has no use here: `sampler` {} draws nothing at random", policy.sampler),
        policy.sampler == "sequential"
            ? "name the sampler that shuffles, such as `sampler` pytorch; of file order leave `seed` out"
            : "leave it out");
  require_known_version(sampler, policy.version);
  if (policy.batch_size == 0 && sampler.needs_batch_size)
    throw ParameterError("sampler", policy.sampler + " needs a batch size of 1 or more", "`batch_size` N, per rank");
  if (sampler.needs_order && policy.order == nullptr && !policy.options.has("order"))
    throw ParameterError("sampler", policy.sampler + " needs the batches of the job's loader",
                         "`order` FILE, such as a trace with a column rows");
  if (policy.world_size == 0) throw ParameterError("world_size", "must be 1 or more");
  if (policy.epochs == 0) throw ParameterError("epochs", "must be 1 or more");
  if (policy.grad_accumulation == 0) throw ParameterError("grad_accumulation", "must be 1 or more");
  require_resumable(sampler, policy);
}

void for_each_micro_batch(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  require_valid(policy);
  const Sampler& sampler = find_sampler(policy.sampler);
  if (lengths.size() == 0) throw std::invalid_argument("for_each_micro_batch: no samples");
  if (sampler.needs_seconds && lengths.seconds.size() != lengths.size())
    throw ParameterError("sampler", policy.sampler + " looks at durations, and the manifest has none",
                         "a manifest of seconds, ms or samples; say so with `unit`");
  if (policy.resume_at == 0) return sampler.run(lengths, policy, sink);
  RestOfRun rest(lengths, policy, sampler.resuming, sink);
  sampler.run(lengths, policy, [&rest](const MicroBatch& micro_batch) { rest.add(micro_batch); });
  rest.require_some();
}

}  // namespace seqpoint::batching
