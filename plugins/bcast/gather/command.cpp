// The shell side of `gather`: files of every selected host into one directory a host.
#include "trellis/plugin.hpp"

#include "agentd/model/host_range.hpp"
#include "plugins/bcast/feeder.hpp"
#include "plugins/bcast/figures.hpp"
#include "plugins/bcast/file_watch.hpp"
#include "plugins/bcast/gather/messages.hpp"
#include "plugins/bcast/gather/reception.hpp"
#include "plugins/bcast/user_path.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/this_coro.hpp>
#include <nlohmann/json.hpp>

namespace trellis::plugins::bcast::gather {
namespace {

constexpr const char* footer =
    "FILES is a path, or a pattern with *, ? and [...], on every selected host, or HOSTS:FILES on some of "
    "them; DIR is a\n"
    "directory here. What host h has comes to stand in DIR/h. Quote a pattern, for it is the hosts that "
    "match it.";

// What one host has given.
struct Given {
    std::string name;
    std::vector<std::string> patterns;
    std::map<std::uint32_t, std::shared_ptr<Reception>> coming;
    std::size_t objects = 0;
    std::uint64_t bytes = 0;
    std::string cause;  // empty: all of it is there
};

class GatherCommand final : public Command {
  public:
    void declare(OptionSet& options) override;
    Task<int> run(CommandContext& context) override;

  private:
    Result<void> choose(CommandContext& context);
    [[nodiscard]] std::vector<std::string> directories() const;
    [[nodiscard]] OperationRequest request(CommandContext& context) const;
    Task<void> collect(CommandContext& context);
    Task<void> take(CommandContext& context, Given& given, const StreamData& data);
    void end(Given& given, const Outcome& outcome);
    void show_progress(CommandContext& context);
    [[nodiscard]] std::uint64_t bytes() const;
    Task<int> report(CommandContext& context, double seconds);

