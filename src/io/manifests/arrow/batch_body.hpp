/// \file
/// The buffers of a record batch, and the lengths of its columns (format/Message.fbs).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/manifests/arrow/arrow_schema.hpp"
#include "io/manifests/arrow/flat_table.hpp"
#include "io/manifests/engine/binary.hpp"

namespace seqpoint::io::manifests::arrow {

/// The body of one message. Every writer puts the buffers of a batch one behind the other, so they are read as they
/// come: columns are asked for in the order of their buffers.
class BatchBody {
 public:
  /// `in` stands at the body's first byte; `batch` is a table RecordBatch.
  BatchBody(engine::BinaryReader& in, const FlatTable& batch, std::uint64_t size);

  std::uint64_t rows() const { return rows_; }
  /// The numbers of a column, of lists how many elements they have; NaN where there is none.
  std::vector<double> lengths_of(const ArrowColumn& column) { return values_of(column, column.storage); }
  /// The places of the values of a column with a dictionary; NaN where there is none.
  std::vector<double> places_of(const ArrowColumn& column) { return values_of(column, column.places); }
  /// Passes over what was not asked for.
  void skip_rest() { skip_to(size_); }

 private:
  enum class Compression { none, lz4, zstd };
  struct Part {
    std::uint64_t offset = 0, size = 0;
  };

  std::vector<double> values_of(const ArrowColumn& column, Storage storage);
  std::vector<double> read_values(Storage storage, std::size_t buffer);
  template <class T>
  std::vector<double> numbers(std::size_t buffer);
  template <class T>
  std::vector<double> list_sizes(std::size_t buffer);
  template <class T, class Take>
  void for_each_number(std::size_t buffer, std::uint64_t count, Take take);

  std::size_t first_buffer(const ArrowColumn& column) const;
  Part part(std::size_t buffer) const;
  std::string unpacked(const Part& from);
  void skip_to(std::uint64_t position);

  engine::BinaryReader& in_;
  const FlatTable& batch_;
  std::uint64_t rows_ = 0, size_, position_ = 0;  ///< in bytes, within the body
  Compression compression_ = Compression::none;
};

}  // namespace seqpoint::io::manifests::arrow
