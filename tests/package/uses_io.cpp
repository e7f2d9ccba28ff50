#include <fstream>
#include <iostream>
#include <seqpoint/seqpoint.hpp>

int main() {
  std::ofstream("lengths.txt") << "3\n4\n";
  std::cout << seqpoint::kVersion << ": " << seqpoint::read_lengths({"lengths.txt"}).src.size() << " samples\n";
}
