/* Sampled mode: when trapping sleeps, and an estimate of what it misses (profile_file.h has the formulas).

   A thread counts awake.  After every BURST_EVENTS events it looks whether they cost more than their share of
   the time since the last look.  If so it sleeps: for a time drawn from an exponential distribution of mean
   m, measured in its own processor time, so that blocked threads are never woken.  As such a sleep has no
   memory, the expected number of events that it hides is m times the expected rate at its end, whatever the
   program does meanwhile; and m may depend on all that went before.  (∫ λ(t)·P(S > t) dt = m·E λ(S) for
   P(S > t) = exp(−t/m).)  Random lengths also cannot lock onto a period of the program.

   The rate at the end of a sleep is measured by the window that opens there.  It closes with the
   BURST_EVENTS-th event (then the rate is (n − 1)/t, which is unbiased where counting stops at an event) or
   when WINDOW_SECONDS of the program's own time are over (then it is n/t).  An open window costs nothing:
   without events nobody looks at the clock, and the next event closes a window that is long over.

   The program's own time is hard to see between events, as traps last a thousand times longer than what lies
   between them.  The stretches from the end of a handler to the beginning of the next one are summed, less
   what such a stretch takes with nothing in it; that is measured at start, on the same paths.  What the
   measurement varies by is kept as the error of the clock and widens the interval. */
#include "dip.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static const double WINDOW_SECONDS = 0.002; /* the rate right after waking: short, yet above timer noise */
/* The kernel looks at timers of processor time when its clock ticks, every 4 ms on most systems; sleeps must
   be long against that. */
static const double SHORTEST_MEAN = 0.02;
static const double LONGEST_MEAN = 2;
/* A stretch that is longer may contain time off the processor, which is then asked for. */
static const double LONG_STRETCH = 0.0002;
/* No program meets more events than one for each so many ticks. */
static const double LEAST_TICKS = 2;

struct sleep_costs sleep_costs;

static double ticks_per_second(void)
{
    return (double)dip_recording.header->ticks_per_second;
}

uint64_t thread_ticks(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)(((double)now.tv_sec + (double)now.tv_nsec * 1e-9) * ticks_per_second());
}

/* xorshift64*, then −ln of a uniform number: the exponent of two apart, the rest by the series of the inverse
   hyperbolic tangent. */
static double draw_exponential(struct dip_thread *thread)
{
    uint64_t state = thread->random ? thread->random : ticks_now() ^ (uint64_t)thread->number << 32 ^ 1;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    thread->random = state;
    uint64_t bits = (state * 0x2545f4914f6cdd1du) | 1;
    unsigned exponent = (unsigned)__builtin_clzll(bits);
    double mantissa = (double)(bits << exponent >> 11) * 0x1p-53; /* 0.5 … 1 */
    double ratio = (mantissa - 1) / (mantissa + 1), square = ratio * ratio, power = ratio, sum = 0;
    for (unsigned i = 1; i < 20; i += 2, power *= square)
        sum += power / i;
    return exponent * 0.6931471805599453 - 2 * sum;
}

void sleep_entered(struct dip_thread *thread, uint64_t now)
{
    if (!thread->window_is_open)
        return;
    int64_t stretch = (int64_t)(now - thread->resumed);
    if ((double)stretch > LONG_STRETCH * ticks_per_second()) {
        int64_t elsewhere = (int64_t)(now - thread->woke) -
                            (int64_t)(thread_ticks() - thread->woke_processor) - (int64_t)thread->away;
        if (elsewhere > 0) {
            stretch -= elsewhere < stretch ? elsewhere : stretch;
            thread->away += (uint64_t)elsewhere;
        }
    }
    thread->native += stretch - (int64_t)sleep_costs.fault;
}

void sleep_step_ended(struct dip_thread *thread, uint64_t now)
{
    if (thread->window_is_open)
        thread->native += (int64_t)(now - thread->resumed) - (int64_t)sleep_costs.step;
}

