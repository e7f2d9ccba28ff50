// Sequences of binarised data: rows of an .idx and, where it lies beside it, their bytes in the .bin. The index is read
// (and checked) by formats/indexed_datasets.cpp before; only what is copied is read here.
#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "io/manifests/engine/binary.hpp"
#include "io/manifests/record_sets.hpp"

namespace seqpoint::io::manifests {
namespace {

using namespace std::string_view_literals;

constexpr auto kLegacyPreamble = "TNTIDX\0\0"sv;
constexpr std::size_t kMagicBytes = 9;  ///< of the current layout

template <class T>
void append_integer(std::string& to, T number) {
  const auto bytes = static_cast<std::make_unsigned_t<T>>(number);
  for (std::size_t i = 0; i < sizeof(T); ++i) to += static_cast<char>((bytes >> (8 * i)) & 0xFFU);
}

/// An item: how long it is and where its bytes are.
struct Item {
  std::vector<std::int64_t> sizes;  ///< one, or the dimensions of an item of the legacy layout
  std::uint64_t offset = 0, bytes = 0;
  std::int8_t mode = 0;
};

enum class IndexLayout { fairseq, legacy, megatron };

/// An index read into memory.
class Index {
 public:
  Index(stream::Input& input, IndexLayout layout) : layout_(layout), in_(input, "an index") {
    if (layout == IndexLayout::fairseq && input.head().starts_with(kLegacyPreamble)) layout_ = IndexLayout::legacy;
    if (layout_ == IndexLayout::legacy)
      read_legacy();
    else
      read_plain();
  }
  IndexLayout layout() const { return layout_; }
  /// Magic, version and data type, as they stand.
  const std::string& preamble() const { return preamble_; }
  bool has_modes() const { return has_modes_; }
  const std::vector<std::uint64_t>& documents() const { return documents_; }
  std::uint64_t element_size() const { return element_size_; }
  const Item& item(std::uint64_t i) const { return items_.at(static_cast<std::size_t>(i)); }

 private:
  void read_plain() {
    preamble_ = in_.read_bytes(kMagicBytes + 8 + 1);
    const auto count = in_.read_number<std::uint64_t>();
    const std::uint64_t documents = layout_ == IndexLayout::megatron ? in_.read_number<std::uint64_t>() : 0;
    for (const std::int32_t size : in_.read_numbers<std::int32_t>(count)) items_.push_back(Item{.sizes = {size}});
    in_.for_each_number<std::uint64_t>(count,
                                       [&](std::uint64_t i, std::uint64_t offset) { items_[i].offset = offset; });
    const std::uint64_t width = width_of_elements();
    for (Item& item : items_) item.bytes = static_cast<std::uint64_t>(item.sizes.front()) * width;
    documents_ = in_.read_numbers<std::uint64_t>(documents);
    has_modes_ = layout_ == IndexLayout::megatron && !in_.at_end();
    if (has_modes_)
      in_.for_each_number<std::int8_t>(count, [&](std::uint64_t i, std::int8_t mode) { items_[i].mode = mode; });
  }

  /// Bytes per element, from the distance of two pointers; of a single item from the data type.
  std::uint64_t width_of_elements() const {
    for (std::size_t i = 0; i + 1 < items_.size(); ++i)
      if (items_[i].sizes.front() > 0)
        return (items_[i + 1].offset - items_[i].offset) / static_cast<std::uint64_t>(items_[i].sizes.front());
    constexpr std::array<std::uint8_t, 11> kWidths{0, 1, 1, 2, 4, 8,
                                                   4, 8, 2, 4, 8};  // fairseq's, and of Megatron-LM's 6 and 7 the other
    const auto type = static_cast<std::uint8_t>(preamble_.back());
    if (layout_ == IndexLayout::megatron && (type == 6 || type == 7)) return type == 6 ? 8 : 4;
    return kWidths.at(type);
  }

  void read_legacy() {
    preamble_ = in_.read_bytes(kLegacyPreamble.size() + 8 + 8);
    element_size_ = in_.read_number<std::uint64_t>();
    const auto count = in_.read_number<std::uint64_t>(), dimensions = in_.read_number<std::uint64_t>();
    const auto first_dimension = in_.read_numbers<std::int64_t>(count + 1),
               first_element = in_.read_numbers<std::int64_t>(count + 1);
    const auto sizes = in_.read_numbers<std::int64_t>(dimensions);
    for (std::size_t i = 0; i < count; ++i)
      items_.push_back({.sizes = {sizes.begin() + first_dimension[i], sizes.begin() + first_dimension[i + 1]},
                        .offset = static_cast<std::uint64_t>(first_element[i]) * element_size_,
                        .bytes = static_cast<std::uint64_t>(first_element[i + 1] - first_element[i]) * element_size_});
  }

