// Counters of energy like those of the kernel's power capping framework.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace machmeter::test {

// A folder like the kernel's, removed in the end.
class EnergyZones {
   public:
    EnergyZones() {
        std::string name = (std::filesystem::temp_directory_path() / "zones-XXXXXX").string();
        root_ = mkdtemp(name.data());
    }
    ~EnergyZones() { std::filesystem::remove_all(root_); }
    EnergyZones(const EnergyZones&) = delete;
    EnergyZones& operator=(const EnergyZones&) = delete;

    void put(const std::string& zone, const std::string& name, const std::string& microjoules) {
        std::filesystem::create_directories(root_ / zone);
        std::ofstream(root_ / zone / "name") << name << "\n";
        std::ofstream(root_ / zone / "max_energy_range_uj") << "1000000\n";
        std::ofstream(root_ / zone / "energy_uj") << microjoules << "\n";
    }

    [[nodiscard]] const std::filesystem::path& root() const { return root_; }

   private:
    std::filesystem::path root_;
};

}  // namespace machmeter::test
