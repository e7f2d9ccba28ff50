#include "core/profile/serving_steps.hpp"

#include <re2/re2.h>

#include <string>

namespace seqpoint::profile {
namespace {

/// Leaves the numbers out if they are more than any run has.
StepIdentity tokens_of(std::uint64_t tokens) {
  StepIdentity identity;
  if (tokens <= trace::largest_value(trace::Dimension::tokens)) identity.key.tokens = tokens;
  return identity;
}

std::optional<StepIdentity> vllm_step(re2::StringPiece name) {
  static const RE2 kDetailed(R"(execute_(\d+)_context_\d+\([^()]*\)_generation_\d+\([^()]*\))");
  static const RE2 kPlain(R"(execute_context_\d+\((\d+)(?:_\d+)?\)_generation_\d+\((\d+)(?:_\d+)?\))");
  std::uint32_t context = 0, generation = 0;
  if (RE2::FullMatch(name, kDetailed, &context)) return tokens_of(context);
  if (RE2::FullMatch(name, kPlain, &context, &generation)) return tokens_of(std::uint64_t{context} + generation);
  return std::nullopt;
}

std::optional<StepIdentity> sglang_step(re2::StringPiece name) {
  static const RE2 kStep(R"(step\[([A-Z_]+) bs=(\d+)(?: toks=(\d+))?\])");
  std::string mode;
  std::uint32_t sequences = 0, tokens = 0;
  re2::StringPiece written;
  if (!RE2::FullMatch(name, kStep, &mode, &sequences, &written)) return std::nullopt;
  const bool stated = RE2::FullMatch(written, "(\\d+)", &tokens);
  StepIdentity identity;
  if (stated || mode == "DECODE") identity = tokens_of(stated ? tokens : sequences);
  identity.key.batch_size = sequences;
  return identity;
}

}  // namespace

std::optional<StepIdentity> serving_step(std::string_view name) {
  const re2::StringPiece text(name.data(), name.size());
  if (name.starts_with("execute_")) return vllm_step(text);
  if (name.starts_with("step[")) return sglang_step(text);
  return std::nullopt;
}

}  // namespace seqpoint::profile
