/// \file
/// The rows of the table of samplers. To add a sampler: its file here, its declaration, its row in samplers.cpp, its
/// tests.
#pragma once

#include "seqpoint/batching/batches.hpp"

namespace seqpoint::batching::frameworks {

extern const Sampler kSequential;
extern const Sampler kSorted;
extern const Sampler kPytorch;
extern const Sampler kPytorchDistributed;
extern const Sampler kHfLengthGrouped;
extern const Sampler kAccelerate;
extern const Sampler kFairseq;
extern const Sampler kDeepspeechPytorch;
extern const Sampler kMlperfGnmt;
extern const Sampler kTfBucket;
extern const Sampler kNmt;
extern const Sampler kMozillaDeepSpeech;
extern const Sampler kMegatron;
extern const Sampler kTokenBudget;
extern const Sampler kPacking;
extern const Sampler kLhotseSimple;
extern const Sampler kLhotseDynamic;
extern const Sampler kLhotseBucketing;
extern const Sampler kNemoSemiSorted;
extern const Sampler kTorchtext;
extern const Sampler kOpenNmt;
extern const Sampler kSockeye;
extern const Sampler kEspnet;
extern const Sampler kWenet;

}  // namespace seqpoint::batching::frameworks
