// H = kinetic + local potential + projectors, applied to wave functions: the kernel of the proxy.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/session/phases.hpp"
#include "core/values/random_bits.hpp"
#include "proxies/pwdft/bands.hpp"
#include "proxies/pwdft/transform.hpp"

namespace machmeter::proxies::pwdft {

inline constexpr double two_pi = 6.28318530717958647693;

// The local potential as few waves: V(r) = sum over them of strength cos(2 pi wave r).
struct PotentialWave {
    Wave wave;
    double strength = 0;
};
inline constexpr std::array<PotentialWave, 7> potential_waves{{
    {{0, 0, 0}, -0.30},
    {{1, 0, 0}, -0.22},
    {{0, 1, 0}, -0.19},
    {{0, 0, 1}, -0.25},
    {{1, 1, 1}, -0.12},
    {{2, 2, 0}, 0.07},
    {{1, -1, 2}, 0.05},
}};

inline constexpr std::size_t projector_count = 8;
inline constexpr double projector_energy = 0.4;

// Number `site` of eight places of the diamond lattice's kind, in shares of the edge.
inline std::array<double, 3> site_of(std::size_t site) {
    return {0.5 * static_cast<double>(site & 1U) + 0.03, 0.5 * static_cast<double>(site >> 1U & 1U),
            0.5 * static_cast<double>(site >> 2U & 1U) + 0.01};
}

// A Gaussian at its site; not normalized.
inline std::complex<double> projector(const Sphere& sphere, std::size_t site, const Wave& wave) {
    const std::array<double, 3> at = site_of(site);
    double phase = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        phase -= two_pi * at[d] * wave[d];
    }
    const double size = std::exp(-sphere.kinetic(wave)) / (1 + sphere.radius);
    return std::polar(size, phase);
}

// By the usual counts: two transforms, the product with the potential, two with the projectors.
template <class TransformOf>
double flops_of_band(const TransformOf& transform, std::size_t waves) {
    const auto points = std::pow(static_cast<double>(transform.sphere().grid), 3);
    return 2 * transform.flops() + 2 * points +
           static_cast<double>(waves) * (2 + 2 * flops_per_product * projector_count);
}

template <class Ranks>
class Hamiltonian {
   public:
    Hamiltonian(Ranks& ranks, Phases& phases, const Sphere& sphere)
        : ranks_(ranks),
          phases_(phases),
          transform_(ranks, phases, sphere),
          projectors_(projector_count, transform_.share().waves) {
        const Share& share = transform_.share();
        kinetic_.resize(share.waves);
        share.each([&](std::size_t i, const Wave& wave) {
            kinetic_[i] = sphere.kinetic(wave);
            for (std::size_t site = 0; site < projector_count; ++site) {
                const std::complex<double> value = projector(sphere, site, wave);
                projectors_.re_of(site)[i] = value.real();
                projectors_.im_of(site)[i] = value.imag();
            }
        });
        set_potential();
    }

    [[nodiscard]] Transform<Ranks>& transform() { return transform_; }
    [[nodiscard]] const Share& share() const { return transform_.share(); }
    [[nodiscard]] const Sphere& sphere() const { return transform_.sphere(); }
    [[nodiscard]] const std::vector<double>& kinetic() const { return kinetic_; }
    [[nodiscard]] std::uint64_t applied() const { return applied_; }

    // out = H in, band by band.
    void apply(const Bands& in, Bands& out) {
        for (std::size_t band = 0; band < in.count; ++band) {
            transform_.to_grid(in.re_of(band), in.im_of(band));
            multiply();
            transform_.from_grid(out.re_of(band), out.im_of(band));
            add_kinetic(in, out, band);
        }
        add_projected(in, out);
        applied_ += in.count;
    }

   private:
    void set_potential() {
        const std::size_t n = sphere().grid;
        potential_.resize(n * n * share().planes);
        std::vector<double> cosines(n);
        for (std::size_t i = 0; i < n; ++i) {
            cosines[i] = std::cos(two_pi * static_cast<double>(i) / static_cast<double>(n));
        }
        for (std::size_t p = 0; p < potential_.size(); ++p) {
            const std::array<std::size_t, 3> at{p % n, p / n % n, p / n / n + share().first_plane};
            for (const PotentialWave& one : potential_waves) {
                std::size_t turn = 0;
                for (std::size_t d = 0; d < 3; ++d) {
                    turn += sphere().place(one.wave[d]) * at[d];
                }
                potential_[p] += one.strength * cosines[turn % n];
            }
        }
    }

    void multiply() {
        const auto span = phases_.in(Phase::compute);
        Grid& grid = transform_.grid();
        const auto points = static_cast<std::ptrdiff_t>(potential_.size());
        double* const re = grid.re.data();
        double* const im = grid.im.data();
        const double* const potential = potential_.data();
#pragma omp parallel for simd schedule(static)
        for (std::ptrdiff_t p = 0; p < points; ++p) {
            re[p] *= potential[p];
            im[p] *= potential[p];
        }
    }

    void add_kinetic(const Bands& in, Bands& out, std::size_t band) {
        const auto span = phases_.in(Phase::compute);
        const double* const kinetic = kinetic_.data();
        const double* const in_re = in.re_of(band);
        const double* const in_im = in.im_of(band);
        double* const out_re = out.re_of(band);
        double* const out_im = out.im_of(band);
#pragma omp parallel for simd schedule(static)
        for (std::size_t i = 0; i < in.waves; ++i) {
            out_re[i] += kinetic[i] * in_re[i];
            out_im[i] += kinetic[i] * in_im[i];
        }
    }

    // Adds projector_energy |p><p| for every projector p.
    void add_projected(const Bands& in, Bands& out) {
        Matrix products(projector_count, in.count);
        {
            const auto span = phases_.in(Phase::compute);
            add_overlaps(projectors_, in, products, 0, 0);
        }
        {
            const auto span = phases_.in(Phase::collective);
            ranks_.sum(products.re);
            ranks_.sum(products.im);
        }
        for (std::size_t i = 0; i < products.re.size(); ++i) {
            products.re[i] *= projector_energy;
            products.im[i] *= projector_energy;
        }
        const auto span = phases_.in(Phase::compute);
        add_mixed(projectors_, products, 0, out);
    }

    Ranks& ranks_;
    Phases& phases_;
    Transform<Ranks> transform_;
    Bands projectors_;
    std::vector<double> kinetic_;
    std::vector<double> potential_;
    std::uint64_t applied_ = 0;
};

}  // namespace machmeter::proxies::pwdft
