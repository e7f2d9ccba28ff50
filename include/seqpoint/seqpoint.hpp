/// \file
/// The library, stage after stage. Everything here is pure: values in, values out; files are in seqpoint/io.
#pragma once

// clang-format off
#include "seqpoint/error.hpp"     // what can go wrong, and where
#include "seqpoint/words.hpp"     // the words of options
#include "seqpoint/lengths.hpp"   // 1  the length of every sample
#include "seqpoint/batches.hpp"   // 2  which samples an iteration holds
#include "seqpoint/trace.hpp"     // 3  the iterations and their signatures
#include "seqpoint/forecast.hpp"  //    what these tell before anything runs
#include "seqpoint/select.hpp"    // 4  the weighted SeqPoints, and what to run in order to profile them
#include "seqpoint/measure.hpp"   // 5  what was measured at the points
#include "seqpoint/project.hpp"   // 6  what that says of the whole run, of another, and of limits
#include "seqpoint/version.hpp"
// clang-format on
