// A library that is loaded while the program runs.
#pragma once

#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace machmeter {

// Why a library cannot be used, as text for its user.
class NoLibrary : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

// Never unloaded: its threads may still run.
class SharedLibrary {
   public:
    // The first that can be loaded; names: of files, or names that the loader finds. Throws
    // NoLibrary, which says why each cannot.
    explicit SharedLibrary(const std::vector<std::string>& names) {
        std::string why;
        for (const std::string& name : names) {
            handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
            if (handle_ != nullptr) {
                return;
            }
            const char* error = dlerror();
            why += (why.empty() ? "" : "; ") + std::string(error != nullptr ? error : name);
        }
        throw NoLibrary("cannot be loaded: " + why);
    }

    // Null where it has none of that name.
    [[nodiscard]] void* find(const std::string& name) const { return dlsym(handle_, name.c_str()); }

    // Sets `function` to the one of that name. Throws NoLibrary.
    template <class Function>
    void load(Function*& function, const char* name) const {
        function = reinterpret_cast<Function*>(find(name));
        if (function == nullptr) {
            throw NoLibrary(std::string("has no function ") + name);
        }
    }

   private:
    void* handle_ = nullptr;
};

}  // namespace machmeter
