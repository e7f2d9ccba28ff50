/// \file
/// The rows of the table of formats, one family a file. To add a format: its file here, its declaration, its row in
/// table.cpp, its tests and a seed for the fuzzer.
#pragma once

#include "seqpoint/io/readers.hpp"

namespace seqpoint {

extern const Reader kMegatronIndex;
extern const Reader kFairseqIndex;
extern const Reader kNpy;
extern const Reader kNemo;
extern const Reader kLhotseCuts;
extern const Reader kLhotseRecordings;
extern const Reader kLhotseFeatures;
extern const Reader kLhotseSupervisions;
extern const Reader kMooncake;
extern const Reader kAlpaca;
extern const Reader kShareGpt;
extern const Reader kHuggingFace;
extern const Reader kJsonl;
extern const Reader kJson;
extern const Reader kAzure;
extern const Reader kBurstGpt;
extern const Reader kVidur;
extern const Reader kTrace;
extern const Reader kLengths;
extern const Reader kTsv;
extern const Reader kCsv;
extern const Reader kList;
extern const Reader kText;

/// The first line of a head that is not blank, without its line end and byte order mark.
std::string_view first_line(std::string_view head);

}  // namespace seqpoint
