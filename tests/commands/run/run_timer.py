"""assay run where the kernel's sampling is forbidden: a library in the program takes samples by timers (runtime/sample).

Programs divide their processor time in a known way; shares have the precision of a few hundred samples. x86-64 programs run
under an emulator on other machines, and the library of that kind in them."""
# first build only: the library in the program does the work; run_measure reads its recordings
import os
from harness import ASSAY, MACHINE, PROGRAMS, Fail, Folder, Lacking, Skip, assay, build, command, cross, need, rows, run, uncertain

WORK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
extern char **environ;
#define WORK \
    struct timespec now; \
    unsigned long value = 1; \
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); \
    double end = now.tv_sec + now.tv_nsec * 1e-9 + seconds; \
    do { \
        for (int i = 0; i < 20000; i++) { \
            value = value * 6364136223846793005ul + i; \
            __asm__ volatile("" ::"r"(value)); \
        } \
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); \
    } while (now.tv_sec + now.tv_nsec * 1e-9 < end); \
    __asm__ volatile("");
__attribute__((noinline)) void work(double seconds) { WORK }
"""
SPLIT = WORK + r"""
__attribute__((noinline)) void more(double seconds) { WORK }
int main(void)
{
    for (int i = 0; i < 20; i++) {
        work(0.01);
        more(0.03);
    }
    puts("done");
    return 3;
}
"""
THREADS = WORK + r"""
static void *start(void *seconds)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    work(*(double *)seconds);
    return NULL;
}
int main(void)
{
    static double seconds[] = {0.2, 0.4, 0.6};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        char name[] = "worker 0";
        name[7] += i;
        pthread_create(&threads[i], NULL, start, &seconds[i]);
        pthread_setname_np(threads[i], name);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2000; i++) { /* a timer each, which must not be left behind */
        static double nothing = 0;
        pthread_t brief;
        if (pthread_create(&brief, NULL, start, &nothing))
            return 1;
        pthread_join(brief, NULL);
    }
    return 0;
}
""".replace("static void *start", "#include <signal.h>\nstatic void *start", 1)
PROCESSES = WORK + r"""
static void wait_for(const char *what, pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    printf("%s: %d %d\n", what, WEXITSTATUS(status), WTERMSIG(status));
    fflush(stdout);
}
int main(int count, char **words)
{
    pid_t child;
    if (count > 1) {
        work(atof(words[1]));
        return 2;
    }
    work(0.1);
    if (!(child = fork())) {
        work(0.4);
        _exit(3);
    }
    wait_for("fork", child);
    if (!(child = fork())) {
        work(0.1);
        execl(words[0], words[0], "0.31", NULL);
    }
    wait_for("exec", child);
    if (!(child = vfork())) {
        execl(words[0], words[0], "0.21", NULL);
        _exit(9);
    }
    wait_for("vfork", child);
    if (!(child = vfork()))
        _exit(4);
    wait_for("vfork and exit", child);
    char *spawned[] = {words[0], "0.22", NULL};
    posix_spawn(&child, words[0], NULL, NULL, spawned, environ);
    wait_for("spawn", child);
    if (!(child = fork())) {
        work(0.1);
        abort();
    }
    wait_for("abort", child);
    printf("system: %d\n", system("exit 5") >> 8);
    return 0;
}
"""
PLUGIN = WORK + "void plugin(void) { work(0.3); }\n"
LOADS = WORK + r"""
int main(int count, char **words)
{
    for (int i = 1; i < count; i++) { /* each takes the place of the one before */
        void *library = dlopen(words[i], RTLD_NOW);
        void (*plugin)(void) = (void (*)(void))dlsym(library, "plugin");
        plugin();
        dlclose(library);
    }
    return 0;
}
"""

# Runs a command whose processes may not call perf_event_open, as in many containers.
FORBIDS = r"""
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **words)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {4, rules};
    if (count < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        return 99;
    execvp(words[1], words + 1);
    return 98;
}
"""


def compiler(machine=MACHINE):
    return [need(cross("gcc", machine))]


def make(folder, source, *flags, machine=MACHINE, output="program"):
    path = os.path.join(folder, output + ".c")
    with open(path, "w") as out:
        out.write(source)
    return build(folder, compiler(machine), [path], "-g", "-O1", *flags, "-lpthread", "-ldl", output=output)


def sampled(folder, words, status=0, env=None):
    """What the program printed; the run is in run.db."""
    result = assay("run", "-o", f"{folder}/run.db", "--", *words, status=status,
                   env=dict(os.environ, ASSAY_SAMPLER="timer", **(env or {})))
    sampler = ask(folder, "select sampler from runs")[0]["sampler"]
    assert sampler == "timer", sampler
    return result.stdout.decode()


def ask(folder, query):
    return rows(f"{folder}/run.db", query)


def near(value, wanted, within, what):
    if not abs(value - wanted) <= within:
        raise Fail(f"{what}: {value:.3f}, expected {wanted:.3f} ± {within}")


def shares(folder):
    """Share of the time of each function itself, by name."""
    return {row["name"]: row["share"] for row in ask(folder, """
        select coalesce(f.name, r.name) as name, sum(self_share) as share
          from run_functions r left join functions f on f.id = r.function group by 1""")}


@uncertain
def two_functions():
    with Folder() as folder:
        assert sampled(folder, [make(folder, SPLIT)], status=3) == "done\n"
        found = shares(folder)
        near(found["more"], 0.75, 0.1, "more")
        near(found["work"], 0.25, 0.1, "work")
        facts = ask(folder, "select samples, sampled_seconds, cpu_seconds from runs")[0]
        near(facts["sampled_seconds"] / facts["cpu_seconds"], 1, 0.1, "time of samples by time of the kernel's account")
        assert facts["samples"] >= 20, facts
        # Callers are known from the copy of the stack.
        total = ask(folder, """select total_share from run_functions r join functions f on f.id = r.function
                                where f.name = 'main'""")
        assert total and total[0]["total_share"] > 0.9, total


@uncertain
def systems_that_forbid_the_kernels_sampling():
    with Folder() as folder:
        program, forbids = make(folder, SPLIT), make(folder, FORBIDS, output="forbids")
        if command([forbids, "true"], status=None).returncode:
            raise Skip("this system has no filters of system calls")
        environment = {name: value for name, value in os.environ.items() if name != "ASSAY_SAMPLER"}
        result = command([forbids, ASSAY, "run", "-o", f"{folder}/run.db", "--", program], status=3, env=environment)
        assert result.stdout == b"done\n", result.stdout
        facts = ask(folder, "select sampler, without_kernel_sampling as reason from runs")[0]
        assert facts["sampler"] == "timer" and "perf_event_open" in facts["reason"], facts
        near(shares(folder)["more"], 0.75, 0.1, "more")


@uncertain
def x86_64_programs_on_other_machines():
    if MACHINE == "x86_64":
        raise Skip("needs a processor other than x86-64")
    emulator = need("qemu-x86_64")
    with Folder() as folder:
        program = make(folder, SPLIT, machine="x86_64")
        assert sampled(folder, [emulator, "-L", "/usr/x86_64-linux-gnu", program], status=3) == "done\n"
        found = shares(folder)
        near(found["more"], 0.75, 0.12, "more")
        near(found["work"], 0.25, 0.12, "work")


@uncertain
def programs_that_a_static_emulator_runs():
    """Debian 13's emulators are static, so nothing is loaded into them, but their programs get the environment."""
    with Folder() as folder:
        emulator = make(folder, WORK + "int main(int n, char **words) { return execv(words[n - 1], words + n - 1); }\n",
                        "-static", output=f"qemu-{MACHINE}")
        assert sampled(folder, [emulator, make(folder, SPLIT)], status=3) == "done\n"
        near(shares(folder)["more"], 0.75, 0.12, "more")


