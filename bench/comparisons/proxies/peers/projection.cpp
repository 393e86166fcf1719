// The solve of the proxy lowmach by hypre's semicoarsening multigrid for structured grids (Ashby
// and Falgout, Nucl. Sci. Eng. 124, 1996; Falgout and Jones, Lect. Notes Comput. Sci. Eng. 14,
// 2000) as preconditioner of conjugate gradients: coefficients and right side of the proxy's first
// step, to the same residual.
//
// `CELLS BOX SAMPLES`. Rank 0 prints JSON: the seconds of each solve with its set-up, iterations
// and residual of the last, its largest deviation from the proxy's solution over the largest
// value of that, the ranks.
#include <HYPRE_struct_ls.h>
#include <HYPRE_utilities.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "proxies/lowmach/flow.hpp"

namespace {

namespace lowmach = machmeter::proxies::lowmach;
using Entries = std::array<double, 4>;

// One rank by itself, whose boxes are all neighbors of each other.
struct Alone {
    static int rank() { return 0; }
    static int size() { return 1; }
    static double sum(double value) { return value; }
    static void sum(std::span<double> /*values*/) {}
    template <class T>
    static void exchange_all(std::span<const machmeter::proxies::Exchange<T>> /*messages*/) {}
};

// Of the cells of this rank, x first: the whole width along x and y, a part of the height.
struct System {
    std::array<HYPRE_Int, 3> low{};
    std::array<HYPRE_Int, 3> high{};
    // The diagonal, and towards lower x, y and z: of a symmetric matrix.
    std::vector<double> matrix;
    std::vector<double> right;
    std::vector<double> solution;
};

// Of every rank by itself, on all of the cube.
System system_of(const lowmach::Problem& problem, int rank, int ranks) {
    System system;
    const auto cells = static_cast<HYPRE_Int>(problem.edge);
    system.low = {0, 0, cells * rank / ranks};
    system.high = {cells - 1, cells - 1, cells * (rank + 1) / ranks - 1};
    const auto planes = static_cast<std::size_t>(system.high[2] - system.low[2] + 1);
    const std::size_t count = planes * static_cast<std::size_t>(cells * cells);
    system.matrix.resize(count * Entries().size());
    system.right.resize(count);
    system.solution.resize(count);
    Alone alone;
    machmeter::Phases phases(machmeter::Clock{[] { return std::uint64_t{0}; }});
    lowmach::Flow<Alone> flow(alone, phases, problem);
    flow.reset();
    flow.run(1);
    const lowmach::State& state = flow.state();
    const lowmach::Level level(state.boxes);
    lowmach::set_coefficients(state, level);
    lowmach::set_right(state, level);
    const lowmach::Stencil stencil(level, level.boxes.edge);
    lowmach::for_planes(state.boxes, [&](std::int64_t box, std::int64_t plane) {
        for (std::int64_t y = 0; y < state.boxes.edge; ++y) {
            for (std::int64_t x = 0; x < state.boxes.edge; ++x) {
                const auto [a, b, c] = state.cell(box, x, y, plane);
                if (c < system.low[2] || c > system.high[2]) {
                    continue;
                }
                const std::int64_t i = state.boxes.at(box, x, y, plane);
                const auto to =
                    static_cast<std::size_t>(a + cells * (b + cells * (c - system.low[2])));
                const Entries row{stencil.diagonal(i), -stencil.x[i], -stencil.y[i], -stencil.z[i]};
                std::copy(row.begin(), row.end(), &system.matrix[to * row.size()]);
                system.right[to] = -level.right.data()[i];
                system.solution[to] = flow.phi().data()[i];
            }
        }
    });
    return system;
}

struct Solved {
    double seconds = 0;
    HYPRE_Int iterations = 0;
    double residual = 0;
};

class Rival {
   public:
    Rival(const System& system, HYPRE_Int cells) : low_(system.low), high_(system.high) {
        HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &grid_);
        HYPRE_StructGridSetExtents(grid_, low_.data(), high_.data());
        std::array<HYPRE_Int, 3> periods{cells, cells, 0};
        HYPRE_StructGridSetPeriodic(grid_, periods.data());
        HYPRE_StructGridAssemble(grid_);
        HYPRE_StructStencilCreate(3, 4, &stencil_);
        for (HYPRE_Int entry = 0; entry < 4; ++entry) {
            std::array<HYPRE_Int, 3> offset{};
            if (entry > 0) {
                offset[static_cast<std::size_t>(entry) - 1] = -1;
            }
            HYPRE_StructStencilSetElement(stencil_, entry, offset.data());
        }
        HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid_, stencil_, &matrix_);
        HYPRE_StructMatrixSetSymmetric(matrix_, 1);
        HYPRE_StructMatrixInitialize(matrix_);
        std::array<HYPRE_Int, 4> entries{0, 1, 2, 3};
        std::vector<double> values = system.matrix;
        HYPRE_StructMatrixSetBoxValues(matrix_, low_.data(), high_.data(), 4, entries.data(),
                                       values.data());
        HYPRE_StructMatrixAssemble(matrix_);
        right_ = vector_of(system.right);
        zero_.resize(system.right.size());
        solution_ = vector_of(zero_);
    }

    // On one core no other relaxation of PFMG took less time, nor did PFMG by itself.
    Solved solve(double target) {
        constexpr HYPRE_Int red_black = 3;
        HYPRE_StructVectorSetBoxValues(solution_, low_.data(), high_.data(), zero_.data());
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        HYPRE_StructSolver cycles = nullptr;
        HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &cycles);
        HYPRE_StructPFMGSetTol(cycles, 0);
        HYPRE_StructPFMGSetMaxIter(cycles, 1);
        HYPRE_StructPFMGSetZeroGuess(cycles);
        HYPRE_StructPFMGSetRelaxType(cycles, red_black);
        HYPRE_StructPFMGSetSkipRelax(cycles, 1);
        HYPRE_StructSolver gradients = nullptr;
        HYPRE_StructPCGCreate(MPI_COMM_WORLD, &gradients);
        HYPRE_StructPCGSetTol(gradients, target);
        HYPRE_StructPCGSetTwoNorm(gradients, 1);
        HYPRE_StructPCGSetMaxIter(gradients, lowmach::most_cycles);
        HYPRE_StructPCGSetPrecond(gradients, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, cycles);
        HYPRE_StructPCGSetup(gradients, matrix_, right_, solution_);
        HYPRE_StructPCGSolve(gradients, matrix_, right_, solution_);
        Solved solved{MPI_Wtime() - begin};
        HYPRE_StructPCGGetNumIterations(gradients, &solved.iterations);
        HYPRE_StructPCGGetFinalRelativeResidualNorm(gradients, &solved.residual);
        HYPRE_StructPCGDestroy(gradients);
        HYPRE_StructPFMGDestroy(cycles);
        return solved;
    }

    // Solutions differ by a constant.
    double deviation(const System& system) {
        std::vector<double> mine(system.right.size());
        HYPRE_StructVectorGetBoxValues(solution_, low_.data(), high_.data(), mine.data());
        std::array<double, 3> sums{0, 0, static_cast<double>(mine.size())};
        for (std::size_t i = 0; i < mine.size(); ++i) {
            sums[0] += mine[i];
            sums[1] += system.solution[i];
        }
        MPI_Allreduce(MPI_IN_PLACE, sums.data(), 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        std::array<double, 2> largest{};
        for (std::size_t i = 0; i < mine.size(); ++i) {
            const double expected = system.solution[i] - sums[1] / sums[2];
            largest[0] = std::max(largest[0], std::abs(mine[i] - sums[0] / sums[2] - expected));
            largest[1] = std::max(largest[1], std::abs(expected));
        }
        MPI_Allreduce(MPI_IN_PLACE, largest.data(), 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        return largest[0] / largest[1];
    }

   private:
    HYPRE_StructVector vector_of(std::vector<double> values) {
        HYPRE_StructVector vector = nullptr;
        HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid_, &vector);
        HYPRE_StructVectorInitialize(vector);
        HYPRE_StructVectorSetBoxValues(vector, low_.data(), high_.data(), values.data());
        HYPRE_StructVectorAssemble(vector);
        return vector;
    }

    std::array<HYPRE_Int, 3> low_;
    std::array<HYPRE_Int, 3> high_;
    HYPRE_StructGrid grid_ = nullptr;
    HYPRE_StructStencil stencil_ = nullptr;
    HYPRE_StructMatrix matrix_ = nullptr;
    HYPRE_StructVector right_ = nullptr;
    HYPRE_StructVector solution_ = nullptr;
    std::vector<double> zero_;
};

}  // namespace

int main(int count, char** words) {
    MPI_Init(&count, &words);
    HYPRE_Init();
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const lowmach::Problem problem{std::atoi(words[1]), std::atoi(words[2])};
    const System system = system_of(problem, rank, ranks);
    Rival rival(system, static_cast<HYPRE_Int>(problem.edge));
    const double target = lowmach::target_of(problem);
    // The first one touches the memory.
    Solved solved = rival.solve(target);
    std::string seconds;
    for (int sample = 0; sample < std::atoi(words[3]); ++sample) {
        solved = rival.solve(target);
        seconds += (sample > 0 ? "," : "") + std::to_string(solved.seconds);
    }
    const double deviation = rival.deviation(system);
    if (rank == 0) {
        std::printf(
            "{\"seconds\":[%s],\"iterations\":%d,\"residual\":%.3g,\"deviation\":%.3g,"
            "\"ranks\":%d}\n",
            seconds.c_str(), static_cast<int>(solved.iterations), solved.residual, deviation,
            ranks);
    }
    HYPRE_Finalize();
    MPI_Finalize();
    return 0;
}
