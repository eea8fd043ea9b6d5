"""The probe runtime alone: plans made by hand, for programs that count themselves.

A program has slots of no-ops at labels; each becomes a patch whose trampoline writes one event.  The recording is read here,
without Assay: slots of summaries, and the events that are still in the buffers."""
# first build only: compiles and runs programs; the runtime is the same in every build
import glob, os, shutil, signal, struct, subprocess, time
from harness import *

BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
ENTER, LEAVE, START, STOP, SEEN, TOUCH, TALLIED = range(1, 8)
SPAN, LOOP, VALUE, ADDRESS, COUNT_ONLY = range(1, 6)
JUMP, TRAP = 1, 2
KEEP_ALL = 1
MODULE, THREAD, COUNTERS, SLOTS, EVENTS, FRAMES = range(1, 7)
NOPS = {"aarch64": 1, "x86_64": 8}
EXIT, EXEC = 1, 2

# What a trampoline does: one event, with all registers kept.  The value is the clock, or register {value}.
EVENT = {
    "aarch64": """
        stp x16, x17, [sp, #-32]!
        str x30, [sp, #16]
        {prefix}high: mrs x16, tpidr_el0
        add x16, x16, #0, lsl #12
        {prefix}low1: ldr x17, [x16]
        add x17, x17, #16
        {prefix}low2: str x17, [x16]
        movz w16, #{low}
        movk w16, #{high}, lsl #16
        stur w16, [x17, #-16]
        add x16, sp, #32
        lsr x16, x16, #3
        stur w16, [x17, #-12]
        {read}
        stur x16, [x17, #-8]
        tbz x17, #14, 1f
        ldr x16, 2f
        blr x16
    1:  ldr x30, [sp, #16]
        ldp x16, x17, [sp], #32
        nop
        {prefix}back: b .
        .p2align 3
    2:  {prefix}full: .quad 0
        """,
    "x86_64": """
        lea -128(%rsp), %rsp
        pushfq
        push %rax
        push %rcx
        push %rdx
        .byte 0x64, 0x48, 0x8b, 0x0c, 0x25
        {prefix}low1: .long 0
        add $16, %rcx
        .byte 0x64, 0x48, 0x89, 0x0c, 0x25
        {prefix}low2: .long 0
        movl ${identity}, -16(%rcx)
        lea 160(%rsp), %rax
        shr $3, %rax
        mov %eax, -12(%rcx)
        {read}
        mov %rax, -8(%rcx)
        bt $14, %ecx
        jnc 1f
        call *2f(%rip)
    1:  pop %rdx
        pop %rcx
        pop %rax
        popfq
        lea 128(%rsp), %rsp
        .byte 0xe9
        {prefix}back: .long 0
        .p2align 3
    2:  {prefix}full: .quad 0
        """}
CLOCK = {"aarch64": "mrs x16, cntvct_el0", "x86_64": "rdtsc\n shl $32, %rdx\n or %rdx, %rax"}
ARGUMENT = {"aarch64": "mov x16, x0", "x86_64": "mov %rdi, %rax"}

SLOT = r"""
#include <stdint.h>
#ifdef __aarch64__
#define SLOT(name) __asm__ volatile(".globl at_" #name "\nat_" #name ": nop" ::: "memory")
#define PASS(name, v) do { register uint64_t x0 __asm__("x0") = (v); \
    __asm__ volatile(".globl at_" #name "\nat_" #name ": nop" :: "r"(x0) : "memory"); } while (0)
#else
#define SLOT(name) __asm__ volatile(".globl at_" #name "\nat_" #name ": .rept 8\n nop\n .endr" ::: "memory")
#define PASS(name, v) __asm__ volatile(".globl at_" #name "\nat_" #name ": .rept 8\n nop\n .endr" :: "D"((uint64_t)(v)) : "memory")
#endif
#define PROBED __attribute__((noinline, noclone, used))
"""


class Machine:
    """An instruction set: how programs for it are made and run here."""

    def __init__(self, name):
        self.name = name
        self.runner = emulator_with_probes(name)
        self.compiler = need(cross("gcc", name))
        self.library = os.path.join(BUILD, "runtime", "probe", f"libassay-probe-{name}.so")

    def compile(self, folder, text, *flags, output="program"):
        source = os.path.join(folder, output + ".c")
        with open(source, "w") as file:
            file.write(SLOT + text)
        return build(folder, [self.compiler], [source], "-O1", "-Wall", "-g0", *flags, output=output)

    def start(self, words, plan, prefix, **options):
        settings = {"LD_PRELOAD": self.library, "ASSAY_PROBE_PLAN": plan, "ASSAY_PROBE_FILE": prefix}
        environment = {**os.environ, **settings}
        if self.runner:
            # For the program, not for the emulator.
            words = [*self.runner, *(word for name, value in settings.items() for word in ("-E", f"{name}={value}")), *words]
            environment = dict(os.environ)
        return words, dict(env=environment, **options)

    def run(self, words, plan, prefix, status=0):
        words, options = self.start(words, plan, prefix)
        return command(words, status, env=options["env"]).stdout.decode()


