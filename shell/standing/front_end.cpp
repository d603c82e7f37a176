#include "shell/standing/front_end.hpp"

#include "shell/standing/remote_operation.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis {

// Shared with the coroutines that run it.
struct FrontEnd::Call {
    Call(const Executor& executor, CallNumber of) : number(of), changed(executor) {}

    void with_operation(std::function<void(Operation&)> act) {
        if (operation)
            act(*operation);
        else
            early.push_back(std::move(act));
    }
    void stop() {
        if (operation) operation->abandon();
        cancel.emit(asio::cancellation_type::terminal);
    }

    CallNumber number;
    asio::cancellation_signal cancel;
    std::unique_ptr<Operation> operation;
    std::vector<std::function<void(Operation&)>> early;  // what came before the operation could start
    std::size_t unread = 0;                              // bytes of events that the front end has not taken
    Signal changed;
    std::optional<ExploreProgress> progress;  // not sent yet
    bool sending_progress = false;
};

FrontEnd::FrontEnd(Executor executor, StandingSession& session, std::unique_ptr<Link> link)
    : executor_(std::move(executor)), session_(session), link_(std::move(link)) {}

Task<bool> FrontEnd::serve() {
    constexpr std::size_t before_attached = 3;  // Describe, EndSession, Attach
    for (;;) {
        const Result<Frame> frame = co_await link_->receive();
        if (!frame) break;
        Result<ToSession> message = decode<ToSession>(frame->body);
        if (!message || (!attached_ && message->index() >= before_attached)) break;
        try {
            std::visit([this](auto& body) { take(body); }, *message);
        } catch (const std::exception&) {
            break;  // what it says makes no sense here
        }
    }
    const bool was_attached = std::exchange(attached_, false);
    link_->close();
    const auto calls = std::exchange(calls_, {});
    for (const auto& [number, call] : calls)
        call->stop();
    co_return was_attached;
}

void FrontEnd::send(const ToFrontEnd& message) {
    link_->send(session_frame(message));
}

void FrontEnd::tell_news() {
    if (!attached_) return;
    news_ = true;
    if (blocked_) return;
    send_news();
    blocked_ = true;
    asio::co_spawn(executor_, unblock(), asio::detached);
}

Task<void> FrontEnd::unblock() {
    const auto self = shared_from_this();
    co_await link_->drained();
    blocked_ = false;
    if (news_) tell_news();
}

void FrontEnd::note(const std::string& line) {
    if (attached_ && !blocked_) send(Note{line});
}

void FrontEnd::send_news() {
    news_ = false;
    const Membership& membership = session_.session().cluster().membership();
    for (const auto& [id, member] : membership.members()) {
        const auto told = told_.find(id);
        if (told != told_.end() && told->second == member.state) continue;
        told_[id] = member.state;
        send(MemberNews{member, membership.view()});
    }
    std::vector<std::string> too_large;  // came in one message, so there are none
    for (SharedChange& change : sharing_.take_changes(session_.session(), too_large))
        send(std::move(change));
}

void FrontEnd::say_farewell(const std::string& why) {
    send(Farewell{why});
    link_->close();
}

void FrontEnd::take(Describe&) {
    send(session_.description());
}

void FrontEnd::take(EndSession&) {
    session_.end("ended on request");
}

void FrontEnd::take(Attach& attach) {
    const std::string& version = session_.settings().version;
    if (attach.version != version)
        return say_farewell("it was started by trellis " + version + ", and this is " + attach.version +
                            ": end it first (trellis session end)");
    session_.settings().use_agent(attach.ssh_agent);
    seat_ = attach.seat;
    attached_ = true;
    send_news();
    for (const auto& [name, bytes] : session_.seat(seat_))
        send(SeatChange{{{name, bytes}}});
    send(Attached{});
}

void FrontEnd::take(Leave&) {
    say_farewell("");
}

void FrontEnd::take(SharedChange& change) {
    const Result<void> applied = sharing_.apply(session_.session(), change);
    if (!applied) send(Note{applied.error().message()});
    session_.tell_all();
}

void FrontEnd::take(SeatChange& change) {
    for (auto& [name, bytes] : change.parts)
        session_.seat(seat_)[name] = std::move(bytes);
}

FrontEnd::CallPointer FrontEnd::begin_call(CallNumber number) {
    auto call = std::make_shared<Call>(executor_, number);
    calls_[number] = call;
    return call;
}

void FrontEnd::end_call(const CallPointer& call) {
    calls_.erase(call->number);
    send(CallEnded{call->number});
}

FrontEnd::CallPointer FrontEnd::find(CallNumber number) const {
    const auto found = calls_.find(number);
    return found == calls_.end() ? nullptr : found->second;
}

void FrontEnd::take(ExploreCall& request) {
    const CallPointer call = begin_call(request.call);
    auto ended = [self = shared_from_this(), call](const std::exception_ptr&,
                                                   const std::vector<ExploreResult>& results) {
        self->send_news();  // before the results
        self->session_.tell_all();
        for (const ExploreResult& result : results)
            self->send(ExploreOutcomeNews{call->number, result.name, result.outcome});
        self->end_call(call);
    };
    asio::co_spawn(executor_, explore(call, std::move(request)),
                   asio::bind_cancellation_slot(call->cancel.slot(), std::move(ended)));
}

