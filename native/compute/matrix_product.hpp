// The product of two square matrices by a BLAS, with other values each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "compute/blas_library.hpp"
#include "compute/factor_element.hpp"
#include "compute/product_check.hpp"

namespace machmeter::compute {

// A, B and C of C := s A B. The factor s changes from product to product, so that no element left
// over from the one before passes the check.
template <class Number>
class Product {
   public:
    static constexpr std::size_t matrices = 3;

    // elements: of three matrices of that order.
    Product(Number* elements, std::size_t order, std::uint64_t seed)
        : order_(order), seed_(seed), a_(elements), b_(a_ + order * order), c_(b_ + order * order) {
        const std::size_t each = order * order;
        for (std::size_t i = 0; i < each; ++i) {
            a_[i] = static_cast<Number>(factor_element(seed, i));
            b_[i] = static_cast<Number>(factor_element(seed + 1, i));
            c_[i] = std::numeric_limits<Number>::quiet_NaN();
        }
    }

    void multiply(const BlasLibrary& blas) {
        scale_ = Number{3} - scale_;
        blas.multiply(static_cast<std::int64_t>(order_), scale_, a_, b_, c_);
    }

    // Of the last product, see product_error.
    [[nodiscard]] double error() const {
        return product_error(order_, static_cast<double>(scale_), a_, b_, c_, seed_ + 2);
    }

    [[nodiscard]] double flops() const {
        return 2.0 * static_cast<double>(order_) * static_cast<double>(order_) *
               static_cast<double>(order_);
    }

   private:
    std::size_t order_;
    std::uint64_t seed_;
    Number* a_;
    Number* b_;
    Number* c_;
    Number scale_ = 1;
};

}  // namespace machmeter::compute
