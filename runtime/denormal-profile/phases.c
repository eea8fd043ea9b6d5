/* Phases: the time between two marks.

   A mark is a call of assay_denormal_phase, the signal (SIGUSR1 unless ASSAY_DENORMALS_SIGNAL says
   otherwise), or with ASSAY_DENORMALS_EVERY the clock.  Events and the timers of threads check the clock, so
   that no extra signal disturbs the program: a phase can begin a little late, but no event counts for the
   wrong phase. */
#include "profile.h"

PROFILE_EXPORT void assay_denormal_phase(const char *name);
PROFILE_EXPORT void assay_denormal_profiler_phase(const char *name);
PROFILE_EXPORT void assay_denormal_phase_(const char *name, size_t length);

static uint64_t next_tick; /* nanoseconds */

static void phase_begin(const char *name, size_t length)
{
    struct profile_section *section = &profile_mapping.header->phases;
    uint64_t now = time_now(), place = __atomic_fetch_add(&section->used, 1, __ATOMIC_RELAXED);
    if (place >= section->capacity) {
        __atomic_fetch_add(&section->lost, 1, __ATOMIC_RELAXED);
        return;
    }
    struct profile_thread *thread = &profile_thread;
    if (place > 0) {
        if (thread->is_watched && !profile_settings.is_exact)
            sleep_finish(thread);
        profile_mapping.phases[place - 1].end = now;
    }
    struct profile_phase *phase = &profile_mapping.phases[place];
    phase->start = now;
    if (length >= sizeof phase->name)
        length = sizeof phase->name - 1;
    memcpy(phase->name, name, length);
    __atomic_store_n(&phase->ready, 1, __ATOMIC_RELEASE);
    phase_set((uint32_t)place);
    if (place > 0 && thread->is_watched && !profile_settings.is_exact)
        sleep_continue(thread);
}

static uint64_t period(void)
{
    return (uint64_t)(profile_settings.phase_seconds * 1e9);
}

void phases_restart(void)
{
    phase_set(0);
    next_tick = time_now() + period();
    phase_begin("start", 5);
}

void phase_tick(void)
{
    uint64_t now = time_now(), due = __atomic_load_n(&next_tick, __ATOMIC_RELAXED);
    if (now < due || period() == 0)
        return;
    uint64_t later = due + ((now - due) / period() + 1) * period();
    if (__atomic_compare_exchange_n(&next_tick, &due, later, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        phase_begin("", 0);
}

void phase_signal(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    (void)context;
    if (profile_is_running())
        phase_begin("signal", 6);
}

void assay_denormal_phase(const char *name)
{
    if (profile_is_running())
        phase_begin(name ? name : "", name ? strlen(name) : 0);
}

/* For programs that define assay_denormal_phase themselves (ASSAY_DENORMAL_DEFINE): theirs goes before ours.
 */
void assay_denormal_profiler_phase(const char *name)
{
    assay_denormal_phase(name);
}

/* Fortran: the length of a character argument is passed after it. */
void assay_denormal_phase_(const char *name, size_t length)
{
    while (length > 0 && name[length - 1] == ' ')
        length--;
    if (profile_is_running())
        phase_begin(name, length);
}
