// Place: where, and with what variables, commands run on a host. Places: those of all hosts of a seat, by the
// hosts' names. Values; a seat owns one.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

namespace trellis {

struct Place {
    std::string directory;                           // empty: the home directory
    std::string previous;                            // where `cd -` goes; empty: nowhere
    std::map<std::string, std::string> environment;  // exported to commands
    friend auto operator<=>(const Place&, const Place&) = default;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(directory, previous, environment);
    }
};

// Hosts that are in equal places.
struct PlaceGroup {
    Place place;
    std::vector<std::string> hosts;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(place, hosts);
    }
};

class Places {
  public:
    Places() = default;
    explicit Places(const std::vector<PlaceGroup>& groups);

    // A host that nobody has moved is at home and has no variables.
    [[nodiscard]] const Place& of(const std::string& host) const;
    void set(const std::string& host, Place place);
    // All that somebody has moved.
    [[nodiscard]] std::vector<PlaceGroup> groups() const;

  private:
    std::map<std::string, Place> places_;
};

}  // namespace trellis
