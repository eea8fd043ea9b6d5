/* Running a program under ptrace to the calls of one function.

   Everything that it starts is followed, so that the function may be in a child or in a rank of mpirun.  The
   object that has the function is known by its inode: each program that is executed is looked at, and if the
   object is a library, its libraries once they are loaded, which is at the program's first instruction.

   A breakpoint is an instruction in the program's memory.  To go on, the thread makes one step with the
   original in its place, while all others of its process stand still.  One of these may stand in front of the
   breakpoint without having run into it: it is not led past, so that it runs into it later.  Calls that are
   timed have a second breakpoint at their return, and the kernel's account of the thread's processor time is
   read at both; a call within a call is counted and not timed. */
#include "base/interrupt.h"
#include "base/clock.h"
#include "change/optimise/replay/tracing.h"
#include "run/launch/accounts.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __aarch64__
static const uint32_t breakpoint_code = 0xd4200000, breakpoint_mask = 0xffffffff;
enum { BREAKPOINT_ADVANCE = 0 };
#else
static const uint32_t breakpoint_code = 0xcc, breakpoint_mask = 0xff;
enum { BREAKPOINT_ADVANCE = 1 };
#endif
enum {
    OPTIONS = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |
              PTRACE_O_EXITKILL,
    MOST_POINTS = 64
};

bool tracing_get_registers(pid_t thread, tracee_registers *registers)
{
    struct iovec place = {registers, sizeof *registers};
    return !ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &place) && place.iov_len == sizeof *registers;
}

bool tracing_set_registers(pid_t thread, const tracee_registers *registers)
{
    struct iovec place = {(void *)registers, sizeof *registers};
    return !ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &place);
}

#ifdef __aarch64__
static uint64_t tracee_place(const tracee_registers *registers)
{
    return registers->pc;
}
static uint64_t tracee_stack(const tracee_registers *registers)
{
    return registers->sp;
}
static void set_place(tracee_registers *registers, uint64_t place)
{
    registers->pc = place;
}
#else
static uint64_t tracee_place(const tracee_registers *registers)
{
    return registers->rip;
}
static uint64_t tracee_stack(const tracee_registers *registers)
{
    return registers->rsp;
}
static void set_place(tracee_registers *registers, uint64_t place)
{
    registers->rip = place;
}
#endif

static int open_memory(pid_t process, int mode)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)process);
    return open(path, mode | O_CLOEXEC);
}

static bool tracee_read(pid_t process, uint64_t address, void *into, size_t size)
{
    int file = open_memory(process, O_RDONLY);
    bool is_done = file >= 0 && pread(file, into, size, (off_t)address) == (ssize_t)size;
    if (file >= 0)
        close(file);
    return is_done;
}

bool tracing_write(pid_t process, uint64_t address, const void *from, size_t size)
{
    int file = open_memory(process, O_WRONLY);
    bool is_done = file >= 0 && pwrite(file, from, size, (off_t)address) == (ssize_t)size;
    if (file >= 0)
        close(file);
    return is_done;
}

/* --- what is followed --- */

static struct trace_process *process_of(const struct tracing *tracing, pid_t number)
{
    for (size_t i = 0; i < tracing->processes.count; i++)
        if (ARRAY_AT(struct trace_process, &tracing->processes, i)->process == number)
            return ARRAY_AT(struct trace_process, &tracing->processes, i);
    return NULL;
}

static struct trace_thread *thread_of(const struct tracing *tracing, pid_t number)
{
    for (size_t i = 0; i < tracing->threads.count; i++)
        if (ARRAY_AT(struct trace_thread, &tracing->threads, i)->thread == number)
            return ARRAY_AT(struct trace_thread, &tracing->threads, i);
    return NULL;
}

static pid_t status_number(pid_t thread, const char *field)
{
    char path[40], line[200];
    snprintf(path, sizeof path, "/proc/%d/status", (int)thread);
    FILE *file = fopen(path, "re");
    pid_t found = 0;
    while (file && !found && fgets(line, sizeof line, file))
        if (!strncmp(line, field, strlen(field)))
            found = (pid_t)strtol(line + strlen(field), NULL, 10);
    if (file)
        fclose(file);
    return found;
}

