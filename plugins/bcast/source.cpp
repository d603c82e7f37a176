#include "plugins/bcast/source.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace trellis::plugins::bcast {
namespace {

// A file system may need more for a small file, or none.
std::uint64_t room_of(FileStore& files, const std::string& path, const Manifest& manifest) {
    std::uint64_t room = 0;
    for (const Entry& entry : manifest.entries) {
        files.step();
        if (entry.type != FileType::file) continue;
        const auto found = files.footprint(path_below(path, entry.path));
        room += found ? std::min(found->bytes, entry.size) : entry.size;
    }
    return room;
}

class PathSource final : public Source {
  public:
    PathSource(std::shared_ptr<FileStore> files, std::string name, std::string path, Manifest manifest,
               std::uint64_t room, Digester digester)
        : files_(std::move(files)),
          digester_(std::move(digester)),
          path_(std::move(path)),
          manifest_(std::move(manifest)),
          text_(encode(manifest_)),
          map_(manifest_) {
        about_.shape = {text_.size(), manifest_.content_bytes()};
        about_.directory = manifest_.entries.front().type == FileType::directory;
        about_.name = std::move(name);
        about_.identity = digest_of(text_);
        about_.room = room;
    }

    [[nodiscard]] const About& about() const override { return about_; }

    Task<Result<std::shared_ptr<const Chunk>>> read(ChunkNumber number) override {
        if (number >= *about_.shape.chunks()) co_return nullptr;
        const auto chunk = std::make_shared<Chunk>();
        Result<std::string> bytes = std::string();
        std::function<void()> work = [&] {
            bytes = get(number);
            if (bytes) chunk->digest = digester_.of(number, *bytes);
        };
        co_await files_->apart(std::move(work));
        if (!bytes) co_return bytes.error();
        chunk->bytes = std::move(*bytes);
        co_return chunk;
    }
    Task<Result<void>> check() override {
        Result<void> checked;
        std::function<void()> work = [&] { checked = compare(); };
        co_await files_->apart(std::move(work));
        co_return checked;
    }

  private:
    [[nodiscard]] static Failure changed(const std::string& path) {
        return unavailable(path + ": changed while it was sent");
    }

    Result<std::string> get(ChunkNumber number) {
        const Shape& shape = about_.shape;
        const std::size_t size = shape.size_of(number);
        const std::uint64_t begin = shape.begin_of(number);
        if (shape.in_manifest(number)) return text_.substr(static_cast<std::size_t>(begin), size);
        std::string bytes(size, '\0');
        std::span<char> space = bytes;
        for (const ContentPart& part : map_.parts(begin, size)) {
            files_->step();
            const std::string path = path_below(path_, manifest_.entries[part.entry].path);
            if (!open_ || opened_ != part.entry) {
                auto file = files_->open(path);
                if (!file) return file.error();
                open_ = std::move(*file);
                opened_ = part.entry;
            }
            const Result<std::size_t> read = open_->read_into(part.offset, space.first(part.size));
            if (!read) return read.error();
            if (*read < part.size) return changed(path);
            space = space.subspan(part.size);
        }
        return bytes;
    }
    Result<void> compare() {
        for (const Entry& entry : manifest_.entries) {
            files_->step();
            if (entry.type != FileType::file) continue;
            const std::string path = path_below(path_, entry.path);
            const auto now = files_->status(path);
            if (!now) return now.error();
            const bool same_size = now->size == entry.size || entry.is_hard_link();
            const bool same = now->type == entry.type && same_size && now->modified == entry.modified;
            if (!same) return changed(path);
        }
        return {};
    }

    std::shared_ptr<FileStore> files_;
    Digester digester_;
    std::string path_;
    Manifest manifest_;
    std::string text_;
    About about_;
    ContentMap map_;
    std::unique_ptr<OpenFile> open_;
    std::size_t opened_ = 0;
};

// Its mode is that of a file made by a program of the user.
class StreamSource final : public Source {
  public:
    StreamSource(std::shared_ptr<FileStore> files, std::function<Task<Result<std::string>>()> read,
                 Digester digester)
        : files_(std::move(files)), read_(std::move(read)), digester_(std::move(digester)) {
        Manifest manifest;
        manifest.entries.push_back({"", FileType::file, 0644, now(), 0, ""});
        text_ = encode(manifest);
        about_.shape = {text_.size(), std::nullopt};
        about_.identity = digest_of(text_);
    }

    [[nodiscard]] const About& about() const override { return about_; }

    Task<Result<std::shared_ptr<const Chunk>>> read(ChunkNumber number) override {
        if (number != next_)
            co_return Failure{FailureKind::lost, "", "", "standard input cannot be read a second time"};
        const auto chunk = std::make_shared<Chunk>();
        if (number == 0) chunk->bytes = text_;
        while (number > 0 && rest_.size() < chunk_size && !ended_) {
            const Result<std::string> bytes = co_await read_();
            if (!bytes) co_return bytes.error();
            ended_ = bytes->empty();
            rest_ += *bytes;
        }
        if (number > 0) {
            chunk->bytes = rest_.substr(0, chunk_size);
            rest_.erase(0, chunk->bytes.size());
        }
        if (chunk->bytes.empty()) co_return nullptr;
        ++next_;
        std::function<void()> work = [&] { chunk->digest = digester_.of(number, chunk->bytes); };
        co_await files_->apart(std::move(work));
        co_return chunk;
    }
    Task<Result<void>> check() override { co_return Result<void>(); }

  private:
    [[nodiscard]] static std::int64_t now() {
        return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
    }

    std::shared_ptr<FileStore> files_;
    std::function<Task<Result<std::string>>()> read_;
    Digester digester_;
    std::string text_;
    About about_;
    std::string rest_;
    bool ended_ = false;
    ChunkNumber next_ = 0;
};

}  // namespace

Task<Result<std::unique_ptr<Source>>> open_path(std::shared_ptr<FileStore> files, std::string path,
                                                Digester digester) {
    while (path.size() > 1 && path.ends_with('/'))
        path.pop_back();
    std::string name = last_name(path);
    Result<Manifest> manifest = Manifest();
    std::uint64_t room = 0;
    std::function<void()> work = [&] {
        path = led_to(*files, path);
        manifest = read_manifest(*files, path);
        if (manifest) room = room_of(*files, path, *manifest);
    };
    co_await files->apart(std::move(work));
    if (!manifest) co_return manifest.error();
    co_return std::make_unique<PathSource>(std::move(files), std::move(name), std::move(path),
                                           std::move(*manifest), room, std::move(digester));
}

std::unique_ptr<Source> open_stream(std::shared_ptr<FileStore> files,
                                    std::function<Task<Result<std::string>>()> read, Digester digester) {
    return std::make_unique<StreamSource>(std::move(files), std::move(read), std::move(digester));
}

}  // namespace trellis::plugins::bcast
