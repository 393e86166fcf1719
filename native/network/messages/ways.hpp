// The ways to move one message by MPI, each a `MessageWay` for the patterns. `Count` is int, or
// MPI_Count where MPI 4 counts more bytes than an int can (MPI 4.0, section 2.5.8).
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>

#include "patterns/pair.hpp"

// Open MPI 5 has partitioned communication, though it reports MPI 3.1.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define MACHMETER_HAS_PARTITIONED 1
#else
#define MACHMETER_HAS_PARTITIONED 0
#endif

namespace machmeter {

// What one message consists of, and its peer.
template <class Count>
struct MessageRoute {
    MPI_Datatype type;
    Count count;
    int peer;
    MPI_Comm group;

    static constexpr int tag = 2;
};

namespace calls {

using Route = MessageRoute<int>;

inline void send(const void* out, const Route& to) {
    MPI_Send(out, to.count, to.type, to.peer, Route::tag, to.group);
}
inline void receive(void* in, const Route& from) {
    MPI_Recv(in, from.count, from.type, from.peer, Route::tag, from.group, MPI_STATUS_IGNORE);
}
inline void exchange(const void* out, void* in, const Route& with) {
    MPI_Sendrecv(out, with.count, with.type, with.peer, Route::tag, in, with.count, with.type,
                 with.peer, Route::tag, with.group, MPI_STATUS_IGNORE);
}
inline void start_send(const void* out, const Route& to, MPI_Request& request) {
    MPI_Isend(out, to.count, to.type, to.peer, Route::tag, to.group, &request);
}
inline void start_receive(void* in, const Route& from, MPI_Request& request) {
    MPI_Irecv(in, from.count, from.type, from.peer, Route::tag, from.group, &request);
}
inline void prepare_send(const void* out, const Route& to, MPI_Request& request) {
    MPI_Send_init(out, to.count, to.type, to.peer, Route::tag, to.group, &request);
}
inline void prepare_receive(void* in, const Route& from, MPI_Request& request) {
    MPI_Recv_init(in, from.count, from.type, from.peer, Route::tag, from.group, &request);
}
inline void receive_matched(void* in, const Route& from, MPI_Message& message) {
    MPI_Mrecv(in, from.count, from.type, &message, MPI_STATUS_IGNORE);
}

#if MPI_VERSION >= 4
using LargeRoute = MessageRoute<MPI_Count>;

inline void send(const void* out, const LargeRoute& to) {
    MPI_Send_c(out, to.count, to.type, to.peer, LargeRoute::tag, to.group);
}
inline void receive(void* in, const LargeRoute& from) {
    MPI_Recv_c(in, from.count, from.type, from.peer, LargeRoute::tag, from.group,
               MPI_STATUS_IGNORE);
}
inline void exchange(const void* out, void* in, const LargeRoute& with) {
    MPI_Sendrecv_c(out, with.count, with.type, with.peer, LargeRoute::tag, in, with.count,
                   with.type, with.peer, LargeRoute::tag, with.group, MPI_STATUS_IGNORE);
}
inline void start_send(const void* out, const LargeRoute& to, MPI_Request& request) {
    MPI_Isend_c(out, to.count, to.type, to.peer, LargeRoute::tag, to.group, &request);
}
inline void start_receive(void* in, const LargeRoute& from, MPI_Request& request) {
    MPI_Irecv_c(in, from.count, from.type, from.peer, LargeRoute::tag, from.group, &request);
}
inline void prepare_send(const void* out, const LargeRoute& to, MPI_Request& request) {
    MPI_Send_init_c(out, to.count, to.type, to.peer, LargeRoute::tag, to.group, &request);
}
inline void prepare_receive(void* in, const LargeRoute& from, MPI_Request& request) {
    MPI_Recv_init_c(in, from.count, from.type, from.peer, LargeRoute::tag, from.group, &request);
}
inline void receive_matched(void* in, const LargeRoute& from, MPI_Message& message) {
    MPI_Mrecv_c(in, from.count, from.type, &message, MPI_STATUS_IGNORE);
}
#endif

}  // namespace calls

template <class Count>
class BlockingWay {
   public:
    explicit BlockingWay(const MessageRoute<Count>& route) : route_(route) {}

    void send(const std::byte* out) const { calls::send(out, route_); }
    void receive(std::byte* in) const { calls::receive(in, route_); }
    void exchange(const std::byte* out, std::byte* in) const { calls::exchange(out, in, route_); }

