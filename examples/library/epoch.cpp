// Points and a projection by the C++ library, which `cmake --install` installs with a CMake package and seqpoint.pc:
//
//   find_package(seqpoint REQUIRED)
//   target_link_libraries(mine PRIVATE seqpoint::io)
//
// It prints:
//   sp1: length 14 stands for 2.30049 batches
//   sp2: length 33 stands for 1.69951 batches
//   the epoch takes 0.106394 s
#include <iostream>
#include <seqpoint/seqpoint.hpp>
#include <vector>

int main() {
  const seqpoint::SampleLengths lengths{.src = {12, 31, 30, 9, 14, 28, 11, 33}, .tgt = {}};  // in dataset order
  const std::vector<seqpoint::Batch> run = seqpoint::batches_of(lengths, {.sampler = "sorted", .batch_size = 2});
  const seqpoint::Selection chosen = seqpoint::Selection::choose(run, {.points = 2, .processes = 1});
  for (const seqpoint::Point& point : chosen.points())
    std::cout << point.id << ": length " << point.shape.src_len << " stands for " << point.weight << " batches\n";

  // What a batch of each point took, twice.
  const seqpoint::Configuration build{"v1", {{"sp1", 0.021}, {"sp2", 0.034}, {"sp1", 0.022}, {"sp2", 0.033}}};
  const seqpoint::RunTime epoch = seqpoint::project_run(chosen, {build}).front();
  std::cout << "the epoch takes " << epoch.seconds.value << " s\n";
}
