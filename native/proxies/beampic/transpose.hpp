// From values that are whole along one dimension and shared along another to the reverse, among the
// ranks of a row or a column. Stages work on the messages themselves: nothing is copied into
// another order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/session/phases.hpp"
#include "proxies/beampic/domain.hpp"
#include "proxies/common/fourier.hpp"
#include "proxies/common/ranks.hpp"

namespace machmeter::proxies::beampic {

// What goes to one member of the row, or comes from it; `share` of the dimension that is divided.
struct Part {
    Share share;
    std::size_t size;
    std::unique_ptr<Complex4[]> values;

    Part(const Share& of, std::int64_t others)
        : share(of),
          size(static_cast<std::size_t>(of.count * others)),
          // Touched first by the threads that fill it.
          values(new Complex4[size]) {}
};

template <class Ranks>
class Transpose {
   public:
    // `whole` values become shared, `shared` ones whole, for each of so many others.
    Transpose(Ranks& ranks, std::vector<int> members, std::int64_t whole, std::int64_t shared,
              std::int64_t others)
        : ranks_(ranks), members_(std::move(members)) {
        const auto count = static_cast<int>(members_.size());
        while (members_[me_] != ranks.rank()) {
            ++me_;
        }
        const Share mine_whole = share_of(whole, static_cast<int>(me_), count);
        const Share mine_shared = share_of(shared, static_cast<int>(me_), count);
        for (int other = 0; other < count; ++other) {
            near_.emplace_back(share_of(whole, other, count), mine_shared.count * others);
            far_.emplace_back(share_of(shared, other, count), mine_whole.count * others);
        }
        // This rank's own part is handed over, not copied.
        far_[me_].values.reset();
    }

    // Before the transpose, by who will have it; after it, by who had it.
    [[nodiscard]] const std::vector<Part>& near() const { return near_; }
    [[nodiscard]] const std::vector<Part>& far() const { return far_; }

    void there(Phases& phases) { exchange(phases, near_, far_); }
    void back(Phases& phases) { exchange(phases, far_, near_); }

   private:
    void exchange(Phases& phases, std::vector<Part>& out, std::vector<Part>& in) {
        const auto span = phases.in(Phase::collective);
        std::swap(out[me_].values, in[me_].values);
        messages_.clear();
        // Each begins with the next one, so that not all send to one.
        for (std::size_t step = 1; step < members_.size(); ++step) {
            const std::size_t other = (me_ + step) % members_.size();
            const Part& to = out[other];
            const Part& from = in[other];
            messages_.push_back({members_[other],
                                 {to.values.get(), to.size},
                                 members_[other],
                                 {from.values.get(), from.size}});
        }
        ranks_.template exchange_all<Complex4>(messages_);
    }

    Ranks& ranks_;
    std::vector<int> members_;
    std::size_t me_ = 0;
    std::vector<Part> near_;
    std::vector<Part> far_;
    std::vector<Exchange<Complex4>> messages_;
};

}  // namespace machmeter::proxies::beampic
