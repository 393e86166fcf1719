#include <filesystem>

#include "core/host/energy.hpp"
#include "tests/support/check.hpp"
#include "tests/support/energy_zones.hpp"

namespace machmeter {
namespace {

TEST(energy_is_that_of_all_packages_once) {
    test::EnergyZones zones;
    zones.put("intel-rapl:0", "package-0", "100");
    zones.put("intel-rapl:1", "package-1", "200");
    // A part of the first, the first by another interface, and the whole board.
    zones.put("intel-rapl:0:0", "core", "10");
    zones.put("intel-rapl-mmio:0", "package-0", "100");
    zones.put("intel-rapl:2", "psys", "900");
    PackageEnergy energy(zones.root());
    CHECK(energy.readable());
    zones.put("intel-rapl:0", "package-0", "700");
    zones.put("intel-rapl:1", "package-1", "1200");
    zones.put("intel-rapl:0:0", "core", "500");
    zones.put("intel-rapl-mmio:0", "package-0", "700");
    zones.put("intel-rapl:2", "psys", "5000");
    energy.begin();
    CHECK(energy.joules() == 0);
    zones.put("intel-rapl:1", "package-1", "1700");
    energy.update();
    CHECK(test::near(energy.joules(), 500e-6));
}

TEST(a_counter_that_begins_again_loses_nothing) {
    test::EnergyZones zones;
    zones.put("intel-rapl:0", "package-0", "999000");
    PackageEnergy energy(zones.root());
    zones.put("intel-rapl:0", "package-0", "2000");
    energy.update();
    CHECK(test::near(energy.joules(), 3000e-6));
}

TEST(there_is_no_energy_where_any_package_is_unread) {
    test::EnergyZones zones;
    CHECK(!PackageEnergy(zones.root()).readable());
    CHECK(!PackageEnergy(zones.root() / "missing").readable());
    zones.put("intel-rapl:0", "package-0", "1");
    zones.put("intel-rapl:1", "package-1", "no number");
    CHECK(!PackageEnergy(zones.root()).readable());
    zones.put("intel-rapl:1", "package-1", "1");
    PackageEnergy energy(zones.root());
    std::filesystem::remove(zones.root() / "intel-rapl:1" / "energy_uj");
    energy.update();
    CHECK(!energy.readable());
}

}  // namespace
}  // namespace machmeter
