// Paths through the chains of a cluster, from those that nothing precedes to those that nothing
// follows: what is assembled.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "memory/assembly/paths/chains.hpp"
#include "memory/assembly/paths/clusters.hpp"

namespace machmeter::assembly {

// A cluster of chance repeats has more paths than anyone wants.
inline constexpr std::size_t most_paths = 64;
inline constexpr std::size_t most_steps = 8'192;

// lookups: of words, to find them.
struct PathsOfCluster {
    std::vector<std::string> paths;
    std::uint64_t lookups = 0;
    bool is_cut = false;
};

// Bytes that were touched to find paths: words that were looked for, and letters, which are copied
// from chains.
inline double bytes_to_trace(const std::vector<PathsOfCluster>& all) {
    double bytes = 0;
    for (const PathsOfCluster& one : all) {
        bytes += bytes_of_lookups(one.lookups);
        for (const std::string& path : one.paths) {
            bytes += 2 * static_cast<double>(path.size());
        }
    }
    return bytes;
}

inline std::string reverse_complement(const std::string& letters) {
    std::string other(letters.rbegin(), letters.rend());
    for (char& letter : other) {
        letter = complement(letter);
    }
    return other;
}

template <Strands strands>
class PathFinder {
   public:
    PathFinder(const Graph& graph, const std::vector<Chain<strands>>& chains)
        : graph_(graph), chains_(chains) {}

    // Of a cluster with these chains. Each path is read in one direction, no chain is in it twice.
    [[nodiscard]] PathsOfCluster find(const std::uint32_t* begin, const std::uint32_t* end) const {
        PathsOfCluster found;
        std::size_t steps = 0;
        for (const std::uint32_t* chain = begin; chain < end; ++chain) {
            for (const bool is_turned : {false, true}) {
                if (strands == Strands::one && is_turned) {
                    continue;
                }
                ++found.lookups;
                if (!has_before({*chain, is_turned})) {
                    follow({*chain, is_turned}, steps, found);
                }
            }
        }
        return found;
    }

   private:
    struct Step {
        std::uint32_t chain;
        bool is_turned;
    };

    [[nodiscard]] Oriented<strands> first_of(Step step) const {
        const Chain<strands>& chain = chains_[step.chain];
        return step.is_turned ? chain.last.turned() : chain.first;
    }
    [[nodiscard]] Oriented<strands> last_of(Step step) const {
        const Chain<strands>& chain = chains_[step.chain];
        return step.is_turned ? chain.first.turned() : chain.last;
    }
    [[nodiscard]] bool has_before(Step step) const {
        const Oriented<strands> first = first_of(step);
        return graph_.find(first.canonical())->before(first.is_turned()) != 0;
    }
    [[nodiscard]] std::vector<Step> after(Step step, PathsOfCluster& found) const {
        std::vector<Step> all;
        found.lookups += each_after<strands>(
            graph_, last_of(step), [&](std::uint32_t chain, const Oriented<strands>& next) {
                all.push_back({chain, next.forward != chains_[chain].first.forward});
            });
        return all;
    }

    // Depth first, without recursion: a cluster can be as large as all.
    void follow(Step first, std::size_t& steps, PathsOfCluster& found) const {
        std::vector<Step> path{first};
        std::vector<std::vector<Step>> open{after(first, found)};
        bool is_end = open.back().empty();
        while (!path.empty()) {
            if (++steps > most_steps || found.paths.size() >= most_paths) {
                found.is_cut = true;
                return;
            }
            if (is_end) {
                add(path, found);
            }
            is_end = false;
            if (open.back().empty()) {
                path.pop_back();
                open.pop_back();
                continue;
            }
            const Step next = open.back().back();
            open.back().pop_back();
            const bool is_there = std::any_of(path.begin(), path.end(), [&](const Step& step) {
                return step.chain == next.chain;
            });
            if (!is_there) {
                path.push_back(next);
                open.push_back(after(next, found));
                is_end = open.back().empty();
            }
        }
    }

    void add(const std::vector<Step>& path, PathsOfCluster& found) const {
        std::string letters;
        for (const Step& step : path) {
            const std::string& chain = chains_[step.chain].letters;
            const std::string read = step.is_turned ? reverse_complement(chain) : chain;
            letters += letters.empty() ? read : read.substr(word - 1);
        }
        if (strands == Strands::one || letters <= reverse_complement(letters)) {
            found.paths.push_back(std::move(letters));
        }
    }

    const Graph& graph_;
    const std::vector<Chain<strands>>& chains_;
};

// Of all clusters, a task for some of them: one may have most of the chains.
template <Strands strands>
std::vector<PathsOfCluster> paths_of(const Graph& graph, const std::vector<Chain<strands>>& chains,
                                     const Clusters& clusters, int threads) {
    constexpr std::size_t chains_of_task = 64;
    std::vector<PathsOfCluster> all(clusters.count());
    const PathFinder<strands> finder(graph, chains);
    const auto find = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            all[i] = finder.find(clusters.chains.data() + clusters.begins[i],
                                 clusters.chains.data() + clusters.begins[i + 1]);
        }
    };
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (std::size_t begin = 0; begin < clusters.count();) {
        std::size_t end = begin + 1;
        while (end < clusters.count() &&
               clusters.begins[end] - clusters.begins[begin] < chains_of_task) {
            ++end;
        }
#pragma omp task firstprivate(begin, end) shared(find)
        find(begin, end);
        begin = end;
    }
    return all;
}

}  // namespace machmeter::assembly
