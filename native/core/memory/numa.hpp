// The NUMA domain of pages, and pages on a domain of choice, by system calls: no libnuma.
#pragma once

#include <cstddef>
#include <istream>
#include <map>
#include <string>
#include <vector>

#include "core/memory/pages.hpp"

namespace machmeter {

// NUMA domain of the page behind each address, negative (an errno of move_pages(2)) where no page
// is present. Empty where the kernel refuses: containers often forbid the call.
std::vector<int> domains_of_pages(const std::vector<const void*>& addresses);

// Binds untouched pages to a NUMA domain (mbind(2), MPOL_BIND). `data` begins a page. False where
// the kernel refuses: no such domain, or a container that forbids the call.
bool bind_to_domain(void* data, std::size_t bytes, int domain);

// Whether memory is where it should be, from a sample of its pages. elsewhere: a page is in another
// domain; what: the finding as text.
struct Placement {
    bool elsewhere = false;
    std::string what;
};

Placement placement_of(const void* memory, std::size_t bytes, int domain);

// Pages present in each NUMA domain, of all mappings that overlap the range, by numa_maps
// (proc(5)): `7f00 default anon=3 N0=1 N1=2 kernelpagesize_kB=4`. It gives only the begin of a
// mapping.
std::map<int, std::size_t> pages_of_domains(std::istream& numa_maps, const AddressRange& range);

// From whole mappings, where the kernel reports no more.
Placement placement_by_mappings(std::istream& numa_maps, const AddressRange& range, int domain);

}  // namespace machmeter
