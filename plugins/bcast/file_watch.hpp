// FileWatch: tells files that hang, as those of a server that is gone do, from files that take long. Owned by
// whoever waits for them. And the way to wait for no longer than that.
#pragma once

#include "trellis/clock.hpp"
#include "trellis/file_store.hpp"

#include "agentd/core/mailbox.hpp"
#include "plugins/bcast/feeder.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>

namespace trellis::plugins::bcast {

class FileWatch {
  public:
    // `files` outlives it.
    explicit FileWatch(const FileStore& files) : files_(files) {}

    // To be called every tick: whether the files, if somebody waits for them, have done no step for a minute.
    // Said once.
    [[nodiscard]] bool hang(bool awaited);

  private:
    const FileStore& files_;
    std::uint64_t steps_ = 0;  // until the tick before
    std::size_t silent_ticks_ = 0;
};

// The Failure of files that are given up; of kind timed_out.
[[nodiscard]] Failure gives_no_answer(const std::string& path);

template <class T>
struct FileAnswer {
    explicit FileAnswer(const Executor& executor) : came(executor) {}
    static Task<void> await(std::shared_ptr<FileAnswer> answer, Task<Result<T>> work) {
        answer->result = co_await std::move(work);
    }
    Signal came;
    std::optional<Result<T>> result;
    std::exception_ptr thrown;
};

// The work's result; gives_no_answer(path) if the files hang. Then, and when this is cancelled, the work
// stays behind and ends when they answer: it owns what it uses, `files` as well.
template <class T>
Task<Result<T>> while_files_answer(std::shared_ptr<FileStore> files, Clock& clock, std::string path,
                                   Task<Result<T>> work) {
    using asio::experimental::awaitable_operators::operator||;
    const Executor executor = co_await asio::this_coro::executor;
    const auto answer = std::make_shared<FileAnswer<T>>(executor);
    asio::co_spawn(executor, FileAnswer<T>::await(answer, std::move(work)),
                   [answer](const std::exception_ptr& thrown) {
                       answer->thrown = thrown;
                       answer->came.notify();
                   });
    FileWatch watch(*files);
    while (!answer->result && !answer->thrown) {
        if (watch.hang(true)) co_return gives_no_answer(path);
        co_await (answer->came.wait() || clock.sleep(tick));
    }
    if (answer->thrown) std::rethrow_exception(answer->thrown);
    co_return std::move(*answer->result);
}

}  // namespace trellis::plugins::bcast