/* A child begins with the memory of its parent, and its breakpoints. */
static struct trace_thread *meet(struct tracing *tracing, pid_t number)
{
    pid_t process = status_number(number, "Tgid:");
    process = process ? process : number;
    if (!process_of(tracing, process)) {
        const struct trace_process *parent = process_of(tracing, status_number(number, "PPid:"));
        struct trace_process made = {.process = process, .points = ARRAY_OF(struct trace_point)};
        if (parent) {
            made = *parent;
            made.process = process;
            made.points = ARRAY_OF(struct trace_point);
            for (size_t i = 0; i < parent->points.count; i++)
                *(struct trace_point *)array_push(&made.points) =
                    *ARRAY_AT(struct trace_point, &parent->points, i);
        }
        *(struct trace_process *)array_push(&tracing->processes) = made;
    }
    struct trace_thread *thread = array_add(&tracing->threads);
    thread->thread = number;
    thread->process = process;
    return thread;
}

static void lose(struct tracing *tracing, pid_t number)
{
    struct trace_thread *thread = thread_of(tracing, number);
    if (!thread)
        return;
    pid_t process = thread->process;
    *thread = *ARRAY_AT(struct trace_thread, &tracing->threads, tracing->threads.count - 1);
    tracing->threads.count--;
    for (size_t i = 0; i < tracing->threads.count; i++)
        if (ARRAY_AT(struct trace_thread, &tracing->threads, i)->process == process)
            return;
    struct trace_process *gone = process_of(tracing, process);
    if (!gone)
        return;
    array_free(&gone->points);
    *gone = *ARRAY_AT(struct trace_process, &tracing->processes, tracing->processes.count - 1);
    tracing->processes.count--;
}

/* --- breakpoints --- */

static struct trace_point *point_at(const struct trace_process *process, uint64_t address)
{
    for (size_t i = 0; i < process->points.count; i++)
        if (ARRAY_AT(struct trace_point, &process->points, i)->address == address)
            return ARRAY_AT(struct trace_point, &process->points, i);
    return NULL;
}

static bool put_code(pid_t process, uint64_t address, uint32_t code)
{
    uint32_t present;
    if (!tracee_read(process, address, &present, sizeof present))
        return false;
    present = (present & ~breakpoint_mask) | (code & breakpoint_mask);
    return tracing_write(process, address, &present, sizeof present);
}

static bool add_point(struct trace_process *process, uint64_t address)
{
    struct trace_point *point = point_at(process, address);
    if (point) {
        point->uses++;
        return true;
    }
    struct trace_point made = {.address = address, .uses = 1};
    if (process->points.count >= MOST_POINTS ||
        !tracee_read(process->process, address, &made.original, sizeof made.original) ||
        !put_code(process->process, address, breakpoint_code))
        return false;
    *(struct trace_point *)array_push(&process->points) = made;
    return true;
}

static void remove_point(struct trace_process *process, uint64_t address)
{
    struct trace_point *point = point_at(process, address);
    if (!point || --point->uses)
        return;
    put_code(process->process, address, point->original);
    *point = *ARRAY_AT(struct trace_point, &process->points, process->points.count - 1);
    process->points.count--;
}

bool tracing_resume_alone(pid_t thread, int *status)
{
    return !ptrace(PTRACE_CONT, thread, 0, 0) && waitpid(thread, status, __WALL) == thread &&
           WIFSTOPPED(*status);
}

/* Everything else of the process stands still.  What a thread was stopped by, if not by us, is handled later.
 */
static void stop_others(struct tracing *tracing, pid_t process)
{
    for (size_t i = 0; i < tracing->threads.count; i++) {
        struct trace_thread *thread = ARRAY_AT(struct trace_thread, &tracing->threads, i);
        if (thread->process != process || thread->is_stopped ||
            ptrace(PTRACE_INTERRUPT, thread->thread, 0, 0))
            continue;
        pid_t got;
        while ((got = waitpid(thread->thread, &thread->news, __WALL)) < 0 && errno == EINTR)
            ;
        thread->is_stopped = true;
        thread->has_news = got == thread->thread;
    }
}

/* One instruction, with the original in place of the breakpoint.  A signal that comes meanwhile waits. */
static bool step_over(struct tracing *tracing, struct trace_thread *thread)
{
    struct trace_process *process = process_of(tracing, thread->process);
    struct trace_point *point = process && thread->met ? point_at(process, thread->met) : NULL;
    tracee_registers registers;
    uint64_t address = thread->met;
    thread->met = 0;
    if (!point || !tracing_get_registers(thread->thread, &registers) || tracee_place(&registers) != address)
        return true;
    stop_others(tracing, thread->process);
    put_code(process->process, address, point->original);
    int status = 0;
    pid_t got = -1;
    do {
        if (ptrace(PTRACE_SINGLESTEP, thread->thread, 0, 0))
            break;
        while ((got = waitpid(thread->thread, &status, __WALL)) < 0 && errno == EINTR)
            ;
        if (got < 0 || !WIFSTOPPED(status)) {
            thread->news = status;
            return false;
        }
        if (WSTOPSIG(status) != SIGTRAP && !(status >> 16))
            thread->pending = WSTOPSIG(status);
    } while (tracing_get_registers(thread->thread, &registers) && tracee_place(&registers) == address);
    put_code(process->process, address, breakpoint_code);
    return true;
}

