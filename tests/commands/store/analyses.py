"""The shipped analyses, on code whose answers are known by hand: the paper's listings, a software-pipelined loop as icc
writes it, and C functions compiled here; and what --keep writes."""
import json, os, signal, sqlite3, subprocess, time
from harness import *

# Figures 8 and 9 of the first paper and its alloc, in one function.
PAPER = """	.text
	.proc do_neutral#
do_neutral:
 { .mii
  alloc r40=ar.pfs,2,87,7,8 // 32 registers always allocated + 96 requested
  add r31=168,sp
  nop.i 0 ;;
 }
 { .mii
  st8 [r31]=r67
  add r31=176,sp // r31 is now set to address sp+176
  nop.i 0 ;;
 }
 { .mii
  ld8 r8=[r31] // load value at sp+176 in r8
  add r31=176,sp // r31 is re-set to the exact same value sp+176
  nop.i 0 ;;
 }
 { .mii
  st8 [r31]=r8 // r8 is stored at the same address (sp+176)
  add r31=184,sp
  nop.i 0 ;;
 }
{
    .mmi
    ld4 r8=[r70]
    ld4 r3=[r46]
    add r79=r61,r69
}
{
    .mmi
    add r2=r58,r69
    add r30=r50,r69
    add r29=r53,r69 ;;
}
{
    .mmi
    ld4 r28=[r71]
    ld4 r27=[r47]
    xor r26=r8,r3
}
{
    .mmi
    add r72=r57,r64
    add r45=r98,r69
    add r25=r51,r69 ;;
}
{
    .mmi
    ld4 r24=[r83]
    ld4 r23=[r82]
    xor r22=r28,r27
}
{
    .mii
    add r36=r62,r64
    add r35=r97,r69 ;;
    shl r21=r24,5
}
 { .mbb
  st8 [r31]=r21
  (p6) br.cond.sptk out
  br.ret.sptk.many b0 ;;
 }
out:
 { .mib
  nop.m 0
  nop.i 0
  br.ret.sptk.many b0 ;;
 }
	.endp do_neutral#
"""

# 5 iterations, 7 stages, a prefetch 512 bytes ahead, two loads in one issue group 256 bytes apart.
PIPELINED = """	.section	.text
// -- Begin  swp
	.proc  swp#
// Block 0: entry  Pred:     Succ: 1  -S
// Freq 1.0e+00
swp:
 {   .mii
	alloc	r31=ar.pfs,3,6,0,8				//0: {3:1:swp.c} 1
	mov	r30=ar.lc					//0: {3:1} 2
	mov	r29=pr						//0: {3:1} 3
 }
 {   .mmi
	add	r20=0,r32					//0: {4:3} 4
	add	r21=512,r32					//0: {4:3} 5
	mov	ar.lc=4						//0: {4:3} 6
 }
 {   .mii
	add	r22=256,r32					//0: {4:3} 9
	mov	pr.rot=0x10000					//1: {4:3} 7
	mov	ar.ec=7	;;					//1: {4:3} 8
 }
// Block 1: lentry lexit ltail collapsed pipelined  Pred: 1 0     Succ: 1 2     In Loops: L0  -S
// Freq 5.0e+00
.b1_1:
 {   .mmf
  (p16)	ldfd	f32=[r20],8				//0: {5:5} 41 lat: 11
  (p16)	ldfd	f48=[r22],8				//0: {5:5} 42 lat: 11
  (p19)	fma.d	f40=f35,f6,f7				//0: {5:5} 43
 }
 {   .mmb
  (p22)	stfd	[r33]=f43,8				//0: {5:5} 44
	lfetch	[r21],8						//0: {5:5} 45
// Branch taken probability 0.80
	br.ctop.sptk	.b1_1 ;;			//1: {4:3} 47
 }
// Block 2: Pred: 1     Succ: -S
// Freq 1.0e+00
 {   .mii
	nop.m	0
	mov	pr=r29,0x1003e					//0: {6:1} 50
	mov	ar.lc=r30 ;;					//0: {6:1} 51
 }
 {   .mbb
	nop.m	0
	nop.b	0
	br.ret.sptk.many	b0 ;;				//1: {6:1} 52
 }
// -- End  swp
	.endp  swp#
"""

