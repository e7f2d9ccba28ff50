#include "io/manifests/engine/block_parser.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace seqpoint::io::manifests::engine {
namespace {

/// Reserves room in `all` for the rows of an input of `size` bytes, estimated from its first block; none if the size is
/// not known, or for more than 2^28 rows. Unused room takes address space, not memory.
void reserve_expected_rows(std::optional<std::uint64_t> size, const stream::Block& first, const RowSink& its_rows,
                           RowSink& all) {
  constexpr double kMargin = 1.05, kMost = 1U << 28U;
  const double blocks = static_cast<double>(size.value_or(0)) / static_cast<double>(first.bytes.size());
  const double expected = static_cast<double>(its_rows.rows.size()) * blocks * kMargin;
  if (blocks > 1 && expected < kMost) all.rows.reserve(static_cast<std::uint64_t>(expected), all.paired());
}

/// A block that is read, then parsed and digested, then appended in the order of the input.
struct ParseJob {
  stream::Block block;
  RowSink rows;
  std::uint64_t lines = 0;
  std::exception_ptr failure;
  bool parsed = false, digested = false;

  explicit ParseJob(const RowSink& like) : rows(like.make_part()) {}

  /// Parses the block into `rows`. An exception is kept for append_rows().
  void parse(BlockParser& parser) noexcept {
    try {
      lines = parser.parse(block, rows);
    } catch (...) {
      failure = std::current_exception();
    }
  }
  /// Appends the rows to `all`, or throws the parser's exception. `first_line`: in: number of the block's first
  /// line; out: of the next block's. Afterwards this object can parse another block without allocating.
  void append_rows(stream::BlockReader& blocks, RowSink& all, std::uint64_t& first_line) {
    if (failure) std::rethrow_exception(failure);
    if (all.rows.size() == 0) reserve_expected_rows(blocks.size(), block, rows, all);
    all.append(std::move(rows), first_line - 1);
    first_line += lines;
    rows.clear();
    parsed = digested = false;
  }
};

/// Jobs between the thread that reads and the threads that parse. The reading thread parses too instead of waiting.
class ParsePipeline {
 public:
  /// `threads`: total, including the calling one.
  ParsePipeline(stream::BlockReader& blocks, const RowSink& rows, const MakeBlockParser& make, std::size_t threads)
      : ParsePipeline(blocks, rows, make) {  // from here on the destructor ends the started threads
    for (std::size_t t = 1; t < threads; ++t) begin_worker(make());
  }
  ~ParsePipeline() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }
  ParsePipeline(const ParsePipeline&) = delete;
  ParsePipeline& operator=(const ParsePipeline&) = delete;

  bool is_full() const { return jobs_.size() == 2 * workers_.size() + 1; }
  bool is_empty() const { return jobs_.empty(); }

  /// A job, used or new, to fill with a block and submit.
  std::unique_ptr<ParseJob> idle_job() {
    if (idle_jobs_.empty()) return std::make_unique<ParseJob>(empty_rows_);
    std::unique_ptr<ParseJob> job = std::move(idle_jobs_.back());
    idle_jobs_.pop_back();
    return job;
  }
  /// Lets the threads parse and digest the job's block.
  void submit(std::unique_ptr<ParseJob> submitted) {
    ParseJob* const job = jobs_.emplace_back(std::move(submitted)).get();
    {
      const std::lock_guard lock(mutex_);
      to_parse_.push_back(job);
      to_digest_.push_back(job);
    }
    changed_.notify_all();
  }

  /// Waits for the oldest job, parsing and digesting other blocks meanwhile, and appends its rows to `rows`.
  void append_oldest(RowSink& rows, std::uint64_t& first_line) {
    std::unique_ptr<ParseJob> job = std::move(jobs_.front());
    jobs_.pop_front();
    {
      std::unique_lock lock(mutex_);
      while (!(job->parsed && job->digested))
        if (!do_next_task(lock, *own_parser_)) changed_.wait(lock);
    }
    job->append_rows(blocks_, rows, first_line);
    idle_jobs_.push_back(std::move(job));
  }

 private:
  ParsePipeline(stream::BlockReader& blocks, const RowSink& rows, const MakeBlockParser& make)
      : blocks_(blocks), empty_rows_(rows.make_part()), own_parser_(make()) {}