static void resume(struct trace_thread *thread)
{
    ptrace(PTRACE_CONT, thread->thread, 0, thread->pending);
    thread->pending = 0;
    thread->is_stopped = false;
}

/* --- where the function is --- */

static uint64_t auxiliary(pid_t process, uint64_t type)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/auxv", (int)process);
    FILE *file = fopen(path, "re");
    uint64_t pair[2] = {0, 0}, found = 0;
    while (file && !found && fread(pair, sizeof pair, 1, file) == 1 && pair[0])
        found = pair[0] == type ? pair[1] : 0;
    if (file)
        fclose(file);
    return found;
}

/* Where the object's first page lies in a process; 0: it is not loaded. */
static uint64_t loaded_at(const struct tracing *tracing, pid_t process)
{
    char path[40], line[5000];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    FILE *file = fopen(path, "re");
    uint64_t found = 0;
    while (file && !found && fgets(line, sizeof line, file)) {
        uint64_t start, offset, inode;
        unsigned major, minor;
        if (sscanf(line, "%" SCNx64 "-%*x %*s %" SCNx64 " %x:%x %" SCNu64, &start, &offset, &major, &minor,
                   &inode) == 5 &&
            inode == tracing->inode && makedev(major, minor) == tracing->device && !offset)
            found = start;
    }
    if (file)
        fclose(file);
    return found;
}

static void find_function(struct tracing *tracing, struct trace_process *process)
{
    uint64_t start = loaded_at(tracing, process->process);
    if (!start)
        return;
    process->entry = start - tracing->lowest + tracing->request->function;
    if (!add_point(process, process->entry))
        process->entry = 0;
}

static void look_at_program(struct tracing *tracing, struct trace_process *process)
{
    process->points.count = 0;
    process->entry = process->start = 0;
    find_function(tracing, process);
    if (process->entry)
        return;
    process->start = auxiliary(process->process, AT_ENTRY);
    if (process->start && !add_point(process, process->start))
        process->start = 0;
}

/* --- calls --- */

static uint64_t processor_nanoseconds(const struct trace_thread *thread)
{
    struct accounts_thread account;
    return accounts_of_thread((uint32_t)thread->process, (uint32_t)thread->thread, &account) ? account.ran
                                                                                             : 0;
}

static void begin_timing(struct tracing *tracing, struct trace_thread *thread,
                         const tracee_registers *registers)
{
    if (thread->return_address)
        return;
    uint64_t back;
#ifdef __aarch64__
    back = registers->regs[30];
    thread->stack_pointer = registers->sp;
#else
    if (!tracee_read(thread->process, registers->rsp, &back, sizeof back))
        return;
    thread->stack_pointer = registers->rsp + 8;
#endif
    if (!add_point(process_of(tracing, thread->process), back))
        return;
    thread->return_address = back;
    thread->call = tracing->calls;
    thread->started = processor_nanoseconds(thread);
}

static void end_timing(struct tracing *tracing, struct trace_thread *thread)
{
    uint64_t now = processor_nanoseconds(thread);
    if (thread->call && thread->call <= tracing->durations.count && now > thread->started)
        *ARRAY_AT(uint64_t, &tracing->durations, thread->call - 1) = now - thread->started;
    remove_point(process_of(tracing, thread->process), thread->return_address);
    thread->return_address = 0;
}

/* The signal is of a breakpoint instruction, not sent by anybody.  x86's has the kernel's own code. */
static bool is_trap(pid_t thread)
{
    siginfo_t facts;
    return !ptrace(PTRACE_GETSIGINFO, thread, 0, &facts) &&
           (facts.si_code == TRAP_BRKPT || facts.si_code == SI_KERNEL);
}