def machines(function):
    """The test for this machine, and for the other one under the emulator."""
    for name in ("aarch64", "x86_64"):
        def one(name=name):
            function(Machine(name))
        one.__name__ = f"{function.__name__}_{name}"
        one.__doc__ = function.__doc__
        test(one)
    return function


def symbols(machine, path):
    lines = command([cross("nm", machine.name), path]).stdout.decode().splitlines()
    return {words[2]: int(words[0], 16) for words in map(str.split, lines) if len(words) == 3}


def file_offset(machine, path, address):
    for line in command([cross("readelf", machine.name), "-lW", path]).stdout.decode().splitlines():
        words = line.split()
        if words and words[0] == "LOAD":
            offset, start, size = int(words[1], 16), int(words[2], 16), int(words[4], 16)
            if start <= address < start + size:
                return address - start + offset
    raise Fail(f"{path} has no byte at {address:#x}")


def build_id(machine, path):
    found = re.search(r"Build ID: (\w+)", command([cross("readelf", machine.name), "-nW", path]).stdout.decode())
    return bytes.fromhex(found.group(1)) if found else b""


class Plan:
    """subjects: (kind, flags[, width, group, inverse, shift]); points of each file: (label, subject, event, way)."""

    def __init__(self, machine, folder, subjects, files, flags=0, name="plan"):
        self.machine, self.path = machine, os.path.join(folder, name)
        texts, modules, patches, fixes, codes = b"", [], [], [], b""
        for path, points in files:
            names = symbols(machine, path)
            points = sorted((names["at_" + label], label, subject, event, way) for label, subject, event, way in points)
            code, marks = self.trampolines(folder, points)
            with open(path, "rb") as file:
                content = file.read()
            first_patch, first_fix = len(patches), len(fixes)
            for i, (address, label, subject, event, way) in enumerate(points):
                size = {"aarch64": 4, "x86_64": 8}[machine.name]
                at = file_offset(machine, path, address)
                patches.append(struct.pack("<QIBBH24s8x", address, marks[f"p{i}_start"], way, size, 1, content[at:at + size]))
                fixes += self.fixes(i, marks, address + size)
            text = len(texts)
            texts += os.path.realpath(path).encode() + b"\0"
            codes += b"\0" * (-len(codes) % 64)
            ident = build_id(machine, path)
            modules.append((text, ident, points[0][0] if points else 0, points[-1][0] + 16 if points else 0, len(codes), len(code),
                            first_patch, len(points), first_fix, len(fixes) - first_fix))
            codes += code
        self.write(subjects, modules, patches, fixes, codes, texts, flags)

    def trampolines(self, folder, points):
        machine, text = self.machine, ".text\n"
        for i, (_, _, subject, event, _) in enumerate(points):
            identity = (subject + 1) << 4 | event
            read = CLOCK if event in (ENTER, LEAVE) else ARGUMENT
            text += f".p2align 4\np{i}_start:\n" + EVENT[machine.name].format(
                prefix=f"p{i}_", identity=identity, low=identity & 0xffff, high=identity >> 16, read=read[machine.name])
        base = os.path.join(folder, "trampolines")
        with open(base + ".s", "w") as file:
            file.write(text)
        command([machine.compiler, "-c", "-o", base + ".o", base + ".s"])
        command([cross("objcopy", machine.name), "-O", "binary", "-j", ".text", base + ".o", base + ".bin"])
        with open(base + ".bin", "rb") as file:
            return file.read(), symbols(machine, base + ".o")

    def fixes(self, i, marks, back):
        def fix(mark, kind, target, more=0):
            return struct.pack("<IHhQ", marks[f"p{i}_{mark}"] + more, kind, 0, target)
        if self.machine.name == "aarch64":
            return [fix("high", 7, 0, 4), fix("low1", 8, 0), fix("low2", 8, 0), fix("full", 2, 0), fix("back", 5, back)]
        return [fix("low1", 4, 0), fix("low2", 4, 0), fix("full", 2, 0), fix("back", 3, back)]

    def write(self, subjects, modules, patches, fixes, codes, texts, flags):
        rows = []
        for subject in subjects:
            kind, kind_flags, width, group, inverse, shift = (*subject, *(0, 0, 0, 0, 1, 0)[len(subject):])
            rows.append(struct.pack("<BBBBIQII", kind, kind_flags, width, 0, group, inverse, shift, 0))
        size = 8 + 8 + 8 + 8 + 8 + 6 * 16
        parts = [b"".join(rows), b"", b"".join(patches), b"".join(fixes), b"", codes]
        counts = [len(rows), len(modules), len(patches), len(fixes), 0, len(codes)]
        module_bytes = 8 + 32 + 8 + 16 + 16 + 32
        text_at = size
        at = size + len(texts) + (-len(texts) % 8)
        parts[1] = b"".join(struct.pack("<Q32sIIQQQQQQQQ", text_at + text, ident, len(ident), 0, *rest)
                            for text, ident, *rest in modules)
        assert len(parts[1]) == module_bytes * len(modules)
        sections, body = b"", texts + b"\0" * (-len(texts) % 8)
        for part, count in zip(parts, counts):
            sections += struct.pack("<QQ", at, count)
            part += b"\0" * (-len(part) % 8)
            body += part
            at += len(part)
        isa = {"aarch64": 1, "x86_64": 2}[self.machine.name]
        with open(self.path, "wb") as file:
            file.write(struct.pack("<8sIIQIIQ", b"ASSAYPLN", 1, isa, at, flags, 0, 0) + sections + body)


