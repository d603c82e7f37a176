#include "shell/hosts/news_watch.hpp"

#include <utility>

#include <boost/asio/post.hpp>

namespace trellis {

NewsWatch::NewsWatch(Executor executor, Session& session, Seat& seat, HostNews& news,
                     std::function<void()> tell)
    : session_(session), tell_(std::make_shared<const std::function<void()>>(std::move(tell))) {
    std::weak_ptr<const std::function<void()>> alive = tell_;
    session_.on_change([executor = std::move(executor), alive, &seat, &news](const HostEntry& host) {
        news.add(host);
        seat.publish_selection();
        asio::post(executor, [alive] {
            if (const auto later = alive.lock()) (*later)();
        });
    });
}

NewsWatch::~NewsWatch() {
    session_.on_change({});
}

}  // namespace trellis
