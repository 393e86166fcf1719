// A BLAS that is loaded while the program runs: what it is, its product of matrices, and the
// solution of linear equations where it has LAPACK too.
//
// Called as Fortran does, which every BLAS offers: all arguments by reference, so that on
// little-endian machines a library with integers of 32 bits reads those of 64 that are passed.
#pragma once

#include <dlfcn.h>

#include <array>
#include <bit>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>

#include "core/libraries/shared_library.hpp"

namespace machmeter::compute {

static_assert(std::endian::native == std::endian::little);

using NoBlas = NoLibrary;

// Of a file: Debian has each BLAS as libblas.so.3 in a folder that is named for it.
inline std::string folder_and_name(const std::string& path) {
    const std::size_t name = path.rfind('/');
    if (name == std::string::npos || name == 0) {
        return path;
    }
    return path.substr(path.rfind('/', name - 1) + 1);
}

class BlasLibrary {
   public:
    // path: of a file, or a name that the loader finds. Throws NoBlas.
    explicit BlasLibrary(const std::string& path) : library_({path}) {
        double_ = reinterpret_cast<Multiply<double>>(need_routine(path, "dgemm"));
        single_ = reinterpret_cast<Multiply<float>>(need_routine(path, "sgemm"));
        solve_ = reinterpret_cast<Solve>(find_routine("dgesv"));
    }

    // C := scale * A * B of square matrices, columns one after another.
    void multiply(std::int64_t order, double scale, const double* a, const double* b,
                  double* c) const {
        call(double_, order, scale, a, b, c);
    }
    void multiply(std::int64_t order, float scale, const float* a, const float* b, float* c) const {
        call(single_, order, scale, a, b, c);
    }

    // Factors a matrix of leading dimension `order` in place, by rows exchanged as `pivots` then
    // say, and replaces the right-hand side by the solution (dgesv). Returns 0 where there is one.
    // Throws NoBlas where the library has no LAPACK.
    std::int64_t solve(std::int64_t order, double* matrix, std::int64_t* pivots,
                       double* right) const {
        if (solve_ == nullptr) {
            throw NoBlas(file() + " has no LAPACK (no dgesv): name a library that has");
        }
        const std::int64_t one = 1;
        // One of 32 bits fills the lower half.
        std::int64_t info = 0;
        solve_(&order, &one, matrix, &order, pivots, right, &order, &info);
        return info;
    }

    // The file that the loader took, links followed.
    [[nodiscard]] std::string file() const {
        Dl_info info{};
        char real[PATH_MAX];
        if (dladdr(reinterpret_cast<void*>(double_), &info) == 0 || info.dli_fname == nullptr) {
            return "";
        }
        return realpath(info.dli_fname, real) != nullptr ? real : info.dli_fname;
    }

    // Bits of its integers: a count whose lower half is 3 and whose whole is negative is no count
    // for a routine that reads all of it.
    [[nodiscard]] int integer_bits() const {
        using Largest = std::int64_t (*)(const std::int64_t*, const double*, const std::int64_t*);
        const auto largest = reinterpret_cast<Largest>(find_routine("idamax"));
        if (largest == nullptr) {
            return 0;
        }
        const auto count = static_cast<std::int64_t>(0xFFFFFFFF00000003U);
        const std::int64_t step = 1;
        const std::array<double, 3> numbers{1, 3, 2};
        const auto found = static_cast<std::int32_t>(largest(&count, numbers.data(), &step));
        return found == 2 ? 32 : 64;
    }

    // Name, version and the processor whose kernels it took, as far as it says; else where it is.
    [[nodiscard]] std::string description() const {
        if (const std::string config =
                text_of({"openblas_get_config", "openblas_get_config64_",
                         "scipy_openblas_get_config64_", "scipy_openblas_get_config"});
            !config.empty()) {
            const std::string core =
                text_of({"openblas_get_corename", "openblas_get_corename64_",
                         "scipy_openblas_get_corename64_", "scipy_openblas_get_corename"});
            return config.substr(0, config.find(' ', config.find(' ') + 1)) +
                   (core.empty() ? "" : ", kernels for " + core);
        }
        if (const std::string version = mkl_version(); !version.empty()) {
            return version;
        }
        if (const std::string version = text_of({"bli_info_get_version_str"}); !version.empty()) {
            return "BLIS " + version;
        }
        return folder_and_name(file());
    }

   private:
    template <class Number>
    using Multiply = void (*)(const char*, const char*, const std::int64_t*, const std::int64_t*,
                              const std::int64_t*, const Number*, const Number*,
                              const std::int64_t*, const Number*, const std::int64_t*,
                              const Number*, Number*, const std::int64_t*, std::size_t,
                              std::size_t);
    using Solve = void (*)(const std::int64_t*, const std::int64_t*, double*, const std::int64_t*,
                           std::int64_t*, double*, const std::int64_t*, std::int64_t*);

    // By the names that builds give it: with 64-bit integers, prefixed, plain.
    [[nodiscard]] void* find_routine(const std::string& name) const {
        for (const std::string& one : {"scipy_" + name + "_64_", name + "_64_", name + "64_",
                                       "scipy_" + name + "_", name + "_", name}) {
            if (void* const found = library_.find(one); found != nullptr) {
                return found;
            }
        }
        return nullptr;
    }

    [[nodiscard]] void* need_routine(const std::string& path, const std::string& name) const {
        void* const found = find_routine(name);
        if (found == nullptr) {
            throw NoBlas(path + " is no BLAS: it has no " + name);
        }
        return found;
    }

    template <class Number>
    static void call(Multiply<Number> multiply, std::int64_t order, Number scale, const Number* a,
                     const Number* b, Number* c) {
        const Number none = 0;
        multiply("N", "N", &order, &order, &order, &scale, a, &order, b, &order, &none, c, &order,
                 1, 1);
    }

    [[nodiscard]] std::string text_of(std::initializer_list<const char*> names) const {
        for (const char* name : names) {
            if (void* const found = library_.find(name); found != nullptr) {
                const char* text = reinterpret_cast<const char* (*)()>(found)();
                return text != nullptr ? text : "";
            }
        }
        return "";
    }

    [[nodiscard]] std::string mkl_version() const {
        void* const found = library_.find("MKL_Get_Version_String");
        if (found == nullptr) {
            return "";
        }
        std::array<char, 200> text{};
        reinterpret_cast<void (*)(char*, int)>(found)(text.data(),
                                                      static_cast<int>(text.size()) - 1);
        std::string version(text.data());
        return version.substr(0, version.find_last_not_of(' ') + 1);
    }

    SharedLibrary library_;
    Multiply<double> double_ = nullptr;
    Multiply<float> single_ = nullptr;
    Solve solve_ = nullptr;
};

}  // namespace machmeter::compute
