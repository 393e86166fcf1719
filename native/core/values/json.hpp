// JSON text, written only: as much as a launch record needs (RFC 8259).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace machmeter::json {

std::string quote(std::string_view text);

// `null` for what is not a finite number.
std::string number(double value);
std::string numbers(const std::vector<double>& values);

template <class Integer>
std::string integer(Integer value) {
    return std::to_string(value);
}

template <class Range, class Write>
std::string array(const Range& range, Write&& write) {
    std::string out = "[";
    for (const auto& item : range) {
        if (out.size() > 1) {
            out += ',';
        }
        out += write(item);
    }
    return out + ']';
}

// Members in the order in which they are added; values are JSON text already.
class Object {
   public:
    Object& add(std::string_view name, std::string_view value);

    [[nodiscard]] std::string str() const { return text_ + '}'; }

   private:
    std::string text_ = "{";
};

}  // namespace machmeter::json