/* A thread stopped at a breakpoint instruction: whether it is a call. */
static bool at_point(struct tracing *tracing, struct trace_thread *thread, bool *is_call)
{
    struct trace_process *process = process_of(tracing, thread->process);
    tracee_registers registers;
    if (!process || !tracing_get_registers(thread->thread, &registers))
        return false;
    uint64_t place = tracee_place(&registers) - BREAKPOINT_ADVANCE;
    uint32_t code;
    if (!point_at(process, place)) {
        /* It came to a breakpoint that another thread had removed meanwhile. */
        if (!tracee_read(process->process, place, &code, sizeof code) || !is_trap(thread->thread) ||
            (code & breakpoint_mask) == breakpoint_code)
            return false;
        set_place(&registers, place);
        return tracing_set_registers(thread->thread, &registers);
    }
    set_place(&registers, place);
    tracing_set_registers(thread->thread, &registers);
    thread->met = place;
    if (place == process->start) {
        process->start = 0;
        find_function(tracing, process);
        remove_point(process, place);
    }
    if (place == thread->return_address && tracee_stack(&registers) == thread->stack_pointer)
        end_timing(tracing, thread);
    if (place == process->entry) {
        tracing->calls++;
        *is_call = true;
        if (tracing->request->is_timed) {
            *(uint64_t *)array_push(&tracing->durations) = 0;
            begin_timing(tracing, thread, &registers);
        }
    }
    return true;
}

/* --- events --- */

static bool is_stop_of_group(int status)
{
    int signal = WSTOPSIG(status);
    return status >> 16 == PTRACE_EVENT_STOP &&
           (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU);
}

/* What a stop means; a thread that is not at a call goes on. */
static bool handle_stop(struct tracing *tracing, pid_t number, int status)
{
    struct trace_thread *thread = thread_of(tracing, number);
    thread = thread ? thread : meet(tracing, number);
    thread->is_stopped = true;
    int event = status >> 16, signal = WSTOPSIG(status);
    bool is_call = false;
    if (event == PTRACE_EVENT_EXEC) {
        thread->return_address = thread->met = 0;
        thread->process = number;
        if (!process_of(tracing, number)) {
            struct trace_process *made = array_add(&tracing->processes);
            *made = (struct trace_process){.process = number, .points = ARRAY_OF(struct trace_point)};
        }
        look_at_program(tracing, process_of(tracing, number));
    } else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE) {
        /* Known while its parent is there: a child whose parent has ended cannot be told whose it was. */
        unsigned long made = 0;
        if (!ptrace(PTRACE_GETEVENTMSG, number, 0, &made) && made && !thread_of(tracing, (pid_t)made))
            meet(tracing, (pid_t)made);
    } else if (is_stop_of_group(status)) {
        ptrace(PTRACE_LISTEN, number, 0, 0);
        return false;
    } else if (!event && (signal != SIGTRAP || !at_point(tracing, thread, &is_call))) {
        thread->pending = signal;
    }
    return is_call;
}

static void resume_stopped(struct tracing *tracing)
{
    for (size_t i = 0; i < tracing->threads.count; i++) {
        struct trace_thread *thread = ARRAY_AT(struct trace_thread, &tracing->threads, i);
        if (thread->is_stopped && !thread->has_news && !step_over(tracing, thread))
            thread->has_news = true; /* it is gone */
    }
    for (size_t i = 0; i < tracing->threads.count; i++) {
        struct trace_thread *thread = ARRAY_AT(struct trace_thread, &tracing->threads, i);
        if (thread->is_stopped && !thread->has_news)
            resume(thread);
    }
}

/* The next stop or end: one that was kept, else the kernel's.  0: none yet. */
static pid_t next_news(struct tracing *tracing, int *status)
{
    for (size_t i = 0; i < tracing->threads.count; i++) {
        struct trace_thread *thread = ARRAY_AT(struct trace_thread, &tracing->threads, i);
        if (!thread->has_news)
            continue;
        thread->has_news = false;
        *status = thread->news;
        return thread->thread;
    }
    return waitpid(-1, status, __WALL | WNOHANG | __WNOTHREAD);
}

enum tracing_event tracing_next(struct tracing *tracing, size_t *thread, struct error *error)
{
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    pid_t own = ARRAY_AT(struct trace_process, &tracing->processes, 0)->process;
    for (;;) {
        resume_stopped(tracing);
        if (!tracing->threads.count)
            return tracing_ENDED;
        if (interrupt_came()) {
            error_set(error, NULL, "interrupted while the program ran");
            return tracing_FAILED;
        }
        int status;
        pid_t number = next_news(tracing, &status);
        if (number < 0 && errno == ECHILD)
            return tracing_ENDED;
        if (number < 0) {
            error_set_errno(error, NULL, "cannot wait for the program");
            return tracing_FAILED;
        }
        if (!number) {
            struct timespec pause = {.tv_nsec = 100000000};
            sigtimedwait(&children, NULL, &pause);
            if (tracing->request->seconds > 0 &&
                clock_monotonic_seconds() - tracing->began > tracing->request->seconds)
                return tracing_TIME_IS_UP;
            continue;
        }
        if (!WIFSTOPPED(status)) {
            if (number == own)
                tracing->status = status;
            lose(tracing, number);
        } else if (handle_stop(tracing, number, status)) {
            *thread = (size_t)(thread_of(tracing, number) - (struct trace_thread *)tracing->threads.data);
            return tracing_CALL;
        }
    }
}

