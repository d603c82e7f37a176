// Roster: at the root, which of the selected hosts take part in one inference, and why the others do not.
// Owned by the command; pure bookkeeping over what the operation tells.
#pragma once

#include "trellis/operation.hpp"

#include "plugins/infer/messages.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trellis::plugins::infer {

class Roster {
  public:
    explicit Roster(std::vector<Host> selected) : hosts_(std::move(selected)) {}

    void ready(HostId host, const Ready& ports) { ready_[host] = ports; }
    // False if it had been left out before.
    bool leave_out(HostId host, const std::string& why) { return out_.emplace(host, why).second; }
    // Every host is ready or left out.
    [[nodiscard]] bool everybody_answered() const;
    // Numbers those who are ready and not left out, in the order of the selection; at least one. Once.
    void close();

    [[nodiscard]] bool closed() const { return !participants_.empty(); }
    [[nodiscard]] bool nobody_left() const;
    [[nodiscard]] const std::vector<Participant>& participants() const { return participants_; }
    [[nodiscard]] std::vector<std::string> participant_names() const;
    [[nodiscard]] std::optional<HostNumber> number_of(HostId host) const;
    [[nodiscard]] bool is_out(HostNumber host) const { return out_.contains(participants_[host].id); }

    [[nodiscard]] const Host& participant(HostNumber host) const { return hosts_[places_[host]]; }

    [[nodiscard]] const std::vector<Host>& hosts() const { return hosts_; }  // as selected
    [[nodiscard]] const std::map<HostId, std::string>& out() const { return out_; }
    [[nodiscard]] std::string name_of(HostId host) const;
    [[nodiscard]] std::vector<HostId> ids() const;

  private:
    std::vector<Host> hosts_;
    std::map<HostId, Ready> ready_;
    std::map<HostId, std::string> out_;  // and why
    std::vector<Participant> participants_;
    std::vector<std::size_t> places_;  // of the participants among the hosts
    std::map<HostId, HostNumber> numbers_;
};

}  // namespace trellis::plugins::infer