@uncertain
def threads():
    with Folder() as folder:
        sampled(folder, [make(folder, THREADS)])
        found = {row["name"]: row["cpu_seconds"] for row in ask(folder, "select name, cpu_seconds from run_threads")}
        for i, seconds in enumerate((0.2, 0.4, 0.6)):
            near(found[f"worker {i}"], seconds, 0.08, f"worker {i}")


@uncertain
def processes():
    with Folder() as folder:
        program = make(folder, PROCESSES)
        bare = command([program]).stdout.decode()
        assert sampled(folder, [program]) == bare, bare
        found = ask(folder, "select command, cpu_seconds from run_processes")
        plain = sorted(row["cpu_seconds"] for row in found if row["command"] == program)
        near(max(plain), 0.4, 0.08, "the child of fork")
        by_word = {row["command"].split()[-1]: row["cpu_seconds"] for row in found}
        near(by_word["0.31"], 0.41, 0.08, "exec, with the time before it")
        near(by_word["0.21"], 0.21, 0.06, "the child of vfork")
        near(by_word["0.22"], 0.22, 0.06, "the child of posix_spawn")


@uncertain
def libraries_that_come_and_go():
    with Folder() as folder:
        plugins = [make(folder, PLUGIN, "-shared", "-fPIC", output=f"plugin{i}.so") for i in range(3)]
        sampled(folder, [make(folder, LOADS), *plugins])
        found = {row["path"]: row["seconds"] for row in ask(folder, "select path, seconds from run_files")}
        for plugin in plugins:
            near(found[plugin], 0.3, 0.08, plugin)


