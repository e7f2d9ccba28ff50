/// \file
/// The rows of the table of methods. To add a method: its file here, its declaration, its row in methods.cpp, its
/// tests.
#pragma once

#include "seqpoint/select.hpp"

namespace seqpoint::select::methods {

extern const Method kCalibrated;
extern const Method kBins;
extern const Method kKmeans;
extern const Method kFrequent;
extern const Method kMedian;
extern const Method kWorst;
extern const Method kPrior;
extern const Method kRandom;
extern const Method kStratified;
extern const Method kRegression;

}  // namespace seqpoint::select::methods
