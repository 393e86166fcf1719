// A BLAS with its threads where those of the layout would be.
#pragma once

#include <omp.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "compute/blas_library.hpp"
#include "core/openmp/library_threads.hpp"

namespace machmeter::compute {

// The file of a library as points name it.
inline std::string file_of(const std::string& library) {
    if (library == "system") {
        return "libblas.so.3";
    }
    if (library != "openblas") {
        return library;
    }
    const char* fetched = std::getenv("MACHMETER_OPENBLAS");
    return fetched != nullptr ? fetched : "libscipy_openblas64_.so";
}

// Before a library is loaded: most read them only then.
inline void request_threads(std::size_t threads) {
    const std::string number = std::to_string(threads);
    for (const char* name :
         {"OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS"}) {
        setenv(name, number.c_str(), 1);
    }
    setenv("MKL_DYNAMIC", "FALSE", 1);
}

// A library with its threads where the layout has them.
class PlacedBlas {
   public:
    // elements: zeros, of probe_bytes.
    PlacedBlas(const std::string& file, const std::vector<Cpus>& cpus, double* elements) {
        request_threads(cpus.size());
        const bool bound = omp_get_proc_bind() != omp_proc_bind_false;
        if (bound) {
            const OnAll on_all(cpus);
            worked_ = load(file, cpus.size(), elements);
        } else {
            worked_ = load(file, cpus.size(), elements);
        }
        if (bound) {
            placed_ = PlacedThreads(worked_.threads, cpus);
        }
    }

    [[nodiscard]] const BlasLibrary& routines() const { return *library_; }
    // That worked on a product large enough for all.
    [[nodiscard]] std::size_t threads() const { return worked_.count(); }
    // Threads that end with each product cannot be placed.
    [[nodiscard]] bool in_place() const { return worked_.ended == 0 && placed_.hold(); }

    // Of its three matrices.
    static std::size_t probe_bytes(std::size_t threads) {
        const std::size_t order = probe_order(threads);
        return 3 * order * order * sizeof(double);
    }

    // Of the product that shows the threads: the work of each is the same on any number.
    static std::size_t probe_order(std::size_t threads) {
        constexpr double of_one = 384;
        return static_cast<std::size_t>(of_one * std::cbrt(static_cast<double>(threads)));
    }

   private:
    // The threads that work, which are started with the library or by its first product.
    Worked load(const std::string& file, std::size_t threads, double* elements) {
        library_ = std::make_unique<BlasLibrary>(file);
        const std::size_t order = probe_order(threads);
        const std::size_t each = order * order;
        const auto multiply = [&] {
            library_->multiply(static_cast<std::int64_t>(order), 1.0, elements, elements + each,
                               elements + 2 * each);
        };
        multiply();
        const ThreadWatch watch;
        constexpr auto long_enough = std::chrono::milliseconds(20);
        const auto begin = std::chrono::steady_clock::now();
        do {
            multiply();
        } while (std::chrono::steady_clock::now() - begin < long_enough);
        return watch.worked();
    }

    std::unique_ptr<BlasLibrary> library_;
    Worked worked_;
    PlacedThreads placed_;
};

inline std::string threads_text(std::size_t worked, std::size_t asked) {
    return std::to_string(worked) + " of its threads worked, " + std::to_string(asked) +
           (asked == 1 ? " was" : " were") + " requested";
}

}  // namespace machmeter::compute
