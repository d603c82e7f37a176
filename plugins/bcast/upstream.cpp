#include "plugins/bcast/upstream.hpp"

#include <algorithm>
#include <utility>

namespace trellis::plugins::bcast {
namespace {

constexpr int patience = 5;  // ticks
constexpr Duration connect_time = std::chrono::seconds(1);
constexpr std::size_t most_unstored = 8;  // chunks: a disk that is slower holds up what comes
constexpr std::size_t asks_of_root = 3;

// What comes from the root on one stream of the operation.
class TreeStream final : public ByteStream {
  public:
    TreeStream(RoleContext& context, std::uint32_t stream) : context_(context), stream_(stream) {}
    Task<Result<std::string>> read() override { return context_.read(stream_); }
    Task<Result<void>> write(std::string bytes) override {
        const auto from = decode<Position>(bytes);
        const ToRoot ask = Ask{from.value(), stream_};
        context_.send(root_id, encode(ask));
        co_return Result<void>();
    }
    void close() override {}

  private:
    RoleContext& context_;
    std::uint32_t stream_;
};

}  // namespace

void Upstream::begin(const Begin& begin) {
    left_.assign(asks_of_root, Member{root_id, {}});
    for (const Member& member : begin.chain) {
        if (member.id == context_.peers().self) break;
        if (member.endpoint.port != 0) left_.push_back(member);
    }
}

Task<Result<void>> Upstream::fetch() {
    Result<void> fetched = Failure{FailureKind::unavailable, "", "", "nobody can be asked any more"};
    while (!left_.empty()) {
        const Member next = left_.back();
        left_.pop_back();
        fetched = co_await fetch_from(next);
        close();
        if (fetched) co_return fetched;
    }
    co_return fetched;
}

Task<Result<void>> Upstream::fetch_from(const Member& peer) {
    Result<std::unique_ptr<ByteStream>> opened = co_await open(peer);
    if (!opened) co_return opened.error();
    stream_ = std::move(*opened);
    const std::shared_ptr<ByteStream> stream = stream_;
    direct_ = peer.id != root_id;
    reader_ = {};
    const Position from = holding_.end();
    std::string request = encode(from);
    const Result<void> asked = co_await stream->write(std::move(request));
    if (!asked) co_return asked;
    co_return co_await take_all(*stream);
}

Task<Result<std::unique_ptr<ByteStream>>> Upstream::open(const Member& peer) {
    if (peer.id == root_id) co_return std::make_unique<TreeStream>(context_, ++streams_);
    Network& network = context_.world().network;
    co_return co_await network.connect(context_.peers(), peer.id, peer.endpoint, connect_time);
}

Task<Result<void>> Upstream::take_all(ByteStream& stream) {
    while (!holding_.finished()) {
        while (holding_.unstored() > most_unstored)
            co_await holding_.changed.wait();
        if (!stream_) co_return Failure{FailureKind::lost, "", "", "what came was damaged"};
        silent_ticks_ = 0;
        reading_ = true;
        Result<std::string> bytes = co_await stream.read();
        reading_ = false;
        if (!bytes) co_return bytes.error();
        if (bytes->empty()) co_return Failure{FailureKind::lost, "", "", "the host before this one ended"};
        if (!stream_) co_return Failure{FailureKind::lost, "", "", "what came was damaged"};
        const Result<void> taken = take(std::move(*bytes));
        if (!taken) co_return taken;
    }
    co_return Result<void>();
}

Result<void> Upstream::take(std::string bytes) {
    reader_.feed(std::move(bytes));
    while (true) {
        const auto next = reader_.next();
        if (!next) return next.error();
        if (!*next) return {};
        Result<void> taken = take(**next);
        if (!taken) return taken;
    }
}

Result<void> Upstream::take(const Record& record) {
    switch (record.kind) {
        case RecordKind::data:
            return holding_.append(record.bytes);
        case RecordKind::digest:
            return holding_.seal(record.bytes);
        case RecordKind::end:
            return holding_.finish();
        case RecordKind::stop:
            return unavailable(std::string(record.bytes));
        case RecordKind::heartbeat:
            break;
    }
    return {};
}

// Ticks, not time: a host that itself had no processor for a while has heard nobody.
void Upstream::check_silence() {
    if (reading_ && ++silent_ticks_ > patience && direct_) close();
}

void Upstream::close() {
    if (stream_) std::exchange(stream_, nullptr)->close();
}

}  // namespace trellis::plugins::bcast
