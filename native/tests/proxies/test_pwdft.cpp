// Transforms against their definition, eigenvalues against known ones, any ranks and threads
// against one, and the faults that checks refuse.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "proxies/pwdft/checks.hpp"
#include "proxies/pwdft/states.hpp"
#include "tests/support/check.hpp"
#include "tests/support/stale_transport.hpp"
#include "tests/support/thread_ranks.hpp"

namespace machmeter {
namespace {

namespace pwdft = proxies::pwdft;
using pwdft::Complex;
using test::on_proxy_ranks;
using test::ThreadRanks;

template <class Ranks>
using Hamiltonian = pwdft::Hamiltonian<Ranks>;

struct Outcome {
    pwdft::Deviations deviations;
    double energy = 0;
    std::vector<double> energies;
};

template <class Operator = Hamiltonian<ThreadRanks>, class Between>
Outcome find(int ranks, int threads, std::size_t grid, std::size_t bands, int iterations,
             Between&& between) {
    Outcome outcome;
    on_proxy_ranks(ranks, threads, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        pwdft::States<ThreadRanks, Operator> states(mine, phases, pwdft::Sphere(grid, ranks),
                                                    bands);
        states.reset();
        between(mine.rank(), true);
        states.run(iterations);
        between(mine.rank(), false);
        const pwdft::Deviations found = pwdft::check(states, mine);
        if (mine.rank() == 0) {
            outcome = {found, states.sum_of_energies(), states.energies()};
        }
    });
    return outcome;
}

template <class Operator = Hamiltonian<ThreadRanks>>
Outcome find(int ranks, int threads, std::size_t grid = 12, std::size_t bands = 4,
             int iterations = 4) {
    return find<Operator>(ranks, threads, grid, bands, iterations,
                          [](int /*rank*/, bool /*runs*/) {});
}

TEST(transforms_are_sums_of_turns) {
    for (const std::size_t length : {1U, 2U, 3U, 4U, 5U, 8U, 12U, 15U, 20U, 60U}) {
        const proxies::Fourier fourier(length);
        std::vector<proxies::Complex4> values(length);
        std::vector<proxies::Complex4> work(length);
        for (std::size_t k = 0; k < length; ++k) {
            for (int lane = 0; lane < proxies::lane_count; ++lane) {
                values[k].re[lane] = uniform(1, 4 * k + static_cast<std::size_t>(lane));
                values[k].im[lane] = uniform(2, 4 * k + static_cast<std::size_t>(lane));
            }
        }
        const std::vector<proxies::Complex4> before = values;
        fourier.transform(proxies::Way::forward, values, work);
        double worst = 0;
        for (std::size_t j = 0; j < length; ++j) {
            Complex sum = 0;
            for (std::size_t k = 0; k < length; ++k) {
                const double angle = -pwdft::two_pi * static_cast<double>(j * k % length) /
                                     static_cast<double>(length);
                sum += Complex(before[k].re[3], before[k].im[3]) * std::polar(1.0, angle);
            }
            worst = std::max(worst, std::abs(sum - Complex(values[j].re[3], values[j].im[3])));
        }
        CHECK(worst < 1e-12 * static_cast<double>(length));
        fourier.transform(proxies::Way::backward, values, work);
        CHECK(std::abs(values[length - 1].im[1] / static_cast<double>(length) -
                       before[length - 1].im[1]) < 1e-12);
    }
}

TEST(other_lengths_are_refused) { CHECK_THROWS(UsageError, "prime factor", proxies::Fourier(28)); }

// With the eigenvalues 1 and 3 of {{2, i}, {-i, 2}}.
TEST(a_small_problem_has_its_known_eigenvalues) {
    pwdft::Matrix a(2, 2);
    a.re = {2, 0, 0, 2};
    a.im = {0, 1, -1, 0};
    pwdft::Matrix one(2, 2);
    one.re = {1, 0, 0, 1};
    const pwdft::Lowest found = pwdft::lowest_of(a, one, 2);
    CHECK(std::abs(found.energies[0] - 1) < 1e-14 && std::abs(found.energies[1] - 3) < 1e-14);
    one.re = {2, 0, 0, 2};
    CHECK(std::abs(pwdft::lowest_of(a, one, 1).energies[0] - 0.5) < 1e-14);
}

// Hermitian; many of its elements are 0 where `sparse`, and eigenvalues are equal.
pwdft::Matrix hermitian(std::size_t order, bool sparse) {
    pwdft::Matrix matrix(order, order);
    for (std::size_t i = 0; i < order; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            const bool empty = sparse && i - j != 2;
            const double re = empty ? 0 : uniform(3, 1000 * i + j) - 0.5;
            const double im = empty || i == j ? 0 : uniform(4, 1000 * i + j) - 0.5;
            matrix.re[matrix.at(i, j)] = matrix.re[matrix.at(j, i)] = re;
            matrix.im[matrix.at(i, j)] = im;
            matrix.im[matrix.at(j, i)] = -im;
        }
    }
    return matrix;
}