class Recording:
    """One process: its header, modules, and for each subject the calls and the rest of its slots."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            data = file.read()
        (magic, version, _, size, self.process, self.parent, self.end, self.status, self.start, self.stop, self.start_ticks,
         self.end_ticks, self.ticks_per_second, self.cycles, _, self.reading, self.inner, self.pair, self.value, self.threads, _, self.foreign,
         self.traps) = struct.unpack_from("<8sIIQIIIIQQQQQQQQQQQIIQQ", data)
        assert magic == b"ASSAYPRB" and version == 1, "not a recording"
        assert size <= len(data), f"{size} bytes in use, {len(data)} there"
        self.modules, self.spans, self.loops, self.kept, self.left, self.unpaired, self.lost = [], {}, {}, [], [], 0, 0
        at = 4096
        while at < size:
            kind, thread, bytes_ = struct.unpack_from("<IIQ", data, at)
            assert bytes_ >= 4096 and at + bytes_ <= size, f"segment of {bytes_} bytes at {at}"
            self.segment(kind, data[at:at + bytes_], data)
            at += bytes_

    def segment(self, kind, part, data):
        if kind == MODULE:
            self.modules.append(dict(zip(("module", "placing", "bias", "trampolines", "jumps", "traps", "left_out"),
                                         struct.unpack_from("<IIQQQQQ", part, 16))))
        elif kind == THREAD:
            buffer, = struct.unpack_from("<Q", part, 24)
            self.left += events(data[buffer:buffer + (1 << 14) + 4096])
            self.unpaired += struct.unpack_from("<Q", part, 72)[0]
            self.lost += struct.unpack_from("<Q", part, 80)[0]
        elif kind == EVENTS:
            self.kept += events(part[16:])
        elif kind == SLOTS:
            at = 16
            while at + 8 <= len(part):
                subject, subject_kind, _, words = struct.unpack_from("<IBBH", part, at)
                if not subject_kind:
                    break
                self.slot(subject, subject_kind, part[at:at + 8 * words])
                at += 8 * words

    def slot(self, subject, kind, slot):
        if kind == SPAN:
            abandoned, bursts, self_, total, open_, count, least, most = struct.unpack_from("<QQqqQQQQ", slot, 8)
            have = self.spans.setdefault(subject, [0, 0, 0, 0])
            for i, value in enumerate((count, abandoned, open_, total)):
                have[i] += value

    def calls(self, subject):
        """ENTERs: ended, abandoned, open, and those that nobody has summarised yet."""
        return sum(self.spans.get(subject, [0, 0, 0])[:3]) + self.left.count((subject, ENTER))


def events(data):
    found = []
    for at in range(0, len(data) - 15, 16):
        identity, _, value = struct.unpack_from("<IIQ", data, at)
        if identity:
            found.append(((identity >> 4) - 1, identity & 15))
    return found


def recordings(prefix):
    return [Recording(path) for path in sorted(glob.glob(prefix + ".*"))]


LEAF = r"""
#include <stdio.h>
#include <stdlib.h>
PROBED int leaf(int i) { volatile int own[8]; SLOT(leaf_in); own[0] = i; i = own[0] * 3 + 1; SLOT(leaf_out); return i; }
PROBED int twig(int i) { SLOT(twig_in); i = leaf(i) + leaf(i + 1); SLOT(twig_out); return i; }
"""
LEAF_POINTS = [("leaf_in", 0, ENTER, JUMP), ("leaf_out", 0, LEAVE, JUMP), ("twig_in", 1, ENTER, JUMP), ("twig_out", 1, LEAVE, JUMP)]


@machines
def calls_are_counted(machine):
    """Buffers are filled and summarised many times; the last digit is right."""
    with Folder() as folder:
        path = machine.compile(folder, LEAF + "int main(void) { int s = 0; for (int i = 0; i < 12345; i++) s += twig(i); "
                                              "printf(\"%d\\n\", s); return 3; }")
        plan = Plan(machine, folder, [(SPAN, 0), (SPAN, 0)], [(path, LEAF_POINTS)])
        printed = machine.run([path], plan.path, folder + "/probe", status=3)
        plain = command([*machine.runner, path], 3).stdout.decode()
        assert printed == plain, (printed, plain)
        found, = recordings(folder + "/probe")
        assert found.calls(0) == 24690 and found.calls(1) == 12345, (found.calls(0), found.calls(1))
        assert found.modules[0]["placing"] == 1 and found.modules[0]["jumps"] == 4, found.modules
        assert (found.end, found.status, found.unpaired, found.lost) == (EXIT, 3, 0, 0), found.spans
        assert found.ticks_per_second > 1000000 and found.pair > 0


SPANS = [(SPAN, 0), (SPAN, 0)]


@machines
def threads_have_their_own_buffers(machine):
    """Several at a time, and many one after the other, which share records."""
    with Folder() as folder:
        path = machine.compile(folder, LEAF + r"""
