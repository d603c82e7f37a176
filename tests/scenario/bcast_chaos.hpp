// BcastChaos: one broadcast by a drawn method to 16 simulated hosts on four switches, to which drawn mishaps
// happen meanwhile, and what must hold then. The same seed is the same round; every fourth one is with
// --plain, in every fifth one of the hosts has what is sent.
#pragma once

#include "tests/scenario/sim_shell.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace trellis {

class BcastChaos {
  public:
    explicit BcastChaos(std::uint64_t seed)
        : random_(seed), seed_(seed), shell_(sim::read_lab("four_switches_16"), seed) {}

    // What is wrong in the end, in words; nothing if all is well.
    std::string run() {
        if (shell_.explore_all() != 0) return "explore failed";
        for (const auto& host : world().network().file().hosts) {
            if (host.name == "ctl") continue;
            hosts_.push_back(host.name);
            world().network().set_rate(host.name, 100e6);
        }
        content_ = drawn_content(6'000'000 + below(12'000'000));
        if (seed_ % 5 == 0) source_ = hosts_[seed_ / 5 % hosts_.size()];
        world().files(source_.empty() ? "ctl" : source_).put("/tmp/big", content_);
        static constexpr std::array methods = {"chain", "chain", "tree", "flat"};
        const std::string options =
            std::string(below(2) == 0 ? "" : " -z") + (seed_ % 4 == 0 ? " --plain" : "");
        const std::string method = methods[below(methods.size())];
        const std::string from = source_.empty() ? "" : source_ + ":";
        story_ = " " + from + " " + method + options + ",";
        for (std::size_t mishaps = 1 + below(5); mishaps > 0; --mishaps)
            draw_mishap();
        (void)shell_.printed();
        const TimePoint begun = world().time().now();
        try {
            (void)shell_.run("bcast --json --method " + method + options + " " + from + "/tmp/big /tmp");
        } catch (const std::runtime_error&) {
            return "it does not end after:" + story_ + "; " + shell_.said();
        }
        const Duration taken = world().time().now() - begun;
        const nlohmann::json report = nlohmann::json::parse(shell_.printed());
        for (const nlohmann::json& host : report["hosts"])
            judge(host);
        if (taken > std::chrono::seconds(90)) wrong_ += "it took too long; ";
        world().advance(std::chrono::seconds(90));
        for (const std::string& host : hosts_)
            judge_files(host);
        return wrong_.empty() ? "" : wrong_ + "after:" + story_;
    }

  private:
    enum class Mishap { kill, crash, stop, cut, cut_trunk, slow };

    sim::SimWorld& world() { return shell_.world(); }
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
    Duration moment(std::size_t milliseconds) { return std::chrono::milliseconds(1 + below(milliseconds)); }
    std::string drawn_content(std::size_t size) {
        std::string bytes(size, '\0');
        for (char& byte : bytes)
            byte = static_cast<char>(random_() >> 24 & 0x3f);  // they can be compressed a little
        return bytes;
    }
    template <class What>
    void at(Duration when, What what) {
        world().time().at(world().time().now() + when, std::move(what));
    }

    void draw_mishap() {
        static constexpr std::array names = {"kill", "crash", "stop", "cut", "cut", "slow"};
        static const std::array trunks = {"s1", "s2", "s3"};
        const auto mishap = static_cast<Mishap>(below(names.size()));
        const Duration when = moment(2000), until = when + moment(4000);
        const bool heals = below(4) > 0;
        std::string name = hosts_[below(hosts_.size())];
        if (mishap == Mishap::cut_trunk) name = trunks[below(trunks.size())];
        const auto how = below(2) == 0 ? sim::Cut::silent : sim::Cut::visible;
        note_source_hit(name);
        story_ +=
            std::string(" ") + names[static_cast<std::size_t>(mishap)] + " " + name + " at " + text(when);
        switch (mishap) {
            case Mishap::kill:
                dead_.insert(name);
                return at(when, [this, name] { world().kill(name); });
            case Mishap::crash:
                dead_.insert(name);
                return at(when, [this, name] { world().crash(name); });
            case Mishap::stop:
                story_ += " until " + text(until);
                at(when, [this, name] { world().stop(name); });
                return at(until, [this, name] { world().resume(name); });
            case Mishap::slow:
                return at(when, [this, name] { world().network().set_rate(name, 25e6); });
            case Mishap::cut:
            case Mishap::cut_trunk:
                at(when, [this, name, how] { world().cut(name, how); });
                if (how == sim::Cut::visible) story_ += " visibly";
                if (!heals) return note_unreached(name);
                story_ += " until " + text(until);
                return at(until, [this, name] { world().heal(name); });
        }
    }
    // s3 stands below s2.
    static bool stands_behind(const std::string& host, const std::string& link) {
        const std::string groups = link == "s1" ? "b" : link == "s2" ? "cd" : link == "s3" ? "d" : "";
        return host == link || (!host.empty() && groups.find(host[0]) != std::string::npos);
    }
    void note_unreached(const std::string& link) {
        for (const std::string& host : hosts_)
            if (stands_behind(host, link)) unreached_.insert(host);
    }
    // Then it may fail everywhere.
    void note_source_hit(const std::string& link) { source_hit_ |= stands_behind(source_, link); }

    void judge(const nlohmann::json& part) {
        const std::string host = part["host"];
        const bool well = !dead_.contains(host) && !unreached_.contains(host) && !source_hit_;
        if (well && !part["has"]) wrong_ += host + " has it not: " + part.value("cause", "") + "; ";
    }
    // Also a host of which the root knows nothing any more has all of it or nothing.
    void judge_files(const std::string& host) {
        const sim::SimFiles& files = world().files(host);
        const bool has = files.has("/tmp/big");
        if (has && !files.holds("/tmp/big", content_)) wrong_ += host + " has other bytes; ";
        if (!dead_.contains(host) && files.paths().size() != (has ? 1U : 0U))
            wrong_ += host + " keeps a part; ";
    }
    static std::string text(Duration when) {
        return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(when).count());
    }

    std::mt19937_64 random_;
    std::uint64_t seed_;
    SimShell shell_;
    std::string source_;  // a host; empty: the shell's
    bool source_hit_ = false;
    std::vector<std::string> hosts_;
    std::string content_, wrong_, story_;
    std::set<std::string> dead_, unreached_;
};

}  // namespace trellis
