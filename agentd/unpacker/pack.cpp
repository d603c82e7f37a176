// Compresses the agent's file for the unpacker, when trellis is built: pack FILE LEVEL, into FILE.zst. With a
// window that costs the hosts little of their caches, and a checksum.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <zstd.h>

namespace {

constexpr int window_bits = 20;

std::string packed(const std::string& bytes, int level) {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_bits);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    std::string result(ZSTD_compressBound(bytes.size()), '\0');
    const std::size_t size =
        ZSTD_compress2(context, result.data(), result.size(), bytes.data(), bytes.size());
    ZSTD_freeCCtx(context);
    result.resize(ZSTD_isError(size) == 0 ? size : 0);
    return result;
}

}  // namespace

int main(int count, char** words) {
    if (count != 3) {
        std::cerr << "usage: pack FILE LEVEL\n";
        return 2;
    }
    const std::string name = words[1];
    std::ifstream file(name, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const std::string result = packed(bytes, std::atoi(words[2]));
    std::ofstream out(name + ".zst", std::ios::binary);
    if (bytes.empty() || result.empty() ||
        !out.write(result.data(), static_cast<std::streamsize>(result.size())).flush()) {
        std::cerr << "pack: cannot compress " << name << '\n';
        return 1;
    }
    return 0;
}
