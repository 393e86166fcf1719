// proxies.pwdft: the lowest states of a Hamiltonian in plane waves, as PARATEC, MiniDFT and Quantum
// ESPRESSO find them: transforms between columns and planes with an exchange between all ranks for
// each band, products of matrices, and a small eigenproblem on one rank while the others wait.
#include <cmath>
#include <cstdint>
#include <string>

#include "core/libraries/loaded.hpp"
#include "proxies/common/mpi_ranks.hpp"
#include "proxies/pwdft/checks.hpp"
#include "proxies/pwdft/states.hpp"

namespace machmeter {
namespace {

namespace pwdft = proxies::pwdft;

struct Size {
    std::size_t grid = 0;
    std::size_t bands = 0;
};

// Products of 2, 3 and 5 that are multiples of 4.
std::size_t next_smooth(double least) {
    auto grid = static_cast<std::size_t>(std::ceil(least / 4 - 1e-9)) * 4;
    while (!proxies::is_smooth(grid)) {
        grid += 4;
    }
    return grid;
}

// The small problem is of twice as many; one rank alone solves it.
constexpr std::uint64_t most_bands = 256;

// strong: so many points along an edge; weak: as many more points as there are ranks.
Size size_of(const Parameters& point, int ranks) {
    const bool weak = point.choice<bool>("scaling", {{"strong", false}, {"weak", true}});
    const std::uint64_t grid = point.count_within("grid", 8, 1024);
    const Size size{weak ? next_smooth(static_cast<double>(grid) * std::cbrt(ranks)) : grid,
                    point.count_within("bands", 1, most_bands)};
    if (size.grid % 4 != 0) {
        throw UsageError("grid: " + std::to_string(size.grid) + " is not a multiple of 4");
    }
    return size;
}

double waves_of(const pwdft::Sphere& sphere) {
    double waves = 0;
    for (const pwdft::Column& column : sphere.columns) {
        waves += column.count;
    }
    return waves;
}

// Throws UsageError where a rank has no plane or no column, or bands are too many for the waves.
void require_shares(const Size& size, const pwdft::Sphere& sphere, int ranks) {
    if (static_cast<std::size_t>(ranks) > size.grid ||
        static_cast<std::size_t>(ranks) > sphere.columns.size()) {
        throw UsageError("grid: " + std::to_string(size.grid) + " planes are fewer than " +
                         std::to_string(ranks) + " ranks: request a larger grid or fewer ranks");
    }
    const double waves = waves_of(sphere);
    if (static_cast<double>(size.bands) * 4 > waves) {
        throw UsageError("bands: " + std::to_string(size.bands) + " are more than a quarter of " +
                         std::to_string(waves) + " waves: request fewer bands or a larger grid");
    }
}

// Six sets of bands, the grid, the potential and messages, on every rank its part; matrices of the
// small problem on each.
void require_memory_of(const MpiSession& session, const Size& size, const pwdft::Sphere& sphere) {
    const double points = std::pow(static_cast<double>(size.grid), 3);
    const double bytes = 16 * (7 * waves_of(sphere) * static_cast<double>(size.bands) + 4 * points);
    const double matrices = 10 * 16 * 4 * std::pow(static_cast<double>(size.bands), 2);
    proxies::require_memory_of_ranks(session, "grid: " + std::to_string(size.grid) + "^3 points",
                                     bytes / session.team().size() + matrices);
}

// Of all ranks and iterations. Bytes: the grid once for each pass over it, every band once for each
// product with a block of others.
template <class StatesOf>
void add_work(PointResult& result, StatesOf& states, const Size& size, int iterations) {
    constexpr double passes = 9;
    const double points = std::pow(static_cast<double>(size.grid), 3);
    const double waves = waves_of(states.hamiltonian().sphere());
    const auto bands = static_cast<double>(size.bands);
    const double applications = bands * iterations;
    const double of_band =
        pwdft::flops_of_band(states.hamiltonian().transform(), static_cast<std::size_t>(waves));
    // Six blocks of overlaps, four of mixed bands.
    const double products = 10 * bands * bands * waves * pwdft::flops_per_product;
    result.quantity("applications", applications)
        .quantity("flops", applications * of_band + iterations * products)
        .quantity("data_bytes", 16 * 6 * waves * bands + points * 3 * sizeof(double))
        .quantity("bytes", applications * (points * (passes * 16 + 8) + 20 * 16 * waves));
}

PointResult measure_pwdft(MpiSession& session, const Parameters& point) {
    const auto iterations = static_cast<int>(point.count_within("iterations", 1, 10'000));
    const Size size = size_of(point, session.team().size());
    const pwdft::Sphere sphere(size.grid, session.team().size());
    require_shares(size, sphere, session.team().size());
    require_memory_of(session, size, sphere);
    proxies::MpiRanks ranks = proxies::ranks_of(session);
    pwdft::States<proxies::MpiRanks> states(ranks, session.phases(), sphere, size.bands);
    const Samples samples = session.sample_long(
        [&] {
            states.reset();
            ranks.traffic().clear();
        },
        [&] { states.run(iterations); });
    PointResult result(point);
    result.add_samples(samples);
    proxies::describe_work(session, ranks, samples, result);
    const std::string fault = pwdft::check(states, ranks).fault();
    add_work(result, states, size, iterations);
    return result
        .check(fault.empty() && states.iterations() == iterations,
               fault.empty() ? "transforms and back, H by its waves, orthonormal states, energies "
                               "that fell"
                             : fault)
        .quantity("energy", states.sum_of_energies())
        .attribute("runtime", openmp_runtime());
}

void run_pwdft(MpiSession& session) { proxies::record_each_that_fits(session, measure_pwdft); }

const RegisterMpiBenchmark registered_pwdft(
    {"proxies.pwdft", {"grid", "bands", "iterations", "scaling"}, &run_pwdft, {1, 0, false}});

}  // namespace
}  // namespace machmeter