  IndexLayout layout_;
  engine::BinaryReader in_;
  std::string preamble_;
  std::uint64_t element_size_ = 0;
  std::vector<Item> items_;
  std::vector<std::uint64_t> documents_;
  bool has_modes_ = false;
};

/// "train.idx", "train.idx.gz": "train.bin".
std::string data_path_of(const std::string& index) {
  const auto at = index.rfind(".idx");
  return at == std::string::npos ? "" : index.substr(0, at) + ".bin";
}

/// An item with its data.
struct Record {
  Item item;
  std::string data;
};

class IndexRecords : public RecordSet {
 public:
  IndexRecords(const CopyRequest& request, IndexLayout layout) : name_(request.inputs.front().name()) {
    std::uint32_t current = 0;
    std::unique_ptr<Index> index;
    std::ifstream data;
    for (const InputRow& place : request.places) {
      if (index == nullptr || place.input != current) {
        stream::Input& input = request.inputs[current = place.input];
        index = std::make_unique<Index>(input, layout);
        require_same_kind(*index, input.name());
        data = open_data(input.name());
      }
      for (const std::uint64_t i : items_of(place.row, *index, request.length_field == "documents"))
        records_[place].push_back(copy_item(index->item(i), data, data_path_of(request.inputs[current].name())));
    }
  }

  std::string compose(const std::string& stem, std::span<const InputRow> places, Excerpt& into) const override {
    std::vector<const Record*> chosen;
    std::vector<std::uint64_t> documents{0};
    std::string data;
    for (const InputRow& place : places) {
      for (const Record& record : records_.at(place)) chosen.push_back(&record);
      documents.push_back(chosen.size());
    }
    for (const Record* const record : chosen) data += record->data;
    std::string name = named_after(stem, name_);
    add_file(
        into, name,
        compressed_for(name, layout_ == IndexLayout::legacy ? legacy_index(chosen) : plain_index(chosen, documents)));
    if (has_data_) add_file(into, data_path_of(name), std::move(data));
    return name;
  }

 private:
  void require_same_kind(const Index& index, const std::string& name) {
    if (preamble_.empty()) {
      preamble_ = index.preamble();
      layout_ = index.layout();
      has_modes_ = index.has_modes();
      element_size_ = index.element_size();
    } else if (preamble_ != index.preamble() || has_modes_ != index.has_modes()) {
      throw InputError({name},
                       fmt::format("is an index of another kind than {}: they do not go into one manifest", name_),
                       "give indexes of one kind");
    }
  }

  /// Whether there is data is decided by the first input.
  std::ifstream open_data(const std::string& index) {
    const std::string path = data_path_of(index);
    std::ifstream data(path, std::ios::binary);
    if (!data.is_open() && errno != ENOENT) throw InputError({path}, std::strerror(errno));
    if (records_.empty()) has_data_ = data.is_open();
    return data;
  }

  static std::vector<std::uint64_t> items_of(std::uint32_t row, const Index& index, bool documents) {
    if (!documents) return {row};
    std::vector<std::uint64_t> items;
    for (std::uint64_t i = index.documents().at(row); i < index.documents().at(row + 1U); ++i) items.push_back(i);
    return items;
  }

  Record copy_item(const Item& item, std::ifstream& data, const std::string& path) const {
    Record record{item, {}};
    if (!has_data_) return record;
    record.data.resize(item.bytes);
    data.seekg(static_cast<std::streamoff>(item.offset));
    data.read(record.data.data(), static_cast<std::streamsize>(item.bytes));
    if (data.bad()) throw InputError({path}, std::strerror(errno));
    if (!data)
      throw InputError({path},
                       fmt::format("ends before byte {}, where its index says that data is", item.offset + item.bytes),
                       "copy the two again");
    return record;
  }

  std::string plain_index(std::span<const Record* const> records, std::span<const std::uint64_t> documents) const {
    std::string bytes = preamble_;
    append_integer<std::uint64_t>(bytes, records.size());
    if (layout_ == IndexLayout::megatron) append_integer<std::uint64_t>(bytes, documents.size());
    for (const Record* const record : records)
      append_integer(bytes, static_cast<std::int32_t>(record->item.sizes.front()));
    std::uint64_t offset = 0;
    for (const Record* const record : records) {
      append_integer(bytes, offset);
      offset += record->item.bytes;
    }
    if (layout_ != IndexLayout::megatron) return bytes;
    for (const std::uint64_t document : documents) append_integer(bytes, document);
    for (const Record* const record : records)
      if (has_modes_) append_integer(bytes, record->item.mode);
    return bytes;
  }

  std::string legacy_index(std::span<const Record* const> records) const {
    std::string bytes = preamble_, offsets, sizes;
    std::uint64_t dimensions = 0, element = 0;
    append_integer(offsets, element);
    std::string first_dimensions = offsets;
    for (const Record* const record : records) {
      dimensions += record->item.sizes.size();
      element += record->item.bytes / element_size_;
      append_integer(first_dimensions, dimensions);
      append_integer(offsets, element);
      for (const std::int64_t size : record->item.sizes) append_integer(sizes, size);
    }
    append_integer(bytes, element_size_);
    append_integer<std::uint64_t>(bytes, records.size());
    append_integer(bytes, dimensions);
    return bytes + first_dimensions + offsets + sizes;
  }

  std::string name_, preamble_;
  IndexLayout layout_ = IndexLayout::fairseq;
  std::map<InputRow, std::vector<Record>> records_;
  bool has_data_ = false, has_modes_ = false;
  std::uint64_t element_size_ = 0;
};

}  // namespace

std::unique_ptr<RecordSet> copy_fairseq_index(const CopyRequest& request) {
  return std::make_unique<IndexRecords>(request, IndexLayout::fairseq);
}
std::unique_ptr<RecordSet> copy_megatron_index(const CopyRequest& request) {
  return std::make_unique<IndexRecords>(request, IndexLayout::megatron);
}

}  // namespace seqpoint::io::manifests