   private:
    MessageRoute<Count> route_;
};

template <class Count>
class NonblockingWay {
   public:
    explicit NonblockingWay(const MessageRoute<Count>& route) : route_(route) {}

    void send(const std::byte* out) const {
        MPI_Request request = MPI_REQUEST_NULL;
        calls::start_send(out, route_, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }

    void receive(std::byte* in) const {
        MPI_Request request = MPI_REQUEST_NULL;
        calls::start_receive(in, route_, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }

    void exchange(const std::byte* out, std::byte* in) const {
        std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        calls::start_receive(in, route_, requests[0]);
        calls::start_send(out, route_, requests[1]);
        MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    }

   private:
    MessageRoute<Count> route_;
};

template <class Count>
class MatchedProbeWay {
   public:
    explicit MatchedProbeWay(const MessageRoute<Count>& route) : route_(route) {}

    void send(const std::byte* out) const { calls::send(out, route_); }

    void receive(std::byte* in) const {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Mprobe(route_.peer, MessageRoute<Count>::tag, route_.group, &message,
                   MPI_STATUS_IGNORE);
        calls::receive_matched(in, route_, message);
    }

    void exchange(const std::byte* out, std::byte* in) const {
        MPI_Request request = MPI_REQUEST_NULL;
        calls::start_send(out, route_, request);
        receive(in);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }

   private:
    MessageRoute<Count> route_;
};

// Two requests that are started many times, each bound to one place.
class BoundRequests {
   public:
    BoundRequests() = default;
    BoundRequests(const BoundRequests&) = delete;
    BoundRequests& operator=(const BoundRequests&) = delete;

    ~BoundRequests() {
        for (MPI_Request& request : both_) {
            if (request != MPI_REQUEST_NULL) {
                MPI_Request_free(&request);
            }
        }
    }

    [[nodiscard]] MPI_Request& receives() { return both_[0]; }
    [[nodiscard]] MPI_Request& sends() { return both_[1]; }
    [[nodiscard]] MPI_Request* both() { return both_.data(); }

   private:
    std::array<MPI_Request, 2> both_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

// Always uses the places of its construction.
template <class Count>
class PersistentWay {
   public:
    PersistentWay(const MessageRoute<Count>& route, const OnePlace& place) {
        calls::prepare_receive(place.in, route, requests_.receives());
        calls::prepare_send(place.out, route, requests_.sends());
    }

    void send(const std::byte* /*out*/) { run(requests_.sends()); }
    void receive(std::byte* /*in*/) { run(requests_.receives()); }

    void exchange(const std::byte* /*out*/, std::byte* /*in*/) {
        MPI_Startall(2, requests_.both());
        MPI_Waitall(2, requests_.both(), MPI_STATUSES_IGNORE);
    }

   private:
    static void run(MPI_Request& request) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }

    BoundRequests requests_;
};

#if MACHMETER_HAS_PARTITIONED
// One message in `partitions` parts that the sender marks ready one after another (MPI 4.0, chapter
// 4); `route` is of one part. Always uses the places of its construction.
class PartitionedWay {
   public:
    PartitionedWay(const MessageRoute<MPI_Count>& route, int partitions, const OnePlace& place)
        : partitions_(partitions) {
        constexpr int tag = MessageRoute<MPI_Count>::tag;
        MPI_Precv_init(place.in, partitions, route.count, route.type, route.peer, tag, route.group,
                       MPI_INFO_NULL, &requests_.receives());
        MPI_Psend_init(place.out, partitions, route.count, route.type, route.peer, tag, route.group,
                       MPI_INFO_NULL, &requests_.sends());
    }

    void send(const std::byte* /*out*/) {
        MPI_Start(&requests_.sends());
        mark_ready();
        MPI_Wait(&requests_.sends(), MPI_STATUS_IGNORE);
    }

    void receive(std::byte* /*in*/) {
        MPI_Start(&requests_.receives());
        MPI_Wait(&requests_.receives(), MPI_STATUS_IGNORE);
    }

    void exchange(const std::byte* /*out*/, std::byte* /*in*/) {
        MPI_Startall(2, requests_.both());
        mark_ready();
        MPI_Waitall(2, requests_.both(), MPI_STATUSES_IGNORE);
    }

   private:
    void mark_ready() {
        for (int partition = 0; partition < partitions_; ++partition) {
            MPI_Pready(partition, requests_.sends());
        }
    }

    BoundRequests requests_;
    int partitions_;
};
#endif

}  // namespace machmeter
