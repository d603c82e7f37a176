#include "shell/running/joined_program.hpp"

#include "trellis/process.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace trellis {
namespace {

// The program's ends of the pipes, open until it has started.
class TheirEnds {
  public:
    TheirEnds() = default;
    ~TheirEnds() {
        for (const auto& [number, end] : ends_)
            ::close(end);
    }
    TheirEnds(const TheirEnds&) = delete;
    TheirEnds& operator=(const TheirEnds&) = delete;

    // Makes a pipe for the program's descriptor and returns our end of it; -1, with errno, if there can be
    // none.
    int add(int number, bool input) {
        std::array<int, 2> pipe{-1, -1};
        if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return -1;
        const int theirs = input ? pipe[0] : pipe[1];
        const int raised = ::fcntl(theirs, F_DUPFD_CLOEXEC, most_descriptors);
        ::close(theirs);
        const int ours = input ? pipe[1] : pipe[0];
        if (raised >= 0) {
            ends_[number] = raised;
            return ours;
        }
        ::close(ours);
        return -1;
    }
    [[nodiscard]] const std::map<int, int>& all() const { return ends_; }

  private:
    std::map<int, int> ends_;
};

Failure no_pipe() {
    return unavailable(std::string("cannot make a pipe: ") + std::strerror(errno));
}

}  // namespace

Result<JoinedProgram> start_joined_program(const Executor& executor, const std::string& command,
                                           const std::vector<int>& inputs, const std::vector<int>& outputs,
                                           int standard_input) {
    TheirEnds theirs;
    std::map<int, std::unique_ptr<Sink>> sinks;
    std::map<int, std::unique_ptr<Source>> sources;
    for (const int number : inputs) {
        const int ours = theirs.add(number, true);
        if (ours < 0) return no_pipe();
        sinks[number] = open_pipe_output(executor, ours);
    }
    for (const int number : outputs) {
        const int ours = theirs.add(number, false);
        if (ours < 0) return no_pipe();
        sources[number] = open_pipe_input(executor, ours);
    }
    std::map<int, int> descriptors = theirs.all();
    if (standard_input >= 0) descriptors.try_emplace(STDIN_FILENO, standard_input);
    Result<LocalProgram> program = LocalProgram::start(executor, command, descriptors);
    if (!program) return program.error();
    return JoinedProgram{std::move(*program), std::move(sinks), std::move(sources)};
}

}  // namespace trellis
