// The words of a laboratory file: names, numbers, addresses, options. Used by the parser of the whole file
// alone; what is malformed is thrown as Malformed, which the parser turns into an error with its line.
#pragma once

#include "tests/lab/topology_file.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace trellis::lab {

struct Malformed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

[[noreturn]] void fail_field(const std::string& message);

std::string quoted(std::string_view text);

using Words = std::vector<std::string_view>;

// The words of a line, without its comment.
Words split_line(std::string_view line);

int parse_integer(std::string_view text, int lowest, int highest, const std::string& what);

// Letters, digits, '-' and '_', as host names are.
void check_name(std::string_view name);

// "10.0.0.1" or "10.0.0.1/24,fd00::1"; without a length the prefix is that of the private range.
std::vector<Address> parse_addresses(std::string_view text);

// The next address.
void step(Address& address);

// The options from one word on.
LinkShape parse_shape(const Words& words, std::size_t first);

// PATTERN with its one %d or %0Nd replaced by the number.
std::string numbered(std::string_view pattern, int number);

}  // namespace trellis::lab
