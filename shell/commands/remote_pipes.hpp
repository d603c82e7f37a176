// RemotePipes: the descriptors of the remote processes of one command that are joined to something here.
// Upwards the lines of all hosts become one sequence; downwards every host gets all bytes. Each direction
// goes as fast as its slowest end: a host may be 256 KiB ahead of what it has read, and no further. Owned by
// the command that runs them; fed and emptied by a RemoteCommand.
#pragma once

#include "trellis/operation.hpp"

#include "agentd/core/exec_messages.hpp"
#include "shell/commands/line_joiner.hpp"
#include "shell/running/shell_context.hpp"
#include "shell/running/sink.hpp"
#include "shell/running/source.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace trellis {

class RemotePipes {
  public:
    explicit RemotePipes(ShellContext& context) : context_(context) {}

    // What the processes write to the descriptor goes to the sink, which is closed once no process can write
    // any more. When nobody reads the sink, the processes learn it as they would of a pipe.
    void up(int descriptor, std::unique_ptr<Sink> sink);
    // What the source gives goes to the descriptor, which ends when the source does.
    void down(int descriptor, std::unique_ptr<Source> source);
    [[nodiscard]] bool empty() const { return ups_.empty() && downs_.empty(); }
    // Not all that went up or down has arrived; the reason has been said.
    [[nodiscard]] bool failed() const { return failed_; }
    // Closes all sinks and sources.
    void close();

    // From the RemoteCommand.
    void ask_for(ExecRequest& request) const;
    [[nodiscard]] bool takes(std::uint32_t stream) const;
    Task<void> add(Operation& operation, const std::string& host, const StreamData& data);
    Task<void> end(Operation& operation, const std::string& host, const Outcome& outcome);
    // Feeds the hosts until all sources have ended.
    Task<void> feed(Operation& operation, std::vector<HostId> hosts);
    void begin(std::size_t hosts) { hosts_ = hosts; }

  private:
    struct Up {
        std::unique_ptr<Sink> sink;  // null when it is closed; what still comes is thrown away
        LineJoiner lines;
        std::set<std::string> ended;
    };
    using Downs = std::map<int, std::unique_ptr<Source>>;

    Task<void> finish_host(Operation& operation, int descriptor, const std::string& host, bool whole);
    void check(Operation& operation, int descriptor, const Result<void>& written);
    void close(Up& up);
    Task<void> feed_from(Operation& operation, const std::vector<HostId>& hosts, Downs::iterator first);
    Task<void> broadcast(Operation& operation, std::vector<HostId> hosts, Downs::value_type& down);
    static Task<void> write_to_all(Operation& operation, std::vector<HostId>& hosts, std::uint32_t stream,
                                   const std::string& bytes);
    void fail(const std::string& cause);

    ShellContext& context_;
    std::map<int, Up> ups_;  // by the remote descriptor
    Downs downs_;
    std::size_t hosts_ = 0;
    bool failed_ = false;
};

}  // namespace trellis
