#include "cli/messages.hpp"

namespace seqpoint::cli {

void Messages::print(Console& console) const {
  for (const Message& message : messages_) switch (message.kind) {
      case Kind::detail: console.detail(message.text); break;
      case Kind::note: console.note(message.text); break;
      case Kind::warning: console.warn(message.text, message.hint); break;
    }
}

}  // namespace seqpoint::cli
