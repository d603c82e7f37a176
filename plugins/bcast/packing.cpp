#include "plugins/bcast/packing.hpp"

#include <functional>
#include <utility>
#include <zstd.h>

namespace trellis::plugins::bcast {
namespace {

constexpr int level = 1;  // the source packs for all

class PackingSource final : public Source {
  public:
    PackingSource(std::shared_ptr<FileStore> files, std::unique_ptr<Source> source)
        : files_(std::move(files)), source_(std::move(source)) {}

    [[nodiscard]] const About& about() const override { return source_->about(); }

    Task<Result<std::shared_ptr<const Chunk>>> read(ChunkNumber number) override {
        auto chunk = co_await source_->read(number);
        if (!chunk || !*chunk || about().shape.in_manifest(number)) co_return chunk;
        const auto smaller = std::make_shared<Chunk>();
        std::function<void()> work = [&] { fill(*smaller, **chunk); };
        co_await files_->apart(std::move(work));
        if (smaller->packed_from == 0) co_return chunk;
        co_return smaller;
    }
    Task<Result<void>> check() override { return source_->check(); }

  private:
    static void fill(Chunk& smaller, const Chunk& chunk) {
        if (is_zero(chunk.bytes)) return;
        auto packed = pack(chunk.bytes);
        if (packed) smaller = {std::move(*packed), chunk.digest, chunk.bytes.size()};
    }

    std::shared_ptr<FileStore> files_;
    std::unique_ptr<Source> source_;
};

}  // namespace

std::optional<std::string> pack(std::string_view bytes) {
    std::string packed(bytes.size() - bytes.size() / 16, '\0');
    const std::size_t size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), level);
    if (ZSTD_isError(size) != 0 || size == 0 || size >= bytes.size()) return std::nullopt;
    packed.resize(size);
    packed.shrink_to_fit();
    return packed;
}

std::optional<std::string> unpack(std::string_view packed, std::size_t size) {
    std::string bytes(size, '\0');
    const std::size_t got = ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
    if (ZSTD_isError(got) != 0 || got != size) return std::nullopt;
    return bytes;
}

std::unique_ptr<Source> packing_source(std::shared_ptr<FileStore> files, std::unique_ptr<Source> source) {
    return std::make_unique<PackingSource>(std::move(files), std::move(source));
}

}  // namespace trellis::plugins::bcast
