// LineJoiner: makes one sequence of lines out of the bytes of many hosts: each line arrives whole, between
// two others. Of each host at most 64 KiB of an unfinished line are kept in memory, the rest of a longer one
// in a file without a name; so a line may have any length. Owned by who reads the hosts; add() is called one
// at a time.
#pragma once

#include "trellis/result.hpp"
#include "trellis/task.hpp"

#include "shell/running/sink.hpp"

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace trellis {

class LineJoiner {
  public:
    // Writes the lines that the bytes complete. Failure: of the writing, or of the file.
    Task<Result<void>> add(const std::string& host, std::string bytes, Sink& out);
    // Writes what the host has left unfinished, as a line.
    Task<Result<void>> finish(const std::string& host, Sink& out);
    // Forgets it: the host was lost in the middle of a line.
    void drop(const std::string& host) { unfinished_.erase(host); }

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    struct Unfinished {
        std::unique_ptr<std::FILE, Close> file;  // holds what comes before `text`
        std::string text;
    };
    static Result<void> keep(Unfinished& line, std::string_view bytes);
    static Task<Result<void>> write_file(std::FILE* file, Sink& out);

    std::map<std::string, Unfinished> unfinished_;
};

}  // namespace trellis
