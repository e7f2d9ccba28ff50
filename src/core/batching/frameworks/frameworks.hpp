/// \file
/// The rows of the table of samplers. To add a sampler: its file here, its declaration, its row in samplers.cpp, its
/// tests.
#pragma once

#include "seqpoint/batches.hpp"

namespace seqpoint::batching::frameworks {

/// The state of PyTorch's generator begins with 5016 bytes of the Mersenne Twister; a number kept back by normal_()
/// follows.
inline constexpr std::string_view kRngSkipHelp =
    "32-bit outputs drawn from the generator before the first epoch; to count them where the first epoch begins, draw "
    "torch.randint(2, (1,), generator=g) from a new g = torch.Generator().manual_seed(S) until g.get_state()[:5016] "
    "equals torch.get_rng_state()[:5016]";

/// How orders go on that are nobody's.
inline constexpr Resuming kNoFramework{.about = "there is no framework whose checkpoints would say how they go on"};

extern const Sampler kSequential;
extern const Sampler kSorted;
extern const Sampler kPytorch;
extern const Sampler kPytorchDistributed;
extern const Sampler kHfLengthGrouped;
extern const Sampler kAccelerate;
extern const Sampler kTfBucket;
extern const Sampler kMegatron;
extern const Sampler kTokenBudget;
extern const Sampler kPacking;
extern const Sampler kTrl;
extern const Sampler kAxolotl;
extern const Sampler kLlamaFactory;
extern const Sampler kHfGroupTexts;
extern const Sampler kTorchtune;
extern const Sampler kSpeechBrain;
extern const Sampler kFairseq2;
extern const Sampler kFunAsr;
extern const Sampler kVerl;
extern const Sampler kNemoRl;
extern const Sampler kMosaicMlStreaming;
extern const Sampler kLhotseSimple;
extern const Sampler kLhotseDynamic;
extern const Sampler kLhotseBucketing;
extern const Sampler kNemoSemiSorted;
extern const Sampler kOpenNmt;
extern const Sampler kSockeye;
extern const Sampler kEspnet;
extern const Sampler kWenet;
extern const Sampler kRecorded;

/// Samplers of frameworks without a release after 2022. They work as ever; nothing new is looked at for them.
namespace legacy {
extern const Sampler kFairseq;
extern const Sampler kDeepspeechPytorch;
extern const Sampler kMlperfGnmt;
extern const Sampler kNmt;
extern const Sampler kMozillaDeepSpeech;
extern const Sampler kTorchtext;
}  // namespace legacy

}  // namespace seqpoint::batching::frameworks
