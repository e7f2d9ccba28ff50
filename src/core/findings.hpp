/// \file
/// The catalogue of findings. docs/joins.md says of each by its id what mistake shows it.
#pragma once

#include "seqpoint/finding.hpp"

namespace seqpoint::findings {

inline constexpr bool kSevere = true;

// --- times of an iteration, at the points and in whole runs

inline constexpr FindingKind kZero{"zero", "is 0, as {count} of {all}: no iteration takes no time", kSevere};
inline constexpr FindingKind kAllEqual{"all-equal", "all {all} times are equal, at different lengths", kSevere};
inline constexpr FindingKind kAllEqualAtALength{"all-equal-at-a-length", "all {all} times are equal", kSevere};
inline constexpr FindingKind kDate{"date", "is {value:.3g} s, years: a date rather than a duration", kSevere};
inline constexpr FindingKind kDateInRun{"date-in-run", "{value:.3g} s are years: a date rather than a duration",
                                        kSevere};
inline constexpr FindingKind kCopiedColumn{"copied-column", "is equal to the column '{column}', in every row", kSevere};
inline constexpr FindingKind kCopiedColumnInRun{"copied-column-in-run",
                                                "is equal to the column '{column}', as all of its rows", kSevere};
inline constexpr FindingKind kClock{
    "clock", "grows from each row to the next, whatever their lengths: a clock rather than a duration?", kSevere};
inline constexpr FindingKind kClockInRun{
    "clock-in-run",
    "times grow from each iteration to the next, whatever their lengths: a clock rather than a duration?", kSevere};
inline constexpr FindingKind kStrayRepeat{
    "stray-repeat",
    "is {value:.3g} s, a factor of {factor:.0f} from the median of the repeats of {point}, {median:.3g} s"};
inline constexpr FindingKind kStrayPoint{"stray-point",
                                         "{point} takes {value:.3g} s, which differs by a factor of {factor:.0f} from "
                                         "what the other points suggest for its size",
                                         kSevere};
inline constexpr FindingKind kStrayIteration{
    "stray-iteration", "takes {value:.3g} s, a factor of {factor:.0f} from iterations of its size"};
inline constexpr FindingKind kStrayIterations{
    "stray-iterations", "takes {value:.3g} s, a factor of {factor:.0f} from iterations of its size; {count} stray so"};
inline constexpr FindingKind kWaiting{"waiting",
                                      "repeats scatter by {wall:.2g} %, those of cpu_s by {processor:.2g} %: the job "
                                      "waits, as where others use the machine"};
inline constexpr FindingKind kBusyWaiting{
    "busy-waiting",
    "repeats scatter by {wall:.2g} %, those of cpu_s by {processor:.2g} %: threads wait without sleeping, or the "
    "processor's clock is coarse"};

// --- where measurements are from

inline constexpr FindingKind kOtherConfiguration{
    "other-configuration", "is {value}, but the file is given as {given}: are profiles swapped?", kSevere};
inline constexpr FindingKind kOriginChanges{
    "origin-changes", "is {value}, rows before say {before}: are these measurements of one configuration?"};
inline constexpr FindingKind kIterationBeyond{
    "iteration-beyond",
    "is {iteration}, and the run's go from 0 to {last}: are they counted from 1, or of another run?"};
inline constexpr FindingKind kFileTwice{"file-twice", "{file} is given again: its measurements count twice"};
inline constexpr FindingKind kFileCopied{"file-copied", "{file} is the same as {other}: its measurements count twice"};
inline constexpr FindingKind kTimesTwice{
    "times-twice", "all times stand there twice or more, the same to the last digit: was a file or its rows copied?"};

// --- configurations beside each other, and beside what was measured before

inline constexpr FindingKind kSharedFile{"shared-file", "is given for {other} and for {subject}: is it a copy?",
                                         kSevere};
inline constexpr FindingKind kSharedCopy{
    "shared-copy", "is given for {subject}, and the same as {other_file}, which is given for {other}: is it a copy?",
    kSevere};
inline constexpr FindingKind kSameTimes{
    "same-times", "{subject} has the same {metric} as {other} ({other_file}), to the last digit: is it a copy?",
    kSevere};
inline constexpr FindingKind kSameTrace{"same-trace",
                                        "{subject} has the same {metric} as {other}, to the last digit: is it a copy?"};
inline constexpr FindingKind kOtherUnit{
    "other-unit", "its times differ from those of {other} by a factor of {factor:.3g}: are both in the same unit?"};
inline constexpr FindingKind kTraceInOtherUnit{
    "trace-in-other-unit",
    "{metric} in {file} differs from that of {other} by a factor of {factor:.3g}: are both in the same unit?"};
inline constexpr FindingKind kOtherMachine{"other-machine",
                                           "{subject} was measured on {value}, {other} on {other_value}: the gate is "
                                           "about the machines as well as about what was built"};
inline constexpr FindingKind kSameMeasurements{
    "same-measurements", "it was projected from the same measurements of {subject}: was the profile written anew?"};
inline constexpr FindingKind kOtherUnitThanBefore{
    "other-unit-than-before",
    "the {metric} of {subject} differs from its by a factor of {factor:.3g}: are both in the same unit?"};
inline constexpr FindingKind kContradiction{
    "contradiction",
    "{metric}: the measurements contradict what costs are made of, or each other (p = {probability:.0e}): `seqpoint "
    "diagnose` says how"};

}  // namespace seqpoint::findings