Complex element(const pwdft::Matrix& matrix, std::size_t i, std::size_t j) {
    return {matrix.re[matrix.at(i, j)], matrix.im[matrix.at(i, j)]};
}

// The largest of |A x - e S x| and of |x^H S x - 1| over all vectors and pairs of them.
double worst_of(const pwdft::Matrix& a, const pwdft::Matrix& s, const pwdft::Lowest& found) {
    double worst = 0;
    for (std::size_t k = 0; k < found.energies.size(); ++k) {
        std::vector<Complex> products(found.energies.size());
        for (std::size_t i = 0; i < a.rows; ++i) {
            Complex left = 0;
            Complex right = 0;
            for (std::size_t j = 0; j < a.rows; ++j) {
                left += element(a, i, j) * element(found.mix, j, k);
                right += element(s, i, j) * element(found.mix, j, k);
            }
            worst = std::max(worst, std::abs(left - found.energies[k] * right));
            for (std::size_t l = 0; l < products.size(); ++l) {
                products[l] += std::conj(element(found.mix, i, l)) * right;
            }
        }
        for (std::size_t l = 0; l < products.size(); ++l) {
            worst = std::max(worst, std::abs(products[l] - (l == k ? 1.0 : 0.0)));
        }
    }
    return worst;
}

TEST(problems_of_any_order_are_solved) {
    for (const std::size_t order : {1U, 2U, 3U, 8U, 33U, 80U}) {
        for (const bool sparse : {false, true}) {
            const pwdft::Matrix a = hermitian(order, sparse);
            pwdft::Matrix s = hermitian(order, sparse);
            for (std::size_t i = 0; i < order; ++i) {
                s.re[s.at(i, i)] += static_cast<double>(order);
            }
            const pwdft::Lowest found = pwdft::lowest_of(a, s, (order + 1) / 2);
            CHECK(found.energies.size() == (order + 1) / 2);
            CHECK(std::is_sorted(found.energies.begin(), found.energies.end()));
            CHECK(worst_of(a, s, found) < 1e-12);
            // The lowest: those of -A are the highest.
            pwdft::Matrix turned(a);
            for (std::size_t i = 0; i < turned.re.size(); ++i) {
                turned.re[i] = -turned.re[i];
                turned.im[i] = -turned.im[i];
            }
            const std::vector<double> all = pwdft::lowest_of(a, s, order).energies;
            const std::vector<double> negative = pwdft::lowest_of(turned, s, order).energies;
            CHECK(std::abs(found.energies[0] - all[0]) < 1e-12);
            CHECK(std::abs(all[0] + negative[order - 1]) < 1e-12);
        }
    }
}

