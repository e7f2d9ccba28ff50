// The one list of samplers.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/batching/batches.hpp"
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

const Sampler& find_sampler(std::string_view name) {
  for (const Sampler& sampler : samplers())
    if (sampler.name == name) return sampler;
  constexpr std::array<std::string_view, 5> kShuffled{"random", "shuffle", "shuffled", "RandomSampler", "DataLoader"};
  const bool shuffles = std::ranges::find(kShuffled, name) != kShuffled.end();
  std::string hint = "DataLoader(shuffle=True) is `sampler` pytorch `seed` S";
  if (!shuffles) {
    hint = names_hint(name, row_names(samplers()));
    hint += hint.ends_with('?') ? " " : "; ";
    hint += "another order can be recorded from the job (docs/formats.md)";
  }
  throw ParameterError("sampler", fmt::format(": unknown sampler '{}'", name), hint);
}

namespace {

/// Throws ParameterError for an option of a count above 4294967295, or above 1048576 if its name begins with `num-`, so
/// that sums cannot overflow. Seeds may have any value.
void require_plausible_counts(const Sampler& sampler, const OptionValues& options) {
  constexpr std::uint64_t kMost = 0xFFFFFFFFU, kMaxObjects = 1U << 20U;
  for (const OptionSpec& spec : sampler.options) {
    const bool is_seed = spec.name.find("seed") != std::string_view::npos;
    if (spec.kind != OptionSpec::Kind::count || is_seed) continue;
    const std::uint64_t most = spec.name.starts_with("num-") ? kMaxObjects : kMost;
    if (options.count_or(spec.name, 0) > most) throw ParameterError(spec.name, fmt::format("must be at most {}", most));
  }
}

/// Whether `version` is one of the releases. Its patch number does not count against the last one. Open-ended releases
/// include later ones of the same major number or, if they are dates, all later ones.
bool is_of(const Releases& releases, const Version& version) {
  const Version first = parse_version(releases.first);
  constexpr unsigned kFirstYear = 1900;  // version numbers that are dates begin with a year
  if (releases.last.empty())
    return version >= first && (version.major == first.major || first.major / 100 >= kFirstYear);
  const Version last = parse_version(releases.last);
  return version >= first && Version{version.major, version.minor} <= last;
}

/// Throws ParameterError for a version in none of the sampler's releases; for every one if its order depends on none.
/// Empty: the default, always known.
void require_known_version(const Sampler& sampler, const std::string& version) {
  if (version.empty() || version == sampler.versions.used) return;
  if (sampler.versions.used.empty())
    throw ParameterError("sampler_version",
                         fmt::format(": the order of `sampler` {} does not depend on a version", sampler.name));
  const std::span<const Releases> known = sampler.versions.known;
  const Version number = parse_version(version);
  if (std::none_of(known.begin(), known.end(), [&](const Releases& releases) { return is_of(releases, number); }))
    throw ParameterError("sampler_version",
                         fmt::format(": no version {} of `sampler` {} is known", version, sampler.name),
                         "one of: " + known_versions(sampler));
}

/// Throws ParameterError if `resume_at` is set and the sampler does not resume with the same batches.
void require_resumable(const Sampler& sampler, const BatchPolicy& policy) {
  if (policy.resume_at == 0 || sampler.resuming.same_batches) return;
  throw ParameterError("resume_at",
                       fmt::format("has no use with `sampler` {}: {}", sampler.name, sampler.resuming.about),
                       "leave it out; `epoch` E begins with an epoch");
}

/// Passes on the micro-batches after a checkpoint.
class RestOfRun {
 public:
  RestOfRun(const lengths::Lengths& lengths, const BatchPolicy& policy, const Resuming& resuming,
            const MicroBatchSink& sink)
      : lengths_(lengths), policy_(policy), resuming_(resuming), sink_(sink), counter_(policy.grad_accumulation) {}

  /// Counts a micro-batch before the checkpoint, passes a later one to the sink. At the first one it passes on, throws
  /// as Resuming::require_same.
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