C = """double dot(const double *a, const double *b, long n)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}
void axpy(double *restrict a, const double *restrict b, double c, long n)
{
    for (long i = 0; i < n; i++) {
        __builtin_prefetch(b + i + 64);
        a[i] = a[i] + c * b[i];
    }
}
double column(const double *a, long n)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += a[i * 512];
    return s;
}
double used_twice(double a, double b, double c, double *d)
{
    double t = a * b;
    *d = t;
    return t + c;
}
double cell(const double *a, double x, double y)
{
    return a[(long)(x * y)];
}
void swap(unsigned *p, unsigned *q)
{
    p[0] = __builtin_bswap32(q[0]);
    p[1] = __builtin_bswap32(q[1]);
    p[2] = __builtin_bswap32(q[2]);
    p[3] = __builtin_bswap32(q[3]);
}
int four(const int *p)
{
    return p[0] * p[1] + p[2] * p[3];
}
long f(long, long, long, long);
long pressure(const long *p, long n)
{
    long a = p[0], b = p[1], c = p[2], d = p[3], e = p[4], g = p[5], h = p[6], s = 0;
    for (long i = 0; i < n; i++)
        s += f(a, b, c, d) * f(e, g, h, i) + a * b + c * d + e * g;
    return s;
}
"""


def found(name, file, *words, status=0):
    """Rows of an analysis."""
    return json.loads(text("analysis", name, file, "--json", "-q", *words, status=status))


def only(rows, *columns):
    return [tuple(row[column] for column in columns) for row in rows]


def write(folder, name, content):
    path = os.path.join(folder, name)
    open(path, "w").write(content)
    return path


def line_of(source, words, nth=1):
    """Number of the nth line that contains words."""
    return [i for i, line in enumerate(source.split("\n"), 1) if words in line][nth - 1]


def compile_for(folder, machine, *flags, source=C, output="code.o"):
    compiler = cross("gcc", machine)
    need(compiler)
    return build(folder, [compiler], [write(folder, "code.c", source)], "-c", "-g", *flags, output=output)


@test
def the_papers_listings():
    with Folder() as folder:
        listing = write(folder, "paper.s", PAPER)
        database = os.path.join(folder, "paper.db")
        assay("db", listing, "-o", database, "-q")
        for file in (listing, database):
            assert only(found("register-stack", file), "inputs", "locals", "outputs", "stacked", "registers", "line") == \
                [(2, 87, 7, 96, 128, 5)]
            # Figure 8: the load of r8 and the store that puts it back, and the second add of the same address.
            useless = found("useless-spill-fill", file)
            assert only(useless, "text", "reason", "line", "partner_line", "reach") == [
                ("ld8 r8=[r31]", "only put back", 15, 20, "in its block"),
                ("st8 [r31]=r8", "put back", 20, 15, "in its block")], useless
            again = found("redundant-addresses", file)
            assert only(again, "text", "line", "earlier_line", "still_there") == [("add r31=176,sp", 16, 11, "yes")], again
            spills = found("spill-fill", file)
            assert only(spills, "kind", "form", "register", "offset", "line") == [
                ("spill", "implicit", "r67", 168, 10), ("fill", "implicit", "r8", 176, 15),
                ("spill", "implicit", "r8", 176, 20), ("spill", "implicit", "r21", 184, 61)], spills
            assert ("176", "15 20") in only([{k: str(v) for k, v in r.items()} for r in found("stack-slots", file)],
                                            "offset", "lines")
            # Figure 9: six ld4 within 14 instructions.
            assert only(found("narrow-accesses", file), "accesses", "loads", "instructions", "line", "last_line") == \
                [(6, 6, 14, line_of(PAPER, "r8=[r70]"), line_of(PAPER, "r23=[r82]"))]
            assert only(found("multiway-branches", file), "branches", "template", "line") == \
                [(2, "mbb", line_of(PAPER, "br.cond"))]
            assert only(found("branches-by-bundle", file), "branches", "bundles") == [(0, 10), (1, 1), (2, 1)]
            assert only(found("no-ops", file), "function", "noops", "instructions") == [("do_neutral", 6, 36)]
            assert {("mib", 2, 1), ("mii", 1, 4), ("mmi", 0, 5), ("mbb", 0, 1)} <= \
                set(only(found("no-ops-by-bundle", file), "template", "noops", "bundles"))
            # Groups: 2 + 2 + 2 + 2 of Figure 8, then 6, 6, 5, then shl with the st8 and branches: 4, and the last.
            assert only(found("issue-width", file), "width", "groups") == [(1, 1), (2, 4), (4, 1), (5, 1), (6, 2)]