// 0 and 1, 1 and 0, and a last row that is all but apart: 1 +- small / sqrt(2), and -1.
TEST(small_elements_beside_large_ones_are_not_lost) {
    pwdft::Matrix a(3, 3);
    pwdft::Matrix one(3, 3);
    a.re[a.at(0, 1)] = a.re[a.at(1, 0)] = a.re[a.at(2, 2)] = 1;
    a.re[a.at(0, 2)] = a.re[a.at(2, 0)] = 5e-9;
    for (std::size_t i = 0; i < 3; ++i) {
        one.re[one.at(i, i)] = 1;
    }
    const pwdft::Lowest found = pwdft::lowest_of(a, one, 3);
    CHECK(worst_of(a, one, found) < 1e-14);
    CHECK(std::abs(found.energies[2] - found.energies[1] - 5e-9 * std::sqrt(2.0)) < 1e-13);
}

TEST(what_is_no_number_has_no_eigenvalues) {
    pwdft::Matrix a = hermitian(4, false);
    pwdft::Matrix one(4, 4);
    for (std::size_t i = 0; i < 4; ++i) {
        one.re[one.at(i, i)] = 1;
    }
    a.re[a.at(1, 1)] = std::nan("");
    CHECK_THROWS(std::runtime_error, "not found", pwdft::lowest_of(a, one, 2));
    pwdft::Matrix none(1, 1);
    none.re[0] = std::nan("");
    pwdft::Matrix length(1, 1);
    length.re[0] = 1;
    CHECK_THROWS(std::runtime_error, "not found", pwdft::lowest_of(none, length, 1));
}

TEST(equal_eigenvalues_are_all_found) {
    pwdft::Matrix a(4, 4);
    pwdft::Matrix one(4, 4);
    for (std::size_t i = 0; i < 4; ++i) {
        one.re[one.at(i, i)] = 1;
    }
    const pwdft::Lowest of_none = pwdft::lowest_of(a, one, 4);
    CHECK(of_none.energies == std::vector<double>(4) && worst_of(a, one, of_none) < 1e-14);
    const pwdft::Lowest of_ones = pwdft::lowest_of(one, one, 3);
    CHECK(of_ones.energies == std::vector<double>(3, 1.0) && worst_of(one, one, of_ones) < 1e-14);
}

TEST(dependent_vectors_are_refused) {
    pwdft::Matrix a(2, 2);
    a.re = {1, 1, 1, 1};
    CHECK_THROWS(std::runtime_error, "dependent", pwdft::lowest_of(a, a, 1));
}

TEST(columns_share_out_all_waves) {
    for (const int ranks : {1, 3, 5}) {
        const pwdft::Sphere sphere(16, ranks);
        std::size_t waves = 0;
        std::size_t planes = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            const pwdft::Share share(sphere, rank, ranks);
            waves += share.waves;
            planes += share.planes;
        }
        CHECK(waves == 257 && planes == 16);
    }
}

TEST(ranks_and_threads_do_not_change_the_result) {
    const Outcome alone = find(1, 1);
    CHECK(alone.deviations.fault().empty());
    for (const int ranks : {1, 2, 4}) {
        for (const int threads : {1, 2}) {
            const Outcome found = find(ranks, threads);
            CHECK(found.deviations.fault().empty());
            CHECK(std::abs(found.energy - alone.energy) <= 1e-10 * std::abs(alone.energy));
        }
    }
}

// Without potentials the states are the waves themselves.
template <class Ranks>
class Free : public Hamiltonian<Ranks> {
   public:
    using Hamiltonian<Ranks>::Hamiltonian;
    void apply(const pwdft::Bands& in, pwdft::Bands& out) {
        for (std::size_t band = 0; band < in.count; ++band) {
            for (std::size_t i = 0; i < in.waves; ++i) {
                out.re_of(band)[i] = this->kinetic()[i] * in.re_of(band)[i];
                out.im_of(band)[i] = this->kinetic()[i] * in.im_of(band)[i];
            }
        }
    }
};

