// The agent side of `gather`: sends what the user's patterns mean on this host.
#include "trellis/plugin.hpp"

#include "agentd/core/crew.hpp"
#include "plugins/bcast/feeder.hpp"
#include "plugins/bcast/file_watch.hpp"
#include "plugins/bcast/gather/file_patterns.hpp"
#include "plugins/bcast/gather/messages.hpp"
#include "plugins/bcast/patient_source.hpp"
#include "plugins/bcast/producer.hpp"
#include "plugins/bcast/user_path.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace trellis::plugins::bcast::gather {
namespace {

constexpr std::uint32_t header_size = 4;

std::string header_of(const About& about) {
    const std::string text = encode(about);
    std::string header;
    for (std::uint32_t shift = 0; shift < 8 * header_size; shift += 8)
        header.push_back(static_cast<char>(text.size() >> shift & 0xff));
    return header + text;
}

// One object to the root, on one stream.
class Giving {
  public:
    Giving(RoleContext& context, Source& source, std::uint32_t stream)
        : context_(context),
          stream_(stream),
          source_(source),
          holding_(context.world().executor, source.about().shape, Producer::kept_chunks),
          producer_(source, holding_),
          crew_(context.world().executor) {}

    Task<Result<void>> run() {
        Task<Result<void>> given = give();
        co_return co_await crew_.run(std::move(given));
    }

  private:
    Task<void> produce() { (void)co_await producer_.run(); }
    Task<void> keep_time() {
        while (true) {
            co_await context_.world().clock.sleep(tick);
            holding_.grown.notify();
        }
    }
    Task<Result<void>> give() {
        crew_.add(produce());
        crew_.add(keep_time());
        std::string header = header_of(source_.about());
        const Result<void> begun = co_await context_.write(stream_, std::move(header));
        if (!begun) co_return begun;
        FeederParts parts;
        parts.write = [this](Parts bytes) { return context_.write(stream_, joined(bytes)); };
        parts.read_again = [this](ChunkNumber chunk) { return producer_.read_again(chunk); };
        Feeder feeder(holding_, context_.world().clock, std::move(parts), Position{});
        co_return co_await feeder.run();
    }

    RoleContext& context_;
    std::uint32_t stream_;
    Source& source_;
    Holding holding_;
    Producer producer_;
    Crew crew_;
};

class GatherRole final : public Role {
  public:
    Task<RoleResult> run(RoleContext& context) override {
        auto request = decode<GatherRequest>(context.request());
        if (!request) co_return RoleResult{Outcome::of(request.error()), {}};
        if (request->version != gather_version) {
            const Failure other = invalid("another version of gather");
            co_return RoleResult{Outcome::of(other), {}};
        }
        const HostId self = context.peers().self;
        files_ = context.world().files.another();
        Result<void> done;
        for (const std::string& pattern : request->patterns[self]) {
            std::string whole = from_home(path_from(request->directories[self], pattern));
            const Result<void> given = co_await give_matching(context, std::move(whole));
            if (!given && done) done = given;
            if (hang(given)) break;
        }
        co_return RoleResult{done ? Outcome::success() : Outcome::of(done.error()), {}};
    }

  private:
    static Task<Result<std::vector<std::string>>> match(std::shared_ptr<FileStore> files,
                                                        std::string pattern) {
        Result<std::vector<std::string>> paths = std::vector<std::string>();
        std::function<void()> work = [&] { paths = matching_paths(*files, pattern); };
        co_await files->apart(std::move(work));
        co_return paths;
    }

    // Whether files have not answered: others are not asked for.
    static bool hang(const Result<void>& given) {
        return !given && given.error().kind == FailureKind::timed_out;
    }

    // All that can be given is; the first Failure.
    Task<Result<void>> give_matching(RoleContext& context, std::string pattern) {
        auto matching = match(files_, pattern);
        Clock& clock = context.world().clock;
        const auto paths = co_await while_files_answer(files_, clock, pattern, std::move(matching));
        if (!paths) co_return paths.error();
        Result<void> done;
        for (const std::string& path : *paths) {
            const Result<void> given = co_await give(context, path);
            if (hang(given)) co_return given;
            if (!given && done) done = given;
        }
        co_return done;
    }

    Task<Result<void>> give(RoleContext& context, std::string path) {
        SourcePath what{path};
        const auto source = co_await open_patiently(files_, context.world().clock, std::move(what));
        if (!source) co_return source.error();
        if ((*source)->about().name.empty()) co_return invalid(path + ": it has no name to gather it under");
        if (!names_.insert((*source)->about().name).second)
            co_return invalid(path + ": another one of that name was given before");
        if (names_.size() > most_objects) co_return invalid("more files than can be gathered at once");
        const auto stream = static_cast<std::uint32_t>(names_.size());
        Giving giving(context, **source, stream);
        Result<void> given = co_await giving.run();
        context.finish(stream);
        co_return given;
    }

    std::shared_ptr<FileStore> files_;
    std::set<std::string> names_;
};

}  // namespace

RoleEntry role() {
    return {"gather", []() -> std::unique_ptr<Role> { return std::make_unique<GatherRole>(); }};
}

}  // namespace trellis::plugins::bcast::gather