@test
def a_fill_and_its_spill_in_other_blocks():
    # The paper's r44: on no path between the two is the value used; on one, r44 is written and the function ends.
    listing = """	.proc far#
far:
	add r31=344,sp ;;
	ld8 r44=[r31]
	cmp.eq p6,p7=r32,r0 ;;
	(p6) br.cond.sptk there
	mov r8=r33 ;;
	cmp.eq p8,p9=r33,r0 ;;
	(p8) br.cond.sptk leave
there:
	add r31=344,sp ;;
	st8 [r31]=r44
	br.ret.sptk.many b0 ;;
leave:
	mov r44=r34 ;;
	add r8=r44,r8
	br.ret.sptk.many b0 ;;
	.endp far#
"""
    with Folder() as folder:
        rows = found("useless-spill-fill", write(folder, "far.s", listing))
        assert only(rows, "text", "reach", "line", "partner_line") == [
            ("ld8 r44=[r31]", "across blocks", 4, 12), ("st8 [r31]=r44", "across blocks", 12, 4)], rows
        used = listing.replace("mov r8=r33", "mov r8=r44")
        assert not [row for row in found("useless-spill-fill", write(folder, "used.s", used)) if row["text"].startswith("ld8")]


@test
def a_pipelined_loop():
    with Folder() as folder:
        file = write(folder, "swp.s", PIPELINED)
        kernel = {"interval": 2, "stages": 7, "kind": "counted", "trips": 5, "fill_cycles": 12, "efficient_percent": 45.5,
                  "folded": "prologue and epilogue", "line": 4, "listing_line": line_of(PIPELINED, "f32=[r20]")}
        for name in ("pipelined-loops", "deep-pipelines"):
            rows = found(name, file)
            assert len(rows) == 1 and kernel.items() <= rows[0].items(), (name, rows)
        assert found("deep-pipelines", file, "--set", "percent=45") == []
        assert only(found("loop-time", file), "time", "iterations", "cycles_per_iteration", "cycles_from") == \
            [(10.0, 5.0, 2.0, "initiation interval")]
        assert only(found("prefetch-distance", file), "load", "distance", "stride", "iterations") == \
            [("(p16) ldfd f48=[r22],8", 256, 8, 32.0)]
        banks = found("same-bank-loads", file)
        assert only(banks, "first", "second", "distance", "same_bank") == \
            [("(p16) ldfd f32=[r20],8", "(p16) ldfd f48=[r22],8", 256, "yes")], banks
        assert found("same-bank-loads", file, "--set", "period=1024") == []
        assert found("missing-prefetch", file) == []
        # 0 of 9, 0 of 6 five times, 3 of 6.
        assert only(found("no-ops", file), "noops", "percent", "executed_percent") == [(3, 14.3, 6.7)]
        assert only(found("block-sizes-by-frequency", file), "size", "executions") == [("6", 6.0), ("9", 1.0)]
        assert only(found("issue-width-by-frequency", file), "width", "executions") == \
            [(1, 1.0), (2, 1.0), (6, 5.0), (9, 1.0)]
        without = write(folder, "plain.s", PIPELINED.replace("lfetch	[r21],8", "nop.m 0"))
        assert only(found("missing-prefetch", without), "loads", "stride", "line") == [(2, 8, 4)]


