// An MPI window over the memory of ranks 0 and 1 (MPI 3.1, chapter 11). A failing call does not end
// the launch: the window keeps the first error, and the point is recorded with it.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <string>

#include "core/memory/memory.hpp"
#include "mpi/datatype.hpp"
#include "mpi/team.hpp"

namespace machmeter {

enum class WindowKind : std::uint8_t { allocate, create, dynamic, shared };

// Throws UsageError.
inline WindowKind window_kind_of(const Parameters& point) {
    return point.choice<WindowKind>("window", {{"allocate", WindowKind::allocate},
                                               {"create", WindowKind::create},
                                               {"dynamic", WindowKind::dynamic},
                                               {"shared", WindowKind::shared}});
}

inline const char* text_of(WindowKind kind) {
    constexpr const char* texts[] = {
        "MPI_Win_allocate: memory of the library", "MPI_Win_create: memory of the program",
        "MPI_Win_create_dynamic and MPI_Win_attach: memory of the program",
        "MPI_Win_allocate_shared, accessed by MPI calls nevertheless: memory of the library"};
    return texts[static_cast<std::size_t>(kind)];
}

// Whether all ranks are on one node.
inline bool share_a_node(const MpiTeam& team) {
    MPI_Comm node = MPI_COMM_NULL;
    int size = 0;
    MPI_Comm_split_type(team.group(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &size);
    MPI_Comm_free(&node);
    return team.all(size == team.size());
}

class RmaWindow {
   public:
    // Both ranks make it together, each with its own `bytes`, set to zero.
    RmaWindow(const MpiTeam& team, WindowKind kind, std::size_t bytes, std::size_t page_bytes)
        : team_(team), peer_(team.rank() == 0 ? 1 : 0), bytes_(bytes) {
        MPI_Comm_dup(team.group(), &group_);
        MPI_Comm_set_errhandler(group_, MPI_ERRORS_RETURN);
        make(kind, page_bytes);
        if (!team_.all(error_ == MPI_SUCCESS)) {
            made_ = false;
            return;
        }
        MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
        MPI_Group all = MPI_GROUP_NULL;
        MPI_Comm_group(group_, &all);
        MPI_Group_incl(all, 1, &peer_, &peers_);
        MPI_Group_free(&all);
        if (kind == WindowKind::dynamic) {
            exchange_addresses();
        }
        own([&](std::byte* memory) { std::memset(memory, 0, bytes); });
        team_.barrier();
    }

    RmaWindow(const RmaWindow&) = delete;
    RmaWindow& operator=(const RmaWindow&) = delete;

    // By all ranks together, with every epoch closed; not after an error, when others would wait.
    ~RmaWindow() {
        if (std::uncaught_exceptions() > 0) {
            return;
        }
        if (made_ && attached_) {
            team_.barrier();
            MPI_Win_detach(window_, base_);
        }
        // A window that not all ranks have cannot be freed collectively.
        if (made_) {
            MPI_Win_free(&window_);
        }
        if (peers_ != MPI_GROUP_NULL) {
            MPI_Group_free(&peers_);
        }
        MPI_Comm_free(&group_);
    }

    // Whether all ranks have it; else nothing may be done with it.
    [[nodiscard]] bool made() const { return made_; }

    // The library's message for the first call that failed on this rank; empty without one.
    [[nodiscard]] std::string error() const {
        if (error_ == MPI_SUCCESS) {
            return made_ ? "" : "another rank could not make the window";
        }
        char text[MPI_MAX_ERROR_STRING] = {};
        int length = 0;
        MPI_Error_string(error_, text, &length);
        return text;
    }

    // The page size behind memory of the program; 0 for memory of the library.
    [[nodiscard]] std::size_t page_bytes() const {
        return buffer_ ? buffer_->describe().page_bytes : 0;
    }

    // `body(memory)` with exclusive access to this rank's memory; not within an epoch.
    template <class Body>
    void own(Body&& body) {
        keep(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, team_.rank(), 0, window_));
        body(base_);
        keep(MPI_Win_unlock(team_.rank(), window_));
    }

    void fence() { keep(MPI_Win_fence(0, window_)); }
    void last_fence() { keep(MPI_Win_fence(MPI_MODE_NOSUCCEED, window_)); }
    void post() { keep(MPI_Win_post(peers_, 0, window_)); }
    void wait() { keep(MPI_Win_wait(window_)); }
    void start() { keep(MPI_Win_start(peers_, 0, window_)); }
    void complete() { keep(MPI_Win_complete(window_)); }
    void lock() { keep(MPI_Win_lock(MPI_LOCK_SHARED, peer_, 0, window_)); }
    void unlock() { keep(MPI_Win_unlock(peer_, window_)); }
    void lock_all() { keep(MPI_Win_lock_all(0, window_)); }
    void flush() { keep(MPI_Win_flush(peer_, window_)); }
    void unlock_all() { keep(MPI_Win_unlock_all(window_)); }

    void put(const std::byte* out, std::size_t at, std::size_t bytes) {
        if (bytes > most_int) [[unlikely]] {
            const MPI_Datatype type = type_of(bytes);
            keep(MPI_Put(out, 1, type, peer_, there(at), 1, type, window_));
            return;
        }
        const int count = static_cast<int>(bytes);
        keep(MPI_Put(out, count, MPI_BYTE, peer_, there(at), count, MPI_BYTE, window_));
    }

    void get(std::byte* in, std::size_t at, std::size_t bytes) {
        if (bytes > most_int) [[unlikely]] {
            const MPI_Datatype type = type_of(bytes);
            keep(MPI_Get(in, 1, type, peer_, there(at), 1, type, window_));
            return;
        }
        const int count = static_cast<int>(bytes);
        keep(MPI_Get(in, count, MPI_BYTE, peer_, there(at), count, MPI_BYTE, window_));
    }

    void accumulate(const std::byte* out, std::size_t at, std::size_t bytes) {
        const int count = integers(bytes);
        keep(MPI_Accumulate(out, count, MPI_INT64_T, peer_, there(at), count, MPI_INT64_T, MPI_SUM,
                            window_));
    }

    void get_accumulate(const std::byte* out, std::byte* in, std::size_t at, std::size_t bytes) {
        const int count = integers(bytes);
        keep(MPI_Get_accumulate(out, count, MPI_INT64_T, in, count, MPI_INT64_T, peer_, there(at),
                                count, MPI_INT64_T, MPI_SUM, window_));
    }

    void fetch_and_add(const std::int64_t& addend, std::int64_t& fetched) {
        keep(MPI_Fetch_and_op(&addend, &fetched, MPI_INT64_T, peer_, there(0), MPI_SUM, window_));
    }

    void compare_and_swap(const std::int64_t& wanted, const std::int64_t& expected,
                          std::int64_t& fetched) {
        keep(MPI_Compare_and_swap(&wanted, &expected, &fetched, MPI_INT64_T, peer_, there(0),
                                  window_));
    }

   private:
    void keep(int result) {
        if (result != MPI_SUCCESS && error_ == MPI_SUCCESS) [[unlikely]] {
            error_ = result;
        }
    }

    // More bytes than a C int counts, as one element; a window has operations of one size.
    MPI_Datatype type_of(std::size_t bytes) {
        if (!large_) {
            large_.emplace(large_type(bytes));
        }
        return large_->get();
    }

    static int integers(std::size_t bytes) {
        return static_cast<int>(bytes / sizeof(std::int64_t));
    }

    // A displacement in the peer's memory.
    [[nodiscard]] MPI_Aint there(std::size_t at) const {
        return MPI_Aint_add(peer_base_, static_cast<MPI_Aint>(at));
    }

    void make(WindowKind kind, std::size_t page_bytes) {
        const auto size = static_cast<MPI_Aint>(bytes_);
        void* memory = nullptr;
        if (kind == WindowKind::create || kind == WindowKind::dynamic) {
            buffer_.emplace(bytes_, page_bytes);
            memory = buffer_->as<void>();
        }
        // MPI takes the address of a pointer as void*.
        // NOLINTNEXTLINE(bugprone-multi-level-implicit-pointer-conversion)
        void* const address = &memory;
        switch (kind) {
            case WindowKind::allocate:
                keep(MPI_Win_allocate(size, 1, MPI_INFO_NULL, group_, address, &window_));
                break;
            case WindowKind::create:
                keep(MPI_Win_create(memory, size, 1, MPI_INFO_NULL, group_, &window_));
                break;
            case WindowKind::dynamic:
                keep(MPI_Win_create_dynamic(MPI_INFO_NULL, group_, &window_));
                attach(memory, size);
                break;
            case WindowKind::shared:
                keep(MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, group_, address, &window_));
                break;
        }
        base_ = static_cast<std::byte*>(memory);
    }

    void attach(void* memory, MPI_Aint size) {
        if (error_ == MPI_SUCCESS) {
            MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
            keep(MPI_Win_attach(window_, memory, size));
            attached_ = error_ == MPI_SUCCESS;
        }
    }

    // Dynamic windows take addresses of the target as displacements.
    void exchange_addresses() {
        MPI_Aint mine = 0;
        MPI_Get_address(base_, &mine);
        MPI_Sendrecv(&mine, 1, MPI_AINT, peer_, 0, &peer_base_, 1, MPI_AINT, peer_, 0, group_,
                     MPI_STATUS_IGNORE);
    }

    MpiTeam team_;
    int peer_;
    std::size_t bytes_;
    MPI_Comm group_ = MPI_COMM_NULL;
    MPI_Group peers_ = MPI_GROUP_NULL;
    MPI_Win window_ = MPI_WIN_NULL;
    std::optional<Memory> buffer_;
    std::optional<CommittedType> large_;
    std::byte* base_ = nullptr;
    MPI_Aint peer_base_ = 0;
    int error_ = MPI_SUCCESS;
    bool made_ = true;
    bool attached_ = false;
};

}  // namespace machmeter
