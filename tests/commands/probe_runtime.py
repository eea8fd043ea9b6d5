"""The probe runtime alone: plans made by hand, for programs that count themselves.

A program has slots of no-ops at labels; each becomes a patch whose islet writes one event.  The recording is read here,
without Assay: slots of summaries, and the events that are still in the buffers."""
import glob, os, shutil, signal, struct, subprocess, time
from harness import *

ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
ENTER, LEAVE, START, STOP, SEEN, TOUCH, TALLIED = range(1, 8)
SPAN, LOOP, VALUE, ADDRESS, COUNT_ONLY = range(1, 6)
JUMP, TRAP = 1, 2
KEEP_ALL = 1
MODULE, THREAD, COUNTERS, SLOTS, EVENTS, FRAMES = range(1, 7)
NOPS = {"aarch64": 1, "x86_64": 8}
EXIT, EXEC = 1, 2

# What an islet does: one event, with all registers kept.  The value is the clock, or register {value}.
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
        self.runner = [] if name == MACHINE else [need(f"qemu-{name}"), "-L", f"/usr/{name}-linux-gnu"]
        self.compiler = need(cross("gcc", name))
        self.library = os.path.join(BUILD, "runtime", "probe", f"libassay-probe-{name}.so")
        if not os.path.exists(self.library):
            raise Skip(f"there is no {os.path.basename(self.library)}")

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
            code, marks = self.islets(folder, points)
            with open(path, "rb") as file:
                content = file.read()
            first_patch, first_fix = len(patches), len(fixes)
            for i, (address, label, subject, event, way) in enumerate(points):
                size = {"aarch64": 4, "x86_64": 8}[machine.name]
                at = file_offset(machine, path, address)
                patches.append(struct.pack("<QIBBH24s", address, marks[f"p{i}_start"], way, size, 1, content[at:at + size]))
                fixes += self.fixes(i, marks, address + size)
            text = len(texts)
            texts += os.path.realpath(path).encode() + b"\0"
            codes += b"\0" * (-len(codes) % 64)
            ident = build_id(machine, path)
            modules.append((text, ident, points[0][0] if points else 0, points[-1][0] + 16 if points else 0, len(codes), len(code),
                            first_patch, len(points), first_fix, len(fixes) - first_fix))
            codes += code
        self.write(subjects, modules, patches, fixes, codes, texts, flags)

    def islets(self, folder, points):
        machine, text = self.machine, ".text\n"
        for i, (_, _, subject, event, _) in enumerate(points):
            identity = (subject + 1) << 4 | event
            read = CLOCK if event in (ENTER, LEAVE) else ARGUMENT
            text += f".p2align 4\np{i}_start:\n" + EVENT[machine.name].format(
                prefix=f"p{i}_", identity=identity, low=identity & 0xffff, high=identity >> 16, read=read[machine.name])
        base = os.path.join(folder, "islets")
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
            self.modules.append(dict(zip(("module", "placing", "bias", "islets", "jumps", "traps", "left_out"),
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


run()
