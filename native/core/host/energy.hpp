// Energy that the processors have taken up, as the kernel counts it (RAPL).
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace machmeter {

// Of all processor packages of the machine together, whoever uses them.
class PackageEnergy {
   public:
    // root: where the framework has its zones.
    explicit PackageEnergy(const std::filesystem::path& root = "/sys/class/powercap");

    // Whether there is a counter, and this process may read every one.
    [[nodiscard]] bool readable() const { return !counters_.empty(); }

    // From here on.
    void begin();

    // Adds what was taken up since the last call of this or of begin(). Counters begin again at
    // zero within minutes under load: this is called more often.
    void update();

    [[nodiscard]] double joules() const { return 1e-6 * static_cast<double>(microjoules_); }

   private:
    struct Counter {
        std::filesystem::path file;
        std::uint64_t range = 0;
        std::uint64_t last = 0;
    };

    std::vector<Counter> counters_;
    std::uint64_t microjoules_ = 0;
};

}  // namespace machmeter
