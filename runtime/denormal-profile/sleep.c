/* Sampled mode: when trapping sleeps, and an estimate of what it misses (profile_file.h has the formulas).

   A thread counts awake.  After every BURST_EVENTS events it looks whether they cost more than their share of
   the time since the last look.  If so it sleeps: for a time drawn from an exponential distribution of mean
   m, measured in its own processor time, so that blocked threads are never woken.  As such a sleep has no
   memory, the expected number of events that it hides is m times the expected rate at its end, whatever the
   program does meanwhile; and m may depend on all that went before.  (∫ λ(t)·P(S > t) dt = m·E λ(S) for
   P(S > t) = exp(−t/m).)  Random lengths also cannot lock onto a period of the program.

   The rate at the end of a sleep is measured by the window that opens there, in one of two ways.  Which one
   is decided by what was seen before the sleep, so the choice does not favour any outcome.

   Coarse, where events are far enough apart to be timed by the clock: the window closes with the
   BURST_EVENTS-th event (then the rate is (n − 1)/t, which is unbiased where counting stops at an event) or
   when WINDOW_SECONDS of the program's own time are over (then it is n/t).  An open window costs nothing:
   without events nobody looks at the clock, and the next event closes a window that is long over.  The time
   is what lies between handlers, less what an empty stretch between two handlers takes, which is measured at
   start.

   Fine, in dense loops, where a trap lasts a thousand times longer than what lies between two events: the
   next instructions are stepped one by one, and events among them counted, until the first of them comes
   again, which is an iteration of the loop at hand, or WALK_STEPS are done.  Whole iterations matter: a timer
   that rings inside a slow instruction is heard after it, so a walk of any other length would meet fewer of
   the slow ones than there are.  The time is a model: that of an instruction, times their number, plus the
   extra time of each denormal, which is measured at start.  The thread then counts on to its next event, so
   that it stays awake at no cost where events have ceased.

   Where few walks meet an event, the next ones do not end with an iteration: more of them do then, and what
   an iteration takes is averaged over more code.

   A thread that is woken in a slow instruction walks the iteration after it.  Where that one is the first
   without slow instructions, it would count for very much: so what a walk is taken to last is at least
   DENSEST of what all walks through the same events took, an event.

   Each part of a time has a range, and the ranges add up to those of the rates (missed_low and missed_high):
   narrow where denormals cost much or are far apart, a factor of six where they cost nothing and are dense.
 */
#include "decode.h"
#include "profile.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static const double WINDOW_SECONDS = 0.002; /* the rate right after waking: short, yet above timer noise */
/* The kernel looks at plain timers of processor time when its clock ticks, every 4 ms on most systems; sleeps
   must be long against that, or against the time that the finer one takes to come. */
static const double SHORTEST_MEAN = 0.004, SHORTEST_FINE_MEAN = 0.0002;
static const double LONGEST_MEAN = 2;
/* What a process may spend once, beyond its share: short programs with few events are counted exactly. */
static const double START_CREDIT_SECONDS = 0.003;
/* The rest of the budget is for what cannot be counted, cold caches after traps: with 0.6 runs were slower by
   2 to 3 % where 5 were asked for. */
static const double TRAP_SHARE = 0.6;
/* A stretch that is longer may contain time off the processor, which is then asked for. */
static const double LONG_STRETCH = 0.0002;
static const double DENSEST = 0.7;
/* How much one sample says about the next: some are interrupted. */
static const double NEW_WEIGHT = 0.1;
/* Shares of walks that met an event: below the one, walks become long, below the other they stay so. */
static const double SELDOM = 1 / 16.0, OFTEN = 0.5;
/* No program meets more events than one in so many ticks. */
static const double LEAST_TICKS = 0.2;

