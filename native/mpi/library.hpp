// What MPI reports of itself: its version, its level of thread support, and control variables by
// the tools interface (MPI 3.1, chapter 14).
#pragma once

#include <mpi.h>

#include <array>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/libraries/transports.hpp"

namespace machmeter {

inline std::string mpi_version_text() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    return text.data();
}

// The first line of the version text, with single spaces.
inline std::string mpi_library() {
    std::istringstream lines(mpi_version_text());
    std::string line;
    std::getline(lines, line);
    std::istringstream words(line);
    std::string joined;
    for (std::string word; words >> word;) {
        joined += joined.empty() ? word : " " + word;
    }
    return joined;
}

inline std::string_view thread_level_name(int level) {
    switch (level) {
        case MPI_THREAD_SINGLE:
            return "MPI_THREAD_SINGLE";
        case MPI_THREAD_FUNNELED:
            return "MPI_THREAD_FUNNELED";
        case MPI_THREAD_SERIALIZED:
            return "MPI_THREAD_SERIALIZED";
        default:
            return "MPI_THREAD_MULTIPLE";
    }
}

// The value of a control variable that is a text; nothing where there is none.
inline std::optional<std::string> control_variable(const char* name) {
    constexpr int most = 1 << 16;
    int index = 0;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int title = 0, description = 0, verbosity = 0, bind = 0, scope = 0;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_get_info(index, nullptr, &title, &verbosity, &type, nullptr, nullptr,
                            &description, &bind, &scope) != MPI_SUCCESS ||
        type != MPI_CHAR || bind != MPI_T_BIND_NO_OBJECT ||
        MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) {
        return std::nullopt;
    }
    std::optional<std::string> text;
    if (count > 0 && count <= most) {
        std::vector<char> value(static_cast<std::size_t>(count) + 1, '\0');
        if (MPI_T_cvar_read(handle, value.data()) == MPI_SUCCESS) {
            text = value.data();
        }
    }
    MPI_T_cvar_handle_free(&handle);
    return text;
}

// Those that a user or a site has set; they do not show what the library chooses by itself.
inline TransportReport control_variables() {
    constexpr std::array wanted{"pml",
                                "btl",
                                "mtl",
                                "osc",
                                "MPIR_CVAR_CH4_NETMOD",
                                "MPIR_CVAR_CH4_SHM",
                                "MPIR_CVAR_CH4_SHM_POSIX_EAGER",
                                "MPIR_CVAR_OFI_USE_PROVIDER",
                                "MPIR_CVAR_CH4_MT_MODEL"};
    TransportReport report;
    int provided = 0;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) {
        return report;
    }
    for (const char* name : wanted) {
        const std::optional<std::string> text = control_variable(name);
        if (text && !text->empty()) {
            report.emplace_back(name, *text);
        }
    }
    MPI_T_finalize();
    return report;
}

inline TransportReport mpi_transports() {
    TransportReport report;
    const std::string device = device_of(mpi_version_text());
    if (!device.empty()) {
        report.emplace_back("device", device);
    }
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    report.emplace_back("thread_level", thread_level_name(level));
    for (auto& entry : control_variables()) {
        report.push_back(std::move(entry));
    }
    for (auto& entry : observed_transports()) {
        report.push_back(std::move(entry));
    }
    return report;
}

}  // namespace machmeter
