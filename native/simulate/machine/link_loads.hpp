// How much of an operation passes each kind of link: four numbers a kind, however many links.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/record/point.hpp"

namespace machmeter::simulate {

struct KindLoad {
    std::string kind;
    double links = 0;
    // Bytes of all links together, and of the most loaded one.
    double all = 0;
    double most = 0;
    // Of one link, bytes per second.
    double rate = 0;
};

// Of each kind that the topology has links of.
template <class T>
std::vector<KindLoad> loads_by_kind(const T& topology, const std::vector<double>& links) {
    std::vector<KindLoad> kinds;
    for (const char* name : topology.kinds()) {
        kinds.push_back({name});
    }
    for (std::uint64_t link = 0; link < links.size(); ++link) {
        const std::uint64_t kind = topology.kind_of(link);
        if (kind < kinds.size()) {
            KindLoad& load = kinds[kind];
            load.links += 1;
            load.all += links[link];
            load.most = std::max(load.most, links[link]);
            load.rate = topology.bandwidth(link);
        }
    }
    std::erase_if(kinds, [](const KindLoad& one) { return one.links == 0; });
    return kinds;
}

// load_x_links, load_x_mean_bytes, load_x_most_bytes and load_x_rate of kind x.
inline void add_loads(PointResult& result, const std::vector<KindLoad>& kinds) {
    for (const KindLoad& one : kinds) {
        const std::string name = "load_" + one.kind + "_";
        result.quantity(name + "links", one.links)
            .quantity(name + "mean_bytes", one.all / one.links)
            .quantity(name + "most_bytes", one.most)
            .quantity(name + "rate", one.rate);
    }
}

}  // namespace machmeter::simulate
