// What another host may send within a broadcast: records on a stream, whatever pieces they come in, and the
// manifest at the beginning of the object. The first byte chooses which, and the size of the pieces or of the
// contents.
#include "plugins/bcast/holding.hpp"
#include "plugins/bcast/manifest.hpp"
#include "plugins/bcast/record.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>

namespace {

using namespace trellis;
using namespace trellis::plugins::bcast;

Result<void> take(Holding& holding, const Record& record) {
    switch (record.kind) {
        case RecordKind::data:
        case RecordKind::zeros:
            return holding.append(record.bytes);
        case RecordKind::digest:
            return holding.seal(record.bytes);
        case RecordKind::end:
            return holding.finish();
        default:
            return {};
    }
}

void take_stream(std::string_view bytes, std::size_t piece) {
    asio::io_context context(1);
    Holding holding(context.get_executor(), Shape{piece, 3 * piece}, 2);
    RecordReader reader;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
        reader.feed(std::string(bytes.substr(0, piece)));
        while (true) {
            const auto record = reader.next();
            if (!record) return;
            if (!*record) break;
            if (!take(holding, **record)) return;
            if (holding.content_bytes() > 3 * piece) std::abort();
        }
    }
}

void take_manifest(std::string_view bytes, std::uint64_t content) {
    const auto manifest = decode<Manifest>(bytes);
    if (!manifest || !validate(*manifest, content)) return;
    std::uint64_t covered = 0;
    for (const ContentPart& part : ContentMap(*manifest).parts(0, static_cast<std::size_t>(content))) {
        if (part.offset + part.size > manifest->entries.at(part.entry).size) std::abort();
        covered += part.size;
    }
    if (covered != content) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
    if (data[0] < 128)
        take_stream(bytes, data[0] + 1U);
    else
        take_manifest(bytes, data[0] - 128U);
    return 0;
}
