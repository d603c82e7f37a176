// Bus: the session's retained values under their names (`hosts`, `selection`, `topology`, ...): typed, kept
// with the host set and the time that they belong to, turned into text or JSON only when shown or saved.
#pragma once

#include "trellis/result.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace trellis {

class Value {
  public:
    virtual ~Value() = default;
    [[nodiscard]] virtual std::string_view type() const = 0;  // e.g. "topology"
    [[nodiscard]] virtual nlohmann::json to_json() const = 0;
    [[nodiscard]] virtual std::string to_text() const = 0;  // for people, ends with a newline
};

// One row of the table of types that `load` understands.
struct ValueType {
    std::string_view type;
    Result<std::shared_ptr<const Value>> (*from_json)(const nlohmann::json&);
};

struct Retained {
    std::string name;
    std::shared_ptr<const Value> value;
    std::vector<std::string> hosts;  // names of the host set, sorted
    std::uint64_t view = 0;          // membership view; 0 if loaded from a file
    std::int64_t unix_time = 0;      // seconds
};

class Bus {
  public:
    virtual ~Bus() = default;
    // Replaces what stood under the name.
    virtual void publish(std::string name, std::shared_ptr<const Value> value,
                         std::vector<std::string> hosts) = 0;
    // Null if there is none; valid until the next publish.
    [[nodiscard]] virtual const Retained* find(std::string_view name) const = 0;
    [[nodiscard]] virtual std::vector<std::string> topics() const = 0;

    // The value under the name if it is of type T, else null.
    template <class T>
    [[nodiscard]] std::shared_ptr<const T> get(std::string_view name) const {
        const Retained* retained = find(name);
        return retained ? std::dynamic_pointer_cast<const T>(retained->value) : nullptr;
    }
};

}  // namespace trellis
