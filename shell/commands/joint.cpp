#include "shell/commands/joint.hpp"

#include "trellis/process.hpp"

#include <algorithm>
#include <fcntl.h>
#include <set>
#include <unistd.h>
#include <utility>

namespace trellis {
namespace {

std::optional<int> descriptor(const std::string& text) {
    const bool digits = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (text.empty() || text.size() > 2 || !digits) return std::nullopt;
    const int number = std::stoi(text);
    return number < most_descriptors ? std::optional(number) : std::nullopt;
}

Result<Joint> parse_joint(const std::string& option, const std::string& text) {
    const std::size_t sign = text.find_first_of("=:");
    const std::optional<int> remote = descriptor(text.substr(0, sign));
    const std::string to = sign == std::string::npos ? "" : text.substr(sign + 1);
    if (!remote || (sign != std::string::npos && to.empty()))
        return invalid(option + ": expected a descriptor below " + std::to_string(most_descriptors) +
                       ", alone or as in 4=TO, not " + text);
    Joint joint{*remote, descriptor(to), ""};
    if (!joint.local) joint.file = to;
    return joint;
}

// The output of the command, wherever that goes.
class OutputSink final : public Sink {
  public:
    OutputSink(ShellContext& context, int descriptor) : context_(context), descriptor_(descriptor) {}
    Task<Result<void>> write(std::string bytes) override {
        if (descriptor_ == STDOUT_FILENO)
            co_await context_.print(std::move(bytes));
        else
            co_await context_.print_error(std::move(bytes));
        co_return Result<void>{};
    }
    void write_now(std::string_view) override {}
    Result<void> close() override { return {}; }

  private:
    ShellContext& context_;
    int descriptor_;
};

// What the shell has opened for itself is closed on exec; what it was given is not.
Result<void> check_given(int number) {
    const int flags = ::fcntl(number, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) return {};
    const std::string name = std::to_string(number);
    return Failure{
        FailureKind::unavailable, "", "",
        "descriptor " + name + " is not open here: name another or a file, as in " + name + "=FILE"};
}

}  // namespace

Result<Joints> parse_joints(const std::vector<std::string>& ups, const std::vector<std::string>& downs) {
    Joints joints;
    std::set<int> seen;
    for (const bool up : {true, false}) {
        for (const std::string& text : up ? ups : downs) {
            const Result<Joint> joint = parse_joint(up ? "--up" : "--down", text);
            if (!joint) return joint.error();
            if (up ? joint->remote == 0 : joint->remote == 1 || joint->remote == 2)
                return invalid((up ? "--up" : "--down") + std::string(": a command does not ") +
                               (up ? "write to its" : "read from its") + " descriptor " + text);
            if (!seen.insert(joint->remote).second)
                return invalid("descriptor " + std::to_string(joint->remote) + " is joined twice");
            (up ? joints.ups : joints.downs).push_back(*joint);
        }
    }
    return joints;
}

Result<std::unique_ptr<Sink>> open_joint_output(ShellContext& context, const Executor& executor,
                                                const Joint& joint) {
    if (!joint.file.empty()) return open_file_output(executor, joint.file, false);
    const int number = joint.local.value_or(joint.remote);
    if (number == STDOUT_FILENO || number == STDERR_FILENO)
        return std::unique_ptr<Sink>(std::make_unique<OutputSink>(context, number));
    const Result<void> given = check_given(number);
    if (!given) return given.error();
    return open_own_output(executor, number);
}

Result<std::unique_ptr<Source>> open_joint_input(ShellContext& context, const Executor& executor,
                                                 const Joint& joint) {
    if (!joint.file.empty()) return open_file_input(executor, joint.file);
    const int number = joint.local.value_or(joint.remote);
    if (number == STDIN_FILENO) return context.input();
    const Result<void> given = check_given(number);
    if (!given) return given.error();
    return open_own_input(executor, number);
}

}  // namespace trellis