@test
def floating_point_addresses_on_ia64():
    # a[i * w + j] as gcc writes it for IA-64, which has no integer multiplication.
    listing = """	.proc cell#
cell:
	.mmi
	setf.sig f6 = r33
	setf.sig f7 = r35
	nop 0
	;;
	.mmf
	nop 0
	nop 0
	xma.l f6 = f6, f7, f0
	;;
	.mmi
	getf.sig r33 = f6
	nop 0
	nop 0
	;;
	.mmi
	shladd r32 = r33, 3, r32
	;;
	ldfd f8 = [r32]
	nop 0
	.mib
	nop 0
	nop 0
	br.ret.sptk.many rp
	.endp cell#
"""
    with Folder() as folder:
        rows = found("setf-getf", write(folder, "cell.s", listing))
        assert only(rows, "multiplication", "getf", "access", "line", "access_line") == \
            [("xma.l f6 = f6, f7, f0", "getf.sig r33 = f6", "ldfd f8 = [r32]", line_of(listing, "getf"),
              line_of(listing, "ldfd"))], rows
        assert rows[0]["setf"].count("setf.sig") == 2
        assert found("setf-getf", write(folder, "sum.s", listing.replace("shladd r32 = r33, 3, r32", "mov r8 = r33"))) == []


@test
def patterns_of_binaries():
    with Folder() as folder:
        for machine in ("x86_64", "aarch64"):
            need(cross("gcc", machine))
            file = compile_for(folder, machine, "-O2", "-fno-unroll-loops", "-ffp-contract=off", output=machine + ".o")
            rows = found("missing-fma", file)
            assert only(rows, "function", "line", "addition_line", "fma_in_program") == \
                [("dot", 5, 5, "no"), ("axpy", 12, 12, "no")], (machine, rows)
            assert only(found("prefetch-distance", file), "function", "distance", "stride", "iterations") == \
                [("axpy", 512, 8, 64.0)], machine
            assert only(found("missing-prefetch", file), "function", "stride", "line") == \
                [("column", 4096, line_of(C, "i++)", 3))], machine
            assert {"dot", "column"} == {row["function"] for row in found("missing-prefetch", file, "--set", "stride=8")}
            assert only(found("setf-getf", file), "function") == [("cell",)], machine
            if machine == "x86_64":  # AArch64 has ldp for that
                assert only(found("narrow-accesses", file, "--function", "swap"), "loads", "stores", "pairs") == [(4, 4, 6)]
                assert found("narrow-accesses", file, "--function", "four", "--set", "least=2") == []  # none beside another
            assert not found("register-stack", file)


@test
def fma_when_the_target_has_it():
    with Folder() as folder:
        # For many processors gcc 14 does not fuse what a sum waits for; for this one it does.
        file = compile_for(folder, "x86_64", "-O2", "-mfma", "-mtune=haswell", "-ffp-contract=fast")
        assert found("missing-fma", file) == []
        mixed = C.replace("double cell", "double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }\n"
                          "double cell")
        file = compile_for(folder, "x86_64", "-O2", "-mfma", "-fno-unroll-loops", "-ffp-contract=off", source=mixed)
        assert {(row["function"], row["fma_in_program"]) for row in found("missing-fma", file)} == \
            {("dot", "yes"), ("axpy", "yes")}


@test
def spills_under_pressure():
    with Folder() as folder:
        file = compile_for(folder, "x86_64", "-O2")
        rows = [row for row in found("spill-fill", file, "--function", "pressure") if row["loop"]]
        assert {"spill", "fill"} >= {row["kind"] for row in rows} and any(row["kind"] == "fill" for row in rows)
        assert all(row["form"] == "implicit" and row["text"].count("rsp") for row in rows)
        loop = rows[0]["loop"]
        assert only(found("spill-fill", file, "--loop", loop), "instruction_id") == only(rows, "instruction_id")
        slots = found("stack-slots", file, "--function", "pressure")
        assert sum(row["spills"] + row["fills"] for row in slots if row["depth"]) >= len(rows)


@test
def versions_and_unrolling():
    with Folder() as folder:
        file = compile_for(folder, "x86_64", "-O3", "-funroll-loops", "-fno-tree-vectorize")
        hints = [row for row in found("unroll-hints", file, "--function", "axpy") if row["line"] == line_of(C, "a[i] = a[i]")]
        assert max(row["copies"] for row in hints) == 8 and hints[0]["stores"] == 8, hints
        assert found("unroll-hints", compile_for(folder, "x86_64", "-O1"), "--function", "axpy") == []
        # Pairs are loaded by one instruction: as many copies as `assay bounds` says.
        assert [row["copies"] for row in found("unroll-hints", os.path.join(ROOT, "examples", "daxpy.s"))] == [16]
        file = compile_for(folder, "x86_64", "-O3", source=C.replace("        __builtin_prefetch(b + i + 64);\n", "")
                           .replace("restrict", ""))
        rows = found("loop-versions", file, "--function", "axpy")
        assert len(rows) >= 2 and len({row["versions"] for row in rows}) == 1 and rows[0]["versions"] == len(rows), rows
        assert any(row["vector"] for row in rows) and any(not row["vector"] for row in rows)
        assert found("loop-versions", compile_for(folder, "x86_64", "-O1"), "--function", "axpy") == []


