#include "io/text/tokenizer.hpp"

#include "seqpoint/error.hpp"

#ifdef SEQPOINT_WITH_SENTENCEPIECE
#include <sentencepiece_processor.h>

#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "io/text/foreign_files.hpp"
#include "io/text/input_head.hpp"
#endif

namespace seqpoint::io::text {

#ifdef SEQPOINT_WITH_SENTENCEPIECE
namespace {

/// A number of protobuf's wire format, taken off `bytes`.
std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; !bytes.empty() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

/// Protobuf accepts a model that was truncated between two fields. Its normalizer_spec, field 3
/// of sentencepiece_model.proto and written after the pieces, is in every whole one. All fields up to there hold
/// bytes.
bool is_whole_model(std::string_view bytes) {
  constexpr std::uint64_t kNormalizer = 3, kBytes = 2;
  while (!bytes.empty()) {
    const std::uint64_t tag = take_varint(bytes), size = take_varint(bytes);
    if ((tag & 7U) != kBytes || size > bytes.size()) return false;
    if (tag >> 3U == kNormalizer) return true;
    bytes.remove_prefix(size);
  }
  return false;
}

/// Whether SentencePiece does what is called. What it throws is the model's fault, but for a lack of memory.
template <class Call>
bool succeeds(Call call) {
  try {
    return call().ok();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return false;
  }
}

/// Throws InputError for the file of Hugging Face's tokenizers. Their library reads the folder.
void refuse_json(const std::string& path, std::string_view bytes) {
  if (!first_line(bytes).starts_with('{')) return;
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  throw InputError({path}, "is JSON, as of Hugging Face's tokenizers, and not a SentencePiece model",
                   with_path("their own library counts: python3 examples/pytorch/lengths.py MANIFEST --tokenizer FILE "
                             "-o lengths.csv, and scan that",
                             folder.empty() ? "." : folder));
}

}  // namespace

struct Tokenizer::Model {
  explicit Model(std::string path) : source(std::move(path)) {}
  std::string source;
  sentencepiece::SentencePieceProcessor processor;
};

Tokenizer::Tokenizer(stream::Input& model) {
  const std::string bytes = model.read_all();
  refuse_json(model.name(), bytes);
  const auto loads = [&] {
    model_ = std::make_unique<Model>(model.name());
    return succeeds([&] { return model_->processor.LoadFromSerializedProto(bytes); });
  };
  // Twice: a lack of memory that has passed looks like a damaged model.
  if (!is_whole_model(bytes) || (!loads() && !loads()))
    throw InputError({model.name()}, "is not a SentencePiece model", "give the .model file that spm_train wrote");
}

std::uint64_t Tokenizer::count(std::string_view text) const {
  std::vector<int> pieces;
  if (!succeeds([&] { return model_->processor.Encode({text.data(), text.size()}, &pieces); }))
    throw InputError({model_->source}, "is damaged: it cannot cut a text into pieces", "copy it again");
  return pieces.size();
}

std::uint64_t Tokenizer::vocabulary() const { return static_cast<std::uint64_t>(model_->processor.GetPieceSize()); }

#else

struct Tokenizer::Model {};  // there never is one

Tokenizer::Tokenizer(stream::Input&) {
  throw UsageError("--tokenizer: this seqpoint was built without libsentencepiece",
                   "install it (Debian: libsentencepiece-dev) and build again, or give text that is tokenized already");
}
std::uint64_t Tokenizer::count(std::string_view) const { return 0; }
std::uint64_t Tokenizer::vocabulary() const { return 0; }

#endif

Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

}  // namespace seqpoint::io::text
