// Which libraries the loader really gave to this process, whatever it was compiled for.
#pragma once

#include <string>
#include <string_view>

namespace machmeter {

// Last part of a path.
std::string_view file_name(std::string_view path);

// File name of the library that defines the malloc of this process, links followed: a libgomp.so.1
// that leads to libomp.so.5 is libomp. The program's own name where malloc is linked in.
std::string allocator_library();

// File name of the OpenMP runtime, links followed; "static" where no shared one is loaded.
std::string openmp_runtime();

// Whether a library of that file name is a runtime and no helper of one (libomptarget.so,
// libgomp-plugin-nvptx.so.1).
bool is_openmp_runtime(std::string_view file);

// The wait policy as the launch set it, for the record: a hint that no runtime reports back.
std::string wait_policy();

}  // namespace machmeter