X86 = """	.globl product
	.type product, @function
product:                        # what is left in xmm0 at the end is no result
.Lnext:
	movsd (%rdi), %xmm0
	mulsd (%rsi), %xmm0
	addsd %xmm0, %xmm1
	movsd (%rdx), %xmm2
	mulsd %xmm2, %xmm2
	movsd (%rcx), %xmm3
	mulsd %xmm3, %xmm3
	addsd %xmm2, %xmm3
	addsd %xmm3, %xmm1
	addq $8, %rdi
	decq %r8
	jne .Lnext
	movsd %xmm1, (%r9)
	ret
	.size product, .-product
	.globl unrolled
	.type unrolled, @function
unrolled:
.Lagain:
	prefetcht0 1024(%rdi)
	movsd (%rdi), %xmm0
	addsd %xmm0, %xmm1
	prefetcht0 1088(%rdi)
	movsd 64(%rdi), %xmm0
	addsd %xmm0, %xmm1
	subq $-128, %rdi
	decq %rsi
	jne .Lagain
	ret
	.size unrolled, .-unrolled
	.globl walks
	.type walks, @function
walks:
.Lby:                           # by lengths that it finds on the way
	movl (%rdi), %eax
	addq %rax, %rdi
	decq %rsi
	jne .Lby
.Lstride:                       # by the same number each time
	movl (%rdx), %eax
	addq %rcx, %rdx
	decq %r8
	jne .Lstride
	ret
	.size walks, .-walks
	.globl back
	.type back, @function
back:                           # a product that goes through a general register and back, and a cleared one
	mulsd %xmm1, %xmm0
	movq %xmm0, %rax
	movq %rax, %xmm2
	addsd %xmm2, %xmm2
	movq %xmm2, %rcx
	xorl %ecx, %ecx
	movsd (%rdi,%rcx,8), %xmm0
	ret
	.size back, .-back
	.globl argument
	.type argument, @function
argument:                       # an argument on the stack is the caller's
	movq 8(%rsp), %rax
	pushq %rbx
	movq %rax, %rbx
	popq %rbx
	ret
	.size argument, .-argument
"""


AARCH64 = """	.globl absolute
	.type absolute, %function
absolute:                       // fabs is no addition
	fmul d0, d0, d1
	fabs d0, d0
	ret
	.size absolute, .-absolute
	.globl sums
	.type sums, %function
sums:
	fmul d0, d0, d1
	fsub d0, d2, d0
	ret
	.size sums, .-sums
	.globl index
	.type index, %function
index:                          // an index of 32 bits, by one
.Lindex:
	ldr w4, [x1, w2, sxtw #2]
	sub w2, w2, #1
	cbnz w4, .Lindex
.Lpage:                         // the same place each time
	adrp x0, sums
	add x0, x0, #2672
	ldr x4, [x0]
	cbnz x4, .Lpage
.Llist:                         // a list
	ldr x1, [x1, #2160]
	cbnz x1, .Llist
	ret
	.size index, .-index
	.globl rows
	.type rows, %function
rows:
.Lrows:
	ldr x4, [x1]
	add x1, x1, #2160
	cbnz x4, .Lrows
	ret
	.size rows, .-rows
	.globl flags
	.type flags, %function
flags:                          // a comparison is no address
	fmul d0, d0, d1
	fmov x0, d0
	ands w1, w0, #1
	csel x19, x19, x20, eq
	str d1, [x19]
	ret
	.size flags, .-flags
"""


def lines_at(listing, *texts):
    return [line_of(listing, text) for text in texts]


