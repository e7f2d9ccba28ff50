#include <seqpoint/version.hpp>

#include <iostream>

int main() { std::cout << seqpoint::kVersion << '\n'; }
