/// \file
/// The catalogue of findings. docs/profiles.md says of each by its id what mistake shows it.
#pragma once

#include <array>

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
    kSlowFirst{"slow-first", kSevere,
               "is {value:.3g} s, {factor:.2g} times the longest of the other {count} of {point}: it is the first of "
               "its session, and pays for its start"},
    kTrend{"trend", kOdd,
           "cost {direction} steadily, by {change:.2g} % from the first time to the last, whatever the lengths (p = "
           "{probability:.0e}): the past tells too {much} of the rest"},
    kWaiting{"waiting", kOdd,
             "repeats scatter by {wall:.2g} %, those of cpu_s by {processor:.2g} %: the job waits, as where others use "
             "the machine"},
    kBusyWaiting{"busy-waiting", kOdd,
                 "repeats scatter by {wall:.2g} %, those of cpu_s by {processor:.2g} %: threads wait without sleeping, "
                 "or the processor's clock is coarse"};

// --- times beside other columns of their rows

inline constexpr FindingKind kLongerThanProcessor{"longer-than-processor", kSevere,
                                                  "is {factor:.4g} times '{column}', in every row alike: is one of the "
                                                  "two in another unit?"},
    kShorterThanProcessor{"shorter-than-processor", kSevere,
                          "is a {factor:.3g}th of '{column}', of more cores than a machine has: is one of the two in "
                          "another unit?"},
    kSameTimeInOtherUnit{"same-time-in-other-unit", kSevere,
                         "differs from '{column}' by a factor of {factor:g} in every row: is one of the two in "
                         "another unit?"},
    kOtherUnitThanRate{"other-unit-than-rate", kSevere,
                       "differs by a factor of {factor:.4g} from what '{column}' says: is it in another unit?"},
    kLongerThanClock{"longer-than-clock", kSevere,
                     "is {factor:.4g} times as long as '{column}' goes on from row to row: is it in another unit?"},
    kOtherUnitOfAFile{"other-unit-of-a-file", kSevere,
                      "its times differ from those of {other} by a factor of {factor:.4g}: are both in the same unit?"};

// --- where measurements are from

inline constexpr FindingKind kRanksMissing{"ranks-missing", kSevere,
                                           "{count} of {all} steps are not of all {ranks} ranks, and may be too short: "
                                           "did one end early?"};

inline constexpr FindingKind kOtherConfiguration{"other-configuration", kSevere,
                                                 "is {value}, but the file is given as {given}: are profiles swapped?"},
    kOriginChanges{"origin-changes", kOdd,
                   "is {value}, rows before say {before}: are these measurements of one configuration?"},
    kIterationBeyond{"iteration-beyond", kOdd,
                     "is {iteration}, and the run's go from 0 to {last}: are they counted from 1, or of another run?"},
    kNoRowAtAPoint{"no-row-at-a-point", kOdd,
                   "none of its rows ({count}) is of any point: is it of this run, or was it made for other points?"},
    kFileTwice{"file-twice", kSevere, "{file} is given again: its measurements would count twice"},
    kFileCopied{"file-copied", kSevere, "{file} is the same as {other}: its measurements would count twice"},
    kRowsTwice{"rows-twice", kSevere,
               "{count} of its rows stand in {other} as well, to the last digit: they would count twice"},
    kRowsRepeated{"rows-repeated", kSevere,
                  "{count} of its rows repeat rows before them, to the last digit: was a file copied into it?"},
    kTimesTwice{"times-twice", kSevere,
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
        "the {metric} of {subject} differs from its by a factor of {factor:.3g}: are both in the same unit?"};

// --- what tests with a known rate of false alarms tell (core/checks/faults.hpp), where they are sure

inline constexpr FindingKind kSlowStart{"slow-start", kOdd,
                                        "the first measurement of a point takes {comparison} later ones ({chance}): "
                                        "warm up until times are steady, or leave the first out"},
    kDrift{"drift", kOdd, "cost drifts: at the end of the session it takes {comparison} at its beginning ({chance})"},
    kMisplaced{"misplaced", kOdd,
               "times do not fit the lengths of the points that they stand at ({chance}): were rows mixed up, are they "
               "of other points, or did the machine change its speed meanwhile?"};

// --- what is refused, unless the user says that it is right

inline constexpr std::string_view kNameTheUnit =
    "call a column by its unit (runtime_ms, cpu_ms); if both are in seconds, name the one to take: `statistic`";

/// A kind by which figures would be wrong, and what to do about it.
struct Refusal {
  FindingKind kind;
  std::string_view way_out;
};
inline constexpr std::array kRefusals{
    Refusal{kFileTwice, "give it once"},
    Refusal{kFileCopied, "give one of the two"},
    Refusal{kRowsTwice, "leave out one of the two, or the rows that both have"},
    Refusal{kOtherUnitOfAFile, "correct the one that is wrong; other machines or builds are other configurations"},
    Refusal{kLongerThanProcessor, kNameTheUnit},
    Refusal{kShorterThanProcessor, kNameTheUnit},
    Refusal{kSameTimeInOtherUnit, kNameTheUnit},
    Refusal{kOtherUnitThanRate, kNameTheUnit},
    Refusal{kLongerThanClock, kNameTheUnit}};

}  // namespace seqpoint::findings
