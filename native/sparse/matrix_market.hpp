// Matrix Market files in coordinate form, read with bounds (Boisvert, Pozo, Remington: The Matrix
// Market exchange formats, NISTIR 5935, 1996).
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/values/parameters.hpp"
#include "sparse/compressed_rows.hpp"

namespace machmeter::sparse {

// Lines of a text, their words, and errors that name the line.
class MarketLines {
   public:
    MarketLines(std::string_view text, std::string name) : rest_(text), name_(std::move(name)) {}

    // False at the end of the text.
    bool next() {
        if (rest_.empty()) {
            return false;
        }
        const std::size_t end = rest_.find('\n');
        line_ = rest_.substr(0, end);
        rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
        ++number_;
        return true;
    }

    // The next line that is neither empty nor a comment; false at the end of the text.
    bool next_with_content() {
        while (next()) {
            const std::size_t first = line_.find_first_not_of(blanks);
            if (first != std::string_view::npos && line_[first] != '%') {
                return true;
            }
        }
        return false;
    }

    // The next word of the line; empty at its end.
    std::string_view word() {
        const std::size_t begin = std::min(line_.find_first_not_of(blanks), line_.size());
        const std::size_t end = std::min(line_.find_first_of(blanks, begin), line_.size());
        const std::string_view found = line_.substr(begin, end - begin);
        line_.remove_prefix(end);
        return found;
    }

    std::uint64_t whole_number(const char* what) {
        const std::string_view text = word();
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
            fail(std::string(what) + " '" + shown(text) + "' is not a whole number");
        }
        return value;
    }

    double number() {
        const std::string_view text = word();
        // from_chars accepts no plus sign.
        const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
        const std::string_view digits = text.substr(plus ? 1 : 0);
        double value = 0;
        if (!is_finite_number(digits, value) && !is_finite_number(with_e(digits), value)) {
            fail("value '" + shown(text) + "' is not a finite number");
        }
        return value;
    }

    void end_of_line() {
        const std::string_view more = word();
        if (!more.empty()) {
            fail("'" + shown(more) + "' is more than the line should have");
        }
    }

    [[nodiscard]] std::size_t bytes_left() const { return rest_.size(); }

    [[noreturn]] void fail(const std::string& what) const {
        throw UsageError(name_ + ":" + std::to_string(number_) + ": " + what);
    }

   private:
    static constexpr std::string_view blanks = " \t\r\f\v";

    static bool is_finite_number(std::string_view text, double& value) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool out_of_range = error == std::errc::result_out_of_range;
        if (out_of_range) {
            // Too large, or too close to zero: strtod rounds the latter.
            value = std::strtod(std::string(text).c_str(), nullptr);
        }
        return (error == std::errc{} || out_of_range) && end == text.data() + text.size() &&
               std::isfinite(value);
    }

    // Fortran writes 1D2 where C writes 1e2.
    static std::string with_e(std::string_view text) {
        std::string out(text);
        std::replace_if(out.begin(), out.end(), [](char c) { return c == 'D' || c == 'd'; }, 'e');
        return out;
    }

    // A short part of the file's text for a message, in ASCII.
    static std::string shown(std::string_view text) {
        std::string out(text.substr(0, 40));
        std::replace_if(out.begin(), out.end(), [](char c) { return c < 0x20 || c > 0x7E; }, '?');
        return out;
    }

    std::string_view rest_;
    std::string_view line_;
    std::string name_;
    std::uint64_t number_ = 0;
};

struct MarketHeader {
    enum class Field : std::uint8_t { real, integer, pattern };
    enum class Symmetry : std::uint8_t { general, symmetric, skew_symmetric };

    Field field = Field::real;
    Symmetry symmetry = Symmetry::general;
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::uint64_t entries = 0;

    // Each entry of the file can stand for itself and its mirror image.
    [[nodiscard]] std::uint64_t most_nonzeros() const {
        return symmetry == Symmetry::general ? entries : 2 * entries;
    }
};

inline std::string lower_case(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return out;
}

inline void read_market_banner(MarketLines& lines, MarketHeader& header) {
    using Field = MarketHeader::Field;
    using Symmetry = MarketHeader::Symmetry;
    const std::map<std::string, Field> fields = {
        {"real", Field::real}, {"integer", Field::integer}, {"pattern", Field::pattern}};
    const std::map<std::string, Symmetry> symmetries = {
        {"general", Symmetry::general},
        {"symmetric", Symmetry::symmetric},
        {"skew-symmetric", Symmetry::skew_symmetric}};
    const bool present = lines.next() && lower_case(lines.word()) == "%%matrixmarket";
    if (!present || lower_case(lines.word()) != "matrix") {
        lines.fail("the file does not begin with '%%MatrixMarket matrix'");
    }
    const std::string format = lower_case(lines.word());
    const std::string field = lower_case(lines.word());
    const std::string symmetry = lower_case(lines.word());
    lines.end_of_line();
    const auto known_field = fields.find(field);
    const auto known_symmetry = symmetries.find(symmetry);
    if (format != "coordinate" || known_field == fields.end() ||
        known_symmetry == symmetries.end()) {
        lines.fail(
            "only 'coordinate' with real, integer or pattern and general, symmetric or "
            "skew-symmetric is read");
    }
    header.field = known_field->second;
    header.symmetry = known_symmetry->second;
    if (header.field == Field::pattern && header.symmetry == Symmetry::skew_symmetric) {
        lines.fail("a pattern cannot be skew-symmetric");
    }
}

