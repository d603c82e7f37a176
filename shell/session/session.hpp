// Session: what all front ends share: the cluster, the hosts whose names are known, the login rules and the
// bus. Seat: what belongs to one front end: its selection, last outcomes, and where commands run on the
// hosts. main.cpp owns both; neither prints nor reads files.
#pragma once

#include "trellis/clock.hpp"
#include "trellis/file_store.hpp"
#include "trellis/outcome.hpp"

#include "shell/hosts/host_values.hpp"
#include "shell/hosts/masks.hpp"
#include "shell/hosts/output_condition.hpp"
#include "shell/session/cluster.hpp"
#include "shell/session/places.hpp"
#include "shell/session/session_bus.hpp"
#include "shell/session/use_rules.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace trellis {

// A login, as the session remembers it.
struct LoginRecord {
    LoginAttempt attempt;
    std::string rule;  // the command that made it so; empty: no rule did
    std::int64_t unix_time = 0;
};

class Session {
  public:
    Session(Cluster& cluster, Clock& clock, std::function<std::int64_t()> unix_time,
            std::vector<ValueType> value_types);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    [[nodiscard]] Cluster& cluster() { return cluster_; }
    [[nodiscard]] Clock& clock() { return clock_; }
    // Of the machine where the user of this process sits; given by who made the session, and outlives it.
    [[nodiscard]] FileStore& files() { return *files_; }
    void set_files(FileStore& files) { files_ = &files; }
    [[nodiscard]] SessionBus& bus() { return bus_; }
    [[nodiscard]] const SessionBus& bus() const { return bus_; }
    [[nodiscard]] UseRules& rules() { return rules_; }
    [[nodiscard]] std::int64_t unix_time() const { return unix_time_(); }
    // The type of that name among those that `load` understands; null if there is none.
    [[nodiscard]] const ValueType* value_type(std::string_view name) const;

    // All hosts whose names are known, in the order in which they were named.
    [[nodiscard]] std::vector<HostEntry> hosts() const;
    [[nodiscard]] std::optional<HostEntry> host(const std::string& name) const;
    [[nodiscard]] std::string host_name(HostId id) const;
    // Adds names that are not known yet.
    void name_hosts(const std::vector<std::string>& names);
    // How the last attempt to reach a host ended.
    void note_attempt(const std::string& name, const Outcome& outcome);
    // A login to the host has begun (no outcome yet), or ended.
    void note_login(const std::string& name, const LoginAttempt& attempt);
    // The latest ones, oldest first.
    [[nodiscard]] std::vector<LoginRecord> logins(const std::string& name) const;
    // Why the last attempt to reach a host failed, of those where it did; an empty cause: it did not.
    [[nodiscard]] const std::map<std::string, std::string>& causes() const { return causes_; }
    void set_cause(const std::string& name, std::string cause);
    // Of each login, if a command does not say otherwise.
    Duration login_timeout = std::chrono::seconds(15);
    // Puts the value `hosts` on the bus; also done by itself at each change of membership.
    void publish_hosts();
    // Called after a host has become suspect, has resumed or is lost.
    void on_change(std::function<void(const HostEntry&)> handler) { changed_ = std::move(handler); }

  private:
    void member_changed(const Member& member);
    [[nodiscard]] HostEntry entry(const std::string& name, const Member* member) const;

    Cluster& cluster_;
    Clock& clock_;
    FileStore* files_ = nullptr;
    std::function<std::int64_t()> unix_time_;
    std::vector<ValueType> value_types_;
    SessionBus bus_;
    UseRules rules_;
    std::vector<std::string> order_;
    std::set<std::string> named_;
    std::map<std::string, std::string> causes_;
    std::map<std::string, std::vector<LoginRecord>> logins_;
    std::function<void(const HostEntry&)> changed_;
};

class Seat {
  public:
    explicit Seat(Session& session) : session_(session) {}

    // The selected hosts whose agents run, in the session's order.
    [[nodiscard]] std::vector<Host> selection() const;
    [[nodiscard]] bool selected(const std::string& name) const { return !masks_.current().contains(name); }
    // Selects exactly these of the known hosts; hosts that are named later are selected.
    void select(const std::set<std::string>& names);
    [[nodiscard]] const Masks& masks() const { return masks_; }
    // Whatever may change the selection: the value `selection` follows.
    template <class Change>
    auto change_masks(Change change) {
        struct Publish {
            Seat& seat;
            ~Publish() { seat.publish_selection(); }
        };
        const Publish publish{*this};
        return change(masks_);
    }

    // The outcome per host of the last command that had one.
    [[nodiscard]] const std::map<std::string, Outcome>& outcomes() const { return outcomes_; }
    void note_outcomes(std::map<std::string, Outcome> outcomes) { outcomes_ = std::move(outcomes); }

    // What it printed there, of commands of the hosts' shell.
    std::map<std::string, LastOutput> last_output;

    // Counts for the prompt: [succeeded last / selected / all], of the hosts whose agents run.
    struct Counts {
        std::size_t succeeded = 0;
        std::size_t selected = 0;
        std::size_t all = 0;
    };
    [[nodiscard]] Counts counts() const;
    void publish_selection();

    // A script ends at the first command that fails (set -e).
    bool stop_on_error = false;

    // Where commands run on the hosts.
    Places places;

  private:
    Session& session_;
    Masks masks_;
    std::map<std::string, Outcome> outcomes_;
};

}  // namespace trellis
