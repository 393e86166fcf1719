// Counts of words are those of a plain map, for any team, table and number of passes; the checks
// see when they are not.
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "memory/assembly/assembly.cpp"
#include "tests/support/check.hpp"
#include "tests/support/fake_session.hpp"

namespace machmeter::assembly {
namespace {

constexpr std::size_t page = 4096;
using Map = std::map<Kmer, std::uint64_t>;

Request request_for(std::uint64_t reads, Strands strands, int threads, std::uint64_t passes = 1) {
    return {{seed, reads, 20, 10, strands},
            Table::owned,
            passes,
            0,
            codes::Touch::owner,
            "",
            page,
            threads};
}

Reads reads_of(const Request& request) {
    const Sample& sample = request.sample;
    return {sample, make_transcripts(sample.seed, sample.reads, sample.coverage), request.touch,
            page, request.threads};
}

template <class Counts>
Counts counted(const Request& request, const Reads& reads) {
    MemoryLog log(test::fake_session().clock());
    return request.sample.strands == Strands::both
               ? count<Strands::both, Counts>(request, reads, log)
               : count<Strands::one, Counts>(request, reads, log);
}

std::string complement_of(const std::string& text) {
    std::string other(text.rbegin(), text.rend());
    for (char& letter : other) {
        letter = letter == 'A' ? 'T' : letter == 'T' ? 'A' : letter == 'C' ? 'G' : 'C';
    }
    return other;
}

Kmer packed(const std::string& text) {
    Kmer all = 0;
    for (const char letter : text) {
        all = all * 4 + std::string("ACTG").find(letter);
    }
    return all;
}

Map by_text(const Reads& reads) {
    Map counts;
    for (std::uint64_t i = 0; i < reads.count(); ++i) {
        for (std::size_t begin = 0; begin < read_words; ++begin) {
            const std::string text(reads.read(i) + begin, word);
            const Kmer forward = packed(text);
            const Kmer backward = packed(complement_of(text));
            const bool is_both = reads.sample().strands == Strands::both;
            ++counts[is_both ? std::min(forward, backward) : forward];
        }
    }
    return counts;
}

template <class Counts>
Map map_of(const Counts& counts) {
    Map all;
    for (std::size_t part = 0; part < counts.parts(); ++part) {
        counts.visit(part, [&](Kmer kmer, std::uint64_t times) { all[kmer] += times; });
    }
    return all;
}

// Counts that somebody changed.
class Changed {
   public:
    explicit Changed(const Map& counts) : entries_(counts.begin(), counts.end()) {}
    [[nodiscard]] std::size_t parts() const { return 1; }
    [[nodiscard]] bool is_complete() const { return true; }
    template <class Take>
    void visit(std::size_t /*part*/, Take&& take) const {
        for (const auto& [kmer, times] : entries_) {
            take(kmer, times);
        }
    }
    std::vector<Counted>& entries() { return entries_; }

