// gzip by zlib, zstd by libzstd. Several members (frames) in a row are one stream; one that ends early is an error, so
// that a truncated copy is never read as a smaller data set.
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <string>

#include "io/stream/input.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::stream {
namespace {

constexpr std::size_t kChunk = 128 * 1024;
constexpr auto kTruncatedHint = "the file is cut short; copy it again";
constexpr auto kDamagedHint = "it was altered, or something was appended; copy it again";

class Gunzip : public ByteSource {
 public:
  Gunzip(ByteSource& from, std::string name)
      : from_(from), name_(std::move(name)), stored_(std::make_unique_for_overwrite<char[]>(kChunk)) {
    constexpr int kGzipOnly = 15 + 16;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Gunzip() override { inflateEnd(&stream_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  std::size_t read(char* to, std::size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(size, 1U << 30U));
    const uInt room = stream_.avail_out;
    while (stream_.avail_out == room && !finished_) step();
    return room - stream_.avail_out;
  }

 private:
  /// Decodes once: adds output, refills the stored bytes or begins a member. Sets finished_ at the end. Throws
  /// InputError if the stream is truncated or damaged.
  void step() {
    if (stream_.avail_in == 0 && !refill()) {
      if (!between_members_) throw InputError({name_}, "the gzip stream ends early", kTruncatedHint);
      finished_ = true;
      return;
    }
    if (between_members_) begin_member();
    if (finished_) return;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_STREAM_END)
      between_members_ = true;
    else if (result != Z_OK && result != Z_BUF_ERROR)
      throw InputError(
          {name_},
          std::string("the gzip stream is damaged") + (stream_.msg != nullptr ? std::string(": ") + stream_.msg : ""),
          kDamagedHint);
  }

  /// Begins the next member. Zeros that tape drives and block devices append to a member are skipped; sets finished_ if
  /// nothing follows them.
  void begin_member() {
    while (stream_.avail_in > 0 && *stream_.next_in == 0 && !first_member_) {
      ++stream_.next_in;
      --stream_.avail_in;
      if (stream_.avail_in == 0) refill();
    }
    if (stream_.avail_in == 0) {
      finished_ = true;
      return;
    }
    if (!first_member_) inflateReset(&stream_);
    first_member_ = between_members_ = false;
  }

  bool refill() {
    const std::size_t got = from_.read(stored_.get(), kChunk);
    stream_.next_in = reinterpret_cast<Bytef*>(stored_.get());
    stream_.avail_in = static_cast<uInt>(got);
    return got > 0;
  }

  ByteSource& from_;
  std::string name_;
  std::unique_ptr<char[]> stored_;
  z_stream stream_{};
  bool first_member_ = true, between_members_ = true, finished_ = false;
};

class Unzstd : public ByteSource {
 public:
  Unzstd(ByteSource& from, std::string name)
      : from_(from),
        name_(std::move(name)),
        stored_(std::make_unique_for_overwrite<char[]>(kChunk)),
        stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    // Windows of any size, up to 2 GiB (zstd --long=31): the default limit is 128 MiB.
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
  }
  ~Unzstd() override { ZSTD_freeDStream(stream_); }
  Unzstd(const Unzstd&) = delete;
  Unzstd& operator=(const Unzstd&) = delete;

  std::size_t read(char* to, std::size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size && !refill()) {
        // Output that is still inside the decoder comes first.
        if (within_frame_ && flush(out)) break;
        if (within_frame_) throw InputError({name_}, "the zstd stream ends early", kTruncatedHint);
        break;
      }
      decode(out);
    }
    return out.pos;
  }

 private:
  /// Decodes once: from the stored bytes to `out`. Throws InputError if the stream is damaged.
  void decode(ZSTD_outBuffer& out) {
    const std::size_t left = ZSTD_decompressStream(stream_, &out, &in_);
    if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (ZSTD_isError(left) != 0)
      throw InputError({name_}, std::string("the zstd stream is damaged: ") + ZSTD_getErrorName(left), kDamagedHint);
    within_frame_ = left != 0;
  }
  /// Moves output that is still inside the decoder to `out`. False if there is none.
  bool flush(ZSTD_outBuffer& out) {
    decode(out);
    return out.pos > 0;
  }
  bool refill() {
    const std::size_t got = from_.read(stored_.get(), kChunk);
    in_ = {stored_.get(), got, 0};
    return got > 0;
  }

  ByteSource& from_;
  std::string name_;
  std::unique_ptr<char[]> stored_;
  ZSTD_DStream* stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool within_frame_ = true;
};

}  // namespace

std::unique_ptr<ByteSource> gunzip(ByteSource& from, std::string name) {
  return std::make_unique<Gunzip>(from, std::move(name));
}
std::unique_ptr<ByteSource> unzstd(ByteSource& from, std::string name) {
  return std::make_unique<Unzstd>(from, std::move(name));
}

}  // namespace seqpoint::io::stream
