// The channels of a soma after Hodgkin and Huxley (J. Physiol. 117, 500-544, 1952), at 6.3 degrees
// Celsius and with rest at -65 mV, and the synapse.
#pragma once

#include <bit>

#include "proxies/common/lane_math.hpp"
#include "proxies/common/lanes.hpp"
#include "proxies/ring/cells.hpp"

namespace machmeter::proxies::ring {

// S/cm2 and mV.
inline constexpr double sodium_conductance = 0.12;
inline constexpr double sodium_reversal = 50;
inline constexpr double potassium_conductance = 0.036;
inline constexpr double potassium_reversal = -77;

// A spike begins where the soma rises above this.
inline constexpr double threshold = 0;
// uS that a spike adds to the synapse, which conducts to 0 mV and decays in so many ms.
inline constexpr double synapse_weight = 0.05;
inline constexpr double synapse_decay = 2;

// Shares of the gates that are open: of sodium m and h, of potassium n.
struct Gates {
    Lanes m;
    Lanes h;
    Lanes n;
};

// Rates of opening and closing, 1/ms.
struct Rates {
    Lanes open;
    Lanes close;
};

struct GateRates {
    Rates m;
    Rates h;
    Rates n;
};

// u / (e^u - 1), which is 1 at 0: near there by its series, of which the next term is below 1e-18.
inline Lanes over_expm1(Lanes u) {
    constexpr double near = 1e-4;
    const Lanes series = 1.0 - u * (0.5 - u / 12.0);
    const Lanes ratio = u / (exp_of(u) - 1.0);
    return (u < in_all_lanes(near)) & (u > in_all_lanes(-near)) ? series : ratio;
}

inline GateRates rates_at(Lanes v) {
    return {
        {over_expm1((v + 40.0) / -10.0), 4.0 * exp_of((v + 65.0) / -18.0)},
        {0.07 * exp_of((v + 65.0) / -20.0), 1.0 / (exp_of((v + 35.0) / -10.0) + 1.0)},
        {0.1 * over_expm1((v + 55.0) / -10.0), 0.125 * exp_of((v + 65.0) / -80.0)},
    };
}

inline Lanes settled(const Rates& rates) { return rates.open / (rates.open + rates.close); }

inline Gates gates_at_rest(Lanes v) {
    const GateRates rates = rates_at(v);
    return {settled(rates.m), settled(rates.h), settled(rates.n)};
}

// One time step at a voltage that stays: the exponential is exact.
inline Lanes relaxed(Lanes gate, const Rates& rates) {
    const Lanes end = settled(rates);
    return end + (gate - end) * exp_of((rates.open + rates.close) * -time_step);
}

inline void advance_gates(Gates& gates, Lanes v) {
    const GateRates rates = rates_at(v);
    gates.m = relaxed(gates.m, rates.m);
    gates.h = relaxed(gates.h, rates.h);
    gates.n = relaxed(gates.n, rates.n);
}

// Operations of one cell's channels in a step: rates 6 exponentials and 33 more, three gates each
// an exponential and 7 more, conductances and their currents 14.
inline constexpr double flops_per_soma = 9 * flops_per_exp + 33 + 3 * 7 + 14;

}  // namespace machmeter::proxies::ring
