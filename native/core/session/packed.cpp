#include "core/session/packed.hpp"

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

namespace machmeter {
namespace {

constexpr std::string_view lacking = "-";

// Adds an item to a list with `between` between.
void append(std::string& list, std::string_view item, char between) {
    if (!list.empty()) {
        list += between;
    }
    list += item;
}

// `0-3+8`: those that follow one another as a range.
std::string ranges(const std::vector<int>& cpus) {
    std::string text;
    for (std::size_t i = 0; i < cpus.size(); ++i) {
        const std::size_t first = i;
        while (i + 1 < cpus.size() && cpus[i + 1] == cpus[i] + 1) {
            ++i;
        }
        const std::string begin = std::to_string(cpus[first]);
        append(text, i > first ? begin + "-" + std::to_string(cpus[i]) : begin, '+');
    }
    return text.empty() ? std::string(lacking) : text;
}

std::vector<std::string_view> split(std::string_view text, char between) {
    std::vector<std::string_view> parts;
    for (std::size_t end = text.find(between); end != text.npos; end = text.find(between)) {
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    parts.push_back(text);
    return parts;
}

// Ranks that follow one another on one host.
struct Block {
    std::size_t host;
    std::size_t first;
    std::size_t ranks;
};

std::vector<std::size_t> hosts_of(const std::vector<std::uint64_t>& keys) {
    std::map<std::uint64_t, std::size_t> known;
    std::vector<std::size_t> hosts;
    for (const std::uint64_t key : keys) {
        hosts.push_back(known.try_emplace(key, known.size()).first->second);
    }
    return hosts;
}

std::vector<Block> blocks_of(const std::vector<std::size_t>& hosts) {
    std::vector<Block> blocks;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
        if (blocks.empty() || blocks.back().host != hosts[rank]) {
            blocks.push_back({hosts[rank], rank, 0});
        }
        ++blocks.back().ranks;
    }
    return blocks;
}

// What blocks have in common once, with their numbers.
std::string groups_json(const std::vector<Block>& blocks, std::string_view joined) {
    const std::vector<std::string_view> of_ranks = split(joined, ',');
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t number = 0; number < blocks.size(); ++number) {
        std::string of_block;
        for (std::size_t i = 0; i < blocks[number].ranks; ++i) {
            append(of_block, of_ranks.at(blocks[number].first + i), ',');
        }
        groups[of_block].push_back(number);
    }
    return json::array(groups, [](const auto& group) {
        return json::Object{}
            .add("blocks", json::array(group.second, &json::integer<std::size_t>))
            .add("ranks", json::quote(group.first))
            .str();
    });
}

// Of each host, whose threads follow one another.
std::string quanta_json(const std::vector<std::size_t>& hosts, std::string_view joined,
                        int quanta) {
    constexpr std::array<std::string_view, 3> names = {"fastest_ns", "slow", "slow_ns"};
    struct OfHost {
        std::vector<int> cpus;
        std::array<std::string, names.size()> texts;
    };
    const std::vector<std::string_view> of_ranks = split(joined, ',');
    std::map<std::size_t, OfHost> of_hosts;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
        const std::vector<std::string_view> fields = split(of_ranks.at(rank), ':');
        OfHost& host = of_hosts[hosts[rank]];
        for (const std::string_view cpu : split(fields.front(), ' ')) {
            if (!cpu.empty()) {
                host.cpus.push_back(std::stoi(std::string(cpu)));
            }
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (!fields.at(i + 1).empty()) {
                append(host.texts.at(i), fields.at(i + 1), ' ');
            }
        }
    }
    return json::array(of_hosts, [&](const auto& one) {
        json::Object object;
        object.add("count", json::integer(quanta))
            .add("cpus", json::quote(ranges(one.second.cpus)));
        for (std::size_t i = 0; i < names.size(); ++i) {
            object.add(names.at(i), json::quote(one.second.texts.at(i)));
        }
        return object.str();
    });
}

// Of each thread its CPU, its fastest quantum and how many take longer than what counts as fast;
// then those: `0 1:6540 6530:0 1:9100`, nanoseconds.
std::string packed_quanta(const Noise& noise) {
    constexpr double as_fast = 1.02;
    constexpr double nanoseconds = 1e9;
    std::string cpus;
    std::string fastest;
    std::string slow;
    std::string slow_ns;
    for (std::size_t i = 0; i < noise.cpus.size(); ++i) {
        const std::vector<double>& quanta = noise.quanta_seconds[i];
        if (noise.cpus[i] < 0 || quanta.empty()) {
            continue;
        }
        const double least = *std::min_element(quanta.begin(), quanta.end());
        int longer = 0;
        for (const double quantum : quanta) {
            if (quantum > as_fast * least) {
                ++longer;
                append(slow_ns, std::to_string(std::lround(nanoseconds * quantum)), ' ');
            }
        }
        append(cpus, std::to_string(noise.cpus[i]), ' ');
        append(fastest, std::to_string(std::lround(nanoseconds * least)), ' ');
        append(slow, std::to_string(longer), ' ');
    }
    return cpus + ":" + fastest + ":" + slow + ":" + slow_ns;
}

}  // namespace

PackedRank pack(const std::vector<std::optional<ThreadPlace>>& places, const Noise& noise) {
    PackedRank rank;
    for (const std::optional<ThreadPlace>& place : places) {
        append(rank.allowed, place ? ranges(place->cpus) : std::string(lacking), ' ');
        append(rank.on, place ? std::to_string(place->cpu) : std::string(lacking), ' ');
    }
    rank.quanta = packed_quanta(noise);
    return rank;
}

std::string packed_json(const std::vector<std::uint64_t>& keys, const std::string& names,
                        const PackedRank& joined, int quanta) {
    const std::vector<std::size_t> hosts = hosts_of(keys);
    const std::vector<Block> blocks = blocks_of(hosts);
    return json::Object{}
        .add("hosts", "[" + names + "]")
        .add("blocks", json::array(blocks,
                                   [](const Block& block) {
                                       return "[" + json::integer(block.host) + "," +
                                              json::integer(block.ranks) + "]";
                                   }))
        .add("allowed", groups_json(blocks, joined.allowed))
        .add("on", groups_json(blocks, joined.on))
        .add("quanta", quanta_json(hosts, joined.quanta, quanta))
        .str();
}

bool are_packed(const std::vector<std::uint64_t>& keys, int threads_per_rank) {
    constexpr std::size_t most_listed = 1024;
    const std::set<std::uint64_t> hosts(keys.begin(), keys.end());
    return hosts.size() > 1 &&
           keys.size() * static_cast<std::size_t>(threads_per_rank) > most_listed;
}

}  // namespace machmeter
