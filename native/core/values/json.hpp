// JSON text, written only: as much as a launch record needs (RFC 8259).
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace machmeter::json {

inline std::string quote(std::string_view text) {
    std::string out = "\"";
    for (const char character : text) {
        const auto code = static_cast<unsigned char>(character);
        if (character == '"' || character == '\\') {
            out += '\\';
            out += character;
        } else if (code < 0x20U || code >= 0x7FU) {
            // Bytes outside ASCII come from host names and environments of any encoding.
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", code);
            out += escaped;
        } else {
            out += character;
        }
    }
    return out + '"';
}

inline std::string number(double value) {
    if (!std::isfinite(value)) {
        return "null";
    }
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

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

inline std::string numbers(const std::vector<double>& values) {
    return array(values, [](double value) { return number(value); });
}

// Members in the order they are added; the values are JSON text already.
class Object {
   public:
    Object& add(std::string_view name, std::string_view value) {
        if (text_.size() > 1) {
            text_ += ',';
        }
        text_ += quote(name);
        text_ += ':';
        text_ += value;
        return *this;
    }

    [[nodiscard]] std::string str() const { return text_ + '}'; }

   private:
    std::string text_ = "{";
};

}  // namespace machmeter::json
