// What a peer may send: records in pieces of any size, and bytes that are none.
#include "plugins/bcast/record.hpp"

#include "plugins/bcast/manifest.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace trellis::plugins::bcast {
namespace {

struct ReadRecords {
    std::string data, digests;
    int others = 0;
    bool malformed = false;
};

ReadRecords read_in_pieces(const std::string& bytes, std::size_t piece) {
    RecordReader reader;
    ReadRecords got;
    for (std::size_t at = 0; at < bytes.size() && !got.malformed; at += piece) {
        reader.feed(bytes.substr(at, piece));
        while (true) {
            const auto next = reader.next();
            got.malformed = !next;
            if (!next || !*next) break;
            const Record& one = **next;
            if (one.kind == RecordKind::data || one.kind == RecordKind::zeros)
                got.data += one.bytes;
            else if (one.kind == RecordKind::digest)
                got.digests += one.bytes;
            else
                ++got.others;
        }
    }
    return got;
}

TEST(BcastRecord, IsTheSameInPiecesOfAnySize) {
    const std::string digest(digest_size, 'd');
    const std::string bytes = record(RecordKind::data, "some bytes") +
                              record(RecordKind::heartbeat, "12345678") + record(RecordKind::data, "more") +
                              record(RecordKind::digest, digest) + record(RecordKind::stop, "a cause") +
                              record(RecordKind::end);
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        const ReadRecords got = read_in_pieces(bytes, piece);
        EXPECT_FALSE(got.malformed) << piece;
        EXPECT_EQ(got.data, "some bytesmore") << piece;
        EXPECT_EQ(got.digests, digest) << piece;
        EXPECT_EQ(got.others, 3) << piece;
    }
}

TEST(BcastRecord, SaysOfZerosOnlyHowMany) {
    const std::string zeros(100'000, '\0');
    const std::string bytes =
        record(RecordKind::data, "a") + zeros_record(zeros.size()) + record(RecordKind::data, "b");
    EXPECT_LT(bytes.size(), 30u);
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece)
        EXPECT_TRUE(read_in_pieces(bytes, piece).data == "a" + zeros + "b") << piece;
}

TEST(BcastRecord, RefusesWhatIsNone) {
    const std::vector<std::string> all = {
        std::string("\0\0\0\0\0", 5),                      // no kind
        std::string("\x07\0\0\0\0", 5),                    // none of the kinds
        std::string("\x01\0\0\0\0", 5),                    // no data
        std::string("\x01\x01\0\x10\0", 5),                // more than a chunk
        std::string("\x02\x1f\0\0\0", 5),                  // a digest that is too short
        std::string("\x03\x01\0\0\0.", 6),                 // a heartbeat with bytes
        std::string("\x06\x04\0\0\0\0\0\0\0", 9),          // no zeros
        std::string("\x06\x04\0\0\0\x01\0\x10\0", 9),      // more of them than a chunk
        std::string("\x05\xff\xff\xff\xff", 5) + "words",  // a cause that is too long
    };
    for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_TRUE(read_in_pieces(all[i], all[i].size()).malformed) << i;
}

Entry entry(std::string path, FileType type, std::uint64_t size = 0) {
    return {std::move(path), type, 0644, 0, size, ""};
}

TEST(BcastManifest, RefusesPathsThatLeadOutOfIt) {
    const auto valid = [](const Entry& last, std::uint64_t bytes = 0) {
        const Manifest manifest{{entry("", FileType::directory), entry("d", FileType::directory),
                                 entry("l", FileType::link), last}};
        return validate(manifest, bytes).has_value();
    };
    EXPECT_TRUE(valid(entry("d/f", FileType::file, 7), 7));
    EXPECT_TRUE(valid(entry("..f", FileType::file)));
    for (const char* path : {"..", "d/..", "d/../f", "/f", "d//f", "d/", ".", "d/.", "l/f", "x/f", "", "d"})
        EXPECT_FALSE(valid(entry(path, FileType::file))) << path;
    EXPECT_FALSE(valid(entry("f", FileType::file, 7), 8));
    EXPECT_FALSE(valid(entry("f", FileType::other)));
    EXPECT_FALSE(valid(entry("e", FileType::directory, 1), 1));
}

TEST(BcastManifest, KnowsOnlyOtherNamesOfFilesBefore) {
    const auto valid = [](const std::string& target, std::uint64_t size = 0) {
        Entry last = entry("other", FileType::file, size);
        last.target = target;
        Entry second = entry("second", FileType::file);
        second.target = "file";
        const Manifest manifest{{entry("", FileType::directory), entry("file", FileType::file, 7),
                                 entry("link", FileType::link), second, last}};
        return validate(manifest, 7 + size).has_value();
    };
    EXPECT_TRUE(valid("file"));
    EXPECT_FALSE(valid("file", 7));
    for (const char* target : {"link", "second", "other", "/file", "../file", "./file", "absent"})
        EXPECT_FALSE(valid(target)) << target;
}

TEST(BcastManifest, NeedsAFirstEntry) {
    EXPECT_FALSE(validate(Manifest{}, 0));
    EXPECT_FALSE(validate(Manifest{{entry("a", FileType::file)}}, 0));
    EXPECT_FALSE(validate(Manifest{{entry("", FileType::link)}}, 0));
    EXPECT_TRUE(validate(Manifest{{entry("", FileType::file)}}, std::nullopt));
    EXPECT_FALSE(validate(Manifest{{entry("", FileType::directory)}}, std::nullopt));
}

TEST(BcastManifest, FindsThePartsOfAnyRange) {
    const Manifest manifest{{entry("", FileType::directory), entry("a", FileType::file, 3),
                             entry("b", FileType::file), entry("c", FileType::file, 4)}};
    const ContentMap map(manifest);
    const auto parts = map.parts(1, 5);
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[0].entry, 1u);
    EXPECT_EQ(parts[0].offset, 1u);
    EXPECT_EQ(parts[0].size, 2u);
    EXPECT_EQ(parts[1].entry, 3u);
    EXPECT_EQ(parts[1].offset, 0u);
    EXPECT_EQ(parts[1].size, 3u);
}

}  // namespace
}  // namespace trellis::plugins::bcast
