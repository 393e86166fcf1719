// The numbers of a machine's model, as `--set NAME=VALUE` gives them, in base units.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "core/values/parameters.hpp"

namespace machmeter::simulate {

// A name, and the least and the largest value that makes sense.
struct KnownValue {
    std::string_view name;
    double least;
    double most;
};

inline constexpr double longest_seconds = 1;
inline constexpr double least_rate = 1e3;
inline constexpr double most_rate = 1e15;

inline constexpr std::array<KnownValue, 27> known_values{{
    {"network.software_overhead", 0, longest_seconds},
    {"network.nic_latency", 0, longest_seconds},
    {"network.hop_latency", 0, longest_seconds},
    {"network.optical_latency", 0, longest_seconds},
    {"network.package_latency", 0, longest_seconds},
    {"network.message_gap", 0, longest_seconds},
    {"network.injection_bandwidth", least_rate, most_rate},
    {"network.duplex_share", 0.5, 1},
    {"network.eager_limit", 0, 1e12},
    {"network.link.bandwidth_x", least_rate, most_rate},
    {"network.link.bandwidth_y", least_rate, most_rate},
    {"network.link.bandwidth_z", least_rate, most_rate},
    {"network.link.bandwidth_chassis", least_rate, most_rate},
    {"network.link.bandwidth_group", least_rate, most_rate},
    {"network.link.bandwidth_global", least_rate, most_rate},
    {"network.link.bandwidth_up1", least_rate, most_rate},
    {"network.link.bandwidth_up2", least_rate, most_rate},
    {"network.link.bandwidth_up3", least_rate, most_rate},
    {"network.nodes_per_router", 1, 1024},
    {"network.nonminimal_share", 0, 1},
    {"network.pair_hops", 0, 1024},
    {"network.put_latency", 0, longest_seconds},
    {"network.get_latency", 0, longest_seconds},
    {"network.atomic_latency", 0, longest_seconds},
    {"node.message_latency", 0, longest_seconds},
    {"node.message_bandwidth", least_rate, most_rate},
    {"node.reduction_bandwidth", least_rate, most_rate},
}};

class Values {
   public:
    // `NAME=VALUE`. Throws UsageError.
    void set(std::string_view text) {
        const std::size_t equals = text.find('=');
        const std::string name(text.substr(0, equals));
        if (equals == std::string_view::npos) {
            throw UsageError("--set: '" + name + "' is not NAME=VALUE");
        }
        given_[name] = within(known(name), text.substr(equals + 1));
    }

    // Throws UsageError where it was not given.
    [[nodiscard]] double of(const std::string& name) const {
        const auto found = given_.find(name);
        if (found == given_.end()) {
            throw UsageError("the machine lacks " + name + ": give it with --set " + name +
                             "=VALUE");
        }
        return found->second;
    }

   private:
    static const KnownValue& known(std::string_view name) {
        const auto* const found =
            std::find_if(known_values.begin(), known_values.end(),
                         [&](const KnownValue& one) { return one.name == name; });
        if (found == known_values.end()) {
            throw UsageError("--set: there is no parameter '" + std::string(name) +
                             "' of a machine; look for its name in the list of parameters");
        }
        return *found;
    }

    static double within(const KnownValue& one, std::string_view text) {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool whole = error == std::errc{} && end == text.data() + text.size();
        if (!whole || !std::isfinite(value) || value < one.least || value > one.most) {
            throw UsageError(std::string(one.name) + ": '" + std::string(text) +
                             "' is not a number within " + shortest(one.least) + " and " +
                             shortest(one.most));
        }
        return value;
    }

    static std::string shortest(double value) {
        std::array<char, 32> text{};
        const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
        return {text.data(), end};
    }

    std::map<std::string, double> given_;
};

}  // namespace machmeter::simulate