static void add_missed(const struct burst_site *entry, double mean, double share, double time, double error)
{
    double most = time - error > LEAST_TICKS ? time - error : LEAST_TICKS;
    double operands = entry->operands * share, underflows = entry->underflows * share,
           both = operands + underflows;
    double missed = mean * both / time;
    struct dip_site *site = entry->site;
    add_number(&site->missed_operands, mean * operands / time);
    add_number(&site->missed_underflows, mean * underflows / time);
    add_number(&site->missed_low, mean * both / (time + error));
    add_number(&site->missed_high, mean * both / most);
    add_number(&site->missed_squares, missed * missed);
    add_number(&site->missed_products, mean * missed);
}

/* ended_by_event: the last event of the window is where counting stopped. */
static void close_window(struct dip_thread *thread, double time, bool ended_by_event)
{
    struct dip_phase *phase = &dip_recording.phases[thread->sleep_phase];
    double events = thread->window_events, mean = thread->sleep_mean;
    double share = ended_by_event && events > 0 ? (events - 1) / events : 1;
    double error = events * sleep_costs.error;
    if (time < events * LEAST_TICKS + 1)
        time = events * LEAST_TICKS + 1;
    add_number(&phase->slept_planned, mean);
    add_number(&phase->slept_squares, mean * mean);
    __atomic_fetch_add(&phase->sleeps, 1, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < thread->window_sites; i++)
        add_missed(&thread->window[i], mean, share, time, error);
    thread->window_is_open = false;
}

static void count_in_window(struct dip_thread *thread, struct dip_site *site, unsigned events)
{
    double limit = WINDOW_SECONDS * ticks_per_second();
    if ((double)thread->native > limit) {
        close_window(thread, limit, false);
        return;
    }
    uint32_t place = 0;
    while (place < thread->window_sites && thread->window[place].site != site)
        place++;
    if (place == thread->window_sites)
        thread->window[thread->window_sites++] = (struct burst_site){.site = site};
    thread->window[place].operands += !!(events & DIP_OPERAND_EVENT);
    thread->window[place].underflows += !!(events & DIP_UNDERFLOW_EVENT);
    if (++thread->window_events == BURST_EVENTS)
        close_window(thread, (double)thread->native, true);
}

void sleep_count(struct dip_thread *thread, struct dip_site *site, unsigned events, uint64_t now)
{
    if (thread->window_is_open)
        count_in_window(thread, site, events);
    if (thread->burst_events == 0 && thread->burst_start == 0)
        thread->burst_start = now;
    if (++thread->burst_events < BURST_EVENTS)
        return;
    double spent = (double)thread->burst_events * (double)dip_recording.header->event_ticks;
    double since = (double)(now - thread->burst_start);
    thread->burst_events = 0;
    thread->burst_start = now;
    if (spent <= since * dip_settings.overhead || !thread->has_timer)
        return;
    thread->wants_sleep = true;
    double mean = spent / dip_settings.overhead, least = SHORTEST_MEAN * ticks_per_second(),
           most = LONGEST_MEAN * ticks_per_second();
    thread->sleep_mean = mean < least ? least : mean > most ? most : mean;
}

void sleep_begin(struct dip_thread *thread)
{
    if (thread->window_is_open)
        close_window(thread, (double)thread->native, true);
    thread->wants_sleep = false;
    thread->is_asleep = true;
    thread->sleep_phase = phase_now();
    thread->sleep_start = thread_ticks();
    thread_set_timer(thread, draw_exponential(thread) * thread->sleep_mean / ticks_per_second());
}

static void account_sleep(struct dip_thread *thread, uint64_t now)
{
    add_number(&dip_recording.phases[thread->sleep_phase].slept_ticks, (double)(now - thread->sleep_start));
    thread->sleep_start = now;
}

void sleep_end(struct dip_thread *thread)
{
    uint64_t processor = thread_ticks();
    account_sleep(thread, processor);
    thread->sleep_phase = phase_now();
    thread->is_asleep = false;
    thread->window_is_open = true;
    thread->window_events = thread->window_sites = 0;
    thread->native = 0;
    thread->away = 0;
    thread->woke = thread->burst_start = ticks_now();
    thread->woke_processor = processor;
    thread->burst_events = 0;
}

/* A window that is cut short tells the rate as far as it came. */
void sleep_finish(struct dip_thread *thread)
{
    if (thread->is_asleep)
        account_sleep(thread, thread_ticks());
    if (thread->window_is_open) {
        sleep_entered(thread, ticks_now());
        thread->resumed = ticks_now();
        double limit = WINDOW_SECONDS * ticks_per_second();
        close_window(thread, (double)thread->native < limit ? (double)thread->native : limit, false);
    }
}

