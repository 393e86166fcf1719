// Counts of words in a file, as one program of a pipeline leaves them to the next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/openmp/team_errors.hpp"
#include "memory/assembly/reads/kmers.hpp"
#include "memory/assembly/reads/scratch_file.hpp"

namespace machmeter::assembly {

class FileCounts {
   public:
    // Throws std::system_error where the file cannot be written.
    template <class Counts>
    FileCounts(const Counts& counts, const std::string& folder, int threads)
        : file_(std::make_unique<ScratchFile>(folder)), is_complete_(counts.is_complete()) {
        std::vector<std::uint64_t> begins(counts.parts() + 1, 0);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (std::size_t part = 0; part < counts.parts(); ++part) {
            counts.visit(part, [&](Kmer, std::uint32_t) { ++begins[part + 1]; });
        }
        for (std::size_t part = 0; part < counts.parts(); ++part) {
            begins[part + 1] += begins[part];
        }
        entries_ = begins.back();
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (std::size_t part = 0; part < counts.parts(); ++part) {
            errors_->catching([&] {
                std::vector<Entry> own;
                own.reserve(begins[part + 1] - begins[part]);
                counts.visit(
                    part, [&](Kmer kmer, std::uint32_t times) { own.push_back({kmer, times, 0}); });
                file_->write(own.data(), own.size() * sizeof(Entry), begins[part] * sizeof(Entry));
            });
        }
        errors_->rethrow();
    }

    [[nodiscard]] bool is_complete() const { return is_complete_; }
    [[nodiscard]] std::uint64_t bytes() const { return entries_ * sizeof(Entry); }
    [[nodiscard]] std::size_t parts() const { return (entries_ + part_entries - 1) / part_entries; }

    // `take(kmer, times)` for each word of a part, which is read from the file, by any thread of a
    // team: an error is kept for `rethrow`.
    template <class Take>
    void visit(std::size_t part, Take&& take) const {
        const std::uint64_t begin = part * part_entries;
        std::vector<Entry> own;
        errors_->catching([&] {
            std::vector<Entry> found(std::min<std::uint64_t>(part_entries, entries_ - begin));
            file_->read(found.data(), found.size() * sizeof(Entry), begin * sizeof(Entry));
            own = std::move(found);
        });
        for (const Entry& entry : own) {
            take(entry.kmer, entry.times);
        }
    }
    // Throws std::system_error where a part could not be read since.
    void rethrow() const { errors_->rethrow(); }

   private:
    struct Entry {
        Kmer kmer;
        std::uint32_t times;
        std::uint32_t unused;
    };
    static constexpr std::uint64_t part_entries = 1U << 14U;

    std::unique_ptr<ScratchFile> file_;
    std::unique_ptr<TeamErrors> errors_ = std::make_unique<TeamErrors>();
    bool is_complete_;
    std::uint64_t entries_ = 0;
};

}  // namespace machmeter::assembly
