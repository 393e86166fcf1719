// Runs the tests of the files named as arguments (`test_clock`), without arguments all of the
// program. Exit status: 0 if there were tests and none failed, 77 if some were skipped besides,
// else 1.
#include "tests/support/check.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

namespace machmeter::test {
namespace {

struct Test {
    const char* file;
    const char* name;
    void (*body)();
};

std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

int failures = 0;
int skipped = 0;

bool is_wanted(const Test& test, const std::vector<std::string_view>& files) {
    const std::string_view file = test.file;
    return files.empty() || std::any_of(files.begin(), files.end(), [&](std::string_view wanted) {
               return file.ends_with("/" + std::string(wanted) + ".cpp");
           });
}

void run(const Test& test) {
    const int before = failures;
    try {
        test.body();
    } catch (const Skipped& lacking) {
        ++skipped;
        std::printf("skipped %s: %s\n", test.name, lacking.what());
        return;
    } catch (const std::exception& error) {
        report(false, error.what(), test.name, 0);
    }
    std::printf("%s %s\n", failures == before ? "passed" : "FAILED", test.name);
}

}  // namespace

void add_test(const char* file, const char* name, void (*body)()) {
    tests().push_back({file, name, body});
}

void report(bool passed, const char* text, const char* file, int line) {
    if (!passed) {
        ++failures;
        std::printf("%s:%d: failed: %s\n", file, line, text);
    }
}

}  // namespace machmeter::test

int main(int count, char** words) {
    using namespace machmeter::test;
    const std::vector<std::string_view> files(words + 1, words + count);
    int ran = 0;
    for (const Test& test : tests()) {
        if (is_wanted(test, files)) {
            run(test);
            ++ran;
        }
    }
    std::printf("%d tests, %d failures\n", ran, failures);
    if (failures > 0 || ran == 0) {
        return 1;
    }
    return skipped > 0 ? 77 : 0;
}
