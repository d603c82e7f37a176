// A laboratory for a test: up while the object lives, taken down with it. It drives the `lab` program, which
// it finds in the build directory; it needs root. One object stands for one laboratory, several may be up at
// once under different names.
#pragma once

#include "tests/lab/topology_file.hpp"

#include <string>
#include <sys/types.h>
#include <vector>

namespace trellis::lab {

// What a program left: its exit status (128 + n if signal n ended it) and its output.
struct Finished {
    int status = -1;
    std::string out;
    std::string error;
};

// Runs a program with this input to its end.
Finished run_program(const std::vector<std::string>& words, const std::string& input = "");

// Share of the machine's processors that was idle over the next fifth of a second, 0 to 1.
double idle_share();

// For how long other guests of our host have had our processors when we wanted them, summed over the
// processors.
double stolen_seconds();

class Laboratory {
  public:
    // file: a path, or the name of a shipped one ("two_switches_8"). name: by default one of this
    // process's own. It ends with this process, even if that crashes. Throws LabError if it does not come up.
    explicit Laboratory(const std::string& file, const std::string& name = "",
                        const std::vector<std::string>& options = {});
    ~Laboratory();
    Laboratory(const Laboratory&) = delete;
    Laboratory& operator=(const Laboratory&) = delete;

    // Runs a command on a host to its end.
    Finished exec(const std::string& host, const std::vector<std::string>& command,
                  const std::string& input = "");
    // Starts one that runs on; it is killed with the laboratory. Its output is lost.
    void start(const std::string& host, const std::vector<std::string>& command);
    // Any other subcommand: lab({"cut", "a00"}).
    Finished lab(const std::vector<std::string>& words);
    Finished down() { return lab({"down"}); }

    // Processes on a host that match a text in their command line, without those that look for them.
    int count_processes(const std::string& host, const std::string& text);

    const TopologyFile& truth() const { return truth_; }

  private:
    std::string name_;
    TopologyFile truth_;
    std::vector<pid_t> started_;
};

// Where the programs of this build lie: BUILD/bin.
std::string program_directory();

// A shipped laboratory file by its bare name.
std::string shipped_file(const std::string& name);

}  // namespace trellis::lab
