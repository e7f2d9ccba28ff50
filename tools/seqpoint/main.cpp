#include "cli/app.hpp"

int main(int argc, char** argv) { return seqpoint::cli::run(argc, argv); }