TEST(free_states_are_plane_waves) {
    const Outcome found = find<Free<ThreadRanks>>(2, 1, 8, 3, 40);
    const pwdft::Sphere sphere(8, 1);
    std::vector<double> waves;
    pwdft::Share(sphere, 0, 1).each([&](std::size_t /*i*/, const pwdft::Wave& wave) {
        waves.push_back(sphere.kinetic(wave));
    });
    std::sort(waves.begin(), waves.end());
    for (std::size_t i = 0; i < found.energies.size(); ++i) {
        CHECK(std::abs(found.energies[i] - waves[i]) < 1e-10);
    }
    CHECK(!found.deviations.fault().empty());
}

thread_local bool is_faulty = false;

// Applies nothing while it is faulty.
// Its products are no numbers.
template <class Ranks>
class Broken : public Hamiltonian<Ranks> {
   public:
    using Hamiltonian<Ranks>::Hamiltonian;
    void apply(const pwdft::Bands& in, pwdft::Bands& out) {
        Hamiltonian<Ranks>::apply(in, out);
        out.re_of(0)[0] = std::nan("");
    }
};

TEST(products_that_are_no_numbers_are_told_so_on_all_ranks) {
    std::array<std::string, 2> told;
    on_proxy_ranks(2, 1, [&](ThreadRanks& mine) {
        Phases phases(monotonic_clock);
        pwdft::States<ThreadRanks, Broken<ThreadRanks>> states(mine, phases, pwdft::Sphere(12, 2),
                                                               4);
        try {
            states.reset();
        } catch (const std::runtime_error& error) {
            told[static_cast<std::size_t>(mine.rank())] = error.what();
        }
    });
    for (const std::string& one : told) {
        CHECK(one.find("not found") != std::string::npos);
    }
}

template <class Ranks>
class Idle : public Hamiltonian<Ranks> {
   public:
    using Hamiltonian<Ranks>::Hamiltonian;
    void apply(const pwdft::Bands& in, pwdft::Bands& out) {
        const pwdft::Bands before = out;
        Hamiltonian<Ranks>::apply(in, out);
        if (is_faulty) {
            out = before;
        }
    }
};

template <class Ranks>
class Single : public Hamiltonian<Ranks> {
   public:
    using Hamiltonian<Ranks>::Hamiltonian;
    void apply(const pwdft::Bands& in, pwdft::Bands& out) {
        Hamiltonian<Ranks>::apply(in, out);
        for (double& value : out.re) {
            value = static_cast<float>(value);
        }
    }
};

TEST(a_kernel_that_does_nothing_is_refused) {
    const auto always = [](int /*rank*/, bool runs) { is_faulty = runs; };
    CHECK(!find<Idle<ThreadRanks>>(1, 1, 12, 4, 3, always).deviations.fault().empty());
}

TEST(an_idle_rank_is_refused) {
    const auto second = [](int rank, bool runs) { is_faulty = runs && rank == 1; };
    CHECK(!find<Idle<ThreadRanks>>(2, 1, 12, 4, 3, second).deviations.fault().empty());
}

TEST(single_precision_is_refused) {
    CHECK(!find<Single<ThreadRanks>>(1, 1, 12, 4, 1).deviations.fault().empty());
}

TEST(a_lost_exchange_is_refused) {
    std::string fault;
    test::on_stale_ranks(2, [&](auto& mine) {
        Phases phases(monotonic_clock);
        pwdft::States<std::decay_t<decltype(mine)>> states(mine, phases, pwdft::Sphere(12, 2), 4);
        states.reset();
        test::StaleTransport::stale = true;
        states.run(2);
        test::StaleTransport::stale = false;
        const std::string found = pwdft::check(states, mine).fault();
        if (mine.rank() == 0) {
            fault = found;
        }
    });
    CHECK(!fault.empty());
}

TEST(an_old_output_has_not_taken_the_iterations) {
    CHECK(!find(1, 1, 12, 4, 0).deviations.fault().empty());
}

}  // namespace
}  // namespace machmeter
