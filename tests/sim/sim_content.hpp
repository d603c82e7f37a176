// SimContent: the bytes of one simulated file, in pages that are there once something was written to them, so
// that a file that grows is not copied and a hole takes no memory. What was never written is zero.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace trellis::sim {

class SimContent {
  public:
    [[nodiscard]] std::uint64_t size() const { return size_; }
    void resize(std::uint64_t size);
    // The file grows if need be.
    void write(std::uint64_t offset, std::string_view bytes);
    // Fewer bytes at the end of the file.
    [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t size) const;
    [[nodiscard]] bool operator==(std::string_view bytes) const;
    // How many bytes the blocks have that are not all zero.
    [[nodiscard]] std::uint64_t blocks() const;

  private:
    // Without the zeros behind what was written.
    [[nodiscard]] std::string_view page(std::uint64_t number) const;

    std::map<std::uint64_t, std::string> pages_;  // by number
    std::uint64_t size_ = 0;
};

}  // namespace trellis::sim
