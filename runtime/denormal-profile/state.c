/* What every part of the profiler looks at: settings, the recording, the thread's own state, whether the profiler runs, and
   the phase.  This file calls nothing, so that the others need not call each other to ask. */
#include "profile.h"

struct profile_settings profile_settings;
struct profile_mapping profile_mapping;
__thread struct profile_thread profile_thread __attribute__((tls_model("initial-exec")));
static bool is_running;
static uint32_t current_phase;

bool profile_is_running(void)
{
    return __atomic_load_n(&is_running, __ATOMIC_RELAXED);
}

void profile_set_running(bool runs)
{
    __atomic_store_n(&is_running, runs, __ATOMIC_RELAXED);
}

uint32_t phase_now(void)
{
    return __atomic_load_n(&current_phase, __ATOMIC_RELAXED);
}

void phase_set(uint32_t phase)
{
    __atomic_store_n(&current_phase, phase, __ATOMIC_RELAXED);
}
