#include "tests/lab/topology_fields.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <charconv>
#include <optional>

namespace trellis::lab {

[[noreturn]] void fail_field(const std::string& message) {
    throw Malformed(message);
}

std::string quoted(std::string_view text) {
    return "'" + std::string(text) + "'";
}

Words split_line(std::string_view line) {
    Words words;
    line = line.substr(0, line.find('#'));
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    for (std::size_t at = 0; at < line.size();) {
        if (blank(line[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < line.size() && !blank(line[end]))
            ++end;
        words.push_back(line.substr(at, end - at));
        at = end;
    }
    return words;
}

int parse_integer(std::string_view text, int lowest, int highest, const std::string& what) {
    int value = 0;
    auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || rest != text.data() + text.size() || value < lowest || value > highest) {
        fail_field(what + " " + quoted(text) + ": expected a number from " + std::to_string(lowest) + " to " +
                   std::to_string(highest));
    }
    return value;
}

void check_name(std::string_view name) {
    const auto fits = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
    };
    bool good =
        !name.empty() && name.size() <= 63 && name[0] != '-' && std::all_of(name.begin(), name.end(), fits);
    if (!good) fail_field("name " + quoted(name) + ": expected up to 63 letters, digits, '-' or '_'");
}

namespace {

int default_prefix(const Address& address) {
    if (address.v6) return 64;
    const auto& b = address.bytes;
    if (b[0] == 10) return 8;
    if (b[0] == 172 && b[1] >= 16 && b[1] < 32) return 12;
    return b[0] == 192 && b[1] == 168 ? 16 : 24;
}

void render(Address& address) {
    char text[INET6_ADDRSTRLEN];
    inet_ntop(address.v6 ? AF_INET6 : AF_INET, address.bytes.data(), text, sizeof text);
    address.text = text;
}

Address parse_address(std::string_view text) {
    Address address;
    auto slash = text.find('/');
    std::string bare(text.substr(0, slash));
    address.v6 = bare.find(':') != std::string::npos;
    if (inet_pton(address.v6 ? AF_INET6 : AF_INET, bare.c_str(), address.bytes.data()) != 1) {
        fail_field("address " + quoted(text) + ": expected an IPv4 or IPv6 address");
    }
    render(address);
    address.prefix = default_prefix(address);
    if (slash != std::string_view::npos) {
        address.prefix = parse_integer(text.substr(slash + 1), 1, address.v6 ? 128 : 32, "prefix length");
    }
    return address;
}

std::optional<double> parse_loss(std::string_view text) {
    double value = 0;
    auto [rest, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    bool whole = error == std::errc{} && rest == text.data() + text.size();
    if (!whole || value < 0 || value > 1) return std::nullopt;
    return value;
}

template <typename Value>
Value needed(const std::optional<Value>& value, std::string_view word, const char* expected) {
    if (!value) fail_field("option " + quoted(word) + ": expected " + expected);
    return *value;
}

void apply_option(LinkShape& shape, std::string_view word) {
    auto equals = word.find('=');
    auto key = word.substr(0, equals);
    auto value = equals == std::string_view::npos ? std::string_view{} : word.substr(equals + 1);
    if (key == "rate") {
        shape.rate = needed(parse_rate(value), word, "a rate such as rate=100mbit or rate=1gbit");
    } else if (key == "down") {
        shape.down = needed(parse_rate(value), word, "a rate such as down=100mbit");
    } else if (key == "delay") {
        shape.delay = needed(parse_delay(value), word, "a delay such as delay=5us or delay=2ms");
    } else if (key == "queue") {
        shape.queue = needed(parse_size(value), word, "a size such as queue=512k");
    } else if (key == "loss") {
        shape.loss = needed(parse_loss(value), word, "a share from 0 to 1 such as loss=0.01");
    } else {
        fail_field("unknown option " + quoted(word) + ": expected rate=, down=, delay=, queue= or loss=");
    }
}

}  // namespace

std::vector<Address> parse_addresses(std::string_view text) {
    std::vector<Address> addresses;
    while (true) {
        auto comma = text.find(',');
        addresses.push_back(parse_address(text.substr(0, comma)));
        if (comma == std::string_view::npos) return addresses;
        text.remove_prefix(comma + 1);
    }
}

void step(Address& address) {
    for (std::size_t i = address.v6 ? 16 : 4; i-- > 0;) {
        if (++address.bytes[i] != 0) break;
    }
    render(address);
}

LinkShape parse_shape(const Words& words, std::size_t first) {
    LinkShape shape;
    for (std::size_t i = first; i < words.size(); ++i)
        apply_option(shape, words[i]);
    return shape;
}

std::string numbered(std::string_view pattern, int number) {
    auto at = pattern.find('%');
    auto end = pattern.find('d', at == std::string_view::npos ? pattern.size() : at);
    if (end == std::string_view::npos)
        fail_field("pattern " + quoted(pattern) + ": expected one %d or %02d in it");
    auto width = pattern.substr(at + 1, end - at - 1);
    std::size_t digits = width.empty() ? 0 : static_cast<std::size_t>(parse_integer(width, 0, 9, "width"));
    std::string text = std::to_string(number);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return std::string(pattern.substr(0, at)) + text + std::string(pattern.substr(end + 1));
}

}  // namespace trellis::lab