// Bytes that a matrix of these sizes takes while it is read and measured.
inline double bytes_needed(const MarketHeader& header) {
    constexpr double entry = 16;
    // As read, and placed twice: by rows and, copied from there, balanced.
    constexpr double nonzero = 3 * (sizeof(Column) + sizeof(double));
    constexpr double row = 9 * 8;
    return static_cast<double>(header.most_nonzeros()) * (entry + nonzero) +
           static_cast<double>(header.rows + header.columns) * row;
}

// Banner and sizes; sizes that the text or the memory cannot hold are refused.
inline MarketHeader read_market_header(MarketLines& lines, double memory_bytes) {
    MarketHeader header;
    read_market_banner(lines, header);
    if (!lines.next_with_content()) {
        lines.fail("the file ends before the line of sizes");
    }
    header.rows = lines.whole_number("number of rows");
    header.columns = lines.whole_number("number of columns");
    header.entries = lines.whole_number("number of entries");
    lines.end_of_line();
    if (header.rows < 1 || header.columns < 1 || header.rows > most_columns ||
        header.columns > most_columns) {
        lines.fail("rows and columns must be within 1 and " + std::to_string(most_columns));
    }
    if (header.symmetry != MarketHeader::Symmetry::general && header.rows != header.columns) {
        lines.fail("a symmetric matrix must be square");
    }
    // The shortest line of a pattern is "1 1" with its end, which the last one may lack.
    const std::size_t shortest = header.field == MarketHeader::Field::pattern ? 4 : 6;
    if (header.entries < 1 || header.entries > (lines.bytes_left() + 1) / shortest) {
        lines.fail(std::to_string(header.entries) + " entries do not fit the rest of the file, " +
                   std::to_string(lines.bytes_left()) + " bytes; is it cut off?");
    }
    if (bytes_needed(header) > memory_bytes) {
        lines.fail("the matrix needs " + std::to_string(bytes_needed(header) / 1e9) +
                   " GB of memory, " + std::to_string(memory_bytes / 1e9) + " GB are available");
    }
    return header;
}

inline Entry read_market_entry(MarketLines& lines, const MarketHeader& header) {
    const std::uint64_t row = lines.whole_number("row");
    const std::uint64_t column = lines.whole_number("column");
    if (row < 1 || row > header.rows || column < 1 || column > header.columns) {
        lines.fail("row " + std::to_string(row) + ", column " + std::to_string(column) +
                   " is not within 1 1 and " + std::to_string(header.rows) + " " +
                   std::to_string(header.columns));
    }
    const double value = header.field == MarketHeader::Field::pattern ? 1 : lines.number();
    lines.end_of_line();
    return {static_cast<std::uint32_t>(row - 1), static_cast<Column>(column - 1), value};
}

// `name` is that of the text in errors; `memory_bytes` bounds what is allocated. Duplicate entries
// are summed. Throws UsageError, naming the line, for a text that is no such matrix.
inline CompressedRows parse_matrix_market(std::string_view text, const std::string& name,
                                          double memory_bytes) {
    using Symmetry = MarketHeader::Symmetry;
    MarketLines lines(text, name);
    const MarketHeader header = read_market_header(lines, memory_bytes);
    std::vector<Entry> entries;
    entries.reserve(header.most_nonzeros());
    for (std::uint64_t i = 0; i < header.entries; ++i) {
        if (!lines.next_with_content()) {
            lines.fail("the file ends after " + std::to_string(i) + " of " +
                       std::to_string(header.entries) + " entries");
        }
        const Entry entry = read_market_entry(lines, header);
        const bool diagonal = entry.row == static_cast<std::uint32_t>(entry.column);
        if (diagonal && header.symmetry == Symmetry::skew_symmetric) {
            lines.fail("a skew-symmetric matrix has no entries on its diagonal");
        }
        entries.push_back(entry);
        if (!diagonal && header.symmetry != Symmetry::general) {
            const double sign = header.symmetry == Symmetry::skew_symmetric ? -1 : 1;
            entries.push_back({static_cast<std::uint32_t>(entry.column),
                               static_cast<Column>(entry.row), sign * entry.value});
        }
    }
    if (lines.next_with_content()) {
        lines.fail("more entries than the " + std::to_string(header.entries) + " announced");
    }
    return compress(header.rows, header.columns, entries);
}

// The file is in memory together with its matrix. Throws UsageError.
inline CompressedRows read_matrix_market(const std::string& path, double memory_bytes) {
    struct stat about {};
    if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) {
        throw UsageError("matrix: there is no file " + path);
    }
    const auto bytes = static_cast<double>(about.st_size);
    if (bytes > memory_bytes) {
        throw UsageError("matrix: " + path + " is larger than the memory available");
    }
    std::string text(static_cast<std::size_t>(about.st_size), '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file || file.gcount() != static_cast<std::streamsize>(text.size())) {
        throw UsageError("matrix: " + path + " cannot be read");
    }
    return parse_matrix_market(text, path, memory_bytes - bytes);
}

}  // namespace machmeter::sparse
