// Feeds a fuzz target seeded random inputs, where libFuzzer is missing: fuzz_loop [RUNS] [SEED].
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 1000;
  const unsigned first_seed = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  std::vector<std::uint8_t> input;
  for (int run = 0; run < runs; ++run) {
    std::mt19937 random(first_seed + static_cast<unsigned>(run));
    input.resize(16 + random() % 2000);
    for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(random() >> 13);
    std::fprintf(stderr, "\rseed %u", first_seed + static_cast<unsigned>(run));  // named if it aborts
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::fprintf(stderr, "\r%d runs\n", runs);
  return 0;
}
