// OutputView: how the output of one command on many hosts is shown. Owned by the RemoteCommand, which feeds
// it; prints through the command's context.
#pragma once

#include "trellis/outcome.hpp"
#include "trellis/result.hpp"
#include "trellis/task.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace trellis {

class ShellContext;

class OutputView {
  public:
    virtual ~OutputView() = default;
    // It shows nothing before the end, so that the hosts may keep what they print until then.
    [[nodiscard]] virtual bool folds() const { return false; }
    // Bytes of a stream (exec_stdout, exec_stderr) as they arrive; none at its end.
    virtual Task<void> add(const std::string& host, std::uint32_t stream, std::string bytes) = 0;
    // Nothing more comes of this host.
    virtual Task<void> end(const std::string& host, const Outcome& outcome) = 0;
    // All hosts have ended. Fails if not all of their output has been shown or kept.
    virtual Task<Result<void>> finish() = 0;
};

// Whole lines as they arrive, under their host's name. `raw`: control characters as they are, even on a
// terminal.
[[nodiscard]] std::unique_ptr<OutputView> labelled_view(ShellContext& context, bool raw);
// The same as one JSON object for each line and for each outcome.
[[nodiscard]] std::unique_ptr<OutputView> json_view(ShellContext& context);
// At the end, each different output once, under the hosts that gave it, the most frequent first.
// `differences`: of the others only what differs from the first, as diff -u tells it; `json`: one object for
// each. Of each host and stream
// `most_folded` bytes are kept; what is more is said to be cut.
enum class FoldedStyle { whole, differences, json };
[[nodiscard]] std::unique_ptr<OutputView> folded_view(ShellContext& context, bool raw, FoldedStyle style);
inline constexpr std::size_t most_folded = std::size_t{1} << 20;
// Files DIRECTORY/HOST and DIRECTORY/HOST.err, the latter only where something was written to standard error.
// The directory is made. Unavailable if that fails; later failures are said for the host and end its file.
[[nodiscard]] Result<std::unique_ptr<OutputView>> file_view(ShellContext& context,
                                                            const std::string& directory);

}  // namespace trellis
