/* Threads: each arms itself, has a stack for the library's handlers and a timer.

   The stack is an alternate signal stack, so that traps are safe on the small stacks of coroutines; a program
   that has a large enough one of its own keeps it.

   The timer counts the thread's own processor time, so it never fires while the thread is blocked, and no
   system call of the program is interrupted while it waits.  It ends sleeps (sleep.c); awake it fires every
   LOOK_SECONDS to see whether the program itself has masked our exceptions with ldmxcsr or fldcw. */
#include "profile.h"
#include "real.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

enum {
    SIGNAL_STACK_BYTES = 256 << 10,
    LEAST_SIGNAL_STACK = 32 << 10 /* a frame with AVX-512 and AMX, a handler of ours, one of the program */
};
static const double LOOK_SECONDS = 0.25, SOON_SECONDS = 0.001; /* in a stub, which is left in no time */
static const double BACKUP_SECONDS =
    0.02; /* after which the plain timer comes, where the finer one is lost */

static pthread_key_t end_key;
static bool has_key;
static __thread stack_t program_stack __attribute__((tls_model("initial-exec"))); /* too small to be used */
static __thread bool has_program_stack __attribute__((tls_model("initial-exec")));

static int real_stack(const stack_t *stack, stack_t *old)
{
    return (int)syscall(SYS_sigaltstack, stack, old);
}

static void give_stack(struct profile_thread *thread)
{
    stack_t now;
    if (real_stack(NULL, &now) != 0 || (!(now.ss_flags & SS_DISABLE) && now.ss_size >= LEAST_SIGNAL_STACK))
        return;
    if (!thread->signal_stack) {
        void *memory = mmap(NULL, SIGNAL_STACK_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (memory == MAP_FAILED) {
            note(PROFILE_NOTE_SMALL_STACK, 0);
            return;
        }
        thread->signal_stack = memory;
    }
    real_stack(&(stack_t){.ss_sp = thread->signal_stack, .ss_size = SIGNAL_STACK_BYTES}, NULL);
}

static void make_timer(struct profile_thread *thread)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = profile_settings.timer_signal};
    event._sigev_un._tid = (pid_t)thread->number;
    event.sigev_value.sival_ptr = &profile_mapping;
    int number;
    thread->has_timer = syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &number) == 0;
    thread->timer = number;
    if (!thread->has_timer) {
        note(PROFILE_NOTE_NO_TIMER, 0);
        return;
    }
    clock_make(thread);
    thread_set_timer(thread, LOOK_SECONDS);
}

void thread_set_timer(struct profile_thread *thread, double seconds)
{
    /* As the system call has it, on i386 too. */
    struct {
        struct {
            long seconds, nanoseconds;
        } interval, value;
    } when = {0};
    if (seconds < LOOK_SECONDS && clock_set(thread, seconds))
        seconds += BACKUP_SECONDS;
    when.value.seconds = (long)seconds;
    when.value.nanoseconds = (long)((seconds - (double)when.value.seconds) * 1e9) + 1;
    if (when.value.nanoseconds >= 1000000000)
        when.value.nanoseconds = 999999999;
    if (thread->has_timer)
        syscall(SYS_timer_settime, thread->timer, 0, &when, NULL);
}

void thread_begin(struct profile_thread *thread)
{
    if (thread->is_watched || !profile_is_running())
        return;
    thread->number = (uint32_t)syscall(SYS_gettid);
    give_stack(thread);
    make_timer(thread);
    thread->is_watched = true;
    __atomic_fetch_add(&profile_mapping.header->threads, 1, __ATOMIC_RELAXED);
    if (!profile_settings.is_exact)
        sleep_prepare(thread);
    arm_take(thread);
}

void thread_adopt(struct profile_thread *thread)
{
    thread->number = (uint32_t)syscall(SYS_gettid);
    thread->is_watched = true;
    __atomic_fetch_add(&profile_mapping.header->threads, 1, __ATOMIC_RELAXED);
    make_timer(thread);
}

static void thread_end(struct profile_thread *thread)
{
    if (!thread->is_watched)
        return;
    arm_show(thread);
    if (!profile_settings.is_exact)
        sleep_finish(thread);
    thread->is_watched = false;
    if (thread->has_timer)
        syscall(SYS_timer_delete, thread->timer);
    clock_drop(thread);
    thread->has_timer = false;
    stack_t now;
    if (thread->signal_stack && real_stack(NULL, &now) == 0) {
        if (now.ss_sp == thread->signal_stack)
            real_stack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
        munmap(thread->signal_stack, SIGNAL_STACK_BYTES);
        thread->signal_stack = NULL;
    }
}

/* The child of a fork: no timer came with it, and what the thread was measuring belongs to the parent. */
void thread_forked(struct profile_thread *thread)
{
    bool was_asleep = thread->is_asleep;
    thread->number = (uint32_t)syscall(SYS_gettid);
    thread->wants_sleep = false;
    thread->is_asleep = false;
    sleep_prepare(thread);
    __atomic_fetch_add(&profile_mapping.header->threads, 1, __ATOMIC_RELAXED);
    clock_drop(thread);
    make_timer(thread);
    if (was_asleep)
        arm_take(thread);
}

