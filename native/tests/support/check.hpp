// Tests that count their failures and go on; unlike assert they also hold in release builds.
#pragma once

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string_view>

namespace machmeter::test {

// file: where the test is, as the compiler names it.
void add_test(const char* file, const char* name, void (*body)());
void report(bool passed, const char* text, const char* file, int line);

struct RegisterTest {
    RegisterTest(const char* file, const char* name, void (*body)()) { add_test(file, name, body); }
};

// Thrown by a test for which this machine lacks something.
class Skipped : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

inline bool near(double value, double expected) {
    return std::abs(value - expected) <= 1e-12 * std::abs(expected);
}

}  // namespace machmeter::test

#define TEST(name)                                                                      \
    static void name();                                                                 \
    static const machmeter::test::RegisterTest register_##name(__FILE__, #name, &name); \
    static void name()

#define CHECK(...) machmeter::test::report((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

// The expression throws this type, with this text in its message.
#define CHECK_THROWS(type, text, ...)                                                      \
    do {                                                                                   \
        bool thrown = false;                                                               \
        try {                                                                              \
            (void)(__VA_ARGS__);                                                           \
        } catch (const type& error) {                                                      \
            thrown = std::string_view(error.what()).find(text) != std::string_view::npos;  \
        }                                                                                  \
        machmeter::test::report(thrown, #__VA_ARGS__ " throws " #type ": " text, __FILE__, \
                                __LINE__);                                                 \
    } while (false)
