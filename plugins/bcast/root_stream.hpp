// RootStream: what comes from the root to one host that has asked for it: on a connection that the root makes
// to the host, or, where it makes none, over the control tree. Owned by Upstream.
#pragma once

#include "trellis/byte_stream.hpp"
#include "trellis/role.hpp"

#include "plugins/bcast/messages.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace trellis::plugins::bcast {

class RootStream final : public ByteStream {
  public:
    // `number`: of the operation's stream. `context` outlives it.
    RootStream(RoleContext& context, std::uint32_t number, bool by_tree)
        : context_(context), number_(number), by_tree_(by_tree) {}
    [[nodiscard]] std::uint32_t number() const { return number_; }
    [[nodiscard]] bool is_direct() const { return connection_ != nullptr; }

    // The rest comes on this connection.
    Task<void> take_over(std::shared_ptr<ByteStream> connection);

    // From where on: it is asked of the root.
    Task<Result<void>> write(std::string request) override;
    Task<Result<std::string>> read() override;
    Task<Result<std::size_t>> read_into(std::span<char> space) override;
    Task<Result<std::unique_ptr<Haul>>> pull(std::size_t size) override;
    void gather(const Gathering& gathering) override { gathering_ = gathering; }  // before take_over()
    void close() override;

  private:
    RoleContext& context_;
    std::uint32_t number_;
    bool by_tree_;
    std::string request_;
    Gathering gathering_;
    std::shared_ptr<ByteStream> connection_;
};

}  // namespace trellis::plugins::bcast