@uncertain
def the_program_sees_nothing_of_it():
    with Folder() as folder:
        program = build(folder, compiler(), [os.path.join(PROGRAMS, "timer_manners.c")], "-g", "-O1", "-w", "-lpthread")
        bare = command([program], status=7).stdout.decode()
        found = sampled(folder, [program], status=7)
        assert found == bare, f"{bare}\n{found}"
        assert "interrupted: 0" in bare and "errno: 77" in bare, bare


@uncertain
def programs_with_sanitizers():
    with Folder() as folder:
        try:
            program = make(folder, SPLIT, "-fsanitize=address,undefined")
        except AssertionError:
            raise Lacking("the compiler has no sanitizers")
        assert sampled(folder, [program], status=3) == "done\n"
        near(shares(folder)["more"], 0.75, 0.12, "more")


@uncertain
def programs_that_signals_end():
    with Folder() as folder:
        program = make(folder, WORK + "int main(void) { work(0.3); abort(); }\n")
        result = assay("run", "-o", f"{folder}/run.db", "--", program, status=None,
                       env=dict(os.environ, ASSAY_SAMPLER="timer"))
        plain = command(["sh", "-c", f"{program}; exit $?"], status=None).returncode
        assert result.returncode in (plain, -6), result.returncode
        assert ask(folder, "select end_signal from runs")[0]["end_signal"] == 6
        near(shares(folder)["work"], 1, 0.1, "work")


@uncertain
def more_maps_than_a_ring_has_room_for():
    with Folder() as folder:
        program = make(folder, WORK + r"""
#include <sys/mman.h>
int main(void)
{
    enum { PAGES = 60000 };
    size_t size = sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, PAGES * size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    work(0.1);
    for (size_t i = 0; memory != MAP_FAILED && i < PAGES; i += 2)
        mprotect(memory + i * size, size, PROT_READ | PROT_EXEC);
    work(1.6);
    return 5;
}
""")
        sampled(folder, [program], status=5)


@uncertain
def programs_that_cannot_be_sampled():
    with Folder() as folder:
        try:
            program = make(folder, SPLIT, "-static")
        except AssertionError:
            raise Lacking("libc6-dev has no static library")
        result = assay("run", "--", program, status=None, env=dict(os.environ, ASSAY_SAMPLER="timer"))
        message = result.stderr.decode()
        assert result.returncode not in (0, 3) and "statically linked" in message and "done" not in message, message


run()
