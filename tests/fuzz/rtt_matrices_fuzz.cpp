// Texts of round-trip times: what is accepted is a matrix of different hosts, and a small one has a tree or
// is refused.
#include "agentd/model/topology_query.hpp"
#include "plugins/infer/matrix/matrix_inference.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace trellis::plugins::infer;
    const auto matrix = parse_rtt_matrix({reinterpret_cast<const char*>(data), size});
    if (!matrix) return 0;
    if (matrix->size() == 0 || matrix->size() > most_matrix_hosts) std::abort();
    if (matrix->size() > 12) return 0;
    const auto inferred = infer_from_matrix(*matrix);
    if (inferred && !trellis::validate(inferred->topology)) std::abort();
    return 0;
}