  /// Starts a thread. If the system refuses more threads, the existing ones do the work.
  void begin_worker(std::unique_ptr<BlockParser> parser) {
    try {
      workers_.emplace_back([this, parser = std::move(parser)] { run_worker(*parser); });
    } catch (const std::system_error&) {
    }
  }

  /// Does tasks until the pipeline is destroyed.
  void run_worker(BlockParser& parser) {
    std::unique_lock lock(mutex_);
    while (!stopping_)
      if (!do_next_task(lock, parser)) changed_.wait(lock);
  }

  /// Digests or parses one block, with the lock released meanwhile; false if there is nothing to do.
  bool do_next_task(std::unique_lock<std::mutex>& lock, BlockParser& parser) {
    if (!digesting_ && !to_digest_.empty()) {
      digesting_ = true;
      run_unlocked(lock, to_digest_, [&](ParseJob& job) { blocks_.digest(job.block); })->digested = true;
      digesting_ = false;
    } else if (!to_parse_.empty()) {
      run_unlocked(lock, to_parse_, [&](ParseJob& job) { job.parse(parser); })->parsed = true;
    } else {
      return false;
    }
    changed_.notify_all();
    return true;
  }

  /// Removes the first job of `queue` and calls `apply` for it with the lock released.
  template <class Do>
  static ParseJob* run_unlocked(std::unique_lock<std::mutex>& lock, std::deque<ParseJob*>& queue, Do apply) {
    ParseJob* const job = queue.front();
    queue.pop_front();
    lock.unlock();
    apply(*job);
    lock.lock();
    return job;
  }

  stream::BlockReader& blocks_;
  const RowSink empty_rows_;
  const std::unique_ptr<BlockParser> own_parser_;  ///< used by the calling thread
  std::vector<std::thread> workers_;
  std::deque<std::unique_ptr<ParseJob>> jobs_;        ///< in the order of the input; used by the calling thread only
  std::vector<std::unique_ptr<ParseJob>> idle_jobs_;  ///< used by the calling thread only
  std::mutex mutex_;  ///< guards the members below, and parsed and digested of every job
  std::condition_variable changed_;
  std::deque<ParseJob*> to_parse_, to_digest_;
  bool digesting_ = false;  ///< one thread at a time, because the order matters
  bool stopping_ = false;
};

/// Parses `first` and all later blocks on ReadOptions::threads threads. `first_line`: line of the beginning of `first`.
void parse_on_threads(stream::BlockReader& blocks, stream::Block first, std::uint64_t& first_line, RowSink& rows,
                      const MakeBlockParser& make) {
  ParsePipeline pipeline(blocks, rows, make, rows.file.options().threads);
  std::unique_ptr<ParseJob> job = pipeline.idle_job();
  job->block = std::move(first);
  do {
    pipeline.submit(std::move(job));
    if (pipeline.is_full()) pipeline.append_oldest(rows, first_line);
    job = pipeline.idle_job();
  } while (blocks.next(job->block));
  while (!pipeline.is_empty()) pipeline.append_oldest(rows, first_line);
}

/// Parses `block` and all later ones. `first_line`: line of the beginning of `block`.
void parse_on_this_thread(stream::BlockReader& blocks, stream::Block block, std::uint64_t& first_line, RowSink& rows,
                          const MakeBlockParser& make) {
  const std::unique_ptr<BlockParser> parser = make();
  ParseJob job(rows);
  job.block = std::move(block);
  do {
    job.parse(*parser);
    blocks.digest(job.block);  // while it is in the processor's cache
    job.append_rows(blocks, rows, first_line);
  } while (blocks.next(job.block));
}

}  // namespace

void parse_blocks(stream::BlockReader& blocks, RowSink& rows, const MakeBlockParser& make) {
  stream::Block first;
  if (blocks.next(first)) parse_blocks(blocks, std::move(first), 1, rows, make);
}

void parse_blocks(stream::BlockReader& blocks, stream::Block first, std::uint64_t first_line, RowSink& rows,
                  const MakeBlockParser& make) {
  // A small input is parsed before a thread would have started.
  const bool small = first.bytes.size() < stream::Block::kDefaultSize / 2;
  blocks.defer_digests();
  if (rows.file.options().map_files) blocks.map_file();
  if (small || rows.file.options().threads <= 1)
    parse_on_this_thread(blocks, std::move(first), first_line, rows, make);
  else
    parse_on_threads(blocks, std::move(first), first_line, rows, make);
  if (blocks.unterminated()) rows.note_unterminated();
}

}  // namespace seqpoint::io::manifests::engine
