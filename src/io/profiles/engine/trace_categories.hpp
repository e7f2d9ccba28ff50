/// \file
/// The meaning of the categories of libkineto's events for a timeline (libkineto/include/ActivityType.h).
#pragma once

#include <string_view>

namespace seqpoint::io::profiles::engine {

/// `unused`: known, but in no figure; `unknown`: may be anything, also device work.
enum class Category { unknown, unused, cpu_op, user_range, device_range, kernel, copy, runtime };

/// The meaning of an event's `cat`, in any case; unknown if there is none of that name.
Category category_of(std::string_view cat);

}  // namespace seqpoint::io::profiles::engine
