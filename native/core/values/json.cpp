#include "core/values/json.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace machmeter::json {

std::string quote(std::string_view text) {
    std::string out = "\"";
    for (const char character : text) {
        const auto code = static_cast<unsigned char>(character);
        if (character == '"' || character == '\\') {
            out += '\\';
            out += character;
        } else if (code < 0x20U || code >= 0x7FU) {
            // Host names and environments hold bytes outside ASCII in any encoding.
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", code);
            out += escaped;
        } else {
            out += character;
        }
    }
    return out + '"';
}

std::string number(double value) {
    if (!std::isfinite(value)) {
        return "null";
    }
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

std::string numbers(const std::vector<double>& values) {
    return array(values, [](double value) { return number(value); });
}

Object& Object::add(std::string_view name, std::string_view value) {
    if (text_.size() > 1) {
        text_ += ',';
    }
    text_ += quote(name);
    text_ += ':';
    text_ += value;
    return *this;
}

}  // namespace machmeter::json
