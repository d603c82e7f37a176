// matrix_bench FILE...: how close a tree comes to the round-trip times of a matrix (in milliseconds,
// plugins/infer/matrix/rtt_matrix.hpp): neighbour joining and infer_from_matrix side by side, by relative
// error, with the seconds of processor time that they take.
#include "plugins/infer/matrix/matrix_inference.hpp"
#include "plugins/infer/matrix/neighbour_joining.hpp"

#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using namespace trellis;
using namespace trellis::plugins::infer;

double seconds_since(std::clock_t begun) {
    return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
}

void report(const char* what, const Residuals& residuals, const Topology& tree, double seconds) {
    std::printf("  %-18s median %5.2f%%  90th percentile %5.2f%%  mean %5.2f%%  %4zu switches  %6.2f s\n",
                what, 100 * residuals.median, 100 * residuals.percentile_90, 100 * residuals.mean,
                tree.switches.size(), seconds);
}

bool compare(const char* path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const Result<RttMatrix> matrix = parse_rtt_matrix(text);
    if (!file || !matrix) {
        std::fprintf(stderr, "%s: %s\n", path, file ? matrix.error().message().c_str() : "cannot be read");
        return false;
    }
    std::printf("%s: %zu hosts, %zu pairs\n", path, matrix->size(), matrix->measured_pairs());
    std::clock_t begun = std::clock();
    const Topology joined = neighbour_joining(*matrix);
    report("neighbour joining", residuals_of(joined, *matrix), joined, seconds_since(begun));
    begun = std::clock();
    const Result<MatrixInference> inferred = infer_from_matrix(*matrix);
    if (!inferred) {
        std::fprintf(stderr, "%s: %s\n", path, inferred.error().message().c_str());
        return false;
    }
    report("infer_from_matrix", inferred->residuals, inferred->topology, seconds_since(begun));
    return true;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) std::fputs("usage: matrix_bench FILE...\n", stderr);
    bool all = count >= 2;
    for (int k = 1; k < count; ++k)
        all = compare(arguments[k]) && all;
    return all ? 0 : 1;
}