@test
def findings_are_true():
    need("x86_64-linux-gnu-as")
    with Folder() as folder:
        file = write(folder, "code.s", X86)
        # Of two products that are added to each other, one can be fused.
        assert only(found("missing-fma", file), "function", "line") == \
            [("product", line) for line in lines_at(X86, "mulsd (%rsi)", "mulsd %xmm3")], found("missing-fma", file)
        assert only(found("prefetch-distance", file), "distance", "iterations") == [(1024, 8.0), (1024, 8.0)]
        assert only(found("missing-prefetch", file), "function", "line") == [("walks", line_of(X86, "(%rdx), %eax"))]
        assert found("setf-getf", file) == []
        assert only(found("spill-fill", file), "kind", "offset") == [("spill", -8), ("fill", -8)]
        assert only(found("stack-slots", file), "offset", "spills", "fills") == [(-8, 1, 1)]


@test
def findings_on_aarch64_are_true():
    need(cross("as", "aarch64"))
    with Folder() as folder:
        file = write(folder, "code.s", AARCH64)
        assert only(found("missing-fma", file), "function") == [("sums",)], found("missing-fma", file)
        assert only(found("missing-prefetch", file), "function", "stride") == [("rows", 2160)]
        assert found("setf-getf", file) == []


@test
def loops_of_one_line():
    source = "void f(double *a, double *b, int n)\n{\n" \
             "    for (int i = 0; i < n; i++) a[i] *= b[i]; for (int i = 0; i < n; i++) b[i] += 2;\n}\n" \
             "struct p { int x, y, z; };\nvoid g(struct p *p, int n)\n{\n    for (int i = 0; i < n; i++) {\n" \
             "        p[i].z = i; p[i].x = n; p[i].y = 1;\n    }\n}\n"
    with Folder() as folder:
        file = compile_for(folder, "x86_64", "-O1", source=source)
        assert len(rows(file, "select 1 from loops")) == 3
        assert found("loop-versions", file) == [] and found("unroll-hints", file) == []


@test
def where_things_are_without_lines():
    with Folder() as folder:
        file = compile_for(folder, "x86_64", "-O2", "-ffp-contract=off", "-g0")
        row = found("missing-fma", file)[0]
        place = rows(file, "select address from instructions where id = %d" % row["instruction_id"])[0]["address"]
        assert row["address"] == place and row["line"] is None
        table = text("analysis", "missing-fma", file, "-q")
        assert f"0x{place:x}" in table and " line" not in table, table
        said = assay("analysis", "unroll-hints", file)
        assert said.stdout == b"" and b"nothing found: the program has no source lines" in said.stderr, said
        said = assay("analysis", "block-sizes-by-frequency", file)
        assert said.stdout == b"" and b"block frequencies" in said.stderr, said
        assert b": most" in assay("analysis", "missing-fma", file, "--set", "least=1", status=2).stderr


@test
def what_follows_values_needs_them():
    with Folder() as folder:
        file, database = compile_for(folder, "x86_64", "-O2"), os.path.join(folder, "a.db")
        assay("db", file, "-o", database, "-q")
        said = assay("analysis", "missing-fma", database, "-q", status=2)
        assert said.stdout == b"" and b"assay db --flow" in said.stderr and said.stderr.count(b"\n") == 1, said
        assay("analysis", "narrow-accesses", database)
        assay("db", file, "-o", database, "-q", "--flow")
        assay("analysis", "missing-fma", database)


@test
def menus():
    reported = text("analyses")
    titles = [line.split(" (")[0] for line in reported.split("\n") if line and not line.startswith(" ")]
    assert titles == ["What to do", "Statistics", "Histograms", "Code patterns", "Registers, spills and fills", "Memory and prefetching",
                      "What the compiler did", "Functions, loops and calls", "Runs of the program", "Metrics of loops, for assay report",
                      "Rules of advice, for assay report"], titles
    listed = json.loads(text("analyses", "--json"))
    assert len({row["name"] for row in listed}) == len(listed) >= 30
    in_order = [line.split()[0] for line in reported.split("\n") if line.startswith("  ") and line[2] != " "]
    assert sorted(in_order) == sorted(row["name"] for row in listed)
    some = text("analyses", "--group", "memory")
    assert "same-bank-loads" in some and "--set period=256: " in some and "no-ops" not in some
    assert b"group memry" in assay("analyses", "--group", "memry", status=2).stderr