#include <pthread.h>
#include <threads.h>
static void *work(void *n) { long s = 0; for (long i = 0; i < (long)n; i++) s += twig((int)i); return (void *)s; }
static int work_plain(void *n) { return work(n) != NULL; }
int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, (void *)5000L);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 60; i++) { thrd_t thread; thrd_create(&thread, work_plain, (void *)10L); thrd_join(thread, NULL); }
    return 0;
}
""", "-pthread")
        plan = Plan(machine, folder, SPANS, [(path, LEAF_POINTS)])
        machine.run([path], plan.path, folder + "/probe")
        found, = recordings(folder + "/probe")
        assert found.calls(1) == 4 * 5000 + 600 and found.calls(0) == 2 * found.calls(1), (found.calls(0), found.calls(1))
        assert found.threads == 65 and found.unpaired == 0 and found.foreign == 0, (found.threads, found.unpaired, found.foreign)
        assert os.path.getsize(found.path) < 4 << 20, "a file for 65 threads that has room for a few is not that large"


@machines
def forks_record_for_themselves(machine):
    with Folder() as folder:
        path = machine.compile(folder, LEAF + r"""
#include <sys/wait.h>
#include <unistd.h>
PROBED void parent(void) {
    volatile int own[8]; SLOT(parent_in); own[0] = 0;
    for (int i = 1; i <= 3; i++)
        if (fork() == 0) { for (int k = 0; k < 1000 * i; k++) own[0] += leaf(k); SLOT(parent_out2); if (i == 3) _exit(9); exit(0); }
    for (int i = 0; i < 3; i++) { int status; wait(&status); }
    for (int k = 0; k < 77; k++) own[0] += leaf(k);
    SLOT(parent_out);
}
int main(void) { leaf(1); parent(); return 0; }
""")
        plan = Plan(machine, folder, SPANS, [(path, [*LEAF_POINTS, ("parent_in", 1, ENTER, JUMP), ("parent_out", 1, LEAVE, JUMP),
                                                     ("parent_out2", 1, LEAVE, JUMP)])])
        machine.run([path], plan.path, folder + "/probe")
        found = recordings(folder + "/probe")
        assert sorted(one.calls(0) for one in found) == [78, 1000, 2000, 3000], [one.calls(0) for one in found]
        main, = (one for one in found if one.calls(0) == 78)
        assert all(one.parent == main.process for one in found if one is not main) or machine.runner
        for one in found:
            assert one.end == EXIT and one.unpaired == 0, (one.end, one.unpaired)
            assert one.status == (9 if one.calls(0) == 3000 else 0), one.status
            assert one.calls(1) == (one is main), "the child leaves what its parent entered: that is not a call"


@machines
def vfork_and_spawn_share_the_recording(machine):
    with Folder() as folder:
        path = machine.compile(folder, LEAF + r"""
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int main(int count, char **words)
{
    char *const nothing[] = {"true", NULL};
    int status;
    pid_t child;
    for (int i = 0; i < 10; i++) leaf(i);
    if ((child = vfork()) == 0) { leaf(1); _exit(3); }
    waitpid(child, &status, 0);
    if ((child = vfork()) == 0) { leaf(1); execl("/nowhere", "nowhere", NULL); _exit(4); }
    waitpid(child, &status, 0);
    for (int i = 0; i < 10; i++) leaf(i);
    return WEXITSTATUS(status) == 4 ? 0 : 1;
}
""", "-Wno-unused")
        plan = Plan(machine, folder, SPANS, [(path, LEAF_POINTS)])
        machine.run([path], plan.path, folder + "/probe")
        found, = recordings(folder + "/probe")
        if machine.runner:  # the emulator's vfork is a fork
            raise Skip("qemu-user turns vfork into fork")
        assert found.calls(0) == 22 and found.end == EXIT, (found.calls(0), found.end)


@machines
def exec_starts_another_recording(machine):
    with Folder() as folder:
        path = machine.compile(folder, LEAF + r"""