/* An instruction of compiled code: from eight a cycle, at a high frequency, to one in several cycles. */
static const struct stretch INSTRUCTION_SECONDS = {0.2e-9, 0.03e-9, 1.2e-9};
static const double PENALTY_ERROR = 0.25; /* how far the extra time may be from that of a simple loop */
/* Mean distance of events from which on the clock serves, and the one from which on it is tried again. */
static const double COARSE_SECONDS = 5e-6, COARSE_AGAIN_SECONDS = 50e-6;

static struct {
    double fault;       /* ticks from letting go to the entry of a handler, with nothing in between */
    double fault_error; /* what that varies by */
    struct extra {      /* ticks that a denormal costs */
        double operand, result;
    } add, multiply;
} costs;

static void open_window(struct profile_thread *thread, double mean);
enum window_end {
    ended_BY_TIME,
    ended_BY_EVENT,
    ended_BY_WALK
}; /* BY_EVENT: the last one is where counting stopped */
static void close_window(struct profile_thread *thread, enum window_end end);

static double ticks_per_second(void)
{
    return (double)profile_mapping.header->ticks_per_second;
}

/* Processor time of this thread. */
static uint64_t thread_ticks(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)(((double)now.tv_sec + (double)now.tv_nsec * 1e-9) * ticks_per_second());
}

/* xorshift64*, then −ln of a uniform number: the exponent of two apart, the rest by the series of the inverse
   hyperbolic tangent. */
static double draw_exponential(struct profile_thread *thread)
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

static void add_stretch(struct profile_thread *thread, double time, double low, double high)
{
    thread->native.time += time;
    thread->native.low += low;
    thread->native.high += high;
}

static void add_instruction(struct profile_thread *thread)
{
    double scale = ticks_per_second();
    add_stretch(thread, INSTRUCTION_SECONDS.time * scale, INSTRUCTION_SECONDS.low * scale,
                INSTRUCTION_SECONDS.high * scale);
}

static void add_missed(const struct burst_site *entry, double mean, double share, const struct stretch *time)
{
    double operands = entry->operands * share, underflows = entry->underflows * share,
           both = operands + underflows;
    double missed = mean * both / time->time;
    struct profile_site *site = entry->site;
    add_number(&site->missed_operands, mean * operands / time->time);
    add_number(&site->missed_underflows, mean * underflows / time->time);
    add_number(&site->missed_low, mean * both / time->high);
    add_number(&site->missed_high, mean * both / time->low);
    add_number(&site->missed_squares, missed * missed);
    add_number(&site->missed_products, mean * missed);
}

static void add_window(struct profile_thread *thread, double mean)
{
    struct profile_phase *phase = &profile_mapping.phases[thread->sleep_phase];
    add_number(&phase->slept_planned, mean);
    add_number(&phase->slept_squares, mean * mean);
    for (uint32_t i = 0; i < thread->window_sites; i++)
        add_missed(&thread->window[i], mean, thread->window_share, &thread->window_time);
}

/* The thread begins, or it has been awake for long: a window that follows no sleep. */
static void open_window(struct profile_thread *thread, double mean)
{
    thread->window_is_open = true;
    thread->window_events = thread->window_sites = 0;
    thread->native = (struct stretch){0, 0, 0};
    thread->away = 0;
    thread->sleep_mean = mean;
    thread->woke = thread->resumed = ticks_now();
    thread->woke_processor = thread_ticks();
}

