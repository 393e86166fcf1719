// Bytes between ranks by MPI's C interface (MPI 3.1, chapter 3). Errors end the launch: MPI's
// default error handler, MPI_ERRORS_ARE_FATAL, stays in place.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "mpi/datatype.hpp"
#include "patterns/pair.hpp"

namespace machmeter {

// Messages of any size. Those that a C int cannot count take the calls of MPI 4 (`MPI_Send_c`), or
// are one element of a datatype that is built at the first use of a size: in warm-up, not when
// timed.
class MpiTransport {
   public:
    using Request = MPI_Request;

    explicit MpiTransport(MPI_Comm group) : group_(group) {}

    void send(int peer, const std::byte* data, std::size_t bytes) const {
        if (bytes > most_int) [[unlikely]] {
            send_large(peer, data, bytes);
            return;
        }
        MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, peer, tag, group_);
    }

    void receive(int peer, std::byte* data, std::size_t bytes) const {
        if (bytes > most_int) [[unlikely]] {
            receive_large(peer, data, bytes);
            return;
        }
        MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, peer, tag, group_, MPI_STATUS_IGNORE);
    }

    [[nodiscard]] Request start_send(int peer, const std::byte* data, std::size_t bytes) const {
        if (bytes > most_int) [[unlikely]] {
            return start_send_large(peer, data, bytes);
        }
        Request request = MPI_REQUEST_NULL;
        MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, peer, tag, group_, &request);
        return request;
    }

    [[nodiscard]] Request start_receive(int peer, std::byte* data, std::size_t bytes) const {
        if (bytes > most_int) [[unlikely]] {
            return start_receive_large(peer, data, bytes);
        }
        Request request = MPI_REQUEST_NULL;
        MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, peer, tag, group_, &request);
        return request;
    }

    static void wait_all(std::span<Request> requests) {
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }

   private:
    static constexpr int tag = 1;

#if MPI_VERSION >= 4
    void send_large(int peer, const std::byte* data, std::size_t bytes) const {
        MPI_Send_c(data, static_cast<MPI_Count>(bytes), MPI_BYTE, peer, tag, group_);
    }

    void receive_large(int peer, std::byte* data, std::size_t bytes) const {
        MPI_Recv_c(data, static_cast<MPI_Count>(bytes), MPI_BYTE, peer, tag, group_,
                   MPI_STATUS_IGNORE);
    }

    Request start_send_large(int peer, const std::byte* data, std::size_t bytes) const {
        Request request = MPI_REQUEST_NULL;
        MPI_Isend_c(data, static_cast<MPI_Count>(bytes), MPI_BYTE, peer, tag, group_, &request);
        return request;
    }

    Request start_receive_large(int peer, std::byte* data, std::size_t bytes) const {
        Request request = MPI_REQUEST_NULL;
        MPI_Irecv_c(data, static_cast<MPI_Count>(bytes), MPI_BYTE, peer, tag, group_, &request);
        return request;
    }
#else
    void send_large(int peer, const std::byte* data, std::size_t bytes) const {
        MPI_Send(data, 1, type_of(bytes), peer, tag, group_);
    }

    void receive_large(int peer, std::byte* data, std::size_t bytes) const {
        MPI_Recv(data, 1, type_of(bytes), peer, tag, group_, MPI_STATUS_IGNORE);
    }

    Request start_send_large(int peer, const std::byte* data, std::size_t bytes) const {
        Request request = MPI_REQUEST_NULL;
        MPI_Isend(data, 1, type_of(bytes), peer, tag, group_, &request);
        return request;
    }

    Request start_receive_large(int peer, std::byte* data, std::size_t bytes) const {
        Request request = MPI_REQUEST_NULL;
        MPI_Irecv(data, 1, type_of(bytes), peer, tag, group_, &request);
        return request;
    }

    // The type of the last size; a transport belongs to one thread.
    MPI_Datatype type_of(std::size_t bytes) const {
        if (large_ == nullptr || large_->first != bytes) {
            large_ =
                std::make_shared<std::pair<std::size_t, CommittedType> >(bytes, large_type(bytes));
        }
        return large_->second.get();
    }

    mutable std::shared_ptr<std::pair<std::size_t, CommittedType> > large_;
#endif

    MPI_Comm group_;
};

static_assert(Transport<MpiTransport>);

// What a message of so many bytes consists of, as text.
inline std::string content_text(std::size_t bytes) {
    if (bytes <= most_int) {
        return "MPI_BYTE";
    }
    return MPI_VERSION >= 4 ? "MPI_BYTE, by the large-count calls that end in _c"
                            : "one element of a derived datatype";
}

}  // namespace machmeter