#include <unistd.h>
int main(int count, char **words)
{
    for (int i = 0; i < (count > 1 ? 20 : 3000); i++) leaf(i);
    if (count > 1) return 5;
    execl("/nowhere/at/all", "x", NULL);
    leaf(1);
    execl(words[0], words[0], "again", NULL);
    return 1;
}
""")
        plan = Plan(machine, folder, SPANS, [(path, LEAF_POINTS)])
        if machine.runner:
            raise Skip("the emulator does not follow exec")
        machine.run([path], plan.path, folder + "/probe", status=5)
        first, second = recordings(folder + "/probe")
        assert (first.calls(0), first.end, second.calls(0), second.end, second.status) == (3001, EXEC, 20, EXIT, 5), (vars(first), vars(second))
        assert first.process == second.process and second.path == first.path + ".2"


@machines
def kill_loses_nothing(machine):
    """Events in buffers are in the file."""
    with Folder() as folder:
        path = machine.compile(folder, LEAF + r"""
#include <signal.h>
#include <unistd.h>
int main(void) { for (int i = 0; i < 4321; i++) twig(i); kill(getpid(), SIGKILL); return 0; }
""")
        plan = Plan(machine, folder, SPANS, [(path, LEAF_POINTS)])
        machine.run([path], plan.path, folder + "/probe", status=-9)
        found, = recordings(folder + "/probe")
        assert (found.calls(0), found.calls(1), found.end) == (8642, 4321, 0), (found.calls(0), found.calls(1), found.end)


LIBRARY = r"""
#include <stdlib.h>
PROBED int leaf(int i) { volatile int own[8]; SLOT(leaf_in); own[0] = i; i = own[0] * 3 + 1; SLOT(leaf_out); return i; }
static __attribute__((constructor)) void first(void) { for (int i = 0; i < 7; i++) leaf(i); }
"""


@machines
def loaded_libraries_are_patched(machine):
    """Before their constructors run; and again when they come back, any number of times."""
    times = 3 if machine.runner else 5000
    with Folder() as folder:
        library = machine.compile(folder, LIBRARY, "-shared", "-fPIC", "-Wl,--build-id", output="plugin.so")
        path = machine.compile(folder, r"""
#include <dlfcn.h>
int main(int count, char **words)
{
    for (int i = 0; i < TIMES; i++) {
        void *library = dlopen(words[1], RTLD_NOW);
        int (*leaf)(int) = (int (*)(int))dlsym(library, "leaf");
        for (int k = 0; k < 100; k++) leaf(k);
        dlclose(library);
    }
    return 0;
}
""", f"-DTIMES={times}", "-ldl")
        plan = Plan(machine, folder, SPANS, [(library, LEAF_POINTS[:2])])
        machine.run([path, library], plan.path, folder + "/probe")
        found, = recordings(folder + "/probe")
        assert found.calls(0) == times * 107, (found.calls(0), found.modules)
        assert [one["jumps"] for one in found.modules] == [2], found.modules


@machines
def traps_find_their_trampolines(machine):
    """The program has a handler of its own, and blocks all signals."""
    with Folder() as folder:
        path = machine.compile(folder, LEAF + r"""
