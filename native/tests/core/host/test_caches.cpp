#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/host/caches.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

// The folder of a CPU whose caches have these sizes; removed with the object.
class CpuFolder {
   public:
    explicit CpuFolder(const std::vector<std::string>& sizes) {
        char name[] = "/tmp/machmeter-caches-XXXXXX";
        path_ = mkdtemp(name);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const std::string index = path_ + "/cache/index" + std::to_string(i);
            std::filesystem::create_directories(index);
            std::ofstream(index + "/size") << sizes[i] << "\n";
        }
    }
    CpuFolder(const CpuFolder&) = delete;
    CpuFolder& operator=(const CpuFolder&) = delete;
    ~CpuFolder() { std::filesystem::remove_all(path_); }

    [[nodiscard]] const std::string& path() const { return path_; }

   private:
    std::string path_;
};

TEST(the_largest_cache_counts) {
    CHECK(largest_cache_bytes(CpuFolder({"32K", "32K", "1024K", "32768K"}).path()) ==
          std::size_t{32768} * 1024);
    CHECK(largest_cache_bytes(CpuFolder({}).path()) == 0);
    CHECK(last_cache_bytes(0) > 0);
}

TEST(the_line_is_a_power_of_two) {
    CHECK(longest_line_bytes(CpuFolder({}).path()) == 0);
    CHECK(std::has_single_bit(line_bytes()));
    CHECK(line_bytes() >= 16 && line_bytes() <= 1024);
}

}  // namespace
}  // namespace machmeter
