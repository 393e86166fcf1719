#include "core/session/arguments.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/memory/pages.hpp"

namespace machmeter {
namespace {

double parse_seconds(std::string_view text, std::string_view what) {
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    if (!whole || !std::isfinite(seconds) || seconds <= 0) {
        throw UsageError(std::string(what) + ": '" + std::string(text) +
                         "' is not a time above 0 in seconds");
    }
    return seconds;
}

std::uint64_t parse_page_bytes(std::string_view text, std::string_view what) {
    const std::uint64_t bytes = parse_count(text, what);
    if (bytes < base_page_bytes() || !std::has_single_bit(bytes)) {
        throw UsageError(std::string(what) + ": " + std::string(text) +
                         " is not a power of two of at least " + std::to_string(base_page_bytes()));
    }
    return bytes;
}

void set_option(Arguments& arguments, std::string_view option, const std::string& value) {
    if (option == "--record") {
        arguments.record = value;
    } else if (option == "--launch") {
        arguments.launch = parse_count(value, option);
    } else if (option == "--seed") {
        arguments.seed = parse_count(value, option);
    } else if (option == "--page-bytes") {
        arguments.page_bytes = parse_page_bytes(value, option);
    } else if (option == "--samples") {
        arguments.limits.most = parse_count(value, option);
        arguments.limits.least = std::min(arguments.limits.least, arguments.limits.most);
    } else if (option == "--seconds-per-point") {
        arguments.limits.seconds = parse_seconds(value, option);
    } else if (option == "--point") {
        arguments.points.emplace_back(value);
    } else {
        throw UsageError("unknown option '" + std::string(option) + "'");
    }
}

}  // namespace

Arguments parse_arguments(int count, const char* const* words) {
    if (count < 2) {
        throw UsageError(
            "usage: BENCHMARK --record FILE --launch N --seed N --page-bytes N --samples N "
            "--seconds-per-point S --point NAME=VALUE,... [--point ...]");
    }
    Arguments arguments;
    arguments.benchmark = words[1];
    for (int i = 2; i < count; i += 2) {
        if (i + 1 >= count) {
            throw UsageError(std::string(words[i]) + " lacks its value");
        }
        set_option(arguments, words[i], words[i + 1]);
    }
    if (arguments.record.empty() || arguments.points.empty() || arguments.limits.most == 0) {
        throw UsageError("--record, --samples above 0 and at least one --point are needed");
    }
    return arguments;
}

void require_known(const Arguments& arguments, const ParameterNames& names) {
    for (const Parameters& point : arguments.points) {
        try {
            point.require_only(names);
        } catch (const UsageError& error) {
            throw UsageError(arguments.benchmark + ": " + error.what());
        }
    }
}

}  // namespace machmeter