#include <signal.h>
static volatile int seen;
static void on_trap(int number, siginfo_t *info, void *context) { seen++; }
static void on_alarm(int number) { for (int i = 0; i < 10; i++) leaf(i); }
int main(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO}, old;
    action.sa_sigaction = on_trap;
    sigaction(SIGTRAP, &action, NULL);
    for (int i = 0; i < 1000; i++) twig(i);
    raise(SIGTRAP);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    for (int i = 0; i < 10; i++) twig(i);
    sigprocmask(SIG_SETMASK, NULL, &all);
    if (sigismember(&all, SIGTRAP) != 1) return 2;
    sigemptyset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    struct sigaction other = {.sa_handler = on_alarm};
    sigfillset(&other.sa_mask);
    sigaction(SIGUSR1, &other, NULL);
    raise(SIGUSR1);
    sigaction(SIGTRAP, NULL, &old);
    return seen == 1 && old.sa_sigaction == on_trap ? 0 : 1;
}
""")
        points = [(label, subject, event, TRAP if label.startswith("leaf") else JUMP) for label, subject, event, _ in LEAF_POINTS]
        plan = Plan(machine, folder, SPANS, [(path, points)])
        machine.run([path], plan.path, folder + "/probe")
        found, = recordings(folder + "/probe")
        assert (found.calls(0), found.calls(1)) == (2030, 1010), (found.calls(0), found.calls(1))
        assert found.traps == 2 * 2030 and found.modules[0]["traps"] == 2 and found.modules[0]["jumps"] == 2, (found.traps, found.modules)


@machines
def all_events_are_kept(machine):
    with Folder() as folder:
        path = machine.compile(folder, LEAF + "int main(void) { for (int i = 0; i < 3000; i++) twig(i); return 0; }")
        plan = Plan(machine, folder, SPANS, [(path, LEAF_POINTS)], flags=KEEP_ALL)
        machine.run([path], plan.path, folder + "/probe")
        found, = recordings(folder + "/probe")
        once = [(1, ENTER), (0, ENTER), (0, LEAVE), (0, ENTER), (0, LEAVE), (1, LEAVE)]
        assert found.kept + found.left == once * 3000, "in order, none twice"


@machines
def jumps_out_of_functions(machine):
    """longjmp, and a coroutine on a stack of its own."""
    with Folder() as folder:
        path = machine.compile(folder, LEAF + r"""
#include <setjmp.h>
#include <ucontext.h>
static jmp_buf place;
PROBED void thrower(int i) { volatile int own[8]; SLOT(thrower_in); own[0] = leaf(i); if (i % 2) longjmp(place, 1); SLOT(thrower_out); }
static ucontext_t here, there;
static char stack[1 << 17];
static void routine(void) { for (int i = 0;; i++) { twig(i); swapcontext(&there, &here); } }
int main(void)
{
    for (volatile int i = 0; i < 2000; i++)
        if (!setjmp(place)) thrower(i);
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    makecontext(&there, routine, 0);
    for (int i = 0; i < 1000; i++) { leaf(i); swapcontext(&here, &there); }
    return 0;
}
""")
        points = [*LEAF_POINTS, ("thrower_in", 2, ENTER, JUMP), ("thrower_out", 2, LEAVE, JUMP)]
        plan = Plan(machine, folder, [*SPANS, (SPAN, 0)], [(path, points)])
        machine.run([path], plan.path, folder + "/probe")
        found, = recordings(folder + "/probe")
        assert (found.calls(0), found.calls(1), found.calls(2)) == (2000 + 3000, 1000, 2000), found.spans
        assert found.spans[2][1] == 1000 and found.unpaired == 0, (found.spans, found.unpaired)


@test
def handlers_interrupt_anywhere():
    """A handler with probes, as often as possible: nothing breaks.  Between two instructions of a trampoline (position read,
    position moved) a handler's events are written over; nothing else is lost."""
    machine = Machine(MACHINE)
    with Folder() as folder:
        path = machine.compile(folder, LEAF + r"""
#include <signal.h>
#include <sys/time.h>
static volatile int alarms;
static void on_alarm(int number) { for (int i = 0; i < 700; i++) leaf(i); alarms++; }
int main(void)
{
    struct itimerval timer = {{0, 200}, {0, 200}};
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    int calls = 0;
    for (; alarms < 300; calls++) twig(calls);
    timer = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &timer, NULL);
    printf("%d %d\n", calls, alarms);
    return 0;
}
""")
        plan = Plan(machine, folder, SPANS, [(path, LEAF_POINTS)])
        calls, alarms = map(int, machine.run([path], plan.path, folder + "/probe").split())
        found, = recordings(folder + "/probe")
        wanted = 2 * calls + 700 * alarms
        assert 0 <= wanted - found.calls(0) < 70 * alarms and abs(found.calls(1) - calls) < 10, (found.calls(0), wanted, found.calls(1), calls)


