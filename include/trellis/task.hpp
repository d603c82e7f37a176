// Task<T>: the coroutine type of trellis, run by one io_context per process.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace trellis {

namespace asio = boost::asio;

template <class T>
using Task = asio::awaitable<T>;

using Executor = asio::any_io_executor;

}  // namespace trellis