bool tracing_freeze(struct tracing *tracing, pid_t process, struct error *error)
{
    stop_others(tracing, process);
    if (!process_of(tracing, process))
        return error_set(error, NULL, "the program could not be stopped");
    struct trace_process *frozen = process_of(tracing, process);
    while (frozen && frozen->points.count) {
        struct trace_point *point = ARRAY_AT(struct trace_point, &frozen->points, 0);
        point->uses = 1;
        remove_point(frozen, point->address);
    }
    return true;
}

/* --- start and end --- */

/* Standard input is read anew if it is a file: the program may be run twice. */
static void take_streams(bool is_silent)
{
    struct stat facts;
    int nothing = open("/dev/null", O_RDWR);
    int again =
        !fstat(STDIN_FILENO, &facts) && S_ISREG(facts.st_mode) ? open("/proc/self/fd/0", O_RDONLY) : -1;
    dup2(again >= 0 ? again : nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    if (is_silent)
        dup2(nothing, STDERR_FILENO);
    for (int file = 3; file < 1024; file++)
        fcntl(file, F_SETFD, FD_CLOEXEC);
}

static void become(const struct tracing_request *request, int gate)
{
    char go;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGALRM, SIGQUIT};
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    if (read(gate, &go, 1) != 1)
        _exit(127);
    take_streams(request->is_silent);
    if (request->folder && chdir(request->folder))
        _exit(127);
    personality(ADDR_NO_RANDOMIZE); /* where it is refused, addresses differ from run to run */
    setenv("LD_BIND_NOW", "1", 1);  /* or each replay would look for the functions that it calls */
    execv(request->executable, (char *const *)request->words);
    _exit(127);
}

static bool identify(struct tracing *tracing, struct error *error)
{
    struct stat facts;
    if (stat(tracing->request->object, &facts))
        return error_set_errno(error, tracing->request->object, "cannot be read");
    tracing->device = facts.st_dev;
    tracing->inode = facts.st_ino;
    return true;
}

bool tracing_begin(struct tracing *tracing, const struct tracing_request *request, struct error *error)
{
    uint64_t lowest = tracing->lowest;
    *tracing = (struct tracing){.request = request,
                                .lowest = lowest,
                                .threads = ARRAY_OF(struct trace_thread),
                                .processes = ARRAY_OF(struct trace_process),
                                .durations = ARRAY_OF(uint64_t),
                                .began = clock_monotonic_seconds()};
    int gate[2];
    if (!identify(tracing, error))
        return false;
    if (pipe2(gate, O_CLOEXEC))
        return error_set_errno(error, NULL, "cannot create a pipe");
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, NULL);
    pid_t process = fork();
    if (process == 0)
        become(request, gate[0]);
    bool is_begun = process > 0 && !ptrace(PTRACE_SEIZE, process, 0, OPTIONS);
    if (!is_begun)
        error_set_errno(error, request->executable,
                        "cannot be followed (ptrace); containers and yama may forbid it");
    else
        is_begun = write(gate[1], "g", 1) == 1;
    if (is_begun)
        meet(tracing, process);
    close(gate[0]);
    close(gate[1]);
    if (!is_begun && process > 0) {
        kill(process, SIGKILL);
        waitpid(process, NULL, 0);
    }
    return is_begun;
}

void tracing_end(struct tracing *tracing)
{
    for (size_t i = 0; i < tracing->processes.count; i++)
        kill(ARRAY_AT(struct trace_process, &tracing->processes, i)->process, SIGKILL);
    /* In any order: a process is told as ended when all its threads are. */
    while (tracing->threads.count) {
        int status;
        pid_t number = waitpid(-1, &status, __WALL | __WNOTHREAD);
        if (number < 0 && errno != EINTR)
            break;
        if (number > 0 && !WIFSTOPPED(status))
            lose(tracing, number);
    }
    for (size_t i = 0; i < tracing->processes.count; i++)
        array_free(&ARRAY_AT(struct trace_process, &tracing->processes, i)->points);
    array_free(&tracing->processes);
    array_free(&tracing->threads);
    array_free(&tracing->durations);
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_UNBLOCK, &children, NULL);
}
