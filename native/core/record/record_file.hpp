// The launch record: JSON Lines under a temporary name, made durable, then renamed.
#pragma once

#include <stdexcept>
#include <string>

namespace machmeter {

// What readers know the meaning of its fields by.
inline constexpr int record_format = 4;

std::string utc_now();

// The disk takes no more: no launch can be recorded until space is freed.
class StorageError : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

// All of it throws StorageError where the disk is full, else std::runtime_error.
class RecordFile {
   public:
    explicit RecordFile(std::string path);

    RecordFile(const RecordFile&) = delete;
    RecordFile& operator=(const RecordFile&) = delete;

    // A record that was not committed stays under its partial name, for the launcher.
    ~RecordFile();

    void write_line(std::string line);
    void commit();

   private:
    void flush_folder() const;
    [[noreturn]] void fail(const char* what) const;

    std::string path_;
    std::string partial_;
    int descriptor_ = -1;
};

}  // namespace machmeter
