#include "agentd/os/pool_work.hpp"

#include <exception>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace trellis {

Task<void> done_on(asio::thread_pool& pool, std::function<void()> work) {
    const auto executor = co_await asio::this_coro::executor;
    auto begin = [&pool, work = std::move(work), executor](auto resume) mutable {
        asio::post(pool, [work = std::move(work), guard = asio::make_work_guard(executor),
                          resume = std::move(resume)]() mutable {
            std::exception_ptr thrown;
            try {
                work();
            } catch (...) {
                thrown = std::current_exception();
            }
            asio::post(guard.get_executor(),
                       [thrown, resume = std::move(resume)]() mutable { std::move(resume)(thrown); });
        });
    };
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr)>(
        std::move(begin), asio::use_awaitable);
}

}  // namespace trellis
