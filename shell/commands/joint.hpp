// Joint: a descriptor of all remote processes of a command and what it is joined to here, as --up and --down
// name them: FD, FD=DESCRIPTOR, FD=FILE, or with GXP's colon FD:DESCRIPTOR. Pure but for the opening.
#pragma once

#include "trellis/result.hpp"

#include "shell/running/shell_context.hpp"
#include "shell/running/sink.hpp"
#include "shell/running/source.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trellis {

struct Joint {
    int remote = 0;
    std::optional<int> local;  // a descriptor
    std::string file;          // instead of one
};

struct Joints {
    std::vector<Joint> ups, downs;
};
// Each remote descriptor once; upward not the input, downward not the outputs.
[[nodiscard]] Result<Joints> parse_joints(const std::vector<std::string>& ups,
                                          const std::vector<std::string>& downs);

// Where an upward joint of `e` leads: a file, or one of the shell's own descriptors, the one of the same
// number if none is named; 1 and 2 are the outputs of the command. Unavailable if there is no such
// descriptor.
[[nodiscard]] Result<std::unique_ptr<Sink>> open_joint_output(ShellContext& context, const Executor& executor,
                                                              const Joint& joint);
// From where a downward one comes; 0 is the input of the command.
[[nodiscard]] Result<std::unique_ptr<Source>> open_joint_input(ShellContext& context,
                                                               const Executor& executor, const Joint& joint);

}  // namespace trellis
