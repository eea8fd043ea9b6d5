/* Start and end of the profiler in a process.

   The environment says what to do:
     ASSAY_DENORMALS_FILE=PREFIX      record into PREFIX.PID; without it the profile is printed at the end
     ASSAY_DENORMALS_EXACT=1          trap every event
     ASSAY_DENORMALS_BUDGET=5         percent of the time that sampled mode may take
     ASSAY_DENORMALS_EVERY=SECONDS    a new phase every so often
     ASSAY_DENORMALS_SIGNAL=USR1      the signal that marks phases: USR1, USR2, a number, or none

   LD_PRELOAD names the library; where a program may start others of the other width, both are put where the
   loader's word $LIB leads, such as LD_PRELOAD='FOLDER/$LIB/libassay-denormal-profile.so' with links in
   FOLDER/lib64, FOLDER/lib/x86_64-linux-gnu, FOLDER/lib32 and FOLDER/lib/i386-linux-gnu.

   The first constructor runs before those of the program and of its libraries, such as the start-up code of
   -ffast-math; what these do to the environment is looked at when main begins. */
#include "profile.h"
#include "real.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

static const double DEFAULT_BUDGET = 0.05, LEAST_BUDGET = 0.001, MOST_BUDGET = 1;
enum { TIMER_SIGNAL_FROM_END = 5 }; /* programs that use real-time signals mostly count from the start */

static bool has_finished;

static double read_number(const char *name, double otherwise)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text)
        return otherwise;
    double value = strtod(text, &end);
    return *end || !(value >= 0) ? otherwise : value;
}

static int read_signal(const char *text)
{
    static const struct {
        const char *name;
        int number;
    } names[] = {{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP},   {"WINCH", SIGWINCH},
                 {"URG", SIGURG},   {"CONT", SIGCONT}, {"PROF", SIGPROF}, {"none", 0}};
    if (!text || !*text)
        return SIGUSR1;
    if (strncmp(text, "SIG", 3) == 0)
        text += 3;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i].name) == 0)
            return names[i].number;
    int number = atoi(text);
    bool is_usable = number > 0 && number <= 64 && number != SIGKILL && number != SIGSTOP &&
                     number != SIGFPE && number != SIGTRAP && number != SIGSEGV;
    return is_usable ? number : 0;
}

/* A copy, as programs change their environment; absolute, as they change their folder before they fork. */
static const char *keep_path(const char *text)
{
    static char path[2048];
    size_t used = 0;
    if (!text || !*text)
        return NULL;
    if (*text != '/') {
        if (!getcwd(path, sizeof path / 2))
            return NULL;
        used = strlen(path);
        path[used++] = '/';
    }
    if (used + strlen(text) >= sizeof path)
        return NULL;
    memcpy(path + used, text, strlen(text) + 1);
    return path;
}

static void read_settings(void)
{
    const char *exact = getenv("ASSAY_DENORMALS_EXACT");
    profile_settings.is_exact = exact && *exact && strcmp(exact, "0") != 0;
    profile_settings.file = keep_path(getenv("ASSAY_DENORMALS_FILE"));
    profile_settings.budget = read_number("ASSAY_DENORMALS_BUDGET", DEFAULT_BUDGET * 100) / 100;
    if (profile_settings.budget < LEAST_BUDGET)
        profile_settings.budget = LEAST_BUDGET;
    if (profile_settings.budget > MOST_BUDGET)
        profile_settings.budget = MOST_BUDGET;
    profile_settings.phase_seconds = read_number("ASSAY_DENORMALS_EVERY", 0);
    profile_settings.phase_signal = read_signal(getenv("ASSAY_DENORMALS_SIGNAL"));
    profile_settings.timer_signal = SIGRTMAX - TIMER_SIGNAL_FROM_END;
    if (profile_settings.phase_signal == profile_settings.timer_signal)
        profile_settings.timer_signal--;
}

static void sum_events(struct profile_header *header)
{
    uint64_t operands = 0, underflows = 0;
    for (const struct profile_site *site = NULL; (site = site_next(site));) {
        operands += site->operand_events;
        underflows += site->underflow_events;
    }
    header->operand_events = operands;
    header->underflow_events = underflows;
    header->spent_ticks = (operands + underflows) * header->event_ticks;
}

void profile_finish(enum profile_end end, int status)
{
    if (!profile_is_running() || !file_is_ours())
        return;
    if (end != PROFILE_END_EXEC && __atomic_exchange_n(&has_finished, true, __ATOMIC_RELAXED))
        return;
    struct profile_thread *thread = &profile_thread;
    struct profile_header *header = profile_mapping.header;
    if (thread->is_watched && !profile_settings.is_exact)
        sleep_finish(thread);
    modules_refresh();
    uint64_t last =
        header->phases.used < header->phases.capacity ? header->phases.used : header->phases.capacity;
    uint64_t now = time_now();
    if (last > 0 && end != PROFILE_END_EXEC)
        profile_mapping.phases[last - 1].end = now;
    sum_events(header);
    header->end = now;
    header->ended = end;
    if (end == PROFILE_END_SIGNAL)
        header->end_signal = (uint32_t)status;
    else
        header->exit_status = status;
    if (!profile_settings.file && (end != PROFILE_END_EXEC || header->operand_events + header->underflow_events > 0))
        print_profile();
}

static void at_exit(int status, void *data)
{
    (void)data;
    arm_show(&profile_thread);
    profile_finish(PROFILE_END_EXIT, status);
    profile_thread.is_watched = false;
}

void profile_restart(void)
{
    if (!file_open()) {
        profile_set_running(false);
        return;
    }
    has_finished = false;
    modules_refresh();
    phases_restart();
    thread_forked(&profile_thread);
}

__attribute__((constructor(102))) static void start(void)
{
    read_settings();
    if (!file_open()) {
        print_line("out of memory for the counts; the program runs without the profiler");
        return;
    }
    modules_refresh();
    phases_restart();
    profile_thread.is_main = true;
    sleep_calibrate();
    if (profile_mapping.notes[PROFILE_NOTE_NO_TRAPS].count && profile_settings.file)
        return;
    profile_set_running(true);
    signals_begin();
    processes_begin();
    on_exit(at_exit, NULL);
    if (!profile_mapping.notes[PROFILE_NOTE_NO_TRAPS].count)
        thread_begin(&profile_thread);
}

static int (*real_main)(int, char **, char **);

static int watched_main(int count, char **words, char **environment)
{
    if (profile_is_running())
        arm_look_at_start();
    return real_main(count, words, environment);
}

/* What the loader calls to run the program; ours only puts watched_main in front of main. */
PROFILE_EXPORT int __libc_start_main(int (*main)(int, char **, char **), int count, char **words,
                                 void (*init)(void), void (*fini)(void), void (*loader_fini)(void),
                                 void *stack_end)
{
    static void *place;
    int (*real)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
                void *) = real_function(&place, "__libc_start_main");
    real_main = main;
    return real(watched_main, count, words, init, fini, loader_fini, stack_end);
}
