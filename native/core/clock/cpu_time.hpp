// CPU time of this process, for what a launch spends in the system while it samples.
#pragma once

namespace machmeter {

// Of all threads of the process since its start, or of some parts of it.
struct CpuTime {
    double user_seconds = 0;
    double system_seconds = 0;
};

CpuTime cpu_time();

// Adds the CPU time of the process, from here to its end, to a total. It costs a system call at
// each end, so it stands around all samples of a point, never around one.
class CpuWatch {
   public:
    explicit CpuWatch(CpuTime& total) : total_(total), begin_(cpu_time()) {}
    CpuWatch(const CpuWatch&) = delete;
    CpuWatch& operator=(const CpuWatch&) = delete;
    ~CpuWatch() {
        const CpuTime end = cpu_time();
        total_.user_seconds += end.user_seconds - begin_.user_seconds;
        total_.system_seconds += end.system_seconds - begin_.system_seconds;
    }

   private:
    CpuTime& total_;
    CpuTime begin_;
};

}  // namespace machmeter