    std::vector<std::string> words_;
    bool json_ = false;
    std::string directory_;
    std::shared_ptr<FileStore> files_;
    std::string hung_;  // the cause, when the files here have not answered
    std::map<HostId, Given> hosts_;
    std::string token_ = random_token();
    std::size_t objects_begun_ = 0;
    TimePoint shown_{};
};

void GatherCommand::declare(OptionSet& options) {
    options.description("Fetch files from the selected hosts, into one directory for each");
    options.footer(footer);
    options.option("FILES", words_, "what is fetched, and last the directory here")
        .required()
        .type_name("[HOSTS:]FILES... DIR");
    options.flag("--json", json_, "print how it ended as JSON");
}

Result<std::vector<std::string>> names_of(const std::vector<Host>& hosts) {
    std::vector<std::string> names;
    names.reserve(hosts.size());
    for (const Host& host : hosts)
        names.push_back(host.name);
    return names;
}

// Which hosts are asked for what.
Result<void> GatherCommand::choose(CommandContext& context) {
    if (words_.size() < 2) return invalid("expected FILES and DIR");
    directory_ = from_home(words_.back());
    const std::vector<Host> selected = context.selection();
    if (selected.empty()) return invalid("no hosts are selected: reach some with explore first");
    words_.pop_back();
    for (const std::string& word : words_) {
        const std::size_t colon = word.find(':');
        const bool of_some = colon != std::string::npos && colon < word.find('/');
        const std::string pattern = of_some ? word.substr(colon + 1) : word;
        if (pattern.empty()) return invalid(word + ": expected HOSTS:FILES");
        const auto names = of_some ? expand_hosts(word.substr(0, colon)) : names_of(selected);
        if (!names) return names.error();
        for (const std::string& name : *names) {
            const auto host = std::ranges::find(selected, name, &Host::name);
            if (host == selected.end()) return invalid(name + " is none of the selected hosts");
            hosts_[host->id].name = name;
            hosts_[host->id].patterns.push_back(pattern);
        }
    }
    return {};
}

std::vector<std::string> GatherCommand::directories() const {
    std::vector<std::string> wanted = {directory_};
    for (const auto& [id, given] : hosts_)
        wanted.push_back(directory_ + "/" + given.name);
    return wanted;
}

Result<void> make_now(FileStore& files, const std::vector<std::string>& directories) {
    for (const std::string& path : directories) {
        const Result<FileStatus> there = files.status(path);
        if (!there) return there.error();
        if (there->type == FileType::directory) continue;
        if (there->type != FileType::absent) return invalid(path + ": it is no directory");
        Result<void> made = files.make_directory(path, 0777);
        if (!made) return made;
        files.step();
    }
    return {};
}

// These own what they use (while_files_answer).
Task<Result<void>> make(std::shared_ptr<FileStore> files, std::vector<std::string> directories) {
    Result<void> made;
    std::function<void()> work = [&] { made = make_now(*files, directories); };
    co_await files->apart(std::move(work));
    co_return made;
}

Task<Result<void>> receive(std::shared_ptr<Reception> reception, std::string bytes) {
    co_return co_await reception->take(std::move(bytes));
}

OperationRequest GatherCommand::request(CommandContext& context) const {
    GatherRequest request;
    OperationRequest start;
    start.kind = "gather";
    for (const auto& [id, given] : hosts_) {
        start.hosts.push_back(id);
        request.patterns[id] = given.patterns;
        const std::string directory = context.directory(given.name);
        if (!directory.empty()) request.directories[id] = directory;
    }
    start.body = encode(request);
    return start;
}

// Bytes are stored before the next ones are taken: a slow disk here holds the hosts up.
Task<void> GatherCommand::collect(CommandContext& context) {
    OperationRequest start = request(context);
    const auto operation = context.operations().start(std::move(start));
    while (const auto event = co_await operation->next()) {
        Given& given = hosts_.at(event->host);
        const auto* data = std::get_if<StreamData>(&event->what);
        if (data && hung_.empty()) {
            co_await take(context, given, *data);
            if (!hung_.empty()) operation->abandon();
        }
        if (const auto* result = std::get_if<RoleResult>(&event->what)) end(given, result->outcome);
    }
}

Task<void> GatherCommand::take(CommandContext& context, Given& given, const StreamData& data) {
    std::shared_ptr<Reception>& reception = given.coming[data.stream];
    if (!reception && !data.bytes.empty()) {
        const Executor executor = co_await boost::asio::this_coro::executor;
        const std::string token = token_ + "-" + std::to_string(++objects_begun_);
        reception = Reception::make(executor, files_, directory_ + "/" + given.name, token);
    }
    if (reception && !data.bytes.empty() && given.cause.empty()) {
        std::string bytes = data.bytes;
        Task<Result<void>> received = receive(reception, std::move(bytes));
        const auto taken =
            co_await while_files_answer(files_, context.clock(), directory_, std::move(received));
        if (!taken) given.cause = taken.error().message();
        if (!taken && taken.error().kind == FailureKind::timed_out) hung_ = given.cause;
    }
    if (data.end || !given.cause.empty()) {
        if (reception && reception->complete()) {
            ++given.objects;
            given.bytes += reception->content_bytes();
        } else if (given.cause.empty()) {
            given.cause = "it ended in the middle of a file";
        }
        given.coming.erase(data.stream);
    }
    show_progress(context);
}

void GatherCommand::end(Given& given, const Outcome& outcome) {
    if (given.cause.empty()) given.cause = hung_;
    if (!outcome.ok() && given.cause.empty())
        given.cause = outcome.detail.empty() ? "failed" : outcome.detail;
    if (!given.coming.empty() && given.cause.empty()) given.cause = "it ended in the middle of a file";
    given.coming.clear();
}

std::uint64_t GatherCommand::bytes() const {
    std::uint64_t sum = 0;
    for (const auto& [id, given] : hosts_) {
        sum += given.bytes;
        for (const auto& [stream, reception] : given.coming)
            if (reception) sum += reception->content_bytes();
    }
    return sum;
}

void GatherCommand::show_progress(CommandContext& context) {
    const TimePoint now = context.clock().now();
    if (now - shown_ < tick) return;
    shown_ = now;
    context.progress("gather: " + bytes_text(static_cast<double>(bytes())));
}

Task<int> GatherCommand::report(CommandContext& context, double seconds) {
    std::map<std::string, std::vector<std::string>> by_cause;
    nlohmann::json all = nlohmann::json::array();
    std::size_t objects = 0, whole = 0;
    for (const auto& [id, given] : hosts_) {
        nlohmann::json one = {{"host", given.name},
                              {"has", given.cause.empty()},
                              {"objects", given.objects},
                              {"bytes", given.bytes}};
        if (!given.cause.empty()) one["cause"] = given.cause;
        if (!given.cause.empty()) by_cause[given.cause].push_back(given.name);
        whole += given.cause.empty() ? 1 : 0;
        objects += given.objects;
        all.push_back(std::move(one));
    }
    for (const auto& [cause, names] : by_cause)
        context.say("gather: " + fold_hosts(names) + ": " + cause);
    context.say("from " + std::to_string(whole) + " of " + std::to_string(hosts_.size()) +
                " hosts: " + std::to_string(objects) + " files and directories, " +
                bytes_text(static_cast<double>(bytes())) + " in " + seconds_text(seconds) + ", in " +
                directory_);
    if (json_) {
        const nlohmann::json sum = {
            {"bytes", bytes()}, {"seconds", seconds}, {"have", whole}, {"hosts", all}};
        std::string text = sum.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
        co_await context.print(std::move(text));
    }
    co_return by_cause.empty() ? 0 : 1;
}

Task<int> GatherCommand::run(CommandContext& context) {
    Result<void> ready = choose(context);
    files_ = context.files().another();
    if (ready) {
        Task<Result<void>> made = make(files_, directories());
        ready = co_await while_files_answer(files_, context.clock(), directory_, std::move(made));
    }
    if (!ready) {
        context.say("gather: " + ready.error().message());
        co_return ready.error().kind == FailureKind::invalid ? 2 : 1;
    }
    const TimePoint begun = context.clock().now();
    co_await collect(context);
    const std::chrono::duration<double> taken = context.clock().now() - begun;
    co_return co_await report(context, taken.count());
}

}  // namespace

CommandEntry command() {
    return {"gather", "fetch files from the selected hosts",
            []() -> std::unique_ptr<Command> { return std::make_unique<GatherCommand>(); }};
}

}  // namespace trellis::plugins::bcast::gather
