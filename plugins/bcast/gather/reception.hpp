// Reception: one object that comes from one host, from the first byte of its stream to its files in their
// places. Owned by the command, and by its own work on files that hang; what is not complete when it is
// destroyed leaves nothing.
#pragma once

#include "trellis/file_store.hpp"

#include "plugins/bcast/holding.hpp"
#include "plugins/bcast/record.hpp"
#include "plugins/bcast/staging.hpp"
#include "plugins/bcast/storing.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace trellis::plugins::bcast::gather {

class Reception {
  public:
    // `directory` is there. What it leaves is removed beside everything else.
    [[nodiscard]] static std::shared_ptr<Reception> make(const Executor& executor,
                                                         std::shared_ptr<FileStore> files,
                                                         std::string directory, std::string token);

    // Bytes of the stream, in order. Failures: malformed, damaged, or they cannot be stored; then no more.
    Task<Result<void>> take(std::string bytes);
    // All of it stands under its final name.
    [[nodiscard]] bool complete() const { return complete_; }
    [[nodiscard]] std::uint64_t content_bytes() const;
    [[nodiscard]] const std::string& name() const { return about_.name; }

  private:
    Reception(const Executor& executor, std::shared_ptr<FileStore> files, std::string directory,
              std::string token);
    static Task<void> discard(std::unique_ptr<Reception> reception);
    Task<Result<bool>> begin();
    Result<void> find_place();
    Task<Result<void>> take_record(Record record);
    Task<Result<void>> store();

    Executor executor_;
    std::shared_ptr<FileStore> files_;
    std::string directory_;
    std::string token_;
    std::string header_;
    About about_;
    std::optional<Holding> holding_;
    std::optional<Staging> staging_;
    std::optional<Storing> storing_;
    RecordReader reader_;
    bool complete_ = false;
};

}  // namespace trellis::plugins::bcast::gather