@machines
def programs_may_change_their_own_code(machine):
    with Folder() as folder:
        path = machine.compile(folder, LEAF + r"""
#include <string.h>
#include <sys/mman.h>
int main(void)
{
    char *page = (char *)((unsigned long)&leaf & ~4095ul), *end = (char *)(((unsigned long)&main & ~4095ul) + 4096);
    if (end < page) return 1;
    for (int i = 0; i < 100; i++) twig(i);
    if (mprotect(page, (size_t)(end - page), PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return 2;
    char first = *(volatile char *)page;
    *(volatile char *)page = first;
    __builtin___clear_cache(page, end);
    if (mprotect(page, (size_t)(end - page), PROT_READ | PROT_EXEC) != 0) return 3;
    for (int i = 0; i < 100; i++) twig(i);
    return 0;
}
""")
        plan = Plan(machine, folder, SPANS, [(path, LEAF_POINTS)])
        machine.run([path], plan.path, folder + "/probe")
        found, = recordings(folder + "/probe")
        assert found.calls(1) == 200, found.calls(1)


@machines
def bad_plans_leave_the_program_alone(machine):
    """Another build, damaged plans, another instruction set, no room for the recording."""
    with Folder() as folder:
        text = LEAF + "int main(void) { for (int i = 0; i < 1000; i++) twig(i); return 6; }"
        path = machine.compile(folder, text, "-Wl,--build-id")
        plan = Plan(machine, folder, SPANS, [(path, LEAF_POINTS)])
        with open(plan.path, "rb") as file:
            good = file.read()
        machine.compile(folder, text, "-Wl,--build-id=0x1234567812345678123456781234567812345678")
        machine.run([path], plan.path, folder + "/other", status=6)
        found, = recordings(folder + "/other")
        assert found.modules[0]["placing"] == 2 and found.modules[0]["left_out"] == 4 and found.calls(0) == 0, found.modules
        machine.compile(folder, text, "-Wl,--build-id")
        for at, value in ((0, 1), (8, 9), (12, 7), (16, 1), (47, 255), (64, 255), (80, 255), (96, 255), (100, 255)):
            bad = bytearray(good)
            bad[at] = value
            with open(plan.path, "wb") as file:
                file.write(bad)
            machine.run([path], plan.path, folder + f"/bad{at}", status=6)
        for cut in (0, 10, 100, len(good) - 1):
            with open(plan.path, "wb") as file:
                file.write(good[:cut])
            machine.run([path], plan.path, folder + f"/cut{cut}", status=6)
            assert not recordings(folder + f"/cut{cut}")
        with open(plan.path, "wb") as file:
            file.write(good)
        machine.run([path], plan.path, folder + "/no/such/folder/probe", status=6)
        machine.run([path], plan.path, folder + "/probe", status=6)
        assert recordings(folder + "/probe")[0].calls(0) == 2000


@test
def bytes_that_differ_are_left_alone():
    machine = Machine(MACHINE)
    with Folder() as folder:
        path = machine.compile(folder, LEAF + "int main(void) { for (int i = 0; i < 1000; i++) twig(i); return 0; }", "-Wl,--build-id=none")
        plan = Plan(machine, folder, SPANS, [(path, LEAF_POINTS)])
        with open(plan.path, "rb") as file:
            data = bytearray(file.read())
        patches, = struct.unpack_from("<Q", data, 40 + 32)
        data[patches + 16] ^= 1
        with open(plan.path, "wb") as file:
            file.write(data)
        machine.run([path], plan.path, folder + "/probe")
        found, = recordings(folder + "/probe")
        assert found.modules[0]["placing"] == 3 and found.modules[0]["left_out"] == 1 and found.modules[0]["jumps"] == 3, found.modules


@test
def libc_and_the_dynamic_linker_are_probed():
    """Their functions have callers with conventions of their own, and run in every corner of a process."""
    machine = Machine(MACHINE)
    with Folder() as folder:
        path = machine.compile(folder, LEAF + r"""
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static __thread int own;
static void *work(void *n) { own = rand(); return malloc(100 + own % 100); }
int main(void)
{
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
    int status;
    if (fork() == 0) exit(system("exit 3") >> 8);
    wait(&status);
    printf("%d\n", WEXITSTATUS(status));
    return 4;
}
""", "-pthread", "-Wl,-z,lazy")
        linker = re.search(r"interpreter: (\S+)\]", command(["readelf", "-lW", path]).stdout.decode()).group(1)
        libc = re.search(r"libc\.so\.6 => (\S+)", command(["ldd", path]).stdout.decode()).group(1)
        plain = command([path], 4).stdout.decode()
        probed = assay("probe", "--object", linker, "--object", libc, "-o", folder + "/db", "--", path, status=1).stdout.decode()
        assert probed == plain, (plain, probed[:300])
        calls = rows(folder + "/db", "select count(*) as count from probe_functions where calls > 0")[0]["count"]
        assert calls > 100, calls


