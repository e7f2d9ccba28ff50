/// \file
/// The names that language-model servers give their steps.
#pragma once

#include <optional>
#include <string_view>

#include "core/profile/measure.hpp"

namespace seqpoint::profile {

/// vLLM's `execute_8192_context_9(...)_generation_37(...)` and `execute_context_1(35)_generation_4(4)` (vllm/v1/worker/
/// gpu_worker.py), which some builds write with the squares, `execute_context_1(35_1225)_generation_0(0)`, SGLang's
/// `step[EXTEND bs=17 toks=8192]`: the tokens that the step computes and, for SGLang, its sequences. A decoding step of
/// SGLang computes one token per sequence. Nothing for other names.
std::optional<StepIdentity> serving_step(std::string_view name);

}  // namespace seqpoint::profile
