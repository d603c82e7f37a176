#include "plugins/bcast/gather/reception.hpp"

#include "trellis/message.hpp"

#include "plugins/bcast/final_path.hpp"
#include "plugins/bcast/gather/messages.hpp"
#include "plugins/bcast/manifest.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis::plugins::bcast::gather {
namespace {

constexpr std::size_t length_size = 4;
constexpr std::size_t kept_chunks = 1;

}  // namespace

Reception::Reception(const Executor& executor, std::shared_ptr<FileStore> files, std::string directory,
                     std::string token)
    : executor_(executor),
      files_(std::move(files)),
      directory_(std::move(directory)),
      token_(std::move(token)) {}

std::shared_ptr<Reception> Reception::make(const Executor& executor, std::shared_ptr<FileStore> files,
                                           std::string directory, std::string token) {
    const auto left = [executor](Reception* reception) {
        asio::co_spawn(executor, discard(std::unique_ptr<Reception>(reception)), asio::detached);
    };
    return {new Reception(executor, std::move(files), std::move(directory), std::move(token)), left};
}

Task<void> Reception::discard(std::unique_ptr<Reception> reception) {
    if (!reception->staging_ || reception->complete_) co_return;
    std::function<void()> work = [&] { reception->staging_->discard(); };
    co_await reception->files_->apart(std::move(work));
}

std::uint64_t Reception::content_bytes() const {
    return holding_ ? holding_->content_bytes() : 0;
}

// False: the header has not come whole. What is behind it goes to the reader.
Task<Result<bool>> Reception::begin() {
    std::size_t length = 0;
    if (header_.size() < length_size) co_return false;
    for (std::size_t i = length_size; i-- > 0;)
        length = length << 8 | static_cast<unsigned char>(header_[i]);
    if (length > most_about_bytes) co_return invalid("a header of no possible size");
    if (header_.size() < length_size + length) co_return false;
    const Result<About> about = decode<About>(std::string_view(header_).substr(length_size, length));
    if (!about) co_return about.error();
    about_ = *about;
    const Shape& shape = about_.shape;
    const bool possible = is_name(about_.name) && shape.content_bytes && shape.manifest_bytes > 0 &&
                          shape.manifest_bytes <= most_manifest_bytes;
    if (!possible) co_return invalid("an object of no possible name or size");
    Result<void> found;
    std::function<void()> work = [&] { found = find_place(); };
    co_await files_->apart(std::move(work));
    if (!found) co_return found.error();
    holding_.emplace(executor_, shape, kept_chunks);
    storing_.emplace(*files_, *holding_, *staging_);
    reader_.feed(header_.substr(length_size + length));
    co_return true;
}

Result<void> Reception::find_place() {
    const auto path = final_path(*files_, directory_, about_.name, about_.directory);
    if (!path) return path.error();
    staging_.emplace(*files_, *path, token_);
    return staging_->check(std::min(about_.room, *about_.shape.content_bytes));
}

Task<Result<void>> Reception::take(std::string bytes) {
    if (holding_) {
        reader_.feed(std::move(bytes));
    } else {
        header_ += bytes;
        const Result<bool> begun = co_await begin();
        if (!begun) co_return begun.error();
        if (!*begun) co_return Result<void>();
    }
    while (true) {
        const auto record = reader_.next();
        if (!record) co_return record.error();
        if (!*record) co_return Result<void>();
        const Result<void> taken = co_await take_record(**record);
        if (!taken) co_return taken;
    }
}

Task<Result<void>> Reception::take_record(Record record) {
    Result<void> done;
    switch (record.kind) {
        case RecordKind::zeros:  // read as data
        case RecordKind::data:
            co_return holding_->append(record.bytes);
        case RecordKind::digest:
            done = holding_->seal(record.bytes);
            if (done) done = co_await store();
            co_return done;
        case RecordKind::end:
            done = holding_->finish();
            if (done) {
                std::function<void()> work = [&] { done = staging_->commit(); };
                co_await files_->apart(std::move(work));
            }
            complete_ = done.has_value();
            co_return done;
        case RecordKind::stop:
            co_return unavailable(std::string(record.bytes));
        case RecordKind::packed:
        case RecordKind::packed_end:
        case RecordKind::again:
            co_return invalid("malformed bytes from a peer");
        case RecordKind::heartbeat:
            break;
    }
    co_return done;
}

Task<Result<void>> Reception::store() {
    const Result<Storing::Outcome> stored = co_await storing_->store_next();
    if (!stored) co_return stored.error();
    if (*stored == Storing::Outcome::damaged) co_return unavailable(about_.name + ": what came is damaged");
    co_return Result<void>();
}

}  // namespace trellis::plugins::bcast::gather
