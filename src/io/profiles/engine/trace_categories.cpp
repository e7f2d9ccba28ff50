#include "io/profiles/engine/trace_categories.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace seqpoint::io::profiles::engine {
namespace {

/// Whether `text`, in lower case, equals `lower`. Before 1.9 PyTorch wrote "Kernel", "Runtime", "Operator".
bool same_word(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + ('a' - 'A')) : a) == b;
         });
}

}  // namespace

Category category_of(std::string_view cat) {
  constexpr std::array<std::pair<std::string_view, Category>, 22> kNames{
      {{"cpu_op", Category::cpu_op},
       {"kernel", Category::kernel},
       {"cuda_runtime", Category::runtime},
       {"cuda_driver", Category::runtime},
       {"gpu_memcpy", Category::copy},
       {"gpu_memset", Category::copy},
       {"user_annotation", Category::user_range},
       {"gpu_user_annotation", Category::device_range},
       {"xpu_runtime", Category::runtime},
       {"xpu_driver", Category::runtime},
       {"operator", Category::cpu_op},
       {"runtime", Category::runtime},
       {"memcpy", Category::copy},
       {"memset", Category::copy},
       {"python_function", Category::unused},
       {"overhead", Category::unused},
       {"trace", Category::unused},
       {"cuda_sync", Category::unused},
       {"cuda_event", Category::unused},
       {"cuda_profiler_range", Category::unused},
       {"xpu_sync", Category::unused},
       {"external_correlation", Category::unused}}};
  for (const auto& [name, category] : kNames)
    if (same_word(cat, name)) return category;
  return Category::unknown;
}

}  // namespace seqpoint::io::profiles::engine
