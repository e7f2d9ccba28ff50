/// \file
/// How many points: the paper's rule, shared by the methods that cut the range of lengths into strata.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "core/select/population.hpp"

namespace seqpoint::select::methods {

/// Defaults of METHOD 2 (from memory of the paper, so all are options).
inline constexpr double kDefaultMaxError = 0.005;
inline constexpr std::array kStrataOptions{
    OptionSpec{"unique-limit", OptionSpec::Kind::count, "10", "with at most so many unique lengths, each is a point"},
    OptionSpec{"first-k", OptionSpec::Kind::count, "5", "where the search for the number of points starts"},
};

/// Cuts the groups into (at most) k strata, none of them empty.
using CutIntoStrata = std::function<std::vector<Stratum>(std::uint64_t k)>;

/// With `points`: that many strata; if that exceeds the unique lengths, every length, with a note. Without: every
/// length if there are few, else more and more strata until the in-sample error is at most `max_error`. The search
/// ends, with every length as a point, after some tens of millions of lengths (METHOD sets no limit, but one very long
/// sample can make bins of equal width need billions of strata).
std::vector<Choice> choose_by_strata(const Population&, const SelectParams&, const CutIntoStrata&, MethodRecord&,
                                     std::vector<std::string>& notes);

}  // namespace seqpoint::select::methods
