"""Data flow of real programs.  Redundant accesses are proved: the test overwrites them with no-ops and runs the program."""
import itertools, os
from harness import *

NOP = {"x86_64": b"\x90", "aarch64": b"\x1f\x20\x03\xd5"}

# Many values at once, early exits, calls that need registers: the compiler must spill.
PRESSURE = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define EACH(M) M(a) M(b) M(c) M(d) M(e) M(f) M(g) M(h) M(i) M(j) M(k) M(l) M(m) M(n) M(o) M(p) M(q) M(r) M(s) M(t)
static uint32_t seed = 12345;
__attribute__((noinline)) static uint32_t draw(uint32_t limit)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % limit;
}
__attribute__((noinline)) static uint64_t rounds(uint64_t x, unsigned count)
{
#define START(v) uint64_t v = x += 0x9e3779b97f4a7c15u;
    EACH(START)
    for (unsigned turn = 0; turn < count; turn++) {
#define MIX(v) v = (v << 7 | v >> 57) + (x ^ turn);
        EACH(MIX)
        if ((a ^ t) % 1021 == 7)
            return a + b + c + d;
        x += a * b + c * d + e * f;
        if (x % 5 == 3)
            b ^= draw(1000);
        k += q ^ j;
        q ^= l + m;
        if ((k & 255) == 17)
            break;
    }
#define SUM(v) x = x * 31 + v;
    EACH(SUM)
    return x;
}
__attribute__((noinline)) static double blocks(const double *a, const double *b, int n)
{
    double s00 = 0, s01 = 0, s02 = 0, s03 = 0, s10 = 0, s11 = 0, s12 = 0, s13 = 0, s20 = 0, s21 = 0, s22 = 0, s23 = 0;
    double s30 = 0, s31 = 0, s32 = 0, s33 = 0;
    for (int k = 0; k < n; k++) {
        double a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3], b0 = b[k], b1 = b[k + 1], b2 = b[k + 2], b3 = b[k + 3];
        s00 += a0 * b0; s01 += a0 * b1; s02 += a0 * b2; s03 += a0 * b3;
        s10 += a1 * b0; s11 += a1 * b1; s12 += a1 * b2; s13 += a1 * b3;
        s20 += a2 * b0; s21 += a2 * b1; s22 += a2 * b2; s23 += a2 * b3;
        s30 += a3 * b0; s31 += a3 * b1; s32 += a3 * b2; s33 += a3 * b3;
        if (s00 > 1e6)
            s00 -= draw(10);
    }
    return s00 - s01 + s02 - s03 + s10 - s11 + s12 - s13 + s20 - s21 + s22 - s23 + s30 - s31 + s32 - s33;
}
__attribute__((noinline)) static int interpret(const char *code, int *stack, int limit)
{
    int top = 0, accumulator = 0, count = 0, other = 1;
    for (const char *at = code; *at && count < limit; at++, count++) {
        switch (*at) {
        case 'p': stack[top++ & 15] = accumulator; break;
        case 'o': accumulator = stack[--top & 15]; break;
        case '+': accumulator += other; break;
        case '*': accumulator *= 3 + other; break;
        case 'x': { int kept = accumulator; accumulator = other; other = kept; break; }
        case 'r': accumulator ^= (int)draw(100); break;
        case 'j': if (accumulator > 1000) at = code; break;
        default: return accumulator - other;
        }
    }
    return accumulator + other * 7 + top;
}
static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
int main(void)
{
    double a[64], b[64];
    int stack[16] = {0}, many[50];
    for (int i = 0; i < 64; i++)
        a[i] = draw(100), b[i] = draw(100) / 7.0;
    for (int i = 0; i < 40; i++)
        printf("%llx ", (unsigned long long)rounds(i * 77, 5 + i));
    printf("\n%.6f\n", blocks(a, b, 60));
    for (int i = 0; i < 10; i++)
        printf("%d ", interpret("p+*xrp+j*ox+r*jp+xo*+r", stack, 40 + i));
    for (int i = 0; i < 50; i++)
        many[i] = (int)draw(1000);
    qsort(many, 50, sizeof *many, by_value);
    for (int i = 0; i < 50; i += 5)
        printf("%d ", many[i]);
    printf("\n");
    return 0;
}
"""

# Written by hand: useless accesses between those that are not.
MAIN = """
#include <stdio.h>
long work(long a, long b, long *p);
long helper(long *p, long b) { long old = p ? *p : 5; if (p) *p = old * 3 + b; return old + b; }
int main(void) {
    for (long i = 0; i < 20; i++) { long x = i * 7; printf("%ld %ld\\n", work(i, 20 - i, &x), x); }
    return 0;
}
"""
BY_HAND = {
    "x86_64": """
    .intel_syntax noprefix
    .text
    .globl work
    .type work, @function
