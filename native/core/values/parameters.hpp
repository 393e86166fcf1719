// The parameters of one point as written on the command line: `kernel=triad,size=65536`.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace machmeter {

// A request that makes no sense or cannot be met; the message says what to change.
class UsageError : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

// The machine lacks something that every point needs; the message says what to do.
class MachineLacksError : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

// A whole number. Throws UsageError, beginning with `what`, for any other text.
std::uint64_t parse_count(std::string_view text, std::string_view what);

// Two whole numbers with a dash between, such as `0-17`. Throws UsageError.
std::pair<std::uint64_t, std::uint64_t> parse_two(std::string_view text, std::string_view what);

// Words and what each stands for.
template <class T>
using Choices = std::initializer_list<std::pair<std::string_view, T>>;

// Throws UsageError: `what` is `word`, which is none of `known`.
[[noreturn]] void refuse_choice(std::string_view what, std::string_view word,
                                const std::vector<std::string_view>& known);

// What `word` stands for. Throws UsageError, with all words, for an unknown one.
template <class T, class Range = Choices<T>>
T choose(std::string_view what, std::string_view word, const Range& choices) {
    std::vector<std::string_view> known;
    for (const auto& [choice, value] : choices) {
        if (choice == word) {
            return value;
        }
        known.push_back(choice);
    }
    refuse_choice(what, word, known);
}

// The names of all parameters of a benchmark.
using ParameterNames = std::vector<std::string_view>;

class Parameters {
   public:
    // Throws UsageError where a part is not name=value.
    explicit Parameters(std::string_view text);

    // These throw UsageError where the point lacks the parameter or its value is out of range.
    [[nodiscard]] const std::string& text(std::string_view name) const;
    [[nodiscard]] std::uint64_t count(std::string_view name) const;
    [[nodiscard]] std::uint64_t count_within(std::string_view name, std::uint64_t least,
                                             std::uint64_t most) const;
    template <class T>
    [[nodiscard]] T choice(std::string_view name, Choices<T> choices) const {
        return choose<T>(name, text(name), choices);
    }

    // Throws UsageError for an unknown parameter: a kernel that ignored it would measure another
    // point than it records.
    void require_only(const ParameterNames& known) const;

    // All but the one of that name.
    [[nodiscard]] Parameters without(std::string_view name) const;

    // As written on the command line.
    [[nodiscard]] std::string to_text() const;

    // Whole numbers as numbers, all else as text.
    [[nodiscard]] std::string to_json() const;

   private:
    std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace machmeter
