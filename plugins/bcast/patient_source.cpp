#include "plugins/bcast/patient_source.hpp"

#include "plugins/bcast/file_watch.hpp"
#include "plugins/bcast/packing.hpp"
#include "plugins/bcast/user_path.hpp"

#include <utility>

namespace trellis::plugins::bcast {
namespace {

using SharedSource = std::shared_ptr<Source>;

class PatientSource final : public Source {
  public:
    PatientSource(std::shared_ptr<FileStore> files, Clock& clock, std::string path, SharedSource source)
        : files_(std::move(files)), clock_(clock), path_(std::move(path)), source_(std::move(source)) {}

    [[nodiscard]] const About& about() const override { return source_->about(); }
    Task<Result<std::shared_ptr<const Chunk>>> read(ChunkNumber chunk) override {
        return while_files_answer(files_, clock_, path_, read_from(source_, chunk));
    }
    Task<Result<void>> check() override {
        return while_files_answer(files_, clock_, path_, check_of(source_));
    }

  private:
    static Task<Result<std::shared_ptr<const Chunk>>> read_from(SharedSource source, ChunkNumber chunk) {
        co_return co_await source->read(chunk);
    }
    static Task<Result<void>> check_of(SharedSource source) { co_return co_await source->check(); }

    std::shared_ptr<FileStore> files_;
    Clock& clock_;
    std::string path_;
    SharedSource source_;
};

}  // namespace

Task<Result<std::unique_ptr<Source>>> open_patiently(std::shared_ptr<FileStore> files, Clock& clock,
                                                     SourcePath what) {
    what.path = from_home(what.path);
    auto opening = open_path(files, what.path, std::move(what.digester));
    auto source = co_await while_files_answer(files, clock, what.path, std::move(opening));
    if (!source) co_return source.error();
    if (what.packed) source = packing_source(files, std::move(*source));
    co_return std::make_unique<PatientSource>(std::move(files), clock, std::move(what.path),
                                              std::move(*source));
}

}  // namespace trellis::plugins::bcast