@test
def analyses_for_another_isa_say_so():
    with Folder() as folder:
        program = compile_for(folder, MACHINE if MACHINE == "aarch64" else "x86_64", "-O1")
        result = assay("analysis", "issue-width", program)
        assert b"issue-width is for ia64" in result.stderr and b"nothing found" not in result.stderr
        assert json.loads(text("analysis", "issue-width", program, "--json")) == []


@test
def findings_are_kept():
    with Folder() as folder:
        database = os.path.join(folder, "paper.db")
        assay("db", write(folder, "paper.s", PAPER), "-o", database, "-q")
        reported = assay("analysis", "useless-spill-fill", database, "--keep")
        assert b"2 rows written" in reported.stderr
        joined = rows(database, "select f.analysis, n.name as function, i.name as mnemonic, f.line, f.text, "
                                "f.block = i.block as in_block from findings f join functions n on n.id = f.function "
                                "join instructions i on i.id = f.instruction order by f.id")
        assert only(joined, "analysis", "function", "mnemonic", "line", "in_block") == [
            ("useless-spill-fill", "do_neutral", "ld8", 15, 1), ("useless-spill-fill", "do_neutral", "st8", 20, 1)], joined
        assert joined[1]["text"].startswith("reason=put back; text=st8 [r31]=r8; partner=ld8 r8=[r31]; "), joined
        # Again, and another one: the first is replaced, not doubled.
        assay("analysis", "useless-spill-fill", database, "--keep", "-q")
        assay("analysis", "register-stack", database, "--keep", "-q")
        count = "select analysis, count(*) as n from findings group by 1 order by 1"
        assert only(rows(database, count), "analysis", "n") == [("register-stack", 1), ("useless-spill-fill", 2)]
        assay("analysis", "register-stack", database, "--keep", "--set", "least=97")
        assert only(rows(database, count), "analysis", "n") == [("useless-spill-fill", 2)]
        assert sqlite3.connect(database).execute("pragma integrity_check").fetchone() == ("ok",)


@test
def keeping_needs_a_database_of_this_version():
    with Folder() as folder:
        listing, database = write(folder, "paper.s", PAPER), os.path.join(folder, "paper.db")
        assert b"not a database, so --keep" in assay("analysis", "no-ops", listing, "--keep", status=2).stderr
        assay("db", listing, "-o", database, "-q")
        newer = sqlite3.connect(database)
        newer.execute("pragma user_version=9999")
        newer.commit()
        newer.close()
        assert b"newer version of Assay" in assay("analysis", "no-ops", database, "--keep", status=2).stderr


@test
def keeping_needs_a_database_that_can_be_written():
    with Folder() as folder:
        os.chmod(folder, 0o755)
        database = os.path.join(folder, "paper.db")
        assay("db", write(folder, "paper.s", PAPER), "-o", database, "-q")
        os.chmod(database, 0o444)
        # Root may write to it all the same; somebody else tries.
        program, user = (ASSAY, None) if os.geteuid() else (assay_for_everybody(), 65534)
        quiet = dict(os.environ, LSAN_OPTIONS="exitcode=99")
        result = watched([program, "analysis", "no-ops", database, "--keep"], user=user, group=user, env=quiet, cwd="/")
        assert result.returncode == 2 and b"cannot be written" in result.stderr, result


@test
def stopping_keeps_the_earlier_findings():
    with Folder() as folder:
        database, own = os.path.join(folder, "paper.db"), os.path.join(folder, "own")
        os.mkdir(own)
        header = "-- title: T\n-- does: d\n"
        write(own, "endless.sql", header + "select 1 as function_id")
        env = dict(os.environ, ASSAY_ANALYSES=own)
        assay("db", write(folder, "paper.s", PAPER), "-o", database, "-q")
        assay("analysis", "endless", database, "--keep", "-q", env=env)
        write(own, "endless.sql", header + "with recursive n (n) as (select 1 union all select n + 1 from n) "
              "select 2 as function_id, count(*) as n from n")
        running = subprocess.Popen([ASSAY, "analysis", "endless", database, "--keep"], env=env, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        wait_until_heard(running, signal.SIGINT)
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        assert running.wait(PATIENCE) == 2 and b"interrupted" in running.stderr.read()
        running.stdout.close()
        running.stderr.close()
        assert only(rows(database, "select function from findings"), "function") == [(1,)]
        assert os.listdir(folder).count("paper.db-journal") == 0


run()
