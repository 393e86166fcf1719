// A file that nobody else sees and that ends with the process, also where that is killed.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace machmeter::assembly {

class ScratchFile {
   public:
    // In that folder. Throws std::system_error.
    explicit ScratchFile(std::string folder) : folder_(std::move(folder)) {
        file_ = open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
        if (file_ < 0) {  // as on NFS
            std::string name = folder_ + "/machmeter-XXXXXX";
            file_ = mkostemp(name.data(), O_CLOEXEC);
            fail_unless(file_ >= 0, "no file can be made");
            unlink(name.c_str());
        }
    }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    ~ScratchFile() { close(file_); }

    // By several threads at once, at places of their own.
    void write(const void* data, std::size_t bytes, std::uint64_t at) {
        const auto* from = static_cast<const std::byte*>(data);
        while (bytes > 0) {
            const ssize_t done = pwrite(file_, from, bytes, static_cast<off_t>(at));
            fail_unless(done > 0, "a write failed");
            from += done;
            at += static_cast<std::uint64_t>(done);
            bytes -= static_cast<std::size_t>(done);
        }
    }

    void read(void* data, std::size_t bytes, std::uint64_t at) const {
        auto* to = static_cast<std::byte*>(data);
        while (bytes > 0) {
            const ssize_t done = pread(file_, to, bytes, static_cast<off_t>(at));
            fail_unless(done > 0, "a read failed");
            to += done;
            at += static_cast<std::uint64_t>(done);
            bytes -= static_cast<std::size_t>(done);
        }
    }

   private:
    void fail_unless(bool done, const char* what) const {
        if (!done) {
            throw std::system_error(errno, std::generic_category(), folder_ + ": " + what);
        }
    }

    std::string folder_;
    int file_ = -1;
};

}  // namespace machmeter::assembly
