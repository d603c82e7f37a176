#include "agentd/core/exec_messages.hpp"
#include "shell/output/output_view.hpp"
#include "shell/running/shell_context.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

namespace trellis {
namespace {

// Each piece opens its file anew: thousands of hosts may write at once, and so many files cannot be open.
class FileView final : public OutputView {
  public:
    FileView(ShellContext& context, std::string directory)
        : context_(context), directory_(std::move(directory)) {}

    Task<void> add(const std::string& host, std::uint32_t stream, std::string bytes) override {
        if (!bytes.empty()) append(host, stream, bytes);
        co_return;
    }

    // A host that printed nothing has an empty file: so it can be seen who has answered.
    Task<void> end(const std::string& host, const Outcome&) override {
        append(host, exec_stdout, "");
        co_return;
    }

    Task<Result<void>> finish() override {
        if (failed_.empty()) co_return Result<void>{};
        co_return unavailable("not all output could be kept");
    }

  private:
    void append(const std::string& host, std::uint32_t stream, const std::string& bytes) {
        const std::string path = directory_ + "/" + host + (stream == exec_stderr ? ".err" : "");
        if (failed_.contains(path)) return;
        if (host.find('/') != std::string::npos) return give_up(host, path, "a name with / is no file's");
        const bool first = begun_.insert(path).second;
        std::ofstream file(path, std::ios::binary | (first ? std::ios::trunc : std::ios::app));
        file << bytes << std::flush;
        if (!file) give_up(host, path, std::strerror(errno));
    }

    void give_up(const std::string& host, const std::string& path, const std::string& cause) {
        failed_.insert(path);
        context_.say(host + ": cannot write " + path + ": " + cause);
    }

    ShellContext& context_;
    std::string directory_;
    std::set<std::string> begun_;
    std::set<std::string> failed_;
};

}  // namespace

Result<std::unique_ptr<OutputView>> file_view(ShellContext& context, const std::string& directory) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error) return unavailable("cannot make " + directory + ": " + error.message());
    return std::unique_ptr<OutputView>(std::make_unique<FileView>(context, directory));
}

}  // namespace trellis
