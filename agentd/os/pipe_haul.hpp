// PipeHaul: what a pipe holds, on its way from a socket to a file past the process.
#pragma once

#include "trellis/byte_stream.hpp"

#include "agentd/os/file_descriptor.hpp"

#include <memory>

namespace trellis {

class PipeHaul final : public Haul {
  public:
    // Takes the pipe, which holds `size` bytes, and puts it back there when it is empty.
    PipeHaul(std::shared_ptr<DescriptorPair> place, std::size_t size);
    ~PipeHaul() override;
    PipeHaul(const PipeHaul&) = delete;
    PipeHaul& operator=(const PipeHaul&) = delete;
    [[nodiscard]] std::size_t size() const override { return size_; }
    Result<void> put(OpenFile& file, std::uint64_t offset) override;

  private:
    Result<void> put_by_hand(OpenFile& file, std::uint64_t offset);

    std::shared_ptr<DescriptorPair> place_;
    DescriptorPair pipe_;
    std::size_t size_;
    std::size_t left_;
};

}  // namespace trellis