   private:
    std::vector<Counted> entries_;
};

std::string fault_of_changed(const Reads& reads, const Changed& counts) {
    return fault_of_counts(reads, counts, totals_of(counts, 2), 2);
}

TEST(words_are_counted_as_a_map_of_texts_counts_them) {
    for (const Strands strands : {Strands::both, Strands::one}) {
        const Request request = request_for(1'000, strands, 2);
        const Reads reads = reads_of(request);
        const Map expected = by_text(reads);
        CHECK(expected.size() > 10'000);
        CHECK(map_of(counted<OwnedCounts>(request, reads)) == expected);
        CHECK(map_of(counted<SharedCounts>(request, reads)) == expected);
    }
}

TEST(any_team_table_and_number_of_passes_has_the_same_digest) {
    const Request alone = request_for(8'000, Strands::both, 1);
    const Totals expected = totals_of(counted<OwnedCounts>(alone, reads_of(alone)), 1);
    CHECK(expected.words == 8'000 * read_words);
    for (const int threads : {1, 2, 3}) {
        for (const std::uint64_t passes : {1, 3}) {
            const Request request = request_for(8'000, Strands::both, threads, passes);
            const Reads reads = reads_of(request);
            const OwnedCounts owned = counted<OwnedCounts>(request, reads);
            const Totals of_owned = totals_of(owned, threads);
            const Totals of_shared = totals_of(counted<SharedCounts>(request, reads), threads);
            CHECK(of_owned.digest == expected.digest && of_owned.distinct == expected.distinct);
            CHECK(of_shared.digest == expected.digest && of_shared.distinct == expected.distinct);
            CHECK(fault_of_counts(reads, owned, of_owned, threads) == "");
        }
    }
}

TEST(reads_are_of_their_transcripts) {
    const Sample sample{seed, 5'000, 20, 0, Strands::one};
    const std::vector<Transcript> transcripts =
        make_transcripts(sample.seed, sample.reads, sample.coverage);
    const Reads reads(sample, transcripts, codes::Touch::one, page, 2);
    std::uint64_t last = 0;
    for (const Transcript& one : transcripts) {
        CHECK(one.first_read == last);
        last += one.reads;
        const double often =
            static_cast<double>(one.reads * read_length) / static_cast<double>(one.sequence.size());
        CHECK(often >= floor_of(static_cast<double>(sample.coverage)));
    }
    CHECK(last == sample.reads);
    for (std::uint64_t i = 0; i < reads.count(); ++i) {
        const std::string text(reads.read(i), read_length);
        bool is_there = false;
        for (const Transcript& one : transcripts) {
            is_there = is_there || one.sequence.find(text) != std::string::npos;
        }
        CHECK(is_there);
    }
}

TEST(as_many_letters_are_wrong_as_were_requested) {
    const Sample right{seed, 20'000, 20, 0, Strands::both};
    const Sample wrong{seed, 20'000, 20, 10, Strands::both};
    const auto transcripts = make_transcripts(seed, right.reads, right.coverage);
    const Reads without(right, transcripts, codes::Touch::one, page, 1);
    const Reads with(wrong, transcripts, codes::Touch::one, page, 1);
    std::size_t differ = 0;
    for (std::size_t i = 0; i < right.reads * read_length; ++i) {
        differ += without.read(0)[i] != with.read(0)[i] ? 1 : 0;
    }
    const double share = static_cast<double>(differ) / (20'000 * 100);
    CHECK(share > 0.0095 && share < 0.0105);
}

TEST(a_reverse_complement_is_that_of_the_text) {
    const std::string text = "ACGTTGCAAATTTCCCGGGATATCG";
    CHECK(text.size() == word);
    CHECK(reversed(packed(text)) == packed(complement_of(text)));
    Window window;
    for (const char letter : text) {
        window.push(code_of(letter));
    }
    CHECK(window.forward() == packed(text));
    CHECK(window.backward() == packed(complement_of(text)));
}

TEST(changed_counts_are_refused) {
    const Request request = request_for(1'000, Strands::both, 2);
    const Reads reads = reads_of(request);
    const Changed right(by_text(reads));
    CHECK(fault_of_changed(reads, right) == "");
    Changed more = right;
    ++more.entries()[7].second;
    CHECK(fault_of_changed(reads, more).starts_with("the counts sum to"));
    Changed moved = right;
    ++moved.entries()[7].second;
    --moved.entries()[8].second;
    CHECK(fault_of_changed(reads, moved).starts_with("a count differs"));
    Changed exchanged = right;
    exchanged.entries()[0].second += exchanged.entries().back().second;
    exchanged.entries().pop_back();
    CHECK(fault_of_changed(reads, exchanged).starts_with("a count differs"));
    Changed twice = right;
    twice.entries().emplace_back(twice.entries()[3].first, twice.entries()[4].second);
    twice.entries()[4].second = 0;
    CHECK(fault_of_changed(reads, twice).starts_with("a count differs"));
    Changed other_strand = right;
    other_strand.entries()[5].first = reversed(other_strand.entries()[5].first);
    CHECK(fault_of_changed(reads, other_strand).starts_with("a count differs"));
}

TEST(a_table_that_is_too_small_is_a_fault) {
    const Request request = request_for(1'000, Strands::both, 2);
    const Reads reads = reads_of(request);
    MemoryLog log(test::fake_session().clock());
    const SharedCounts counts =
        SharedCounts::of<Strands::both>(reads, 100, request.touch, page, 2, log);
    CHECK(fault_of_counts(reads, counts, totals_of(counts, 2), 2).starts_with("the table is full"));
}

TEST(a_launch_records_its_stages_and_memory_over_time) {
    for (const char* table : {"owned", "shared"}) {
        const std::vector<PointResult> recorded = test::run_with_fake_clock(
            &run,
            {"reads=20000,coverage=50,errors=5,strands=both,passes=2,joined=0,"
             "touch=owner,handover=memory,table=" +
             std::string(table)},
            1'000'000'000);
        CHECK(recorded.size() == 1 && recorded[0].check_passed);
        CHECK(!test::series_of(recorded[0], "count").empty());
        CHECK(test::quantity_of(recorded[0], "words") == 20'000 * 76);
        // Letters and, for each word, a line of the table; or in two passes words to and from
        // parts.
        const double counted = table == std::string("owned") ? 2 * 100 + 76 * 16 : 100 + 76 * 64;
        CHECK(test::quantity_of(recorded[0], "count_bytes") == 20'000 * counted);
        CHECK(test::quantity_of(recorded[0], "data_bytes") > 20'000 * 100);
        CHECK(test::series_of(recorded[0], "resident").size() ==
              test::series_of(recorded[0], "resident_at").size());
    }
}

}  // namespace
}  // namespace machmeter::assembly