void sleep_prepare(struct profile_thread *thread)
{
    thread->sleep_phase = phase_now();
    thread->burst_events = 0;
    thread->walk_ticks = 0;
    thread->hit_share = 1;
    thread->walks_far = false;
    thread->burst_start = ticks_now();
    open_window(thread, 0);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* What a walk with so many events takes by what all walks took whose first event, by address, is the same. */
static double walked_ticks(struct profile_thread *thread)
{
    uint64_t address = UINT64_MAX;
    for (uint32_t i = 0; i < thread->window_sites; i++)
        if (thread->window[i].site->address < address)
            address = thread->window[i].site->address;
    if (thread->window_events == 0)
        return 0;
    struct walked *walked = &thread->walked[address % WALKED_PLACES];
    if (walked->address != address)
        *walked = (struct walked){.address = address};
    walked->ticks += thread->native.time;
    walked->events += thread->window_events;
    return thread->window_events * walked->ticks / walked->events;
}

static void close_window(struct profile_thread *thread, enum window_end end)
{
    double events = thread->window_events, limit = WINDOW_SECONDS * ticks_per_second();
    struct stretch time = thread->native;
    if (end != ended_BY_EVENT && time.time > limit)
        time.time = limit;
    double least = LEAST_TICKS * (events + 1);
    double usual = end == ended_BY_WALK ? DENSEST * walked_ticks(thread) : 0;
    if (usual > time.time && time.time > 0) {
        double longer = usual / time.time;
        time = (struct stretch){usual, time.low * longer, time.high * longer};
    }
    time.time = larger(time.time, least);
    time.low = time.low < time.time ? larger(time.low, least) : time.time;
    time.high = larger(time.high, time.time);
    thread->window_time = time;
    thread->window_share = end == ended_BY_EVENT && events > 0 ? (events - 1) / events : 1;
    if (end == ended_BY_EVENT)
        thread->is_fine = time.time < BURST_EVENTS * COARSE_SECONDS * ticks_per_second();
    thread->window_is_open = false;
    if (thread->sleep_mean > 0) {
        add_window(thread, thread->sleep_mean);
        __atomic_fetch_add(&profile_mapping.phases[thread->sleep_phase].sleeps, 1, __ATOMIC_RELAXED);
    }
}

/* Ticks of the program from the last handler to this one. */
static double last_stretch(struct profile_thread *thread, uint64_t now)
{
    double stretch = (double)(now - thread->resumed);
    if (stretch > LONG_STRETCH * ticks_per_second()) {
        double elsewhere = (double)(now - thread->woke) - (double)(thread_ticks() - thread->woke_processor) -
                           (double)thread->away;
        if (elsewhere > 0) {
            stretch -= elsewhere < stretch ? elsewhere : stretch;
            thread->away += (uint64_t)elsewhere;
        }
    }
    return stretch - costs.fault;
}

void sleep_entered(struct profile_thread *thread, uint64_t now)
{
    if (thread->stepping || thread->walk || !thread->is_watched)
        return;
    if (thread->is_fine) {
        if (last_stretch(thread, now) > COARSE_AGAIN_SECONDS * ticks_per_second())
            thread->is_fine = false;
    } else if (thread->window_is_open) {
        double stretch = last_stretch(thread, now), low = stretch - costs.fault_error,
               high = stretch + costs.fault_error;
        add_stretch(thread, stretch > 0 ? stretch : 0, low > 0 ? low : 0, high > 0 ? high : 0);
    }
}

/* Stepping these would show the trap flag to the program, or lose it. */
static bool is_steppable(uintptr_t address)
{
    uint8_t bytes[4] = {0};
    size_t size = 4096 - address % 4096, at = 0;
    memcpy(bytes, (const void *)address, size < sizeof bytes ? size : sizeof bytes);
    while (at < 2 && (bytes[at] == 0x66 || (sizeof(void *) == 8 && (bytes[at] & 0xf0) == 0x40)))
        at++;
    switch (bytes[at]) {
    case 0x0f: /* syscall, sysenter */
        return bytes[at + 1] != 0x05 && bytes[at + 1] != 0x34;
    case 0xc7: /* xbegin */
        return bytes[at + 1] != 0xf8;
    case 0x17: /* pop to ss, mov to a segment */
    case 0x8e:
    case 0x9c: /* pushf, popf */
    case 0x9d:
    case 0xcc: /* interrupts, and the return from them */
    case 0xcd:
    case 0xce:
    case 0xcf:
    case 0xf1:
        return false;
    default:
        return true;
    }
}

bool sleep_walks(struct profile_thread *thread, uintptr_t next)
{
    if (thread->walk == 0) {
        /* The first time that events turn out to be dense: a rate is wanted before the sleep, too.  It starts
           with the event that has just been, so that it is never zero. */
        if (!thread->wants_sleep || !thread->is_fine || thread->has_walked)
            return false;
        struct burst_site last = thread->window[0];
        last.operands = last.underflows == 0;
        last.underflows = !last.operands;
        open_window(thread, 0);
        if (last.site) {
            thread->window[0] = last;
            thread->window_sites = thread->window_events = 1;
        }
        return sleep_begin_walk(thread, next);
    }
    add_instruction(thread);
    bool is_round =
        !thread->walks_far && next == thread->walk_first && WALK_STEPS - thread->walk + 1 >= LEAST_STEPS;
    if (--thread->walk > 0 && !is_round && is_steppable(next))
        return true;
    thread->walk = 0;
    thread->walk_ticks += ticks_now() - thread->walk_start;
    thread->hit_share += ((thread->window_events > 0) - thread->hit_share) * NEW_WEIGHT;
    thread->walks_far = thread->hit_share < (thread->walks_far ? OFTEN : SELDOM);
    close_window(thread, ended_BY_WALK);
    return false;
}

bool sleep_begin_walk(struct profile_thread *thread, uintptr_t next)
{
    thread->has_walked = true;
    if (is_steppable(next)) {
        thread->walk = WALK_STEPS;
        thread->walk_first = next;
        thread->walk_start = ticks_now();
        return true;
    }
    add_instruction(thread);
    close_window(thread, ended_BY_WALK);
    return false;
}

static bool is_multiplication(const struct profile_site *site)
{
    struct profile_instruction instruction;
    uint8_t bytes[PROFILE_MOST_LENGTH];
    if (!profile_decode(bytes, memory_read((uintptr_t)site->address, bytes, sizeof bytes), sizeof(void *) == 8,
                    &instruction))
        return false;
    switch (instruction.operation) {
    case profile_operation_MULTIPLY:
    case profile_operation_FMA:
    case profile_operation_DIVIDE:
    case profile_operation_SQUARE_ROOT:
    case profile_operation_DOT:
        return true;
    default:
        return false;
    }
}

/* What the denormal itself costs: once for an execution that is an operand and an underflow event. */
static void add_extra(struct profile_thread *thread, const struct profile_site *site, unsigned events)
{
    if (thread->stepping)
        return;
    const struct extra *kind = is_multiplication(site) ? &costs.multiply : &costs.add;
    double extra = events & PROFILE_OPERAND_EVENT ? kind->operand : kind->result;
    add_stretch(thread, extra, extra * (1 - PENALTY_ERROR), extra * (1 + PENALTY_ERROR));
}

static void count_in_window(struct profile_thread *thread, struct profile_site *site, unsigned events)
{
    if (!thread->walk && thread->native.time > WINDOW_SECONDS * ticks_per_second()) {
        close_window(thread, ended_BY_TIME);
        open_window(thread, 0);
    }
    add_extra(thread, site, events);
    uint32_t place = 0;
    while (place < thread->window_sites && thread->window[place].site != site)
        place++;
    if (place == thread->window_sites)
        thread->window[thread->window_sites++] = (struct burst_site){.site = site};
    thread->window[place].operands += !!(events & PROFILE_OPERAND_EVENT);
    thread->window[place].underflows += !!(events & PROFILE_UNDERFLOW_EVENT);
    thread->window_events++;
    if (!thread->walk && thread->window_events == BURST_EVENTS)
        close_window(thread, ended_BY_EVENT);
}

static bool has_credit(double spent)
{
    static uint64_t used; /* ticks, of all threads */
    double limit = START_CREDIT_SECONDS * ticks_per_second();
    return (double)__atomic_load_n(&used, __ATOMIC_RELAXED) < limit &&
           (double)__atomic_add_fetch(&used, (uint64_t)spent, __ATOMIC_RELAXED) < limit;
}

void sleep_count(struct profile_thread *thread, struct profile_site *site, unsigned events, uint64_t now)
{
    if (!thread->window_is_open && !thread->is_fine)
        open_window(thread, 0);
    if (thread->window_is_open)
        count_in_window(thread, site, events);
    thread->burst_events++;
    if (thread->walk || thread->burst_events < (thread->is_fine ? 1 : BURST_EVENTS))
        return;
    double event = (double)profile_mapping.header->event_ticks, share = profile_settings.budget * TRAP_SHARE;
    if (thread->wants_sleep) { /* the instruction that it waits for has met another event */
        thread->next_mean += thread->burst_events * event / share;
        thread->burst_events = 0;
        return;
    }
    double since = (double)(now - thread->burst_start);
    double spent = (thread->burst_events + 1) * event + (double)thread->walk_ticks; /* 1: the timer */
    thread->walk_ticks = 0;
    thread->burst_events = 0;
    thread->burst_start = now;
    if (spent <= since * share || !thread->has_timer || has_credit(spent))
        return;
    thread->wants_sleep = true;
    thread->usual_cost += (spent - thread->usual_cost) * (thread->usual_cost > 0 ? NEW_WEIGHT : 1);
    double mean = thread->usual_cost / share,
           least = (thread->clock ? SHORTEST_FINE_MEAN : SHORTEST_MEAN) * ticks_per_second(),
           most = LONGEST_MEAN * ticks_per_second();
    thread->next_mean = mean < least ? least : mean > most ? most : mean;
}

void sleep_begin(struct profile_thread *thread)
{
    thread->sleep_mean = thread->next_mean;
    thread->window_is_open = false;
    thread->walk = 0;
    thread->wants_sleep = false;
    thread->is_asleep = true;
    thread->sleep_phase = phase_now();
    thread->sleep_start = thread_ticks();
    /* The rate before the first sleep is taken as one more sample: it keeps few samples that saw nothing from
       being certain of nothing, and its weight fades as sleeps become many. */
    if (__atomic_load_n(&profile_mapping.phases[thread->sleep_phase].sleeps, __ATOMIC_RELAXED) == 0)
        add_window(thread, thread->sleep_mean);
    thread_set_timer(thread, draw_exponential(thread) * thread->sleep_mean / ticks_per_second());
}

/* Adds what was slept since the last time.  Clocks of processor time may go back a little where the kernel
   estimates them. */
static double account_sleep(struct profile_thread *thread, uint64_t now)
{
    double slept = now > thread->sleep_start ? (double)(now - thread->sleep_start) : 0;
    add_number(&profile_mapping.phases[thread->sleep_phase].slept_ticks, slept);
    thread->sleep_start = now;
    return slept;
}

void sleep_end(struct profile_thread *thread)
{
    uint64_t processor = thread_ticks();
    account_sleep(thread, processor);
    thread->sleep_phase = phase_now();
    thread->is_asleep = false;
    thread->burst_events = 0;
    thread->walk_ticks = 0;
    thread->burst_start = ticks_now();
    open_window(thread, thread->sleep_mean);
}

/* A window that is cut short gives the rate up to its end.  Where a phase was slept through, the last rate
   that was seen must do; the reader knows by the number of sleeps how little that is worth. */
void sleep_finish(struct profile_thread *thread)
{
    struct profile_phase *phase = &profile_mapping.phases[thread->sleep_phase];
    if (thread->is_asleep) {
        double slept = account_sleep(thread, thread_ticks());
        if (phase->slept_planned <= 0)
            add_window(thread, slept);
    }
    if (thread->window_is_open) {
        sleep_entered(thread, ticks_now());
        close_window(thread, ended_BY_TIME);
    }
}

void sleep_continue(struct profile_thread *thread)
{
    thread->sleep_phase = phase_now();
    if (!thread->is_asleep && !thread->walk)
        open_window(thread, 0);
}

enum { CALIBRATIONS = 48, EXTRA_ROUNDS = 64, EXTRA_UNROLLED = 4 };
static const double EVENT_FACTOR = 1.2; /* counting, and the few events that take a step */
static const double FAULT_DRIFT = 0.05; /* caches are colder in a real program */

/* Ticks of one multiplication or addition with these numbers; the fastest of a few rounds, as others may
   interrupt. */
static double time_operation(bool multiplies, float left, float right)
{
    double least = 1e18;
    for (unsigned repeat = 0; repeat < 5; repeat++) {
        uint64_t start = ticks_now();
        for (unsigned i = 0; i < EXTRA_ROUNDS; i++)
            for (unsigned k = 0; k < EXTRA_UNROLLED; k++) {
                float value = left;
                if (multiplies)
                    __asm__ volatile("mulss %1, %0" : "+x"(value) : "x"(right));
                else
                    __asm__ volatile("addss %1, %0" : "+x"(value) : "x"(right));
            }
        double time = (double)(ticks_now() - start);
        least = time < least ? time : least;
    }
    return least / (EXTRA_ROUNDS * EXTRA_UNROLLED);
}

/* Where a denormal costs anything, it is tens of cycles; less is noise. */
static double positive(double value)
{
    return value > 5 ? value : 0;
}

static void measure_extras(void)
{
    double multiply = time_operation(true, 1, 1.5f), add = time_operation(false, 1, 1.5f);
    costs.add.operand = positive(time_operation(false, 0x1p-140f, 1) - add);
    costs.add.result = positive(time_operation(false, 0x1.8p-126f, -0x1p-126f) - add);
    costs.multiply.operand = positive(time_operation(true, 0x1p-140f, 1.5f) - multiply);
    costs.multiply.result = positive(time_operation(true, 0x1p-70f, 0x1p-65f) - multiply);
}

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double fault_stretches[CALIBRATIONS];
static unsigned calibrated;

static void calibrate_fpe(int signal, siginfo_t *info, void *data)
{
    uint64_t now = ticks_now();
    if (calibrated < CALIBRATIONS)
        fault_stretches[calibrated] = (double)(now - profile_thread.resumed);
    (void)signal;
    (void)info;
    ucontext_t *context = data;
    context_set_mxcsr(context, (context_mxcsr(context) | FLAG_DENORMAL << MXCSR_MASK_SHIFT) & ~FLAG_DENORMAL);
    context_set_stepping(context, true);
    time_now();
    profile_thread.resumed = ticks_now();
}

static void calibrate_step(int signal, siginfo_t *info, void *data)
{
    if (calibrated < CALIBRATIONS)
        calibrated++;
    (void)signal;
    (void)info;
    ucontext_t *context = data;
    context_set_mxcsr(context, context_mxcsr(context) & ~(FLAG_DENORMAL | FLAG_DENORMAL << MXCSR_MASK_SHIFT));
    context_set_stepping(context, false);
    profile_thread.resumed = ticks_now();
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
    struct profile_header *header = profile_mapping.header;
    if (calibrated < CALIBRATIONS) {
        note(PROFILE_NOTE_NO_TRAPS, 0);
        header->ticks_per_second = 1000000000;
        return;
    }
    if (end_time > start_time)
        header->ticks_per_second = (uint64_t)((double)(end - start) * 1e9 / (double)(end_time - start_time));
    qsort(fault_stretches, CALIBRATIONS, sizeof *fault_stretches, compare_numbers);
    costs.fault = fault_stretches[CALIBRATIONS / 2];
    header->event_ticks = (uint64_t)(costs.fault * EVENT_FACTOR);
    costs.fault_error =
        fault_stretches[CALIBRATIONS * 3 / 4] - fault_stretches[CALIBRATIONS / 4] + FAULT_DRIFT * costs.fault;
    if (!profile_settings.is_exact)
        measure_extras();
}
