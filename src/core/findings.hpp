/// \file
/// The list of findings: one row each, with id, severity, sentence and what to do, below the file of src/core/findings
/// that has its rule. docs/profiles.md lists by id the mistake that each finding indicates.
#pragma once

#include <string_view>

#include "seqpoint/error.hpp"

namespace seqpoint::findings {

inline constexpr Severity kOdd = Severity::odd, kDoubtful = Severity::doubtful, kSevere = Severity::severe,
                          kRefused = Severity::refused;

// --- what several of them advise

inline constexpr std::string_view
    kGiveADuration = "give a column that holds how long each batch takes: `metric`",
    kOneUnit = "check both for seconds; name a column by its unit (runtime_ms)",
    kNameTheUnit =
        "name a column by its unit (runtime_ms, cpu_ms); if both are in seconds, name the one to take: `metric`",
    kHoldTheClock = "hold the clock by nvidia-smi, or measure in more processes", kCopy = "check whether one is a copy";

// --- point_times.cpp, run_times.cpp: impossible times of an iteration

inline constexpr FindingKind kZero{"zero", kSevere, "is 0 in {count} of {all} rows; no batch takes no time",
                                   "leave these rows out, or give another column: `metric`"},
    kAllEqual{"all-equal", kSevere, "all {all} times are equal, at different lengths", kGiveADuration},
    kDate{"date", kSevere, "is {value:.3g} s, years: a date, not a duration", kGiveADuration},
    kCopiedColumn{"copied-column", kSevere, "is equal to the column '{column}' in every row", kGiveADuration},
    kClock{"clock", kSevere, "grows from each row to the next, whatever their lengths, as a clock does",
           kGiveADuration};

// --- point_times.cpp: times at the points, one by one

inline constexpr FindingKind kStrayRepeat{
    "stray-repeat", kDoubtful, "is {value:.3g} s, {factor:.0f}x off the median of {point}'s repeats, {median:.3g} s",
    "look at this row; use `median`, or leave it out if it has a known cause"},
    kStrayPoint{"stray-point", kSevere, "{point} takes {value:.3g} s, {factor:.0f}x off what the other points suggest",
                "check that the row was measured at this point"},
    kTimesInTwoUnits{"times-in-two-units", kRefused,
                     "the times of {count} points are {factor:.0f} times what the others suggest, or as small a part",
                     "write all times in one unit, seconds"},
    kTimesOfOtherLengths{"times-of-other-lengths", kRefused,
                         "its times do not belong to the points' lengths: {count} points differ by {spread:.0f} %, and "
                         "longer ones do not take longer (rank correlation {correlation:.2f})",
                         "check that each time stands in the row of its own point"},
    kSlowFirst{"slow-first", kSevere,
               "is {value:.3g} s, {factor:.2g}x the longest of {point}'s other {count}: the start of the process",
               "leave out the first row: `skip` 1"},
    kSlowFirstOfShapes{"slow-first-of-shapes", kSevere,
                       "is {value:.3g} s, {factor:.0f}x {point}'s later times, and so it is at {count} of {all} "
                       "points: shapes are compiled or tuned when they first occur",
                       "mark first executions in a column warmup (1), or leave them out"};

// --- trends.cpp: times at the points, together

inline constexpr FindingKind kSlowStart{"slow-start", kDoubtful,
                                        "the first measurement of a point takes {comparison} later ones",
                                        "warm up until times are steady, or leave the first out: `skip` 1"};

// --- run_times.cpp: times of whole runs

inline constexpr FindingKind kAllEqualAtALength{"all-equal-at-a-length", kSevere, "all {all} times are equal",
                                                kGiveADuration},
    kStrayIteration{"stray-iteration", kOdd, "takes {value:.3g} s, {factor:.0f}x off batches of its size",
                    "leave out a validation or a checkpoint that was timed with it"},
    kStrayIterations{"stray-iterations", kOdd,
                     "takes {value:.3g} s, {factor:.0f}x off batches of its size; {count} are so far off",
                     "leave out validations and checkpoints that were timed with them"},
    kTraceInOtherUnit{"trace-in-other-unit", kOdd,
                      "{metric} in {file} differs from that of {other} by a factor of {factor:.3g}", kOneUnit};

// --- trends.cpp: times in their order

inline constexpr FindingKind kDrift{
    "drift", kDoubtful, "cost drifts: at the end it takes {comparison} at the beginning, whatever the lengths",
    "look for a leak, a cache that fills or clocks that change; earlier times {earlier} later ones"};

// --- units.cpp: times beside other columns of their rows

inline constexpr FindingKind kLongerThanProcessor{
    "longer-than-processor", kRefused, "is {factor:.4g} times '{column}' in every row: one is in another unit",
    kNameTheUnit},
    kMostlyWaiting{"mostly-waiting", kOdd,
                   "is {factor:.4g} times '{column}' in every row: the process waits nearly all of the time, or one "
                   "was changed to another unit",
                   "check that other programs leave it the processor; a job that waits for its device is in order"},
    kShorterThanProcessor{"shorter-than-processor", kRefused,
                          "is a {factor:.3g}th of '{column}', more cores than a machine has: one is in another unit",
                          kNameTheUnit},
    kSameTimeInOtherUnit{"same-time-in-other-unit", kRefused,
                         "differs from '{column}' by a factor of {factor:g} in every row: one is in another unit",
                         kNameTheUnit};

// --- origins.cpp: machines and clocks

inline constexpr FindingKind kClocksDiffer{
    "clocks-differ", kOdd, "its processes ran at GPU clocks of {low:.0f} to {high:.0f} MHz: times differ with them",
    kHoldTheClock},
    kClockVaries{"clock-varies", kOdd,
                 "the GPU's clock varies within a process: quartiles {low:.0f} and {high:.0f} MHz; times vary with it",
                 kHoldTheClock},
    kOtherConfiguration{"other-configuration", kSevere, "is {value}, but the file is given as {given}",
                        "check whether profiles are swapped"},
    kOriginChanges{"origin-changes", kOdd, "is {value}, but {before} in rows before",
                   "give each machine its own name: `profile` NAME=FILE"},
    kOtherOrigin{"other-origin", kRefused,
                 "is {value}, but {before} in {other}: files of two machines are no processes of one build",
                 "give each machine its own name: `profile` NAME=FILE"};

// --- copies.cpp: rows that are copies

inline constexpr FindingKind kRowsTwice{
    "rows-twice", kRefused, "{count} of its rows are in {other} as well, digit for digit: they would count twice",
    "leave out one of the two, or the rows that both have"},
    kRowsRepeated{"rows-repeated", kSevere, "{count} of its rows repeat earlier rows, digit for digit",
                  "check whether a file was copied into it"};

// --- checks.cpp: files of a configuration

inline constexpr FindingKind kIterationBeyond{"iteration-beyond", kOdd,
                                              "is {iteration}, but the run's iterations are 0 to {last}",
                                              "count iterations from 0; check that the file is of this run"},
    kIterationsOfNoPoint{
        "iterations-of-no-point", kSevere,
        "{iteration} is no iteration of {point}, and so it is in {count} of {all} rows that can be compared: they were "
        "measured for other points",
        "give the points that this file was measured for; leave out the column if it counts something else"},
    kNoRowAtAPoint{"no-row-at-a-point", kOdd, "none of its rows ({count}) is at a point",
                   "check that it was measured for these points of this run"},
    kFileTwice{"file-twice", kRefused, "{file} is given again: its measurements would count twice", "give it once"},
    kFileCopied{"file-copied", kRefused, "{file} is the same as {other}: its measurements would count twice",
                "give one of the two"},
    kTimesTwice{"times-twice", kSevere, "every time is there twice or more, digit for digit",
                "check whether a file or its rows were copied; give each time of a simulator once"},
    kOtherUnitOfAFile{"other-unit-of-a-file", kRefused,
                      "its times differ from those of {other} by a factor of {factor:.4g}, as of another unit",
                      "correct the one that is wrong; other machines or builds need names of their own"};

// --- checks.cpp: configurations beside each other

inline constexpr FindingKind kSharedFile{"shared-file", kSevere, "is given for {other} and for {subject}", kCopy},
    kSharedCopy{"shared-copy", kSevere, "is given for {subject}, and equal to {other_file}, given for {other}", kCopy},
    kSameTimes{"same-times", kSevere, "{subject} has the {metric} of {other} ({other_file}), digit for digit", kCopy},
    kOtherUnit{"other-unit", kOdd, "its times differ from those of {other} by a factor of {factor:.3g}", kOneUnit},
    kOtherMachine{"other-machine", kOdd, "{subject} was measured on {value}, {other} on {other_value}",
                  "measure both on one machine: the gate also compares the machines"};

// --- checks.cpp: an earlier projection as a reference

inline constexpr FindingKind kSameMeasurements{"same-measurements", kOdd,
                                               "it was projected from the same measurements of {subject}",
                                               "measure anew, or give the earlier file"},
    kOtherPointsThanBefore{"other-points-than-before", kOdd,
                           "it lacks other points ({then}) than this projection ({now})",
                           "measure the same points: the difference is not the builds' alone"},
    kOtherUnitThanBefore{"other-unit-than-before", kOdd,
                         "the {metric} of {subject} differs from this projection's by a factor of {factor:.3g}",
                         kOneUnit};

// --- profile/merge_ranks.cpp: ranks

inline constexpr FindingKind kRanksMissing{
    "ranks-missing", kSevere, "{count} of {all} steps lack some of the {ranks} ranks, and may be too short",
    "give the files of all ranks; look for a rank that ended early"};

// --- project/stretch.cpp: consecutive batches of a process of `run`, beside what its points predict

inline constexpr FindingKind kSlowerStretch{
    "slower-stretch", kOdd,
    "{count} batches in a row took {value:.3g} s, {change:.2g} % longer than the points predict ({low:.3g} to "
    "{high:.3g} s)",
    "look for waits for data, a machine that slows down, and batches whose cost depends on more than their lengths"},
    kFasterStretch{"faster-stretch", kOdd,
                   "{count} batches in a row took {value:.3g} s, {change:.2g} % less than the points predict "
                   "({low:.3g} to {high:.3g} s)",
                   "look for a warm-up that is too short, and for work that the job skips"};

}  // namespace seqpoint::findings
