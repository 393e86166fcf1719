// Runs every test of a program; the exit status tells whether one failed.
#include "check.hpp"

#include <exception>
#include <utility>
#include <vector>

namespace machmeter::test {
namespace {

std::vector<std::pair<const char*, void (*)()>>& tests() {
    static std::vector<std::pair<const char*, void (*)()>> all;
    return all;
}

int failures = 0;

}  // namespace

void add_test(const char* name, void (*body)()) { tests().emplace_back(name, body); }

void report(bool passed, const char* text, const char* file, int line) {
    if (!passed) {
        ++failures;
        std::printf("%s:%d: failed: %s\n", file, line, text);
    }
}

}  // namespace machmeter::test

int main() {
    using namespace machmeter::test;
    for (const auto& [name, body] : tests()) {
        const int before = failures;
        try {
            body();
        } catch (const std::exception& error) {
            report(false, error.what(), name, 0);
        }
        std::printf("%s %s\n", failures == before ? "passed" : "FAILED", name);
    }
    std::printf("%zu tests, %d failures\n", tests().size(), failures);
    return failures == 0 && !tests().empty() ? 0 : 1;
}
