// Bodies of frames: the first byte chooses the message, the rest is its bytes.
#include "trellis/message.hpp"

#include "agentd/core/end_merger.hpp"
#include "agentd/core/exec_messages.hpp"
#include "agentd/core/host_set.hpp"
#include "agentd/core/spawn_messages.hpp"
#include "agentd/core/tree_messages.hpp"
#include "agentd/core/tunnel_role.hpp"
#include "agentd/model/topology_query.hpp"
#include "plugins/infer/survey/survey_messages.hpp"
#include "shell/standing/session_messages.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace trellis;

// What has been decoded is a value like any other: it can be sent, and read again.
template <class T>
void try_message(std::string_view bytes) {
    const auto value = decode<T>(bytes);
    if (value && !decode<T>(encode(*value))) std::abort();
}

void try_host_set(std::string_view bytes) {
    const auto read = HostSet::read_prefix(bytes);
    if (!read) return;
    const std::string text = read->first.prefix_to(read->second);
    const auto again = HostSet::read_prefix(text);
    if (!again || again->first.ids() != read->first.ids() || again->second != read->second) std::abort();
}

// A tree that is taken for valid becomes a topology that is.
void try_tree(std::string_view bytes) {
    const auto tree = decode<plugins::infer::TravellingTree>(bytes);
    if (!tree || !plugins::infer::validate(*tree, 4)) return;
    const std::array<std::string, 4> names{"a", "b", "c", "d"};
    const Topology topology = plugins::infer::to_topology(*tree, names);
    if (!topology.hosts.empty() && !validate(topology)) std::abort();
}

constexpr std::array decoders{try_message<Hello>,
                              try_message<Welcome>,
                              try_message<std::vector<Joined>>,
                              try_message<ChildNews>,
                              try_message<StartOperation>,
                              try_message<CancelOperation>,
                              try_message<SpawnCommands>,
                              try_message<SpawnNews>,
                              try_message<RoleResult>,
                              try_message<ExecRequest>,
                              try_message<TunnelRequest>,
                              try_host_set,
                              try_message<plugins::infer::InferRequest>,
                              try_message<plugins::infer::ToRole>,
                              try_message<plugins::infer::ToRoot>,
                              try_message<plugins::infer::ToSurveyRole>,
                              try_message<plugins::infer::ToSurveyor>,
                              try_tree,
                              try_message<ExecControl>,
                              try_message<ExecOutput>,
                              try_message<MergedEnds>,
                              try_message<ToSession>,
                              try_message<ToFrontEnd>};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    decoders[data[0] % decoders.size()](bytes);
    return 0;
}
