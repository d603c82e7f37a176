// FrontEnd: one connected front end, in the process of the session that stays up: what it asks for runs here,
// and ends when its connection does. Owned by the StandingSession. A front end that does not take what is
// sent holds up its own calls, never those of others.
#pragma once

#include "shell/standing/standing_session.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>

#include <boost/asio/cancellation_signal.hpp>

namespace trellis {

class FrontEnd : public std::enable_shared_from_this<FrontEnd> {
  public:
    FrontEnd(Executor executor, StandingSession& session, std::unique_ptr<Link> link);
    // Returns when the connection has ended; then nothing that it asked for runs any more. False if it only
    // asked about the session.
    Task<bool> serve();
    [[nodiscard]] bool attached() const { return attached_; }
    void send(const ToFrontEnd& message);
    // Sends what it does not know yet of members and of what is shared, when it has taken what came before.
    void tell_news();
    // A line for its user; dropped while it takes nothing.
    void note(const std::string& line);
    void say_farewell(const std::string& why);

  private:
    struct Call;
    using CallPointer = std::shared_ptr<Call>;

    void take(Describe& describe);
    void take(EndSession& end);
    void take(Attach& attach);
    void take(Leave& leave);
    void take(SharedChange& change);
    void take(SeatChange& change);
    void take(ExploreCall& request);
    void take(OperationCall& request);
    void take(StopCall& stop);
    void take(CancelCall& cancel);
    void take(Consumed& consumed);
    void take(MessageToHosts& message);
    void take(WriteToHost& write);

    void send_news();
    Task<void> unblock();
    CallPointer begin_call(CallNumber number);
    void end_call(const CallPointer& call);
    [[nodiscard]] CallPointer find(CallNumber number) const;
    Task<std::vector<ExploreResult>> explore(CallPointer call, ExploreCall request);
    ExplorePlan plan_of(const CallPointer& call, ExploreCall request);
    static Task<void> send_progress(std::weak_ptr<FrontEnd> to, std::weak_ptr<Call> call);
    Task<void> run_operation(CallPointer call, OperationRequest request);
    Task<void> pass_events(CallPointer call);
    Task<void> write(CallPointer call, WriteToHost request);

    Executor executor_;
    StandingSession& session_;
    std::unique_ptr<Link> link_;
    bool attached_ = false;
    std::string seat_;
    SharingLink sharing_;
    std::map<HostId, MemberState> told_;
    bool blocked_ = false;  // news have been sent and perhaps not been taken
    bool news_ = false;     // there are some, to be sent then
    std::map<CallNumber, CallPointer> calls_;
};

}  // namespace trellis
