// Reads in a file of FASTA, and back from it by a team.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "codes/common/touch.hpp"
#include "core/values/random_bits.hpp"
#include "memory/assembly/reads/reads.hpp"
#include "memory/assembly/reads/scratch_file.hpp"

namespace machmeter::assembly {

// Of all letters by the place of their read.
inline std::uint64_t digest_of(const Reads& reads) {
    std::uint64_t digest = 0;
    for (std::uint64_t i = 0; i < reads.count(); ++i) {
        std::uint64_t own = mix(i + 1);
        for (std::size_t at = 0; at < read_length; at += 4) {
            std::uint32_t letters = 0;
            std::memcpy(&letters, reads.read(i) + at, sizeof letters);
            own = mix(own + letters);
        }
        digest += own;
    }
    return digest;
}

class ReadFile {
   public:
    // Throws std::system_error where the file cannot be written.
    ReadFile(const Reads& reads, const std::string& folder)
        : file_(std::make_unique<ScratchFile>(folder)), sample_(reads.sample()) {
        constexpr std::size_t block = std::size_t{1} << 20U;
        std::string text;
        const auto flush = [&] {
            file_->write(text.data(), text.size(), bytes_);
            bytes_ += text.size();
            text.clear();
        };
        for (std::uint64_t i = 0; i < reads.count(); ++i) {
            text.append(">").append(std::to_string(i)).append("\n");
            text.append(reads.read(i), read_length).append("\n");
            if (text.size() >= block) {
                flush();
            }
        }
        flush();
    }

    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

    // Each thread takes what begins in its blocks. Throws std::runtime_error for what is no read.
    [[nodiscard]] Reads load(codes::Touch touch, std::size_t page_bytes, int threads) const {
        Reads reads(sample_, touch, page_bytes, threads);
        constexpr std::uint64_t block = std::uint64_t{1} << 20U;
        std::uint64_t found = 0;
        std::exception_ptr error;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : found)
        for (std::uint64_t begin = 0; begin < bytes_; begin += block) {
            try {
                found += load_block(begin, std::min(begin + block, bytes_), reads);
            } catch (...) {
#pragma omp critical
                error = std::current_exception();
            }
        }
        if (error) {
            std::rethrow_exception(error);
        }
        if (found != sample_.reads) {
            throw std::runtime_error("the file holds " + std::to_string(found) + " of " +
                                     std::to_string(sample_.reads) + " reads");
        }
        return reads;
    }

   private:
    // Reads whose header begins there; the last one may end behind it.
    std::uint64_t load_block(std::uint64_t begin, std::uint64_t end, Reads& reads) const {
        constexpr std::uint64_t longest = read_length + 32;
        std::string text(std::min(end + longest, bytes_) - begin, '\0');
        file_->read(text.data(), text.size(), begin);
        std::uint64_t found = 0;
        std::size_t header = text.find('>');
        while (header < end - begin) {
            const std::size_t line = text.find('\n', header);
            std::uint64_t place = 0;
            for (std::size_t i = header + 1; i < line && line != std::string::npos; ++i) {
                place = place * 10 + static_cast<std::uint64_t>(text[i] - '0');
            }
            const std::size_t after = line + 1 + read_length;
            if (line == std::string::npos || after >= text.size() || text[after] != '\n' ||
                place >= sample_.reads) {
                throw std::runtime_error("no read at byte " + std::to_string(begin + header));
            }
            std::memcpy(reads.at(place), text.data() + line + 1, read_length);
            ++found;
            header = text.find('>', after);
        }
        return found;
    }

    std::unique_ptr<ScratchFile> file_;
    Sample sample_;
    std::uint64_t bytes_ = 0;
};

}  // namespace machmeter::assembly
