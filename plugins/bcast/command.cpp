// The shell side of `bcast`: files from where the user sits, or from one host, to every selected host.
#include "trellis/plugin.hpp"

#include "agentd/core/pair_key.hpp"
#include "plugins/bcast/broadcast.hpp"
#include "plugins/bcast/order.hpp"
#include "plugins/bcast/packing.hpp"
#include "plugins/bcast/patient_source.hpp"
#include "plugins/bcast/user_path.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace trellis::plugins::bcast {
namespace {

constexpr const char* footer =
    "SRC is a file, a directory, HOST:PATH on one of the selected hosts, or - for standard input. DEST is a\n"
    "file or a directory of every host: in a directory that is there, SRC comes to stand under its own "
    "name.\n"
    "The order by which hosts pass it on is that of the tree that infer has found, or of explore. A file "
    "with\n"
    "another order has one host a line.";

// Bytes a second; 0 if the text is no rate.
double rate_of(const std::string& text) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
    const std::map<std::string_view, double> units = {
        {"", 1}, {"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}};
    const auto found = units.find(unit);
    if (error != std::errc() || found == units.end() || !(number > 0 && number < 1e12)) return 0;
    return number * found->second;
}

class BcastCommand final : public Command {
  public:
    void declare(OptionSet& options) override;
    [[nodiscard]] bool reads_input() const override { return true; }
    Task<int> run(CommandContext& context) override;

  private:
    Task<Result<Report>> send(CommandContext& context);
    Result<Wish> wish(CommandContext& context, const std::vector<Host>& selected);
    Task<Result<About>> open(CommandContext& context, const Wish& wish);
    Task<Result<About>> describe(CommandContext& context, std::string path) const;

    std::string path_, destination_, order_ = "tree", method_ = "chain", limit_, pipe_;
    bool compress_ = false, json_ = false, plain_ = false, resume_ = false, verify_ = false;
    std::optional<Host> giver_;  // if the source lies there
    std::unique_ptr<Source> source_;
};

void BcastCommand::declare(OptionSet& options) {
    options.description("Send a file or a directory to the selected hosts, which pass it on to one another");
    options.footer(footer);
    options.option("SRC", path_, "what is sent").required();
    options.option("DEST", destination_, "where it comes to stand on every host, or where the command runs");
    options
        .option("--order", order_,
                "who passes it on to whom: tree (the default), name, random, ranks (as rankmap has placed "
                "them), or a file")
        .type_name("tree|name|random|ranks|FILE");
    options.option("--method", method_, "from whom: chain (the default), tree, or flat: all from the source")
        .type_name("chain|tree|flat");
    options.option("--limit", limit_, "at most so many bytes a second leave this machine: 500k, 50M, 1G")
        .type_name("RATE");
    options.option("--pipe", pipe_, "a command on every host that reads the file, in place of a name for it")
        .type_name("COMMAND");
    options.flag("--plain", plain_,
                 "hosts send it to one another unencrypted, which costs less processor time");
    options.flag("--resume", resume_, "go on from what an interrupted one has left, and leave what has come");
    options.flag("--verify", verify_, "read everything again on every host before it gets its name");
    options.flag("-z,--compress", compress_,
                 "send the contents compressed (zstd), where that makes them smaller");
    options.flag("--json", json_, "print how it ended as JSON");
}

// Finds out whether the source lies on one of the hosts.
Result<Wish> BcastCommand::wish(CommandContext& context, const std::vector<Host>& selected) {
    Wish wish;
    const std::size_t colon = path_.find(':');
    const std::string name = path_.substr(0, colon);
    if (colon != std::string::npos && name.find('/') == std::string::npos) {
        const auto host = std::ranges::find(selected, name, &Host::name);
        if (host == selected.end())
            return invalid(name + " is none of the selected hosts (a file of that name: ./" + path_ + ")");
        giver_ = *host;
        wish.source = host->id;
        wish.source_path = path_from(context.directory(name), path_.substr(colon + 1));
    }
    wish.destination = destination_.empty() ? "." : destination_;
    wish.verify = verify_;
    wish.pipe = pipe_;
    wish.resume = resume_;
    wish.compress = compress_;
    wish.plain = plain_;
    if (!resume_) wish.digest_key = random_bytes(digest_key_size);
    if (resume_ && (path_ == "-" || !pipe_.empty()))
        return invalid("--resume is for files: not with --pipe or standard input");
    if (destination_.empty() && pipe_.empty()) return invalid("expected DEST");
    const auto method = method_named(method_);
    if (!method) return invalid("--method " + method_ + ": expected chain, tree or flat");
    wish.method = *method;
    if (path_ == "-" && wish.method != Method::chain)
        return invalid("--method " + method_ +
                       ": standard input, which is read once, only goes through a chain");
    if (!limit_.empty()) wish.limit = rate_of(limit_);
    if (!limit_.empty() && wish.limit == 0)
        return invalid("--limit " + limit_ + ": expected a rate such as 50M");
    if (giver_ && wish.limit > 0) return invalid("--limit is only for what this machine sends");
    return wish;
}

Task<Result<About>> BcastCommand::describe(CommandContext& context, std::string path) const {
    BcastRequest request;
    request.describe = true;
    request.source_path = path;
    OperationRequest start;
    start.kind = "bcast";
    start.hosts = {giver_->id};
    start.body = encode(request);
    const auto operation = context.operations().start(std::move(start));
    while (const auto event = co_await operation->next()) {
        const auto* result = std::get_if<RoleResult>(&event->what);
        if (!result) continue;
        if (!result->outcome.ok())
            co_return Failure{result->outcome.kind, "", giver_->name, result->outcome.detail};
        auto about = decode<About>(result->body);
        if (about) about->name = last_name(path);  // not what that host calls it
        co_return about;
    }
    co_return unavailable(giver_->name + " does not answer");
}

Task<Result<About>> BcastCommand::open(CommandContext& context, const Wish& wish) {
    if (giver_) co_return co_await describe(context, wish.source_path);
    const auto files = context.files().another();
    if (path_ == "-") {
        std::function<Task<Result<std::string>>()> read = [&context] { return context.read_input(); };
        source_ = open_stream(files, std::move(read), Digester(wish.digest_key));
        if (wish.compress) source_ = packing_source(files, std::move(source_));
    } else {
        SourcePath what{path_, Digester(wish.digest_key), wish.compress};
        auto opened = co_await open_patiently(files, context.clock(), std::move(what));
        if (!opened) co_return opened.error();
        source_ = std::move(*opened);
    }
    co_return source_->about();
}

Task<Result<Report>> BcastCommand::send(CommandContext& context) {
    const std::vector<Host> selected = context.selection();
    if (selected.empty()) co_return invalid("no hosts are selected: reach some with explore first");
    Result<Wish> wished = wish(context, selected);
    if (!wished) co_return wished.error();
    Result<About> about = co_await open(context, *wished);
    if (!about) co_return about.error();
    if (!pipe_.empty() && about->directory)
        co_return invalid("--pipe: a command reads one file, not a directory");
    std::string giver = giver_ ? giver_->name : "";
    auto hosts = co_await ordered_hosts(context, selected, order_, std::move(giver));
    if (!hosts) co_return invalid("--order " + hosts.error().message());
    if (wished->method == Method::chain) wished->slowest_link = slowest_link(context, *hosts);
    Broadcast broadcast(context, std::move(*about), source_.get(), std::move(*hosts), std::move(*wished));
    co_return co_await broadcast.run();
}

Task<int> BcastCommand::run(CommandContext& context) {
    const Result<Report> report = co_await send(context);
    if (!report) {
        context.say("bcast: " + report.error().message());
        co_return report.error().kind == FailureKind::invalid ? 2 : 1;
    }
    for (const std::string& line : report->lines())
        context.say(line);
    if (json_) {
        std::string text =
            report->to_json().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
        co_await context.print(std::move(text));
    }
    co_return report->have() == report->hosts.size() ? 0 : 1;
}

}  // namespace

CommandEntry command() {
    return {"bcast", "send a file or a directory to the selected hosts",
            []() -> std::unique_ptr<Command> { return std::make_unique<BcastCommand>(); }};
}

}  // namespace trellis::plugins::bcast
