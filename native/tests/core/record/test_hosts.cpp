#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/host/identity.hpp"
#include "core/host/places.hpp"
#include "core/record/hosts.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

namespace fs = std::filesystem;

// A folder with files like those of proc and sys; removed with the object.
class SystemFiles {
   public:
    SystemFiles() {
        std::string name = (fs::temp_directory_path() / "machmeter-hosts-XXXXXX").string();
        root_ = mkdtemp(name.data());
    }
    SystemFiles(const SystemFiles&) = delete;
    SystemFiles& operator=(const SystemFiles&) = delete;
    ~SystemFiles() { fs::remove_all(root_); }

    void put(const std::string& path, const std::string& text) const {
        fs::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text << "\n";
    }
    [[nodiscard]] std::string root() const { return root_.string(); }

   private:
    fs::path root_;
};

bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

TEST(a_host_is_described_by_its_files) {
    const SystemFiles files;
    files.put("proc/cpuinfo",
              "processor\t: 0\nmodel name\t: Fast CPU\nmicrocode\t: 0xd0003a5\n\n"
              "processor\t: 1\nmodel name\t: Other CPU");
    files.put("proc/meminfo", "MemTotal:  2048 kB\nHugePages_Total: 9\nHugePages_Free:  7");
    files.put("sys/devices/system/cpu/online", "0-3,8");
    files.put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
    files.put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
    files.put("sys/class/net/eth1/operstate", "up");
    files.put("sys/class/net/eth1/speed", "25000");
    files.put("sys/class/net/eth0/operstate", "down");
    files.put("sys/class/net/eth2/operstate", "up");
    files.put("sys/class/net/eth2/speed", "-1");
    files.put("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE");
    files.put("sys/class/infiniband/mlx5_0/ports/1/rate", "200 Gb/sec (4X HDR)");
    const std::string host = describe_host(files.root());
    CHECK(holds(host, R"("cpu_model":"Fast CPU","microcode":"0xd0003a5")"));
    CHECK(holds(host, R"("online_cpus":"0-3,8","memory_bytes":2097152,"governor":"powersave")"));
    CHECK(holds(host, R"("transparent_huge_pages":"madvise","free_huge_pages":7)"));
    CHECK(holds(host, R"("network":[{"name":"eth1","bits_per_second":2.5e+10},)"
                      R"({"name":"eth2","bits_per_second":null},)"
                      R"({"name":"mlx5_0:1","bits_per_second":2e+11}]})"));
}

TEST(what_a_host_does_not_say_is_null) {
    const std::string host = describe_host("/nowhere");
    CHECK(holds(host, R"({"name":")" + host_name() + R"(","boot":")" + kernel_boot() + "\""));
    CHECK(holds(host, R"("cpu_model":null,"microcode":null)"));
    CHECK(holds(host, R"("online_cpus":null,"memory_bytes":null,"governor":null)"));
    CHECK(holds(host, R"("transparent_huge_pages":null,"free_huge_pages":null,"network":[]})"));
}

TEST(files_without_end_are_read_to_a_bound) {
    const SystemFiles files;
    files.put("proc/cpuinfo", std::string(100'000, 'x') + "\nmodel name : far away");
    CHECK(holds(describe_host(files.root()), R"("cpu_model":null)"));
    CHECK(holds(describe_host(files.root()), R"("microcode":null)"));
    files.put("sys/devices/system/cpu/online", std::string(100'000, '1'));
    CHECK(describe_host(files.root()).size() < 20'000);
}

TEST(the_cpus_of_a_host_are_not_those_that_a_thread_is_bound_to) {
    const std::string before = describe_host();
    std::string bound;
    std::vector<int> cpus;
    std::thread([&] {
        bind_thread_to({allowed_cpus().front()});
        bound = describe_host();
        cpus = allowed_cpus();
    }).join();
    CHECK(cpus.size() == 1);
    const auto allowed = [](const std::string& host) {
        const std::size_t begin = host.find("\"allowed_cpus\":");
        return host.substr(begin, host.find("\"online_cpus\"") - begin);
    };
    CHECK(!holds(before, R"("allowed_cpus":null)"));
    CHECK(allowed(bound) == allowed(before));
}

// A rank of a team whose ranks have these keys.
struct Rank {
    int number;
    std::vector<std::uint64_t> keys;

    [[nodiscard]] int rank() const { return number; }
    [[nodiscard]] std::vector<std::uint64_t> gather_everywhere(std::uint64_t /*mine*/) const {
        return keys;
    }
    [[nodiscard]] static std::string join(const std::string& mine) { return mine; }
};

TEST(the_lowest_rank_describes_its_host) {
    const std::vector<std::uint64_t> keys{host_key() + 1, host_key(), host_key()};
    CHECK(holds(describe_hosts(Rank{1, keys}), host_name()));
    CHECK(describe_hosts(Rank{2, keys}).empty());
}

}  // namespace
}  // namespace machmeter
