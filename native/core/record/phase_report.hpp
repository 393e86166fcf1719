// The phase of this process, printed when it is ended: that of a launch that hangs.
#pragma once

#include <string_view>

namespace machmeter::phase_report {

// On this signal the process prints its phase and ends by the signal, as it would have anyway.
void on_signal(int signal);

// By one thread. The handler sees the phase before or this one, never a part.
void set(std::string_view speaker, std::string_view phase);

void write_to(int descriptor);

}  // namespace machmeter::phase_report