  /// Throws ParameterError if all micro-batches were before the checkpoint. A run without any is rejected elsewhere.
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
  policy.options.require_known(sampler.options, fmt::format("`sampler` {}", sampler.name));
  require_plausible_counts(sampler, policy.options);
  if (policy.seed && !sampler.takes_seed)
    throw ParameterError(
        "seed", fmt::format("has no use here: `sampler` {} draws nothing at random", policy.sampler),
        policy.sampler == "sequential"
            ? "name the sampler that shuffles, such as `sampler` pytorch; of file order leave `seed` out"
            : "leave it out");
  require_known_version(sampler, policy.sampler_version);
  if (policy.batch_size == 0 && sampler.needs_batch_size)
    throw ParameterError("batch_size", "is missing", "samples per batch on one rank: `batch_size` 32");
  if (sampler.needs_order && policy.order == nullptr && !policy.options.has("order"))
    throw ParameterError("sampler", policy.sampler + " needs the batches of the job's loader",
                         "`sampler` recorded:order=FILE, such as a trace with a column rows");
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
                         "a manifest of seconds, ms or samples; say so with `length_unit`");
  if (policy.resume_at == 0) return sampler.run(lengths, policy, sink);
  RestOfRun rest(lengths, policy, sampler.resuming, sink);
  sampler.run(lengths, policy, [&rest](const MicroBatch& micro_batch) { rest.add(micro_batch); });
  rest.require_some();
}

// --- Samplers as users write them: NAME:KEY=VALUE,KEY=VALUE,FLAG

namespace {

constexpr std::string_view kKeyLetters = "abcdefghijklmnopqrstuvwxyz-";

/// Whether a text begins with a key: `key=...`, or a flag alone.
bool begins_with_key(std::string_view text) {
  const std::size_t length = std::min(text.find_first_not_of(kKeyLetters), text.size());
  return length > 0 && (length == text.size() || text[length] == '=' || text[length] == ',');
}

/// The position of the comma before the next option, or the end: a comma that no key follows is part of a value.
std::size_t end_of_option(std::string_view text) {
  for (std::size_t at = text.find(','); at != std::string_view::npos; at = text.find(',', at + 1))
    if (begins_with_key(text.substr(at + 1))) return at;
  return text.size();
}

/// The sampler's option of that name. Throws ParameterError if there is none.
const OptionSpec& find_option(const Sampler& sampler, std::string_view name) {
  const auto found = std::ranges::find(sampler.options, name, &OptionSpec::name);
  if (found != sampler.options.end()) return *found;
  const std::string fault = fmt::format("{} has no option '{}'", sampler.name, name);
  if (name == "seed" || name == "batch-size") throw ParameterError("sampler", fault, fmt::format("`{}` N", name));
  throw ParameterError("sampler", fault,
                       sampler.options.empty() ? "it has none" : names_hint(name, row_names(sampler.options)));
}

/// Sets an option from `KEY=VALUE` or `FLAG`. Throws ParameterError for an unknown or repeated key, and for a value of
/// the wrong type.
void set_option(OptionValues& options, const Sampler& sampler, std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const OptionSpec& spec = find_option(sampler, text.substr(0, equals));
  const std::string name(spec.name);
  const bool is_flag = spec.kind == OptionSpec::Kind::flag, has_value = equals < text.size();
  if (options.has(name)) throw ParameterError(name, "is given twice");
  if (is_flag && has_value) throw ParameterError(name, "takes no value", "write " + name + " alone");
  if (!is_flag && !has_value)
    throw ParameterError(name, "needs a value", fmt::format("{}={}", name, placeholder(spec.kind)));
  options.set(name, is_flag ? "true" : std::string(text.substr(equals + 1)));
  if (spec.kind == OptionSpec::Kind::count) options.count(name);
  if (spec.kind == OptionSpec::Kind::number) options.number(name);
}

}  // namespace

SamplerChoice parse_sampler(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const Sampler& sampler = find_sampler(text.substr(0, colon));
  SamplerChoice choice{.sampler = &sampler, .options = {}};
  for (std::size_t at = colon; at < text.size();) {
    const std::string_view rest = text.substr(at + 1);
    const std::size_t end = end_of_option(rest);
    set_option(choice.options, sampler, rest.substr(0, end));
    at += 1 + end;
  }
  return choice;
}

}  // namespace seqpoint::batching
