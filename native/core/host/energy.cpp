#include "core/host/energy.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

namespace machmeter {
namespace {

std::optional<std::uint64_t> number_in(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::uint64_t number = 0;
    if (stream >> number) {
        return number;
    }
    return std::nullopt;
}

// A zone within another has two colons: its energy is part of the other's. The same package may be
// there once more by another interface (intel-rapl-mmio).
bool is_package(const std::filesystem::path& zone) {
    const std::string name = zone.filename().string();
    if (name.rfind("intel-rapl:", 0) != 0 || std::count(name.begin(), name.end(), ':') != 1) {
        return false;
    }
    std::ifstream stream(zone / "name");
    std::string kind;
    stream >> kind;
    return kind.rfind("package", 0) == 0;
}

}  // namespace

PackageEnergy::PackageEnergy(const std::filesystem::path& root) {
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(root, missing)) {
        if (!is_package(entry.path())) {
            continue;
        }
        const std::filesystem::path file = entry.path() / "energy_uj";
        const auto now = number_in(file);
        const auto range = number_in(entry.path() / "max_energy_range_uj");
        if (!now || !range) {
            // The sum of some packages is no figure of all.
            counters_.clear();
            return;
        }
        counters_.push_back({file, *range, *now});
    }
}

void PackageEnergy::begin() {
    update();
    microjoules_ = 0;
}

void PackageEnergy::update() {
    for (Counter& counter : counters_) {
        const auto now = number_in(counter.file);
        if (!now) {
            counters_.clear();
            return;
        }
        const std::uint64_t begun_again = *now < counter.last ? counter.range : 0;
        microjoules_ += *now + begun_again - counter.last;
        counter.last = *now;
    }
}

}  // namespace machmeter
