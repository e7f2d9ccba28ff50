#include "io/duckdb/library.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace seqpoint::io::duckdb {
namespace {

constexpr auto kVariable = "SEQPOINT_DUCKDB", kUsualName = "libduckdb.so";

class Loader {
 public:
  Loader() {
    const char* const named = std::getenv(kVariable);
    const bool is_named = named != nullptr && *named != '\0';
    file_ = is_named ? named : kUsualName;
    handle_ = ::dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr)
      throw Absent{is_named ? fmt::format("{} names a library that cannot be loaded: {}", kVariable, ::dlerror()) : ""};
  }

  template <class Function>
  Loader& find(const char* name, Function& function) {
    void* const address = ::dlsym(handle_, (std::string("duckdb_") + name).c_str());
    if (address == nullptr) throw Absent{fmt::format("{} has no function duckdb_{}", file_, name)};
    static_assert(sizeof function == sizeof address);
    std::memcpy(&function, &address, sizeof address);
    return *this;
  }

 private:
  std::string file_;
  void* handle_;
};

Library load() {
  Library l;
  Loader loader;
  loader.find("library_version", l.library_version)
      .find("open", l.open)
      .find("close", l.close)
      .find("connect", l.connect)
      .find("disconnect", l.disconnect)
      .find("query", l.query)
      .find("prepare", l.prepare)
      .find("prepare_error", l.prepare_error)
      .find("destroy_prepare", l.destroy_prepare)
      .find("execute_prepared_streaming", l.execute_prepared_streaming)
      .find("result_error", l.result_error)
      .find("destroy_result", l.destroy_result)
      .find("column_count", l.column_count)
      .find("column_name", l.column_name)
      .find("column_logical_type", l.column_logical_type)
      .find("get_type_id", l.get_type_id)
      .find("list_type_child_type", l.list_type_child_type)
      .find("array_type_child_type", l.array_type_child_type)
      .find("destroy_logical_type", l.destroy_logical_type)
      .find("fetch_chunk", l.fetch_chunk)
      .find("data_chunk_get_size", l.data_chunk_get_size)
      .find("data_chunk_get_vector", l.data_chunk_get_vector)
      .find("vector_get_data", l.vector_get_data)
      .find("vector_get_validity", l.vector_get_validity)
      .find("destroy_data_chunk", l.destroy_data_chunk);
  return l;
}

}  // namespace

const Library& library() {
  static const Library loaded = load();
  return loaded;
}

}  // namespace seqpoint::io::duckdb
