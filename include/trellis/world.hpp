// World: the seams to everything outside a process, in one place. main.cpp makes a real one (agentd/os),
// tests/sim a simulated one; the code between knows no difference.
#pragma once

#include "trellis/byte_stream.hpp"
#include "trellis/clock.hpp"
#include "trellis/file_store.hpp"
#include "trellis/network.hpp"
#include "trellis/prober.hpp"
#include "trellis/process.hpp"
#include "trellis/spawner.hpp"

namespace trellis {

// References only: whoever made the seams outlives the World.
struct World {
    Executor executor;
    Clock& clock;
    Processes& processes;
    Prober& prober;
    Network& network;
    Spawner& spawner;
    Dialer& dialer;
    FileStore& files;
};

}  // namespace trellis