void sleep_continue(struct dip_thread *thread)
{
    thread->sleep_phase = phase_now();
}

enum { CALIBRATIONS = 48 };

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double fault_stretches[CALIBRATIONS], step_stretches[CALIBRATIONS];
static unsigned calibrated;

static void calibrate_fpe(int signal, siginfo_t *info, void *data)
{
    uint64_t now = ticks_now();
    if (calibrated < CALIBRATIONS)
        fault_stretches[calibrated] = (double)(now - dip_thread.resumed);
    (void)signal;
    (void)info;
    ucontext_t *context = data;
    context_set_mxcsr(context, (context_mxcsr(context) | FLAG_DENORMAL << MXCSR_MASK_SHIFT) & ~FLAG_DENORMAL);
    context_set_stepping(context, true);
    time_now();
    dip_thread.resumed = ticks_now();
}

static void calibrate_step(int signal, siginfo_t *info, void *data)
{
    uint64_t now = ticks_now();
    if (calibrated < CALIBRATIONS)
        step_stretches[calibrated++] = (double)(now - dip_thread.resumed);
    (void)signal;
    (void)info;
    ucontext_t *context = data;
    context_set_mxcsr(context, context_mxcsr(context) & ~(FLAG_DENORMAL | FLAG_DENORMAL << MXCSR_MASK_SHIFT));
    context_set_stepping(context, false);
    dip_thread.resumed = ticks_now();
}

/* Meets a denormal CALIBRATIONS times, with handlers that do nothing else: tells whether this machine traps
   at all, and how long the empty stretches are. */
void sleep_calibrate(void)
{
    struct sigaction fpe = {.sa_flags = SA_SIGINFO | SA_ONSTACK}, step = fpe, old_fpe, old_step;
    fpe.sa_sigaction = calibrate_fpe;
    step.sa_sigaction = calibrate_step;
    sigfillset(&fpe.sa_mask);
    sigfillset(&step.sa_mask);
    signals_set(SIGFPE, &fpe, &old_fpe);
    signals_set(SIGTRAP, &step, &old_step);
    uint32_t before, armed;
    float denormal = 0x1p-140f;
    __asm__ volatile("stmxcsr %0" : "=m"(before));
    armed = before & ~(FLAGS_ALL | (uint32_t)MXCSR_ZEROES | FLAG_DENORMAL << MXCSR_MASK_SHIFT);
    uint64_t start_time = time_now(), start = ticks_now();
    __asm__ volatile("ldmxcsr %[armed]\n\t"
                     "movss %[denormal], %%xmm0\n\t"
                     ".rept 49\n\t"
                     "addss %%xmm0, %%xmm0\n\t"
                     "movss %[denormal], %%xmm0\n\t"
                     ".endr\n\t"
                     "ldmxcsr %[before]"
                     :
                     : [armed] "m"(armed), [before] "m"(before), [denormal] "m"(denormal)
                     : "xmm0", "memory");
    uint64_t end = ticks_now(), end_time = time_now();
    signals_set(SIGFPE, &old_fpe, NULL);
    signals_set(SIGTRAP, &old_step, NULL);
    struct dip_header *header = dip_recording.header;
    if (calibrated < CALIBRATIONS) {
        note(DIP_NOTE_NO_TRAPS, 0);
        header->ticks_per_second = 1000000000;
        return;
    }
    if (end_time > start_time)
        header->ticks_per_second = (uint64_t)((double)(end - start) * 1e9 / (double)(end_time - start_time));
    header->event_ticks = (end - start) / (CALIBRATIONS + 1);
    qsort(fault_stretches, CALIBRATIONS, sizeof *fault_stretches, compare_numbers);
    qsort(step_stretches, CALIBRATIONS, sizeof *step_stretches, compare_numbers);
    sleep_costs.fault = fault_stretches[CALIBRATIONS / 2];
    sleep_costs.step = step_stretches[CALIBRATIONS / 2];
    sleep_costs.error = fault_stretches[CALIBRATIONS * 3 / 4] - fault_stretches[CALIBRATIONS / 4] +
                        step_stretches[CALIBRATIONS * 3 / 4] - step_stretches[CALIBRATIONS / 4];
}
