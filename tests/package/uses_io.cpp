#include <iostream>
#include <seqpoint/io/readers.hpp>
#include <seqpoint/version.hpp>
#include <utility>
#include <vector>

int main() {
  std::vector<seqpoint::Input> inputs;
  inputs.push_back(seqpoint::Input::from_memory("lengths", "3\n4\n"));
  const seqpoint::Dataset dataset = seqpoint::read_dataset(std::move(inputs), {}, {});
  std::cout << seqpoint::kVersion << ": " << dataset.lengths.size() << " samples\n";
}
