#include "io/profiles/engine/trace_window.hpp"

#include <algorithm>

#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::engine {
namespace {

constexpr std::size_t kLongestValue = 64 * 1024 * 1024;

}  // namespace

void TraceWindow::advance() {
  constexpr std::size_t kWhole = kSize + kFront + stream::Block::kPadding;
  if (end_ + stream::Block::kPadding == memory_.size() && memory_.size() < kWhole) memory_.resize(kWhole);
  if (begin_ == kFront && end_ + stream::Block::kPadding == memory_.size()) {
    if (memory_.size() > kLongestValue)
      throw InputError({input_.name()}, "has a value longer than 64 MiB", "give a trace of a profiler");
    memory_.resize(2 * memory_.size());
  }
  std::copy(memory_.data() + begin_, memory_.data() + end_, memory_.data() + kFront);
  end_ = kFront + end_ - begin_;
  begin_ = kFront;
  while (!at_end_ && end_ + stream::Block::kPadding < memory_.size()) {
    const std::size_t got = input_.read(memory_.data() + end_, memory_.size() - stream::Block::kPadding - end_);
    at_end_ = got == 0;
    end_ += got;
  }
  std::fill(memory_.data() + end_, memory_.data() + end_ + stream::Block::kPadding, ' ');
}

}  // namespace seqpoint::io::profiles::engine
