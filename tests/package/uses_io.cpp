#include <iostream>
#include <seqpoint/io/files.hpp>
#include <seqpoint/version.hpp>
#include <utility>
#include <vector>

int main() {
  std::vector<seqpoint::io::stream::Input> inputs;
  inputs.push_back(seqpoint::io::stream::Input::from_memory("lengths", "3\n4\n"));
  const seqpoint::io::manifests::Dataset dataset = seqpoint::io::manifests::read_dataset(std::move(inputs), {}, {});
  std::cout << seqpoint::kVersion << ": " << dataset.lengths.size() << " samples\n";
}