work:
    push rbx
    push r12
    sub rsp, 72
    mov rbx, rdx
    mov [rsp+24], rdi
    mov [rsp+32], rsi
    mov [rsp+40], rsi
    mov r12, [rsp+24]
    cmp rdi, 10
    jl 1f
    mov r12, 9
    lea rax, [rsi+r12]
    add rax, [rsp+40]
    jmp 3f
1:  xor edi, edi
    call helper
    mov [rsp+24], r12
    mov rcx, [rsp+32]
    mov [rsp+56], rcx
    mov rcx, [rsp+32]
    mov rdx, [rsp+40]
    mov rdx, [rsp+24]
    mov r12, 1
    lea rax, [rax+rcx]
    add rax, rdx
3:  add rsp, 72
    pop r12
    pop rbx
    ret
    .size work, .-work
    .section .note.GNU-stack,"",@progbits
""",
    "aarch64": """
    .text
    .globl work
    .type work, %function
work:
    stp x29, x30, [sp, #-96]!
    mov x29, sp
    stp x19, x20, [sp, #16]
    mov x19, x2
    str x0, [sp, #40]
    str x1, [sp, #48]
    str x1, [sp, #56]
    ldr x20, [sp, #40]
    cmp x0, #10
    b.lt 1f
    mov x20, #9
    add x0, x1, x20
    ldr x1, [sp, #56]
    add x0, x0, x1
    b 3f
1:  mov x0, xzr
    bl helper
    str x20, [sp, #40]
    ldr x9, [sp, #48]
    str x9, [x29, #72]
    ldr x9, [sp, #48]
    ldr x10, [sp, #56]
    ldr x10, [sp, #40]
    mov x20, #1
    add x0, x0, x9
    add x0, x0, x10
3:  ldp x19, x20, [sp, #16]
    ldp x29, x30, [sp], #96
    ret
    .size work, .-work
    .section .note.GNU-stack,"",%progbits
"""}
EXPECTED = {
    "x86_64": ["mov r12, qword ptr [rsp+0x18]: only put back", "mov qword ptr [rsp+0x18], r12: put back",
               "mov rcx, qword ptr [rsp+0x20]: still in register", "mov rdx, qword ptr [rsp+0x28]: never used"],
    "aarch64": ["str x1, [sp, #56]: never read", "ldr x20, [sp, #40]: only put back",
                "ldr x1, [sp, #56]: still in register", "str x20, [sp, #40]: put back",
                "ldr x9, [sp, #48]: still in register", "ldr x10, [sp, #56]: never used"]}

USELESS = """select u.reason, f.name as function, e.text, e.size, s.offset + b.address + c.offset - s.address as place
               from useless_accesses u join code c on c.id = u.instruction join encodings e on e.id = c.encoding
               join blocks b on b.id = c.block join sections s on s.id = b.section
               join functions f on f.id = b.function order by u.instruction"""


def without(file, found, machine, path):
    """A copy of the program in which what was found is a no-op."""
    data = bytearray(open(file, "rb").read())
    for row in found:
        nop = NOP[machine]
        data[row["place"]:row["place"] + row["size"]] = nop * (row["size"] // len(nop))
    with open(path, "wb") as copy:
        copy.write(data)
    os.chmod(path, 0o755)


def linking(machine):
    """Compilers for a machine that can link there, with the options that they need."""
    for compiler in compilers(machine):
        if machine == MACHINE:
            yield compiler, []
        elif compiler[0] != "clang":
            yield compiler, ["-static"]


def check_program(compiler, machine, source, *flags):
    with Folder() as folder:
        path = os.path.join(folder, "program.c")
        with open(path, "w") as text:
            text.write(source)
        file = build(folder, compiler, [path], *flags)
        found = rows(file, USELESS)
        patched = os.path.join(folder, "patched")
        without(file, found, machine, patched)
        before, after = command([*emulator(machine), file]), command([*emulator(machine), patched], status=None)
        if (after.returncode, after.stdout) != (0, before.stdout):
            raise Fail(f"{' '.join(compiler)} {' '.join(flags)}: another result without "
                       + "; ".join(f"{r['function']}: {r['text']} ({r['reason']})" for r in found))
        return len(found)


def compiled(machine):
    total = 0
    emulator(machine)
    for (compiler, extra), level in itertools.product(linking(machine), ("-O0", "-O1", "-O2", "-O3 -fno-tree-vectorize")):
        if compiler[0] == "clang":
            level = level.replace(" -fno-tree-vectorize", "")
        total += check_program(compiler, machine, PRESSURE, *level.split(), *extra)
    assert total > 0, "nothing useless was found at any level"


@test
def compiled_programs_run_without_their_useless_accesses_on_x86_64():
    compiled("x86_64")


@test
def compiled_programs_run_without_their_useless_accesses_on_aarch64():
    compiled("aarch64")


def by_hand(machine):
    compiler, extra = next(linking(machine))
    with Folder() as folder:
        for name, source in (("main.c", MAIN), ("work.s", BY_HAND[machine])):
            with open(os.path.join(folder, name), "w") as text:
                text.write(source)
        file = build(folder, compiler, [os.path.join(folder, "main.c"), os.path.join(folder, "work.s")], "-O1", *extra)
        found = [r for r in rows(file, USELESS) if r["function"] == "work"]
        reported = [f"{r['text']}: {r['reason']}" for r in found]
        assert reported == EXPECTED[machine], reported
        patched = os.path.join(folder, "patched")
        without(file, found, machine, patched)
        before, after = command([*emulator(machine), file]), command([*emulator(machine), patched])
        assert before.stdout == after.stdout, reported


@test
def useless_accesses_written_by_hand_are_found_on_x86_64():
    by_hand("x86_64")


@test
def useless_accesses_written_by_hand_are_found_on_aarch64():
    by_hand("aarch64")


# A value put back at once, and one put back across blocks: on the path that changes r44 the function ends before.
SPILLS = """
	.text
	.proc spills#
	.global spills#
spills:
{ .mii
  alloc r40=ar.pfs,2,87,7,8
  add sp=-512,sp
  nop.i 0 ;;
}
{ .mii
  add r31=168,sp
  add r30=344,sp
  nop.i 0 ;;
}
{ .mii
  st8 [r31]=r67
  add r31=176,sp
  nop.i 0 ;;
}
{ .mii
  ld8 r8=[r31]
  add r31=176,sp
  nop.i 0 ;;
}
{ .mii
  st8 [r31]=r8
  add r31=184,sp
  cmp.eq p6,p7=r32,r0 ;;
}
{ .mib
  ld8 r44=[r30]
  nop.i 0
  (p6) br.cond.sptk .b1 ;;
}
{ .mib
  add r44=1,r33
  nop.i 0
  nop.b 0 ;;
}
{ .mib
  mov r8=r44
  add sp=512,sp
  br.ret.sptk b0 ;;
}
.b1:
{ .mmi
  add r31=344,sp
  nop.m 0
  nop.i 0;;
}
{ .mmi
  st8 [r31]=r44
  add r29=168,sp
  nop.i 0;;
}
{ .mmi
  ld8 r9=[r31]
  ld8 r10=[r29]
  nop.i 0;;
}
{ .mib
  add r8=r9,r10
  add sp=512,sp
  br.ret.sptk b0 ;;
}
	.endp spills#
"""
PIPELINED = """
	.text
	.proc scale#
	.global scale#
scale:
{ .mii
  alloc r34=ar.pfs,3,13,0,16
  mov r2=ar.lc
  mov pr.rot=0x10000 ;;
}
{ .mii
  mov r18=r32
  mov r20=r33
  mov ar.ec=8 ;;
}
.b1_2:
{ .mfi
  (p16) ldfd f32=[r18],8
  (p22) fma.d f40=f38,f6,f7
  nop.i 0
}
{ .mib
  (p26) stfd [r20]=f44,8
  nop.i 0
  br.ctop.sptk .b1_2 ;;
}
{ .mib
  nop.m 0
  mov ar.lc=r2
  br.ret.sptk b0 ;;
}
	.endp scale#
"""


def listing(folder, name, source):
    path = os.path.join(folder, name)
    with open(path, "w") as text:
        text.write(source)
    return path


@test
def useless_spills_of_an_ia64_listing_are_found():
    with Folder() as folder:
        file, database = listing(folder, "spills.s", SPILLS), os.path.join(folder, "spills.db")
        assay("db", file, "-o", database)
        query = """select e.text, u.reason, p.text as partner, u.is_across_blocks as across, a.offset
                     from useless_accesses u join code c on c.id = u.instruction
                     join encodings e on e.id = c.encoding join code d on d.id = u.partner
                     join encodings p on p.id = d.encoding join stack_accesses a on a.instruction = u.instruction"""
        expected = [("ld8 r8=[r31]", "only put back", "st8 [r31]=r8", 0, -336),
                    ("st8 [r31]=r8", "put back", "ld8 r8=[r31]", 0, -336),
                    ("ld8 r44=[r30]", "only put back", "st8 [r31]=r44", 1, -168),
                    ("st8 [r31]=r44", "put back", "ld8 r44=[r30]", 1, -168)]
        for source in (file, database):
            found = [tuple(r.values()) for r in rows(source, query)]
            assert found == expected, found


@test
def values_are_followed_through_rotating_registers():
    with Folder() as folder:
        file = listing(folder, "scale.s", PIPELINED)
        query = """select u.text as user, r.name, group_concat(d.text, '; ') as defined
                     from def_use x join code i on i.id = x.use join encodings u on u.id = i.encoding
                     join code j on j.id = x.definition join encodings d on d.id = j.encoding
                     join registers r on r.id = x.register where r.kind = 'vector' group by x.use, r.id"""
        found = [tuple(r.values()) for r in rows(file, query)]
        assert found == [("(p22) fma.d f40=f38,f6,f7", "f38", "(p16) ldfd f32=[r18],8"),
                         ("(p26) stfd [r20]=f44,8", "f44", "(p16) ldfd f32=[r18],8; (p22) fma.d f40=f38,f6,f7")], found


def counts(file, *words):
    query = """select (select count(*) from def_use) as pairs, (select count(*) from live_ranges) as ranges,
                      (select count(*) from stack_accesses) as accesses, (select min(has_flow) from programs) as flow"""
    return rows(file, query, *words)[0]


@test
def a_database_has_data_flow_where_it_was_asked_for():
    with Folder() as folder:
        path = os.path.join(folder, "program.c")
        with open(path, "w") as text:
            text.write(PRESSURE)
        file = build(folder, compilers(MACHINE)[0], [path], "-O2")
        plain, full = os.path.join(folder, "plain.db"), os.path.join(folder, "full.db")
        assay("db", file, "-o", plain)
        assay("db", file, "--flow", "-o", full)
        assert counts(plain) == {"pairs": 0, "ranges": 0, "accesses": 0, "flow": 0}, counts(plain)
        in_memory, written = counts(file), counts(full)
        assert written["flow"] == 1 and in_memory == written, (in_memory, written)
        assert written["pairs"] > 1000 and written["ranges"] > 100 and written["accesses"] > 50, written
        said = assay("sql", plain, "select count(*) from def_use").stderr.decode()
        assert said.count("assay db --flow") == 1, said
        assert not assay("sql", full, "select count(*) from def_use").stderr
        assert not assay("sql", plain, "select count(*) from functions").stderr


@test
def tables_do_not_depend_on_threads():
    with Folder() as folder:
        path = os.path.join(folder, "program.c")
        with open(path, "w") as text:
            text.write(PRESSURE)
        file = build(folder, compilers(MACHINE)[0], [path], "-O2")
        for table in ("def_use", "live_ranges", "stack_accesses", "useless_accesses"):
            one, many = (text_of(file, table, n) for n in (1, 7))
            assert one == many, table


def text_of(file, table, threads):
    return text("sql", file, f"select * from {table}", "--csv", "-j", threads)


if __name__ == "__main__":
    run()
