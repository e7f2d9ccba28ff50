/// \file
/// JSON records read value by value, in the order of the text and without a tree. The parser behind it is simdjson,
/// which only the sources of this folder need to know.
///
/// A fault ends all loops over the record, and what is taken after it is empty: who walks a record need not look for
/// faults; the parser tells whoever started it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace seqpoint::io::json {

/// What is wrong with a text, if anything is.
class Fault {
 public:
  Fault() = default;
  explicit Fault(int code) : code_(code) {}
  explicit operator bool() const { return code_ != 0; }
  /// A value is of another type than it was taken as.
  bool is_wrong_type() const;
  /// The parser's own words.
  std::string message() const;

 private:
  int code_ = 0;  ///< simdjson's; 0: none
};

/// The name of a member, escapes as they stand.
class Key {
 public:
  explicit Key(const char* begin) : begin_(begin) {}
  char first() const { return *begin_; }
  friend bool operator==(Key key, std::string_view name) {
    if (name.size() > kReadable)
      return std::equal(name.begin(), name.end(), key.begin_) && key.begin_[name.size()] == '"';
    return key.begin_[name.size()] == '"' && std::memcmp(key.begin_, name.data(), name.size()) == 0;
  }

 private:
  static constexpr std::size_t kReadable = 32;  ///< that many bytes can be read behind any text of the parser
  const char* begin_;                           ///< of the characters; a quote is behind them
};

/// How many elements an array has.
struct ElementCount {
  std::uint64_t elements = 0;
  bool nested = false;  ///< some are arrays or objects
};

struct OpenValue;  // ondemand.hpp

/// A value that is being read, valid during the call that it is handed to. One that is not taken is passed over.
class Value {
 public:
  explicit Value(OpenValue& open) : open_(&open) {}

  /// As written, and blanks that may follow; of an array or object only the opening bracket.
  std::string_view token() const;
  bool is_object() const { return token().starts_with('{'); }
  /// Of an array or object: whether there is nothing in it.
  bool is_empty() const;
  /// Whether there was no fault up to here.
  bool good() const;

  // A value can be taken once, by one of these. It is a fault if it is of another type.

  /// A string's characters, valid until the next record is read.
  std::string_view take_text();
  double take_number();
  ElementCount count_elements();
  /// Calls `take(key, value)` for every member of an object.
  template <class Take>
  void for_each_member(Take take) {
    walk_object([](void* context, Key key, Value value) { (*static_cast<Take*>(context))(key, value); }, &take);
  }
  /// Calls `take(value)` for every element of an array.
  template <class Take>
  void for_each_element(Take take) {
    walk_array([](void* context, Value value) { (*static_cast<Take*>(context))(value); }, &take);
  }

 private:
  friend class DocumentParser;
  void walk_object(void (*take)(void* context, Key, Value), void* context);
  void walk_array(void (*take)(void* context, Value), void* context);
  OpenValue* open_;
};

}  // namespace seqpoint::io::json
