// The kernels of device.liquid (molecular dynamics of a Lennard-Jones liquid by velocity Verlet, in
// a periodic cube), in the words of device/kernels/prelude.hpp.
#pragma once

namespace machmeter::kernels {

inline constexpr const char* liquid = R"(
// w: of a force, the potential energy of the atom; else nothing.
typedef struct { double x, y, z, w; } Quad;

#define OF_ITEM(i) Index i = GROUP * GROUP_ITEMS + ITEM
// Where the k-th neighbor of atom i is listed: of an atom together, or of neighboring items.
#if STRETCHES
#define PLACE(k, i) ((i) * most + (k))
#else
#define PLACE(k, i) ((Index)(k) * atoms + (i))
#endif
#define WRAPPED(x) ((x) - edge * floor((x) / edge))
#define NEAREST(d) ((d) > middle ? (d) - edge : (d) < -middle ? (d) + edge : (d))
#define SQUARE(d) (d.x * d.x + d.y * d.y + d.z * d.z)
// Cells are numbered 0 to along - 1 in each dimension; none is outside, wherever an atom is.
#define CELL_ALONG(x) min(max((int)((x) / edge * along), 0), along - 1)
#define CELL(x, y, z) (((Index)(z) * along + (y)) * along + (x))
#define ROUND(c) (((c) + along) % along)

KERNEL void liquid_clear(GLOBAL Quad* position, GLOBAL Quad* listed, GLOBAL int* counts,
                         GLOBAL int* moved, double edge, Index atoms, Index cells) {
    OF_ITEM(i);
    if (i == 0) { moved[0] = 0; }
    if (i < cells) { counts[i] = 0; }
    if (i < atoms) {
        Quad at = position[i];
        at.x = WRAPPED(at.x);
        at.y = WRAPPED(at.y);
        at.z = WRAPPED(at.z);
        position[i] = at;
        listed[i] = at;
    }
}

KERNEL void liquid_fill(GLOBAL const Quad* position, GLOBAL int* counts, GLOBAL int* members,
                        GLOBAL int* overflows, double edge, int along, int room, Index atoms) {
    OF_ITEM(i);
    if (i >= atoms) { return; }
    Quad at = position[i];
    Index cell = CELL(CELL_ALONG(at.x), CELL_ALONG(at.y), CELL_ALONG(at.z));
    int place = ATOMIC_ADD(counts + cell, 1);
    if (place < room) {
        members[cell * room + place] = (int)i;
    } else {
        ATOMIC_ADD(overflows, 1);
    }
}

// Atoms come into a cell in any order; every sum is to have the same.
KERNEL void liquid_sort(GLOBAL const int* counts, GLOBAL int* members, int room, Index cells) {
    OF_ITEM(i);
    if (i >= cells) { return; }
    GLOBAL int* own = members + i * room;
    int count = min(counts[i], room);
    for (int k = 1; k < count; ++k) {
        int atom = own[k];
        int to = k;
        for (; to > 0 && own[to - 1] > atom; --to) { own[to] = own[to - 1]; }
        own[to] = atom;
    }
}

KERNEL void liquid_list(GLOBAL const Quad* position, GLOBAL const int* counts,
                        GLOBAL const int* members, GLOBAL int* neighbors, GLOBAL int* lengths,
                        GLOBAL int* overflows, double edge, double square_of_reach, int along,
                        int room, int most, Index atoms) {
    OF_ITEM(i);
    if (i >= atoms) { return; }
    Quad at = position[i];
    double middle = edge / 2;
    int x = CELL_ALONG(at.x);
    int y = CELL_ALONG(at.y);
    int z = CELL_ALONG(at.z);
    int length = 0;
    for (int n = 0; n < 27; ++n) {
        Index cell = CELL(ROUND(x + n % 3 - 1), ROUND(y + n / 3 % 3 - 1), ROUND(z + n / 9 - 1));
        int count = min(counts[cell], room);
        for (int k = 0; k < count; ++k) {
            int other = members[cell * room + k];
            Quad d = position[other];
            d.x = NEAREST(at.x - d.x);
            d.y = NEAREST(at.y - d.y);
            d.z = NEAREST(at.z - d.z);
            if (other != (int)i && SQUARE(d) < square_of_reach) {
                if (length < most) { neighbors[PLACE(length, i)] = other; }
                ++length;
            }
        }
    }
    lengths[i] = min(length, most);
    if (length > most) { ATOMIC_ADD(overflows + 1, 1); }
}

// shift: of the energy of a pair.
KERNEL void liquid_force(GLOBAL const Quad* position, GLOBAL const int* neighbors,
                         GLOBAL const int* lengths, GLOBAL Quad* force, double edge,
                         double square_of_cutoff, double shift, int most, Index atoms) {
    OF_ITEM(i);
    if (i >= atoms) { return; }
    Quad at = position[i];
    Quad sum;
    sum.x = sum.y = sum.z = sum.w = 0;
    double middle = edge / 2;
    int length = lengths[i];
    for (int k = 0; k < length; ++k) {
        Quad d = position[neighbors[PLACE(k, i)]];
        d.x = NEAREST(at.x - d.x);
        d.y = NEAREST(at.y - d.y);
        d.z = NEAREST(at.z - d.z);
        double square = SQUARE(d);
        if (square < square_of_cutoff) {
            double inverse = 1 / square;
            double sixth = inverse * inverse * inverse;
            double over_distance = 48 * sixth * (sixth - 0.5) * inverse;
            sum.x += over_distance * d.x;
            sum.y += over_distance * d.y;
            sum.z += over_distance * d.z;
            // Half of a pair's energy belongs to each of its atoms.
            sum.w += 2 * sixth * (sixth - 1) - shift / 2;
        }
    }
    force[i] = sum;
}

KERNEL void liquid_drift(GLOBAL Quad* position, GLOBAL Quad* velocity, GLOBAL const Quad* force,
                         double step, Index atoms) {
    OF_ITEM(i);
    if (i >= atoms) { return; }
    Quad at = position[i];
    Quad v = velocity[i];
    v.x += step / 2 * force[i].x;
    v.y += step / 2 * force[i].y;
    v.z += step / 2 * force[i].z;
    at.x += step * v.x;
    at.y += step * v.y;
    at.z += step * v.z;
    velocity[i] = v;
    position[i] = at;
}

KERNEL void liquid_kick(GLOBAL Quad* velocity, GLOBAL const Quad* force, double step, Index atoms) {
    OF_ITEM(i);
    if (i >= atoms) { return; }
    Quad v = velocity[i];
    v.x += step / 2 * force[i].x;
    v.y += step / 2 * force[i].y;
    v.z += step / 2 * force[i].z;
    velocity[i] = v;
}

// Counts atoms that went farther from where they were listed.
KERNEL void liquid_moved(GLOBAL const Quad* position, GLOBAL const Quad* listed, GLOBAL int* moved,
                         double square_of_farthest, Index atoms) {
    OF_ITEM(i);
    if (i >= atoms) { return; }
    Quad d = position[i];
    d.x -= listed[i].x;
    d.y -= listed[i].y;
    d.z -= listed[i].z;
    if (SQUARE(d) > square_of_farthest) { ATOMIC_ADD(moved, 1); }
}
)";

}  // namespace machmeter::kernels
