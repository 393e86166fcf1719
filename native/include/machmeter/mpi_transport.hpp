// Bytes between ranks by MPI's C interface (MPI 3.1, chapter 3). Errors end the launch: the default
// error handler of MPI, MPI_ERRORS_ARE_FATAL, is left in place.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include "machmeter/patterns.hpp"

namespace machmeter {

class MpiTransport {
   public:
    using Request = MPI_Request;

    explicit MpiTransport(MPI_Comm group) : group_(group) {}

    void send(int peer, const std::byte* data, std::size_t bytes) const {
        MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, peer, tag, group_);
    }

    void receive(int peer, std::byte* data, std::size_t bytes) const {
        MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, peer, tag, group_, MPI_STATUS_IGNORE);
    }

    [[nodiscard]] Request start_send(int peer, const std::byte* data, std::size_t bytes) const {
        Request request = MPI_REQUEST_NULL;
        MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, peer, tag, group_, &request);
        return request;
    }

    [[nodiscard]] Request start_receive(int peer, std::byte* data, std::size_t bytes) const {
        Request request = MPI_REQUEST_NULL;
        MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, peer, tag, group_, &request);
        return request;
    }

    static void wait_all(std::span<Request> requests) {
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }

   private:
    static constexpr int tag = 1;

    MPI_Comm group_;
};

static_assert(Transport<MpiTransport>);

// MPI counts are ints; a kernel asks once, outside the timed part.
inline void require_message_size(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        throw std::runtime_error("a message of " + std::to_string(bytes) +
                                 " bytes is over the 2 GiB - 1 that one MPI message holds");
    }
}

}  // namespace machmeter
