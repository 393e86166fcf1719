#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/record/record_file.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

namespace fs = std::filesystem;

class Folder {
   public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "machmeter ü XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { fs::remove_all(path_); }

    [[nodiscard]] fs::path operator/(const char* name) const { return path_ / name; }

   private:
    fs::path path_;
};

std::string contents(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

TEST(a_committed_record_has_its_name_and_its_lines) {
    const Folder folder;
    RecordFile file((folder / "r.jsonl").string());
    file.write_line("one");
    file.write_line("two");
    file.commit();
    CHECK(contents(folder / "r.jsonl") == "one\ntwo\n");
    CHECK(!fs::exists(folder / "r.jsonl.partial"));
}

TEST(an_unfinished_record_stays_under_its_partial_name) {
    const Folder folder;
    {
        RecordFile file((folder / "r.jsonl").string());
        file.write_line("one");
    }
    CHECK(!fs::exists(folder / "r.jsonl"));
    CHECK(contents(folder / "r.jsonl.partial") == "one\n");
}

TEST(lines_are_on_disk_before_the_commit) {
    const Folder folder;
    RecordFile file((folder / "r.jsonl").string());
    file.write_line("one");
    CHECK(contents(folder / "r.jsonl.partial") == "one\n");
}

TEST(a_record_in_a_folder_that_is_not_there_is_an_error) {
    const Folder folder;
    CHECK_THROWS(std::runtime_error, "cannot create record",
                 RecordFile((folder / "missing/r.jsonl").string()));
}

TEST(a_full_disk_is_an_error_that_says_so) {
    const Folder folder;
    fs::create_symlink("/dev/full", folder / "r.jsonl.partial");
    RecordFile file((folder / "r.jsonl").string());
    CHECK_THROWS(std::runtime_error, "No space left on device", (file.write_line("one"), 0));
    CHECK(!fs::exists(folder / "r.jsonl"));
}

TEST(a_disk_that_fills_up_leaves_the_lines_before) {
    const Folder folder;
    RecordFile file((folder / "r.jsonl").string());
    file.write_line("one");
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit old{};
    getrlimit(RLIMIT_FSIZE, &old);
    const rlimit tight{100, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &tight);
    CHECK_THROWS(std::runtime_error, "cannot write record",
                 (file.write_line(std::string(1000, 'x')), 0));
    setrlimit(RLIMIT_FSIZE, &old);
    CHECK(contents(folder / "r.jsonl.partial").substr(0, 4) == "one\n");
}

TEST(time_is_written_in_utc_to_the_microsecond) {
    const std::string now = utc_now();
    CHECK(now.size() == std::string_view("2026-01-31T12:00:00.000000Z").size());
    CHECK(now[10] == 'T' && now[19] == '.' && now.back() == 'Z');
}

}  // namespace
}  // namespace machmeter
