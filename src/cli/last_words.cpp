#include "cli/last_words.hpp"

#include <unistd.h>

#include <atomic>
#include <forward_list>

namespace seqpoint::cli {
namespace {

std::forward_list<std::string> kept_words;  // all of them: a handler may be reading any
std::atomic<const std::string*> latest{nullptr};
static_assert(std::atomic<const std::string*>::is_always_lock_free);

}  // namespace

void set_last_words(std::string text) {
  kept_words.push_front(std::move(text));
  latest = &kept_words.front();
}

void print_last_words() noexcept {
  const std::string* const text = latest;
  if (text != nullptr && ::write(STDERR_FILENO, text->data(), text->size()) < 0) return;
}

}  // namespace seqpoint::cli
