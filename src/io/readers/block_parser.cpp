#include "block_parser.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

namespace seqpoint {
namespace {

/// A block on its way: read, then parsed, then taken in order.
struct Job {
  Block block;
  RowSink rows;
  std::uint64_t lines = 0;
  std::exception_ptr failure;
  bool parsed = false;

  explicit Job(const RowSink& like) : rows(like.part()) {}
};

void take_rows(RowSink& rows, Job& job, std::uint64_t& first_line) {
  if (job.failure) std::rethrow_exception(job.failure);
  rows.append(std::move(job.rows), first_line - 1);
  first_line += job.lines;
}

/// The jobs between the thread that reads and those that parse.
class Pipeline {
 public:
  Pipeline(const RowSink& rows, const MakeBlockParser& make, std::size_t threads) : like_(rows) {
    for (std::size_t t = 0; t < threads; ++t) workers_.emplace_back([this, parser = make()] { work(*parser); });
  }
  ~Pipeline() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  std::size_t most_open() const { return 2 * workers_.size() + 1; }
  std::size_t open() const { return jobs_.size(); }

  /// Puts a block to work.
  void add(Block&& block) {
    auto job = std::make_unique<Job>(like_);
    job->block = std::move(block);
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(job.get());
    }
    jobs_.push_back(std::move(job));
    changed_.notify_all();
  }

  /// The oldest job, parsed.
  std::unique_ptr<Job> take() {
    std::unique_ptr<Job> job = std::move(jobs_.front());
    jobs_.pop_front();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return job->parsed; });
    return job;
  }

 private:
  void work(BlockParser& parser) {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      Job* const job = waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      try {
        job->lines = parser.parse(job->block, job->rows);
      } catch (...) {
        job->failure = std::current_exception();
      }
      lock.lock();
      job->parsed = true;
      changed_.notify_all();
    }
  }

  const RowSink& like_;
  std::vector<std::thread> workers_;
  std::deque<std::unique_ptr<Job>> jobs_;  ///< in the order of the input; the reading thread's own
  std::mutex mutex_;                       ///< guards what follows, and Job::parsed
  std::condition_variable changed_;
  std::deque<Job*> waiting_;
  bool closed_ = false;
};

void parse_on_threads(BlockReader& blocks, Block first, std::uint64_t& first_line, RowSink& rows, const MakeBlockParser& make) {
  const RowSink like = rows.part();
  Pipeline pipeline(like, make, rows.options().threads);
  std::vector<Block> spare;
  const auto take = [&] {
    std::unique_ptr<Job> job = pipeline.take();
    take_rows(rows, *job, first_line);
    spare.push_back(std::move(job->block));
  };
  pipeline.add(std::move(first));
  for (;;) {
    Block block;
    if (!spare.empty()) {
      block = std::move(spare.back());
      spare.pop_back();
    }
    if (!blocks.next(block)) break;
    pipeline.add(std::move(block));
    if (pipeline.open() == pipeline.most_open()) take();
  }
  while (pipeline.open() > 0) take();
}

void parse_here(BlockReader& blocks, Block block, std::uint64_t& first_line, RowSink& rows, const MakeBlockParser& make) {
  const std::unique_ptr<BlockParser> parser = make();
  do {
    Job job(rows);
    std::swap(job.block, block);
    job.lines = parser->parse(job.block, job.rows);
    take_rows(rows, job, first_line);
    std::swap(job.block, block);
  } while (blocks.next(block));
}

}  // namespace

void parse_blocks(BlockReader& blocks, RowSink& rows, const MakeBlockParser& make) {
  Block first;
  if (blocks.next(first)) parse_blocks(blocks, std::move(first), 1, rows, make);
}

void parse_blocks(BlockReader& blocks, Block first, std::uint64_t first_line, RowSink& rows, const MakeBlockParser& make) {
  // A small input is parsed before a thread would have started.
  const bool small = first.bytes.size() < Block::kUsualSize / 2;
  if (small || rows.options().threads <= 1)
    parse_here(blocks, std::move(first), first_line, rows, make);
  else
    parse_on_threads(blocks, std::move(first), first_line, rows, make);
  if (blocks.unterminated()) rows.note_unterminated();
}

}  // namespace seqpoint