void thread_timer(int signal, siginfo_t *info, void *data)
{
    struct profile_thread *thread = &profile_thread;
    ucontext_t *context = data;
    bool is_timer = info->si_code == SI_TIMER && info->si_value.sival_ptr == &profile_mapping;
    if (!is_timer && !clock_rang(thread, info)) {
        signals_pass_on(signal, info, context);
        return;
    }
    if (!thread->is_watched)
        return;
    if (stub_holds(context_ip(context))) {
        thread_set_timer(thread, SOON_SECONDS);
        return;
    }
    if (profile_settings.phase_seconds > 0)
        phase_tick();
    if (context_image(context)) {
        if (context_status(context) & FLAG_UNDERFLOW)
            note(PROFILE_NOTE_X87_UNDERFLOW, context_x87_instruction(context));
        if (context_mxcsr(context) & (MXCSR_FLUSHES | MXCSR_ZEROES) &&
            !profile_mapping.notes[PROFILE_NOTE_FLUSHES_FROM_START].count &&
            !profile_mapping.notes[PROFILE_NOTE_ZEROES_FROM_START].count)
            note(PROFILE_NOTE_FLUSHES_LATER, context_ip(context));
    }
    if (thread->is_asleep) {
        sleep_end(thread);
        arm_take_context(thread, context);
        if (thread->is_fine) {
            thread->program_steps = context_is_stepping(context);
            if (sleep_begin_walk(thread, context_ip(context)))
                context_set_stepping(context, true);
        }
    } else if (arm_is_masked(thread, context)) {
        note(PROFILE_NOTE_MASKED_BY_PROGRAM, context_ip(context));
        arm_take_context(thread, context);
    }
    thread_set_timer(thread, LOOK_SECONDS);
    thread->resumed = ticks_now();
}

struct beginning {
    void *(*start)(void *);
    thrd_start_t start_plain;
    void *argument;
    uint64_t masked;
};

static void end_by_key(void *thread)
{
    thread_end(thread);
}

static struct beginning begin_here(void *data)
{
    struct beginning beginning = *(struct beginning *)data;
    free(data);
    profile_thread.masked = beginning.masked;
    thread_begin(&profile_thread);
    if (has_key)
        pthread_setspecific(end_key, &profile_thread);
    return beginning;
}

static void *begin_thread(void *data)
{
    struct beginning beginning = begin_here(data);
    return beginning.start(beginning.argument);
}

static int begin_plain(void *data)
{
    struct beginning beginning = begin_here(data);
    return beginning.start_plain(beginning.argument);
}

static struct beginning *make_beginning(void *argument)
{
    struct beginning *beginning = profile_is_running() ? malloc(sizeof *beginning) : NULL;
    if (beginning)
        *beginning = (struct beginning){.argument = argument, .masked = profile_thread.masked};
    return beginning;
}

PROFILE_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                              void *argument)
{
    static void *place;
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        real_function(&place, "pthread_create");
    struct beginning *beginning = make_beginning(argument);
    if (!beginning)
        return real(thread, attributes, start, argument);
    beginning->start = start;
    /* The new thread starts with a copy of our environment: the program's own. */
    arm_show(&profile_thread);
    int error = real(thread, attributes, begin_thread, beginning);
    arm_take(&profile_thread);
    if (error != 0)
        free(beginning);
    return error;
}

PROFILE_EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
    static void *place;
    int (*real)(thrd_t *, thrd_start_t, void *) = real_function(&place, "thrd_create");
    struct beginning *beginning = make_beginning(argument);
    if (!beginning)
        return real(thread, start, argument);
    beginning->start_plain = start;
    arm_show(&profile_thread);
    int error = real(thread, begin_plain, beginning);
    arm_take(&profile_thread);
    if (error != thrd_success)
        free(beginning);
    return error;
}

/* A stack of the program that is too small for our handlers is remembered, not used. */
PROFILE_EXPORT int sigaltstack(const stack_t *stack, stack_t *old)
{
    struct profile_thread *thread = &profile_thread;
    stack_t before;
    int result = real_stack(NULL, &before);
    if (result != 0 || !thread->is_watched)
        return real_stack(stack, old);
    bool is_ours = thread->signal_stack && before.ss_sp == thread->signal_stack;
    if (is_ours && has_program_stack)
        before = program_stack;
    else if (is_ours)
        before = (stack_t){.ss_flags = SS_DISABLE};
    if (stack) {
        bool is_small = !(stack->ss_flags & SS_DISABLE) && stack->ss_size < LEAST_SIGNAL_STACK;
        has_program_stack = is_small;
        if (is_small)
            program_stack = *stack;
        if (!is_small && !(stack->ss_flags & SS_DISABLE))
            result = real_stack(stack, NULL);
        else if (!is_ours) {
            result = real_stack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
            give_stack(thread);
        }
    }
    if (old)
        *old = before;
    return result;
}

/* A jump out of a handler leaves the processor as the kernel prepared it for the handler: all masked. */
static void prepare_jump(void)
{
    struct profile_thread *thread = &profile_thread;
    if (!thread->is_watched)
        return;
    thread->stepping = 0;
    thread->walk = 0;
    thread->sample = NULL;
    arm_take(thread);
}

typedef __attribute__((noreturn)) void (*jump_function)(void *environment, int value);
#define JUMP(name)                                                                                           \
    PROFILE_EXPORT __attribute__((noreturn)) void name(void *environment, int value)                             \
    {                                                                                                        \
        static void *place;                                                                                  \
        jump_function real = (jump_function)real_function(&place, #name);                                    \
        prepare_jump();                                                                                      \
        real(environment, value);                                                                            \
    }
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)

__attribute__((constructor(101))) static void make_key(void)
{
    has_key = pthread_key_create(&end_key, end_by_key) == 0;
}
