/// \file
/// The rows of the table of formats, one family a file. To add a format: its file here, its declaration, its row in
/// ../formats.cpp, its tests and a seed for the fuzzer.
#pragma once

#include "seqpoint/io/files.hpp"

namespace seqpoint::io::manifests::formats {

extern const Reader kMegatronIndex;
extern const Reader kFairseqIndex;
extern const Reader kNpy;
extern const Reader kArrow;
extern const Reader kHuggingFaceSaved;
extern const Reader kParquet;
extern const Reader kSql;
extern const Reader kMds;
extern const Reader kWebDataset;
extern const Reader kEnergon;
extern const Reader kDatatrove;
extern const Reader kKaldiUtt2numFrames;
extern const Reader kKaldiSegments;
extern const Reader kKaldiWavScp;
extern const Reader kKaldiText;
extern const Reader kEspnetSamples;
extern const Reader kLjspeech;
extern const Reader kDeepspeechJson;
extern const Reader kSpeechBrainJson;
extern const Reader kWenetList;
extern const Reader kNemo;
extern const Reader kNemoLhotse;
extern const Reader kLhotseCuts;
extern const Reader kLhotseRecordings;
extern const Reader kLhotseFeatures;
extern const Reader kLhotseSupervisions;
extern const Reader kMooncake;
extern const Reader kAlpaca;
extern const Reader kShareGpt;
extern const Reader kMessages;
extern const Reader kPromptCompletion;
extern const Reader kHuggingFace;
extern const Reader kFunAsrJsonLines;
extern const Reader kJsonl;
extern const Reader kJson;
extern const Reader kTrace;
extern const Reader kLengths;
extern const Reader kAzure;
extern const Reader kBurstGpt;
extern const Reader kVidur;
extern const Reader kMozilla;
extern const Reader kCommonVoice;
extern const Reader kClipDurations;
extern const Reader kTsv;
extern const Reader kCsv;
extern const Reader kFairseqTsv;
extern const Reader kEspnetShape;
extern const Reader kKaldiUtt2dur;
extern const Reader kKeyed;
extern const Reader kDeepspeechCsv;
extern const Reader kList;
extern const Reader kText;

}  // namespace seqpoint::io::manifests::formats
