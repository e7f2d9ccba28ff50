/// \file
/// The catalogue of findings. docs/joins.md says of each by its id what mistake shows it.
#pragma once

#include "seqpoint/error.hpp"

namespace seqpoint::findings {

inline constexpr bool kSevere = true, kOdd = false;

// --- times of an iteration, at the points and in whole runs

inline constexpr FindingKind kZero{"zero", kSevere, "is 0, as {count} of {all}: no iteration takes no time"},
    kAllEqual{"all-equal", kSevere, "all {all} times are equal, at different lengths"},
    kAllEqualAtALength{"all-equal-at-a-length", kSevere, "all {all} times are equal"},
    kDate{"date", kSevere, "is {value:.3g} s, years: a date rather than a duration"},
    kDateInRun{"date-in-run", kSevere, "{value:.3g} s are years: a date rather than a duration"},
    kCopiedColumn{"copied-column", kSevere, "is equal to the column '{column}', in every row"},
    kCopiedColumnInRun{"copied-column-in-run", kSevere, "is equal to the column '{column}', as all of its rows"},
    kClock{"clock", kSevere,
           "grows from each row to the next, whatever their lengths: a clock rather than a duration?"},
    kClockInRun{"clock-in-run", kSevere,
                "times grow from each iteration to the next, whatever their lengths: a clock rather than a duration?"},
    kStrayRepeat{
        "stray-repeat", kOdd,
        "is {value:.3g} s, a factor of {factor:.0f} from the median of the repeats of {point}, {median:.3g} s"},
    kStrayPoint{"stray-point", kSevere,
                "{point} takes {value:.3g} s, which differs by a factor of {factor:.0f} from what the other points "
                "suggest for its size"},
    kStrayIteration{"stray-iteration", kOdd,
                    "takes {value:.3g} s, a factor of {factor:.0f} from iterations of its size"},
    kStrayIterations{"stray-iterations", kOdd,
                     "takes {value:.3g} s, a factor of {factor:.0f} from iterations of its size; {count} stray so"},
    kWaiting{"waiting", kOdd,
             "repeats scatter by {wall:.2g} %, those of cpu_s by {processor:.2g} %: the job waits, as where others use "
             "the machine"},
    kBusyWaiting{"busy-waiting", kOdd,
                 "repeats scatter by {wall:.2g} %, those of cpu_s by {processor:.2g} %: threads wait without sleeping, "
                 "or the processor's clock is coarse"};

// --- where measurements are from

inline constexpr FindingKind kOtherConfiguration{"other-configuration", kSevere,
                                                 "is {value}, but the file is given as {given}: are profiles swapped?"},
    kOriginChanges{"origin-changes", kOdd,
                   "is {value}, rows before say {before}: are these measurements of one configuration?"},
    kIterationBeyond{"iteration-beyond", kOdd,
                     "is {iteration}, and the run's go from 0 to {last}: are they counted from 1, or of another run?"},
    kNoRowAtAPoint{"no-row-at-a-point", kOdd,
                   "none of its rows ({count}) is of any point: is it of this run, or was it made for other points?"},
    kFileTwice{"file-twice", kOdd, "{file} is given again: its measurements count twice"},
    kFileCopied{"file-copied", kOdd, "{file} is the same as {other}: its measurements count twice"},
    kTimesTwice{"times-twice", kOdd,
                "all times stand there twice or more, the same to the last digit: was a file or its rows copied?"};

// --- configurations beside each other, and beside what was measured before

inline constexpr FindingKind kSharedFile{"shared-file", kSevere,
                                         "is given for {other} and for {subject}: is it a copy?"},
    kSharedCopy{"shared-copy", kSevere,
                "is given for {subject}, and the same as {other_file}, which is given for {other}: is it a copy?"},
    kSameTimes{"same-times", kSevere,
               "{subject} has the same {metric} as {other} ({other_file}), to the last digit: is it a copy?"},
    kSameTrace{"same-trace", kOdd, "{subject} has the same {metric} as {other}, to the last digit: is it a copy?"},
    kOtherUnit{"other-unit", kOdd,
               "its times differ from those of {other} by a factor of {factor:.3g}: are both in the same unit?"},
    kTraceInOtherUnit{
        "trace-in-other-unit", kOdd,
        "{metric} in {file} differs from that of {other} by a factor of {factor:.3g}: are both in the same unit?"},
    kOtherMachine{"other-machine", kOdd,
                  "{subject} was measured on {value}, {other} on {other_value}: the gate is about the machines as well "
                  "as about what was built"},
    kSameMeasurements{"same-measurements", kOdd,
                      "it was projected from the same measurements of {subject}: was the profile written anew?"},
    kOtherPointsThanBefore{"other-points-than-before", kOdd,
                           "it lacks other points ({then}) than this one ({now}): what one has measured is predicted "
                           "in the other, and their "
                           "difference is not the builds' alone"},
    kOtherUnitThanBefore{
        "other-unit-than-before", kOdd,
        "the {metric} of {subject} differs from its by a factor of {factor:.3g}: are both in the same unit?"},
    kContradiction{"contradiction", kOdd,
                   "{metric}: the measurements contradict what costs are made of, or each other (p = "
                   "{probability:.0e}): `seqpoint diagnose` says how"};

}  // namespace seqpoint::findings
