// Intake: what comes on one stream from a giver, taken into the holding, or straight to its file where that
// is possible. Owned by the upstream, which says from whom; it knows no hosts.
#pragma once

#include "trellis/byte_stream.hpp"

#include "plugins/bcast/holding.hpp"
#include "plugins/bcast/record.hpp"
#include "plugins/bcast/storing.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace trellis::plugins::bcast {

class Intake {
  public:
    // Both outlive it. `filing`: where bytes can go straight to their file; null: nowhere.
    Intake(Holding& holding, Storing* filing) : holding_(holding), filing_(filing) {}

    // Asks for what is lacking and takes it. Returns when all of the object has come, or the Failure: of the
    // stream, `unavailable` if the giver has no more, `invalid` if what came is malformed, `lost` after
    // close().
    Task<Result<void>> take(std::shared_ptr<ByteStream> stream);
    // Ends the stream; what is being taken fails.
    void close();
    // To be called every tick: ends a stream that is silent, or whose giver knows nothing of the source.
    void check_silence();

    [[nodiscard]] const std::shared_ptr<ByteStream>& stream() const { return stream_; }
    [[nodiscard]] bool reading() const { return reading_; }        // waiting for bytes
    [[nodiscard]] bool was_silent() const { return was_silent_; }  // the last stream, when it was ended

  private:
    Task<Result<void>> take_some(ByteStream& stream);
    Task<Result<void>> take_data(ByteStream& stream);
    Task<Result<void>> take_to_file(ByteStream& stream);
    Task<Result<void>> take_zeros();
    template <class T>
    Task<Result<T>> heard(Task<Result<T>> reading);
    Task<Result<std::size_t>> read(ByteStream& stream, std::span<char> space);
    Result<void> take_records(std::string bytes);
    Result<void> take_record(const Record& record);

    Holding& holding_;
    Storing* filing_;
    std::shared_ptr<ByteStream> stream_;
    RecordReader reader_;
    std::size_t zeros_ = 0;  // that have come and go to a file
    bool reading_ = false;
    bool was_silent_ = false;
    int silent_ticks_ = 0;
    int ticks_without_source_ = 0;
};

}  // namespace trellis::plugins::bcast