// One after another, so that no host is reached twice at the same time.
Task<std::vector<ExploreResult>> FrontEnd::explore(CallPointer call, ExploreCall request) {
    std::function<void()> waits = [this] { send(Note{"waiting for another explore in this session"}); };
    const Turns::Turn turn = co_await session_.exploring().take(std::move(waits));
    ExplorePlan plan = plan_of(call, std::move(request));
    co_return co_await session_.session().cluster().explore(std::move(plan));
}

ExplorePlan FrontEnd::plan_of(const CallPointer& call, ExploreCall request) {
    ExplorePlan plan;
    plan.hosts = std::move(request.hosts);
    plan.login_timeout = request.login_timeout;
    plan.fan_out = std::max<std::size_t>(1, request.fan_out);
    plan.rule = [&rules = session_.session().rules()](const std::string& from, const std::string& to) {
        return rules.route(from, to);
    };
    const std::weak_ptr<FrontEnd> self = weak_from_this();
    const std::weak_ptr<Call> weak_call = call;
    plan.progress = [self, weak_call](std::size_t reached, std::size_t ended, std::size_t all) {
        const auto front_end = self.lock();
        const auto exploring = weak_call.lock();
        if (!front_end || !exploring) return;
        exploring->progress = ExploreProgress{exploring->number, reached, ended, all};
        if (!std::exchange(exploring->sending_progress, true))
            asio::co_spawn(front_end->executor_, send_progress(self, weak_call), asio::detached);
    };
    plan.suspicion = [self, number = call->number](const std::string& host, bool silent) {
        if (const auto front_end = self.lock()) front_end->send(ExploreSuspicion{number, host, silent});
    };
    plan.attempt = [self, number = call->number](const std::string& host, const LoginAttempt& attempt) {
        if (const auto front_end = self.lock()) front_end->send(ExploreAttempt{number, host, attempt});
    };
    return plan;
}

// The latest alone, if the front end is slow.
Task<void> FrontEnd::send_progress(std::weak_ptr<FrontEnd> to, std::weak_ptr<Call> weak_call) {
    const auto front_end = to.lock();
    const auto call = weak_call.lock();
    if (!front_end || !call) co_return;
    while (call->progress) {
        front_end->send(*std::exchange(call->progress, std::nullopt));
        co_await front_end->link_->drained();
    }
    call->sending_progress = false;
}

void FrontEnd::take(OperationCall& request) {
    const CallPointer call = begin_call(request.call);
    auto ended = [self = shared_from_this(), call](const std::exception_ptr&) { self->end_call(call); };
    asio::co_spawn(executor_, run_operation(call, std::move(request.request)),
                   asio::bind_cancellation_slot(call->cancel.slot(), std::move(ended)));
}

// Operations in which hosts meet directly are measurements, unless they meet the root as well: transfers.
Task<void> FrontEnd::run_operation(CallPointer call, OperationRequest request) {
    std::optional<Turns::Turn> turn;
    if (request.peers && !request.root_meets) {
        std::function<void()> waits = [this] {
            send(Note{"waiting for another measurement of the network"});
        };
        Turns::Turn mine = co_await session_.measuring().take(std::move(waits));
        turn.emplace(std::move(mine));
    }
    const bool meets = request.root_meets;
    call->operation = session_.session().cluster().operations().start(std::move(request));
    if (meets) send(OperationMeets{call->number, call->operation->meeting()});
    for (const auto& act : std::exchange(call->early, {}))
        act(*call->operation);
    co_await pass_events(call);
}

Task<void> FrontEnd::pass_events(CallPointer call) {
    for (;;) {
        while (call->unread >= event_window)
            co_await call->changed.wait();
        std::optional<OperationEvent> event = co_await call->operation->next();
        if (!event) co_return;
        call->unread += event_size(*event);
        send(OperationNews{call->number, std::move(*event)});
    }
}

void FrontEnd::take(StopCall& stop) {
    if (const CallPointer call = find(stop.call)) call->stop();
}

void FrontEnd::take(CancelCall& cancel) {
    const CallPointer call = find(cancel.call);
    if (!call) return;
    if (cancel.abandon || !call->operation)
        call->stop();
    else
        call->operation->cancel(cancel.level);
}

void FrontEnd::take(Consumed& consumed) {
    const CallPointer call = find(consumed.call);
    if (!call) return;
    call->unread -= std::min<std::uint64_t>(consumed.bytes, call->unread);
    call->changed.notify();
}

void FrontEnd::take(MessageToHosts& message) {
    const CallPointer call = find(message.call);
    if (!call) return;
    call->with_operation([to = message.to, body = std::move(message.body)](Operation& operation) {
        if (to)
            operation.send(*to, body);
        else
            operation.send_all(body);
    });
}

void FrontEnd::take(WriteToHost& request) {
    const CallPointer call = find(request.call);
    if (!call) return;
    call->with_operation([self = shared_from_this(), weak = std::weak_ptr<Call>(call), request](Operation&) {
        const CallPointer still = weak.lock();
        if (still) asio::co_spawn(self->executor_, self->write(still, request), asio::detached);
    });
}

Task<void> FrontEnd::write(CallPointer call, WriteToHost request) {
    const auto self = shared_from_this();
    Written done{call->number, request.to, request.stream, ""};
    try {
        if (request.end) {
            call->operation->finish(request.to, request.stream);
            co_return;
        }
        const Result<void> written =
            co_await call->operation->write(request.to, request.stream, std::move(request.bytes));
        if (!written) done.failure = written.error().cause;
    } catch (const std::exception&) {
        done.failure = "no such host takes part";
    }
    send(done);
}

}  // namespace trellis
