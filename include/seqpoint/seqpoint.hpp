/// \file
/// The whole program, stage after stage. Everything here is pure: values in, values out; files are in seqpoint/io.
#pragma once

// clang-format off
#include "seqpoint/error.hpp"                // what can go wrong, and where
#include "seqpoint/lengths/front_end.hpp"    // how many frames a recording becomes
#include "seqpoint/lengths/lengths.hpp"      // 1  the length of every sample
#include "seqpoint/batching/batches.hpp"     // 2  which samples an iteration holds
#include "seqpoint/batching/recorded.hpp"    //    or held, as its own loader was recorded
#include "seqpoint/trace/trace.hpp"          // 3  the iterations and their signatures
#include "seqpoint/forecast/forecast.hpp"    //    what these tell before anything runs
#include "seqpoint/forecast/bounds.hpp"      //    and which bounds of buckets pad least
#include "seqpoint/select/model.hpp"         //    the statistical model of what iterations cost
#include "seqpoint/select/selection.hpp"     // 4  the weighted SeqPoints
#include "seqpoint/select/repeats.hpp"       //    how often to measure each
#include "seqpoint/select/plan.hpp"          //    what to run in order to profile them
#include "seqpoint/profile/steps.hpp"        //    what a profiler recorded, step by step
#include "seqpoint/profile/timeline.hpp"     //    which step an event belongs to
#include "seqpoint/profile/step_names.hpp"   //    which iteration a step is
#include "seqpoint/profile/categories.hpp"   //    what kind of work an operation is
#include "seqpoint/profile/measurements.hpp" // 5  what was measured at the points
#include "seqpoint/project/projection.hpp"   // 6  what that says of the whole run, or of another
#include "seqpoint/project/ranking.hpp"      //    candidate runs in the order of their cost
#include "seqpoint/project/breakdown.hpp"    //    where the time goes
#include "seqpoint/project/overheads.hpp"    //    and what it costs beside its iterations
#include "seqpoint/project/gate.hpp"         //    whether limits hold
#include "seqpoint/diagnose/diagnosis.hpp"   //    why that is as sure as it is
#include "seqpoint/eta/eta.hpp"              //    how long a run still takes that has begun
#include "seqpoint/evaluate/evaluation.hpp"  // 7  how well methods do on runs measured in full
#include "seqpoint/evaluate/error_gate.hpp"  //    whether they do as well as was asked
#include "seqpoint/report/report.hpp"        // 8  what a page shows of all this
#include "seqpoint/version.hpp"
// clang-format on
