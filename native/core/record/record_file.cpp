#include "core/record/record_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>

namespace machmeter {

std::string utc_now() {
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

RecordFile::RecordFile(std::string path) : path_(std::move(path)), partial_(path_ + ".partial") {
    // Beyond a file size limit a write must fail, not the process end by a signal.
    std::signal(SIGXFSZ, SIG_IGN);
    descriptor_ = open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor_ < 0) {
        fail("create");
    }
}

RecordFile::~RecordFile() {
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
}

void RecordFile::write_line(std::string line) {
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

void RecordFile::commit() {
    if (fsync(descriptor_) != 0 || close(std::exchange(descriptor_, -1)) != 0) {
        fail("flush");
    }
    if (std::rename(partial_.c_str(), path_.c_str()) != 0) {
        fail("rename");
    }
    flush_folder();
}

// Only then does the new name survive a power failure (rename(2), fsync(2)).
void RecordFile::flush_folder() const {
    const std::size_t slash = path_.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
    const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
        return;  // A folder can be writable without being readable.
    }
    const int reason = fsync(descriptor) == 0 ? 0 : errno;
    close(descriptor);
    // Some file systems cannot flush a folder.
    if (reason != 0 && reason != EINVAL && reason != EBADF && reason != ENOTSUP) {
        errno = reason;
        fail("flush the folder of");
    }
}

void RecordFile::fail(const char* what) const {
    const int reason = errno;
    const std::string text =
        std::string("cannot ") + what + " record " + partial_ + ": " + std::strerror(reason);
    if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG || reason == EROFS) {
        throw StorageError(text);
    }
    throw std::runtime_error(text);
}

}  // namespace machmeter
