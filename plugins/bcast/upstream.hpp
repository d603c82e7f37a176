// Upstream: where a host takes the object from: its giver by the method of the broadcast; when that one fails
// or is silent, the next one before it that answers, and in the end the root over the control tree; or the
// one that the root names. Each from where the last one left off. Owned by the recipient; it gives nothing to
// anybody.
#pragma once

#include "trellis/role.hpp"

#include "agentd/core/crew.hpp"
#include "plugins/bcast/intake.hpp"
#include "plugins/bcast/messages.hpp"
#include "plugins/bcast/root_stream.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace trellis::plugins::bcast {

class Upstream {
  public:
    // All of it outlives the object. `filing`: what comes goes straight to its file where that is possible;
    // null: never. `ahead`: of what is sent on, what has not arrived yet (ByteStream).
    Upstream(RoleContext& context, Holding& holding, Crew& crew, Storing* filing,
             ByteStream::Gathering::Ahead ahead)
        : context_(context), holding_(holding), crew_(crew), filing_(filing), intake_(holding, filing) {
        gathering_.ahead = std::move(ahead);
    }

    // Who can be asked: those before this host. It is one of them.
    void begin(const Begin& begin);
    // The root has made a connection in answer to what it was asked.
    Task<void> take_over(std::shared_ptr<ByteStream> connection);
    // This one is to be asked next, and now; this host itself: nobody, until the next turn.
    void turn(const Turn& turn);
    // Returns when all of the object has come, or the Failure of the last one that could be asked. Once more
    // after what had come has been refused: the one who gave it is asked no more.
    Task<Result<void>> fetch();
    // What has come is damaged: ends the connection.
    void refuse() { intake_.close(); }
    // To be called every tick: ends the connection to a host that is silent, or knows nothing of the source.
    void check_silence();

  private:
    struct Race;
    using Stream = std::shared_ptr<ByteStream>;
    std::vector<Member> next_members();
    Task<Stream> reach(std::vector<Member> members);
    Task<void> connect(std::shared_ptr<Race> race, std::size_t runner);
    void tell_passed();

    RoleContext& context_;
    Holding& holding_;
    Crew& crew_;
    Storing* filing_;
    std::vector<Member> chain_;
    HostId source_ = root_id;
    std::vector<Member> left_;       // to be asked, the next one last
    std::optional<Member> turned_;   // to be asked before them
    bool waits_ = false;             // for a turn
    std::size_t at_once_ = 1;        // of them
    int asks_of_root_ = 0;           // since it named somebody
    Member giver_{};                 // the one that is asked
    std::set<HostId> retried_;       // after they were silent
    std::vector<HostId> passed_;     // for one that answers
    std::vector<HostId> unreached_;  // when none of those that were tried could be; told with them
    Intake intake_;
    ByteStream::Gathering gathering_;
    std::uint32_t streams_ = 0;
    std::shared_ptr<RootStream> from_root_;  // the last one that was asked for
    bool root_was_silent_ = false;           // on its connection
};

}  // namespace trellis::plugins::bcast