@machines
def static_programs_are_launched(machine):
    """Without dynamic linker: the launcher loads them, with room for the runtime in their thread-local storage."""
    with Folder() as folder:
        path = machine.compile(folder, LEAF + r"""
#include <pthread.h>
static __thread long own = 7;
static __thread char *const text = "kept";
static _Alignas(64) __thread char aligned[64];
static void *work(void *n) { long s = 0; for (long i = 0; i < 3000; i++) s += twig((int)i) + own; own = s; return (void *)s; }
int main(int count, char **words)
{
    pthread_t threads[4];
    long s = (long)aligned % 64;
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++) { void *one; pthread_join(threads[i], &one); s += (long)one; }
    for (int i = 0; i < 10000; i++) s += twig(i);
    printf("%d %ld %ld %s\n", count, s, own, text);
    return 5;
}
""", "-pthread", "-static-pie")
        plan = Plan(machine, folder, SPANS, [(path, LEAF_POINTS)])
        plain = command([*machine.runner, path, "word"], 5).stdout.decode()
        launcher = os.path.join(BUILD, "runtime", "probe", f"assay-probe-launcher-{machine.name}")
        environment = {**os.environ, "ASSAY_PROBE_PLAN": plan.path, "ASSAY_PROBE_FILE": folder + "/probe", "ASSAY_PROBE_PROGRAM": path}
        assert command([*machine.runner, launcher, "word"], 5, env=environment).stdout.decode() == plain, plain
        found, = recordings(folder + "/probe")
        assert (found.calls(0), found.calls(1) + found.lost) == (44000, 22000), (found.calls(0), found.calls(1), found.lost)
        environment["ASSAY_PROBE_PLAN"] = folder + "/nothing"
        if not machine.runner:
            assert command([launcher, "word"], 5, env=environment).stdout.decode() == plain, "it runs without a plan"


@machines
def first_events_at_the_same_moment_are_counted(machine):
    """Nobody sees threads of a static program begin: what two of them write to the same place is lost for one, and said."""
    with Folder() as folder:
        path = machine.compile(folder, LEAF + r"""
#include <pthread.h>
static int ready;
static void *work(void *n)
{
    __atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&ready, __ATOMIC_SEQ_CST) % 2) continue;
    return (void *)(long)twig(1);
}
int main(void)
{
    for (int round = 0; round < 500; round++) {
        pthread_t threads[2];
        for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
        for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    }
    return 0;
}
""", "-pthread", "-static-pie")
        plan = Plan(machine, folder, SPANS, [(path, LEAF_POINTS)])
        launcher = os.path.join(BUILD, "runtime", "probe", f"assay-probe-launcher-{machine.name}")
        command([*machine.runner, launcher], 0, env={**os.environ, "ASSAY_PROBE_PLAN": plan.path, "ASSAY_PROBE_FILE": folder + "/probe",
                                                     "ASSAY_PROBE_PROGRAM": path})
        found, = recordings(folder + "/probe")
        assert (found.calls(0), found.calls(1) + found.lost) == (2000, 1000), (found.calls(0), found.calls(1), found.lost)
        assert found.lost <= 500, "one of two is kept"


@test
def static_programs_have_reports():
    with Folder() as folder:
        machine = Machine(MACHINE)
        path = machine.compile(folder, LEAF + "int main(void) { for (int i = 0; i < 1000; i++) twig(i); puts(\"said\"); return 0; }",
                               "-static-pie")
        done = assay("probe", "twig", "leaf", "-o", folder + "/db", "--", path).stdout.decode()
        assert done == "said\n", done
        calls = {row["name"]: row["calls"] for row in
                 rows(folder + "/db", "select f.name, p.calls from probe_functions p join functions f on f.id = p.function")}
        assert calls == {"twig": 1000, "leaf": 2000}, calls


@test
def sanitized_programs_run():
    machine = Machine(MACHINE)
    with Folder() as folder:
        try:
            path = machine.compile(folder, LEAF + "int main(void) { for (int i = 0; i < 1000; i++) twig(i); free(malloc(1)); return 0; }",
                                   "-fsanitize=address")
        except Fail:
            raise Lacking("the compiler has no sanitizers")
        assay("probe", "twig", "-o", folder + "/db", "--", path)
        assert rows(folder + "/db", "select calls from probe_functions") == [{"calls": 1000}]


run()
