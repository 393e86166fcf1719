// Transports of a communication library: what it reports of itself and what it is observed to use.
#pragma once

#include <istream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace machmeter {

// Names and texts in the order found.
using TransportReport = std::vector<std::pair<std::string, std::string>>;

std::string to_json(const TransportReport& report);

// Names with spaces between.
std::string joined(const std::set<std::string>& names);

// The text behind `MPICH Device:` (`ch4:ofi`) in the version text of MPICH and its relatives.
std::string device_of(std::string_view version);

// File names of libraries that move messages, among the mappings of a process (proc(5),
// /proc/pid/maps).
std::set<std::string> communication_libraries(std::istream& maps);

// A network device, or a shared-memory file without the numbers that name its job; empty for every
// other file.
std::string channel_of(std::string_view path);

// What the library has loaded and opened.
TransportReport observed_transports();

}  // namespace machmeter
