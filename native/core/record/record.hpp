// The launch record: JSON Lines under a temporary name, made durable, then renamed.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/values/json.hpp"
#include "core/values/parameters.hpp"

namespace machmeter {

// What one launch saw of one point. A sample is the time of one event in seconds.
struct PointResult {
    Parameters parameters;
    std::vector<std::pair<std::string, std::vector<double>>> series;
    std::uint64_t batch = 1;
    bool check_passed = false;
    std::string check_what;
    std::vector<std::pair<std::string, double>> facts = {};
    std::vector<std::pair<std::string, std::string>> words = {};
    std::uint64_t page_bytes = 0;

    [[nodiscard]] std::string to_json() const {
        json::Object series_object;
        for (const auto& [name, values] : series) {
            series_object.add(name, json::numbers(values));
        }
        json::Object facts_object;
        for (const auto& [name, value] : facts) {
            facts_object.add(name, json::number(value));
        }
        json::Object words_object;
        for (const auto& [name, text] : words) {
            words_object.add(name, json::quote(text));
        }
        return json::Object{}
            .add("kind", R"("point")")
            .add("parameters", parameters.to_json())
            .add("series", series_object.str())
            .add("batch", json::integer(batch))
            .add("check", json::Object{}
                              .add("passed", check_passed ? "true" : "false")
                              .add("what", json::quote(check_what))
                              .str())
            .add("facts", facts_object.str())
            .add("words", words_object.str())
            .add("page_bytes", json::integer(page_bytes))
            .str();
    }
};

// What is about to be measured: the last such line of a launch that hung says in what.
inline std::string begun_line(const Parameters& parameters) {
    return json::Object{}.add("kind", R"("begun")").add("parameters", parameters.to_json()).str();
}

inline std::string utc_now() {
    const auto now = std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(
                                  now.time_since_epoch() % std::chrono::seconds(1))
                                  .count();
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char date[32];
    std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
    char text[48];
    std::snprintf(text, sizeof text, "%s.%06dZ", date, static_cast<int>(microseconds));
    return text;
}

// The disk takes no more: no launch can be recorded until a person has made room.
class StorageError : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

class RecordFile {
   public:
    explicit RecordFile(std::string path) : path_(std::move(path)), partial_(path_ + ".partial") {
        // A file size limit shall be an error that can be told, not a death by signal.
        std::signal(SIGXFSZ, SIG_IGN);
        descriptor_ = open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (descriptor_ < 0) {
            fail("create");
        }
    }

    RecordFile(const RecordFile&) = delete;
    RecordFile& operator=(const RecordFile&) = delete;

    // A record that was never committed stays behind under its partial name, for the launcher.
    ~RecordFile() {
        if (descriptor_ >= 0) {
            close(descriptor_);
        }
    }

    void write_line(std::string line) {
        line += '\n';
        std::string_view rest = line;
        while (!rest.empty()) {
            const ssize_t written = write(descriptor_, rest.data(), rest.size());
            if (written < 0 && errno == EINTR) {
                continue;
            }
            if (written < 0) {
                fail("write");
            }
            rest.remove_prefix(static_cast<std::size_t>(written));
        }
    }

    void commit() {
        if (fsync(descriptor_) != 0 || close(std::exchange(descriptor_, -1)) != 0) {
            fail("flush");
        }
        if (std::rename(partial_.c_str(), path_.c_str()) != 0) {
            fail("rename");
        }
        flush_folder();
    }

   private:
    // Only then does the new name outlive a power cut (rename(2), fsync(2)).
    void flush_folder() const {
        const std::size_t slash = path_.rfind('/');
        const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
        const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (descriptor < 0) {
            return;  // One may write into a folder without being allowed to read it.
        }
        const int reason = fsync(descriptor) == 0 ? 0 : errno;
        close(descriptor);
        // Some file systems cannot flush a folder.
        if (reason != 0 && reason != EINVAL && reason != EBADF && reason != ENOTSUP) {
            errno = reason;
            fail("flush the folder of");
        }
    }

    [[noreturn]] void fail(const char* what) const {
        const int reason = errno;
        const std::string text =
            std::string("cannot ") + what + " record " + partial_ + ": " + std::strerror(reason);
        if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG || reason == EROFS) {
            throw StorageError(text);
        }
        throw std::runtime_error(text);
    }

    std::string path_;
    std::string partial_;
    int descriptor_ = -1;
};

}  // namespace machmeter
