// The command that starts an agent on a host where nothing is installed, and what it prints. Pure: no I/O.
//
// The command is one line for any login shell (sh, bash, dash, csh, tcsh, fish): exec /bin/sh -c '...',
// without single quotes, backslashes or exclamation marks inside. It looks in its directories for the agent's
// file under the name of its content's hash, owned by the user and not changed since; else it asks for it.
// Everything that it prints is a line that begins with the nonce; other output (banners, noisy start-up
// files) is to be ignored:
//   NONCE have DIRECTORY                         the file is there
//   NONCE need FORM SYSTEM MACHINE DIRECTORY
//       it reads a line with two numbers and then so many bytes: what unpacks the agent, and the packed agent
//   NONCE failed DIRECTORY: CAUSE      it could not be stored there, or does not run; another line follows
//   NONCE cannot CAUSES                          no directory is left
//   NONCE started                                printed by the agent itself: from here on, frames
// With a door the agent's file is started to knock at it: it copies bytes to and from the agent that waits
// there.
#pragma once

#include "trellis/result.hpp"

#include "agentd/os/agent_image.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

struct StartupSpec {
    std::string nonce;                     // letters and digits
    std::string hash;                      // of the agent's files, in hexadecimal
    std::vector<std::string> directories;  // where to keep it; may begin with $HOME
    std::string door;     // letters, digits, hyphens: of an agent that runs; empty: start one
    bool afresh = false;  // a file that is there has failed: it is asked for all the same
};

// Where an agent's file is kept unless the user says otherwise.
[[nodiscard]] std::vector<std::string> default_agent_directories();

// Failure of kind invalid: a directory's name cannot be quoted for every shell.
[[nodiscard]] Result<std::string> startup_line(const StartupSpec& spec);

// What the agent prints as `NONCE started`.
[[nodiscard]] std::string started_line(std::string_view nonce);

struct StartupReply {
    enum class Kind : std::uint8_t { have, need, failed, cannot, started };
    Kind kind{};
    AgentForm form{};     // need: the light one first, the full one where that does not run
    std::string system;   // need: "Linux"
    std::string machine;  // need: "x86_64"
    std::string detail;   // directory or cause
    friend bool operator==(const StartupReply&, const StartupReply&) = default;
};

// Reads replies out of whatever else the host prints.
class StartupReader {
  public:
    explicit StartupReader(std::string_view nonce) : mark_(std::string(nonce) + " ") {}
    void feed(std::string_view bytes);
    // The next reply; nothing if more bytes are needed; a Failure (cannot_start) if there is too much noise
    // or a reply cannot be understood.
    [[nodiscard]] Result<std::optional<StartupReply>> next();
    // After `started`: the bytes that came behind it.
    [[nodiscard]] std::string rest() { return std::move(text_); }
    // The last words before any reply, for the cause of a failure.
    [[nodiscard]] std::string noise() const;

  private:
    std::string mark_;
    std::string text_;
    std::size_t dropped_ = 0;
};

}  // namespace trellis
