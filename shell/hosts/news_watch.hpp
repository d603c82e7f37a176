// NewsWatch: while it lives, a front end's HostNews and its value `selection` follow what becomes of hosts.
// Owned by the front end's loop.
#pragma once

#include "trellis/task.hpp"

#include "shell/hosts/host_news.hpp"
#include "shell/session/session.hpp"

#include <functional>
#include <memory>

namespace trellis {

class NewsWatch {
  public:
    // `tell`: called after news have come; those of one event come together.
    NewsWatch(Executor executor, Session& session, Seat& seat, HostNews& news, std::function<void()> tell);
    ~NewsWatch();
    NewsWatch(const NewsWatch&) = delete;
    NewsWatch& operator=(const NewsWatch&) = delete;

  private:
    Session& session_;
    std::shared_ptr<const std::function<void()>> tell_;
};

}  // namespace trellis
