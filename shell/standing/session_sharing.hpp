// What front ends of one session share, and what a seat keeps between them. SharingLink: what one end of a
// connection has told the other, so that only changes travel; each end owns one. It sends nothing itself.
#pragma once

#include "trellis/result.hpp"

#include "shell/session/session.hpp"
#include "shell/standing/session_messages.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace trellis {

class SharingLink {
  public:
    // What of the session the other end does not know yet; each fits into a message. Values that are too
    // large for one stay here: their names are added to `too_large`.
    [[nodiscard]] std::vector<SharedChange> take_changes(Session& session,
                                                         std::vector<std::string>& too_large);
    // Takes over what the other end has told. A Failure names what is not understood; the rest is taken over.
    Result<void> apply(Session& session, const SharedChange& change);

  private:
    void take_hosts(Session& session, std::vector<SharedChange>& changes);
    void take_rules(const UseRules& rules, std::vector<SharedChange>& changes);
    void take_values(Session& session, std::vector<SharedChange>& changes,
                     std::vector<std::string>& too_large);

    std::set<std::string> hosts_;
    std::map<std::string, std::string> causes_;
    std::vector<std::string> rules_;
    std::map<std::string, std::shared_ptr<const Value>> values_;
};

// A seat as parts: "selection" (with masks), "outcomes", "output", "directory", "environment". One that is
// too large for a message is empty.
[[nodiscard]] SeatParts seat_parts(const Seat& seat);
// Malformed parts change nothing.
void restore_seat(Seat& seat, const SeatParts& parts);
// The parts of `now` that are not the same in `before`.
[[nodiscard]] SeatParts changed_parts(const SeatParts& before, const SeatParts& now);

}  // namespace trellis
