#include <unistd.h>

#include <cstdlib>
#include <random>

#include "sparse/matrix_market.hpp"
#include "tests/support/check.hpp"

namespace machmeter::sparse {
namespace {

constexpr double plenty = 1e9;
const std::string real_general = "%%MatrixMarket matrix coordinate real general\n";
const std::string real_symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string real_skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";

CompressedRows parse(const std::string& text, double memory = plenty) {
    return parse_matrix_market(text, "m.mtx", memory);
}

double at(const CompressedRows& matrix, std::size_t row, Column column) {
    for (std::uint64_t k = matrix.offsets.at(row); k < matrix.offsets.at(row + 1); ++k) {
        if (matrix.column_of.at(k) == column) {
            return matrix.values.at(k);
        }
    }
    return 0;
}

// What the error says; empty where there is none.
std::string refusal(const std::string& text) {
    try {
        parse(text);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

// Offsets in order, every row's columns in order, each once, all inside.
bool is_sound(const CompressedRows& matrix) {
    bool sound = matrix.offsets.size() == matrix.rows + 1 && matrix.offsets.front() == 0 &&
                 matrix.offsets.back() == matrix.values.size() &&
                 matrix.column_of.size() == matrix.values.size();
    for (std::size_t row = 0; sound && row < matrix.rows; ++row) {
        sound = matrix.offsets[row] <= matrix.offsets[row + 1];
        Column before = -1;
        for (std::uint64_t k = matrix.offsets[row]; sound && k < matrix.offsets[row + 1]; ++k) {
            sound = matrix.column_of[k] > before &&
                    matrix.column_of[k] < static_cast<Column>(matrix.columns) &&
                    std::isfinite(matrix.values[k]);
            before = matrix.column_of[k];
        }
    }
    return sound;
}

}  // namespace

TEST(a_general_matrix_is_read_whatever_the_order_case_and_white_space) {
    const CompressedRows matrix = parse(
        "%%MATRIXMARKET Matrix COORDINATE Real General\r\n% a comment\n\n"
        "\t2 3  4\r\n2 3 -1.5e1\n\n1 3 +2\n% another\n1\t1 .5\r\n2 1 7");
    CHECK(is_sound(matrix));
    CHECK(matrix.rows == 2);
    CHECK(matrix.columns == 3);
    CHECK(matrix.offsets == std::vector<std::uint64_t>{0, 2, 4});
    CHECK(matrix.column_of == std::vector<Column>{0, 2, 0, 2});
    CHECK(matrix.values == std::vector<double>{0.5, 2, 7, -15});
}

TEST(a_pattern_has_ones_and_integers_are_numbers) {
    const CompressedRows pattern =
        parse("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n");
    CHECK(pattern.values == std::vector<double>{1, 1});
    const CompressedRows whole =
        parse("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 -12\n");
    CHECK(whole.values == std::vector<double>{-12});
}

TEST(numbers_are_read_as_fortran_writes_them_and_as_close_to_zero_as_they_come) {
    const CompressedRows matrix = parse(real_general +
                                        "1 6 6\n1 1 1.5D2\n1 2 -2d-1\n1 3 1e-400\n1 4 -1D-999\n"
                                        "1 5 4.9e-324\n1 6 +1d+0\n");
    CHECK(matrix.values == std::vector<double>{150, -0.2, 0, 0, 4.9e-324, 1});
}

TEST(symmetric_entries_stand_for_their_mirror_image_too) {
    const CompressedRows matrix = parse(real_symmetric + "3 3 3\n1 1 4\n2 1 5\n3 2 6\n");
    CHECK(is_sound(matrix));
    CHECK(matrix.values.size() == 5);
    CHECK(at(matrix, 0, 0) == 4);
    CHECK(at(matrix, 0, 1) == 5);
    CHECK(at(matrix, 1, 0) == 5);
    CHECK(at(matrix, 1, 2) == 6);
    CHECK(at(matrix, 2, 1) == 6);
    const CompressedRows skew = parse(real_skew + "2 2 1\n2 1 3\n");
    CHECK(at(skew, 1, 0) == 3);
    CHECK(at(skew, 0, 1) == -3);
    CHECK(parse("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1").values ==
          std::vector<double>{1, 1});
}

TEST(entries_of_one_place_are_summed) {
    const CompressedRows matrix = parse(real_general + "2 2 4\n2 2 1\n1 1 2\n2 2 10\n2 2 100\n");
    CHECK(is_sound(matrix));
    CHECK(matrix.values == std::vector<double>{2, 111});
}

TEST(what_is_no_such_matrix_is_refused_with_its_line) {
    struct Wrong {
        std::string text;
        const char* says;
    };
    const Wrong table[] = {
        {"", "m.mtx:0: the file does not begin"},
        {"\n", "m.mtx:1: the file does not begin"},
        {"%%MatrixMarket vector coordinate real general\n", "does not begin"},
        {"%%MatrixMarket matrix array real general\n2 2\n", "m.mtx:1: only 'coordinate'"},
        {"%%MatrixMarket matrix coordinate complex general\n", "only 'coordinate'"},
        {"%%MatrixMarket matrix coordinate real hermitian\n", "only 'coordinate'"},
        {"%%MatrixMarket matrix coordinate real\n", "only 'coordinate'"},
        {"%%MatrixMarket matrix coordinate real general more\n", "'more' is more than"},
        {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n", "cannot be skew"},
        {real_general, "ends before the line of sizes"},
        {real_general + "2 2\n", "m.mtx:2: number of entries '' is not a whole number"},
        {real_general + "2 2 1 1\n1 1 1\n", "'1' is more than"},
        {real_general + "-2 2 1\n1 1 1\n", "number of rows '-2' is not a whole number"},
        {real_general + "2.5 2 1\n1 1 1\n", "number of rows '2.5'"},
        {real_general + "99999999999999999999 2 1\n1 1 1\n", "is not a whole number"},
        {real_general + "0 2 1\n1 1 1\n", "must be within 1 and 2147483647"},
        {real_general + "2 2147483648 1\n1 1 1\n", "must be within"},
        {real_general + "2 2 0\n", "0 entries"},
        {real_general + "2 2 1000000000000\n1 1 1\n", "do not fit the rest of the file"},
        {real_general + "2 2 18446744073709551615\n1 1 1\n", "do not fit the rest of the file"},
        {real_general + "2147483647 2147483647 1\n1 1 1\n", "of memory"},
        {real_symmetric + "2 3 1\n1 1 1\n", "must be square"},
        {real_skew + "2 2 1\n1 1 1\n", "m.mtx:3: a skew-symmetric matrix has no"},
        {real_general + "2 2 2\n1 1 1       \n", "m.mtx:3: the file ends after 1 of 2"},
        {real_general + "2 2 1\n1 1 1\n2 2 2\n", "m.mtx:4: more entries than the 1"},
        {real_general + "2 2 1\n0 1 1\n", "m.mtx:3: row 0, column 1 is not within"},
        {real_general + "2 2 1\n1 3 1\n", "row 1, column 3 is not within"},
        {real_general + "2 2 1\n1 -1 1\n", "column '-1' is not a whole number"},
        {real_general + "2 2 1\n1 1   \n", "value '' is not a finite number"},
        {real_general + "2 2 1\n1 1 nan\n", "value 'nan' is not a finite number"},
        {real_general + "2 2 1\n1 1 -inf\n", "value '-inf'"},
        {real_general + "2 2 1\n1 1 1e999\n", "value '1e999'"},
        {real_general + "2 2 1\n1 1 0x1\n", "value '0x1'"},
        {real_general + "2 2 1\n1 1 1D999\n", "value '1D999'"},
        {real_general + "2 2 1\n1 1 1D\n", "value '1D'"},
        {real_general + "2 2 1\n1 1 1e-400x\n", "value '1e-400x'"},
        {real_general + "2 2 1\n1 1 1.5.2\n", "value '1.5.2'"},
        {real_general + "2 2 1\n1 1 +-1\n", "value '+-1'"},
        {real_general + "2 2 1\n1 1 1 2\n", "'2' is more than"},
        {real_general + "2 2 1\n1 1 \x01\x1b[31m\n", "value '??[31m'"},
    };
    for (const Wrong& wrong : table) {
        const bool said = refusal(wrong.text).find(wrong.says) != std::string::npos;
        test::report(said, wrong.says, __FILE__, __LINE__);
    }
}

TEST(sizes_are_refused_before_memory_is_taken_for_them) {
    CHECK_THROWS(UsageError, "of memory", parse(real_general + "9 9 1\n1 1 1\n", 100));
    CHECK(parse(real_general + "9 9 1\n1 1 1\n", 10'000).rows == 9);
}

TEST(a_text_cut_anywhere_is_refused_or_a_sound_matrix) {
    const std::string whole = real_symmetric + "% c\n4 4 4\n1 1 1.25\n3 1 -2e-3\n4 2 3\n4 4 4\n";
    for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
        bool refused = false;
        try {
            CHECK(is_sound(parse(whole.substr(0, length))));
        } catch (const UsageError&) {
            refused = true;
        }
        // Only the value of the last entry can lose digits unseen.
        CHECK(refused || length + 1 >= whole.size() - 1);
    }
    CHECK(is_sound(parse(whole)));
}

TEST(a_text_with_bytes_changed_at_random_is_refused_or_a_sound_matrix) {
    const std::string whole =
        real_general + "5 7 6\n1 1 1\n2 3 2.5\n5 7 -1e3\n3 3 4\n3 3 1\n4 1 9\n";
    const std::string bytes("0123456789 \n\r\t%-+.eEnaif\0\xff", 27);
    std::mt19937 random(7);
    int read = 0;
    int refused = 0;
    for (int trial = 0; trial < 20'000; ++trial) {
        std::string changed = whole;
        for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
            changed[random() % changed.size()] = bytes[random() % bytes.size()];
        }
        try {
            CHECK(is_sound(parse(changed)));
            ++read;
        } catch (const UsageError&) {
            ++refused;
        }
    }
    CHECK(read > 100);
    CHECK(refused > 100);
}

TEST(a_file_is_read_and_what_is_no_file_is_refused) {
    char path[] = "/tmp/test_matrix_market_XXXXXX";
    const int descriptor = mkstemp(path);
    const std::string text = real_general + "2 2 1\n2 1 3\n";
    CHECK(write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    close(descriptor);
    CHECK(at(read_matrix_market(path, plenty), 1, 0) == 3);
    CHECK_THROWS(UsageError, "larger than the memory", read_matrix_market(path, 10));
    unlink(path);
    CHECK_THROWS(UsageError, "there is no file", read_matrix_market(path, plenty));
    CHECK_THROWS(UsageError, "there is no file /tmp", read_matrix_market("/tmp", plenty));
}

}  // namespace machmeter::sparse
