#!/usr/bin/env python3
"""Every metric on loops that are short enough to compute it by hand.

Each loop is written in assembly for a named machine, so that neither a compiler nor this computer has a say.  What is
expected stands beside the loop, with how it was counted where that is not plain.  The last test sees to it that every
column of loop_metrics is expected somewhere with a value that is not nothing; those of the cycles that would be otherwise
(what_if.c) are what_if.py's."""
import os, struct

from harness import PROGRAMS, Fail, Folder, Skip, command, cross, need, rows, run, test

EM_K1OM = 181

# Columns that what_if.py looks at.
ELSEWHERE = {"cycles_per_source_iteration", "cycles_without_scalar_integer", "cycles_fp_vectorised", "cycles_vectorised",
             "cycles_without_dependence", "cycles_next_bottleneck", "speedup_without_scalar_integer", "speedup_fp_vectorised",
             "speedup_vectorised", "speedup_without_dependence", "speedup_next_bottleneck", "front_end_cycles",
             "back_end_cycles", "chain_cycles", "chain_count", "cycles_l2", "cycles_l3", "cycles_memory", "line_count"}
# What says which row it is.
KEYS = {"loop", "path", "processor"}
NEAR = 1e-9
NOTHING = (0, None)

_seen, _checked = {}, set()


def measure(isa, machine, body, before="", behind=""):
    """The row of loop_metrics of a function whose only loop is this body, which ends with a jump to 1b."""
    tool = cross("as", isa)
    need(tool)
    with Folder() as folder:
        source, path = os.path.join(folder, "loop.s"), os.path.join(folder, "loop.o")
        with open(source, "w") as file:
            file.write((".intel_syntax noprefix\n" if isa == "x86_64" else ".arch armv8.6-a+sve\n") +
                       f".globl kernel\n.type kernel, %function\nkernel:\n{before}\n.p2align 6\n1:\n{body}\n{behind}\nret\n"
                       ".size kernel, .-kernel\n")
        command([tool, "-o", path, source])
        return look_at(path, "--machine", machine)


def look_at(path, *words, loop=1):
    found = rows(path, f"select * from loop_metrics where loop = {loop}", *words)
    if len(found) != 1:
        raise Fail(f"{len(found)} paths, expected 1")
    _seen.update(found[0])
    return found[0]


def expect(row, **values):
    wrong = []
    for name, value in values.items():
        got = row[name]
        same = got == value if value is None or got is None else abs(got - value) <= NEAR
        if not same:
            wrong.append(f"{name} is {got}, expected {value}")
        if value not in NOTHING:
            _checked.add(name)
    if wrong:
        raise Fail("; ".join(wrong))


@test
def multiply_and_add_on_whole_vectors():
    # y = y * a + x, four doubles at a time.  Issue slots on Haswell: the load 1; the multiply-add and its load, which an
    # index splits, 2; the store 1; add 1; cmp and jb together 1.  Six slots, four a cycle: 1.5 cycles.
    row = measure("x86_64", "haswell", """
        vmovupd ymm0, [rdi+rax*8]
        vfmadd213pd ymm0, ymm1, [rsi+rax*8]
        vmovupd [rdi+rax*8], ymm0
        add rax, 4
        cmp rax, rdx
        jb 1b""", before="xor eax, eax")
    expect(row, instruction_count=6, known_count=6, uop_count=6, code_bytes=5 + 6 + 5 + 4 + 3 + 2, cycles=1.5,
           load_count=2, store_count=1, fma_count=1, add_count=1, compare_count=1, branch_count=1, multiply_count=0,
           other_count=0, scalar_integer_count=2, fp64_count=3, int64_count=2,
           vector_ratio=1, vector_ratio_load=1, vector_ratio_store=1, vector_ratio_fma=1, vector_ratio_add=None,
           vector_ratio_fp=1, vector_ratio_integer=None, vector_efficiency=1, vector_efficiency_fp_fma=1, vector_bits=256,
           lanes_least=4, lanes_most=4,
           element_count=4, cycles_per_element=1.5 / 4,
           flop_count=8, flop_per_cycle=8 / 1.5, peak_flop_per_cycle=16, flop_share=8 / 1.5 / 16,
           loaded_bytes=64, stored_bytes=32, loaded_bytes_per_cycle=64 / 1.5, stored_bytes_per_cycle=32 / 1.5,
           peak_loaded_bytes_per_cycle=64, peak_stored_bytes_per_cycle=32, load_share=2 / 3, store_share=2 / 3,
           arithmetic_intensity=8 / 96, stride_one_count=3, constant_stride_count=0, unknown_pattern_count=0,
           general_registers=4, vector_registers=2, mask_registers=0,
           # rdi, rsi, rdx and rax; ymm1 and, behind the load, ymm0.
           general_pressure=4, vector_pressure=2, stack_reference_count=0, unaligned_count=0, transition_count=0,
           transition_cycles=0)


@test
def constants_are_trips():
    # for (i = 0; i < 1024; i += 4), tested at the end: 256 iterations.
    expect(measure("x86_64", "haswell", """
        movupd xmm0, [rdi+rax*8]
        addpd xmm1, xmm0
        add rax, 4
        cmp rax, 1024
        jb 1b""", before="xor eax, eax"), trips=256)
    # The same with i <= 1024: one more.
    expect(measure("x86_64", "haswell", """
        addsd xmm1, [rdi+rax*8]
        add rax, 4
        cmp rax, 1024
        jbe 1b""", before="xor eax, eax"), trips=257)
    # Two pointers 800 bytes apart; and an end that is not known.
    expect(measure("aarch64", "neoverse-v1", """
        ldr d1, [x0], #8
        fadd d0, d0, d1
        cmp x0, x1
        b.ne 1b""", before="add x1, x0, 800"), trips=100)
    expect(measure("aarch64", "neoverse-v1", """
        ldr d1, [x0], #8
        fadd d0, d0, d1
        cmp x0, x1
        b.ne 1b"""), trips=None)
    # From x3 to x4 + 1, which one instruction loads together: they are not the same number.
    expect(measure("aarch64", "neoverse-v1", """
        ldr d1, [x0, x5, lsl #3]
        fadd d0, d0, d1
        add x5, x5, 1
        cmp x5, x4
        b.ne 1b""", before="ldp x3, x4, [x0]\nadd x4, x4, 1\nsub x4, x4, x3\nmov x5, #0"), trips=None)


@test
def scalable_vectors_have_the_length_of_the_machine():
    # Vectors of 256 bits: 4 doubles, 32 bytes; the table of encodings has them as 128.
    row = measure("aarch64", "neoverse-v1", """
        ld1d {z0.d}, p0/z, [x0, x2, lsl #3]
        ld1d {z1.d}, p0/z, [x1, x2, lsl #3]
        fmla z1.d, p0/m, z0.d, z2.d
        st1d {z1.d}, p0, [x1, x2, lsl #3]
        incd x2
        whilelo p0.d, x2, x3
        b.first 1b""", before="mov x2, #0\nwhilelo p0.d, xzr, x3")
    expect(row, instruction_count=7, code_bytes=28, flop_count=8, loaded_bytes=64, stored_bytes=32, vector_ratio=1,
           vector_efficiency=1, vector_efficiency_fp=1, peak_flop_per_cycle=16, peak_loaded_bytes_per_cycle=64,
           fma_count=1, load_count=2, store_count=1, mask_registers=1, general_registers=4, vector_registers=3,
           fp64_count=4, scalar_integer_count=1, arithmetic_intensity=8 / 96)
    expect(row, flop_per_cycle=8 / row["cycles"], flop_share=8 / row["cycles"] / 16)


@test
def half_of_each_class_is_vectorised():
    # Of each class one instruction works on four doubles and one on one: half are vectorised, and the vector's length is used
    # to (1 + 1/4) / 2.  Other classes: a maximum and a logical operation.
    half = 0.625
    row = measure("x86_64", "haswell", """
        vmovapd ymm0, [rdi+rax]
        vmovsd xmm1, [rsi+rax]
        vaddpd ymm2, ymm0, ymm8
        vaddsd xmm3, xmm1, xmm8
        vmulpd ymm4, ymm2, ymm2
        vmulsd xmm5, xmm3, xmm3
        vfmadd231pd ymm4, ymm0, ymm9
        vfmadd231sd xmm5, xmm1, xmm9
        vdivpd ymm6, ymm4, ymm10
        vsqrtsd xmm7, xmm5, xmm5
        vandpd ymm6, ymm6, ymm11
        vmaxsd xmm7, xmm7, xmm11
        vmovapd [rdx+rax], ymm6
        vmovsd [rcx+rax], xmm7
        add rax, 32
        cmp rax, r8
        jne 1b""", before="xor eax, eax")
    for kind in ("", "_fp"):
        for name in ("", "_load", "_store", "_add", "_multiply", "_fma", "_divide", "_other"):
            expect(row, **{f"vector_ratio{kind}{name}": 0.5, f"vector_efficiency{kind}{name}": half})
    expect(row, vector_ratio_integer=None, vector_efficiency_integer=None, fp64_count=14, divide_count=1, sqrt_count=1,
           multiply_count=2, fma_count=2, add_count=3, compare_count=2, logic_count=1, load_count=2, store_count=2,
           # Additions 4 + 1, multiplications 4 + 1, multiply-adds 8 + 2, division 4, root 1, maximum 1.
           flop_count=5 + 5 + 10 + 4 + 1 + 1, loaded_bytes=40, stored_bytes=40, arithmetic_intensity=26 / 80,
           # The scalar accesses move by 32 bytes and are of 8.
           stride_one_count=2, constant_stride_count=2, vector_registers=12, general_registers=6)


# Instructions on vectors and scalars of each class, how many of them, and what they are; each class has another ratio.
FP_WORK = {"load": (1, 1, "vmovapd ymm0, [rdi+rax]", "vmovsd xmm1, [rsi+rax]"),
           "store": (1, 2, "vmovapd [rdx+rax], ymm2", "vmovsd [rcx+rax], xmm3"),
           "add": (1, 3, "vaddpd ymm2, ymm2, ymm0", "vaddsd xmm3, xmm3, xmm1"),
           "multiply": (2, 1, "vmulpd ymm2, ymm2, ymm4", "vmulsd xmm3, xmm3, xmm5"),
           "fma": (3, 1, "vfmadd231pd ymm2, ymm0, ymm4", "vfmadd231sd xmm3, xmm1, xmm5"),
           "divide": (1, 4, "vdivpd ymm2, ymm2, ymm4", "vdivsd xmm3, xmm3, xmm5"),
           "other": (2, 3, "vandpd ymm2, ymm2, ymm6", "vmaxsd xmm3, xmm3, xmm7")}
INTEGER_WORK = {"load": (1, 1, "ld1w {z0.s}, p0/z, [x0, x2, lsl #2]", "ldr w4, [x1, x2, lsl #2]"),
                "store": (1, 2, "st1w {z2.s}, p0, [x5, x2, lsl #2]", "str w6, [x7, x2, lsl #2]"),
                "add": (1, 3, "add z2.s, z2.s, z0.s", "add w6, w6, w4"),
                "multiply": (2, 1, "mul z2.s, p0/m, z2.s, z4.s", "mul w6, w6, w8"),
                "fma": (3, 1, "mla z2.s, p0/m, z0.s, z4.s", "madd w6, w4, w8, w6"),
                "divide": (1, 4, "sdiv z2.s, p0/m, z2.s, z4.s", "sdiv w6, w6, w8"),
                "other": (2, 3, "eor z2.s, p0/m, z2.s, z6.s", "eor w6, w6, w9")}


def expect_classes(row, work, kind, part):
    """part: of a vector that a scalar uses."""
    both = [sum(counts[i] for counts in work.values()) for i in (0, 1)]
    for name, (vectors, scalars) in [("", both)] + [("_" + name, counts[:2]) for name, counts in work.items()]:
        for column in (kind + name, name):
            expect(row, **{"vector_ratio" + column: vectors / (vectors + scalars),
                           "vector_efficiency" + column: (vectors + scalars * part) / (vectors + scalars)})


def written(work):
    """Loads first, stores last."""
    order = [name for name in work if name != "store"] + ["store"]
    return "\n".join("\n".join([work[name][2]] * work[name][0] + [work[name][3]] * work[name][1]) for name in order)


@test
def each_class_has_its_own_columns():
    row = measure("x86_64", "haswell", written(FP_WORK) + "\nadd rax, 32\ncmp rax, r8\njne 1b", before="xor eax, eax")
    expect_classes(row, FP_WORK, "_fp", 1 / 4)
    expect(row, vector_ratio_integer=None, vector_efficiency_integer=None, load_count=2, store_count=3, add_count=5,
           multiply_count=3, fma_count=4, divide_count=5, logic_count=2, compare_count=4,
           # 4 for a vector, 1 for a scalar, twice that for a multiply-add; a logical operation is none.
           flop_count=(4 + 3) + (8 + 1) + 2 * (12 + 1) + (4 + 4) + 3)
    row = measure("aarch64", "neoverse-v1", written(INTEGER_WORK) + "\nincw x2\nwhilelo p0.s, x2, x3\nb.first 1b",
                  before="mov x2, #0\nwhilelo p0.s, xzr, x3")
    expect_classes(row, INTEGER_WORK, "_integer", 1 / 8)
    expect(row, vector_ratio_fp=None, vector_efficiency_fp=None, load_count=2, store_count=3, multiply_count=3, fma_count=4,
           divide_count=5, logic_count=5, flop_count=0)


@test
def half_of_the_integer_work_is_vectorised():
    # The same for 32-bit integers in Neon, with vectors of 128 bits: (1 + 1/4) / 2 of the length.
    half = 0.625
    row = measure("aarch64", "neoverse-n1", """
        ld1 {v0.4s}, [x0], #16
        ldr w8, [x1], #4
        add v1.4s, v0.4s, v7.4s
        add w9, w8, w7
        mul v2.4s, v1.4s, v1.4s
        mul w10, w9, w9
        mla v2.4s, v0.4s, v6.4s
        madd w10, w8, w6, w10
        and v2.16b, v2.16b, v5.16b
        eor w10, w10, w5
        st1 {v2.4s}, [x2], #16
        str w10, [x3], #4
        subs x4, x4, #1
        b.ne 1b""")
    for kind in ("", "_integer"):
        for name in ("", "_load", "_store", "_add", "_multiply", "_fma", "_other"):
            expect(row, **{f"vector_ratio{kind}{name}": 0.5, f"vector_efficiency{kind}{name}": half})
    expect(row, vector_ratio_integer_divide=None, vector_ratio_fp=None, flop_count=0, peak_flop_per_cycle=None, flop_share=None,
           flop_per_cycle=0, fma_count=2, multiply_count=2, add_count=3, logic_count=2, load_count=2, store_count=2,
           loaded_bytes=20, stored_bytes=20, stride_one_count=4, arithmetic_intensity=0,
           peak_loaded_bytes_per_cycle=32, peak_stored_bytes_per_cycle=16,
           # x0 … x10: 4 pointers, the counter, 3 constants, 3 values.
           general_registers=11, vector_registers=6)


@test
def integer_divisions():
    # A vector division of SVE and a scalar one: 8 numbers of a vector of 8, and 1 of 8.
    row = measure("aarch64", "neoverse-v1", """
        ld1w {z0.s}, p0/z, [x0, x2, lsl #2]
        ldr w4, [x1, x2, lsl #2]
        sdiv z0.s, p0/m, z0.s, z1.s
        sdiv w4, w4, w5
        st1w {z0.s}, p0, [x0, x2, lsl #2]
        str w4, [x1, x2, lsl #2]
        incw x2
        whilelo p0.s, x2, x3
        b.first 1b""", before="mov x2, #0\nwhilelo p0.s, xzr, x3")
    expect(row, vector_ratio_integer_divide=0.5, vector_efficiency_integer_divide=(1 + 1 / 8) / 2, divide_count=2, int32_count=6)


@test
def classes_and_types():
    row = measure("x86_64", "skylake", """
        vpaddb ymm0, ymm0, [rdi+rax]
        vpaddw ymm1, ymm1, [rsi+rax]
        vpaddd ymm2, ymm2, ymm3
        vpaddq ymm3, ymm3, ymm2
        vrsqrtps ymm4, ymm4
        vcvtdq2ps ymm5, ymm2
        vpermps ymm6, ymm10, ymm5
        vmovaps ymm7, ymm6
        vandps ymm7, ymm7, ymm8
        vmaxps ymm7, ymm7, ymm9
        vaddps ymm4, ymm4, ymm7
        shl r8, 3
        popcnt r9, r8
        lea r10, [r9+r8*4+16]
        mov r11, r10
        prefetcht0 [rdi+rax+512]
        imul r11, r11
        add rax, 32
        cmp rax, rdx
        jne 1b""", before="xor eax, eax")
    expect(row, instruction_count=20, add_count=6, estimate_count=1, convert_count=1, shuffle_count=1, move_count=2, logic_count=3,
           compare_count=2, address_count=1, other_count=1, multiply_count=1, branch_count=1, load_count=2, store_count=0,
           int8_count=1, int16_count=1, int32_count=1, int64_count=8, fp32_count=7, scalar_integer_count=7, loaded_bytes=64, stored_bytes=0, call_count=0)


@test
def half_precision():
    row = measure("aarch64", "neoverse-v1", """
        ld1 {v0.8h}, [x0]
        fmla v1.8h, v0.8h, v2.8h
        st1 {v1.8h}, [x0], #16
        subs x1, x1, #1
        b.ne 1b""")
    expect(row, fp16_count=3, flop_count=16, peak_flop_per_cycle=64, vector_ratio=1, vector_efficiency=0.5)


@test
def single_precision_with_half_the_vector():
    # 128 of 512 bits.  The peak is the machine's, whatever the code uses: 2 units, 16 numbers, 2 operations each.
    row = measure("x86_64", "skylake-x", """
        movaps xmm0, [rdi+rax]
        mulps xmm0, xmm1
        movaps [rdi+rax], xmm0
        add rax, 16
        cmp rax, rsi
        jne 1b""", before="xor eax, eax")
    expect(row, fp32_count=3, flop_count=4, peak_flop_per_cycle=64, vector_ratio=1, vector_efficiency=0.25,
           vector_efficiency_multiply=0.25, peak_loaded_bytes_per_cycle=128, peak_stored_bytes_per_cycle=64)


@test
def the_number_format_of_most_operations_has_the_peak():
    # Four single additions and a double one: the peak is that of single precision.
    row = measure("x86_64", "haswell", """
        vaddps xmm0, xmm0, xmm1
        vaddsd xmm2, xmm2, xmm3
        dec rax
        jne 1b""")
    expect(row, flop_count=5, peak_flop_per_cycle=32, arithmetic_intensity=None)


@test
def x87():
    row = measure("x86_64", "haswell", """
        fld qword ptr [rdi+rax*8]
        fmul st, st(1)
        fstp qword ptr [rdi+rax*8]
        inc rax
        cmp rax, rsi
        jne 1b""", before="fld1\nxor eax, eax", behind="fstp st(0)")
    expect(row, x87_count=3, flop_count=1, peak_flop_per_cycle=2, loaded_bytes=8, stored_bytes=8, load_count=1, store_count=1,
           # What is loaded and stored are doubles; what is computed with is not.
           multiply_count=1, fp64_count=2)


@test
def gathers_scatters_and_masks():
    row = measure("x86_64", "skylake-x", """
        vmovdqu ymm1, [rsi+rax*4]
        kxnorw k1, k1, k1
        vgatherdpd zmm0{k1}, [rdi+ymm1*8]
        vaddpd zmm0, zmm0, zmm2
        kxnorw k2, k2, k2
        vscatterdpd [rdi+ymm1*8]{k2}, zmm0
        add rax, 8
        cmp rax, rdx
        jne 1b""", before="xor eax, eax")
    expect(row, gather_count=1, scatter_count=1, mask_registers=2, load_count=2, store_count=1, indirect_count=2, stride_one_count=1,
           loaded_bytes=32 + 64, stored_bytes=64, flop_count=8, vector_registers=3)


@test
def patterns():
    # A pointer that is chased, what it points to, a place that stays, a column of a matrix, one after the other, and an
    # address that a multiplication makes anew.
    row = measure("x86_64", "skylake", """
        mov rdi, [rdi]
        addsd xmm0, [rdi+8]
        addsd xmm0, [rsi]
        addsd xmm0, [rdx]
        addsd xmm0, [rcx]
        imul r9, r9
        addsd xmm0, [rcx+r9]
        add rdx, 4096
        add rcx, 8
        dec r8
        jne 1b""")
    expect(row, stride_one_count=1, constant_stride_count=1, indirect_count=2, invariant_count=1, unknown_pattern_count=1,
           load_count=6, loaded_bytes=48, flop_count=5)


@test
def calls_and_branches():
    row = measure("x86_64", "skylake", """
        mov edi, ebx
        call work
        add ebp, eax
        dec ebx
        jne 1b""", before="push rbx\npush rbp", behind="mov eax, ebp\npop rbp\npop rbx")
    expect(row, call_count=1, branch_count=1, move_count=1, scalar_integer_count=3)


@test
def the_stack():
    # A spill and its fill, a fill folded into an addition, a counter kept in the frame (both), an array there (an index: no
    # spill), a constant stored, an argument of the caller's frame, and a store that nothing reads.
    row = measure("x86_64", "skylake", """
        mov [rsp+8], rax
        mov rax, [rdi+rcx*8]
        add rax, [rsp+16]
        mov [rsp+rcx*4+64], eax
        mov r8, [rsp+280]
        mov [rsp+24], rax
        dec dword ptr [rsp+32]
        mov dword ptr [rsp+40], 7
        mov rax, [rsp+8]
        add rax, r8
        inc rcx
        cmp rcx, rdx
        jne 1b""", before="sub rsp, 264\nxor eax, eax\nxor ecx, ecx\nmov [rsp+16], rdi\nmov [rsp+32], esi",
                  behind="mov eax, [rsp+40]\nadd rsp, 264")
    expect(row, stack_reference_count=8, spill_count=3, fill_count=3, useless_stack_count=1)


@test
def spills_and_fills_that_are_useless():
    row = measure("aarch64", "neoverse-v1", """
        str d0, [sp, #16]
        ldr d1, [x0], #8
        str x1, [sp, #8]
        fadd d0, d1, d1
        ldr d2, [sp, #16]
        fadd d0, d0, d2
        subs x2, x2, #1
        b.ne 1b""", before="sub sp, sp, #32", behind="add sp, sp, #32")
    # What is stored of x1 is never loaded.
    expect(row, stack_reference_count=3, spill_count=2, fill_count=1, useless_stack_count=1)


@test
def pressure_at_the_worst_point():
    # Behind the loads three loaded values and the sum; four pointers and a counter all the time, one pointer more that only
    # the code behind the loop reads, and the address to return to.
    row = measure("aarch64", "neoverse-v1", """
        ldr d16, [x0], #8
        ldr d17, [x1], #8
        ldr d18, [x2], #8
        fadd d16, d16, d17
        fadd d16, d16, d18
        fadd d0, d0, d16
        str d0, [x3], #8
        subs x4, x4, #1
        b.ne 1b""", behind="str d0, [x5]")
    expect(row, general_registers=5, vector_registers=4, general_pressure=7, vector_pressure=4)


@test
def pressure_where_a_register_is_dead_in_between():
    # xmm6 holds a value from its load to the addition alone; at the load of xmm7 it is gone.
    row = measure("x86_64", "skylake", """
        movsd xmm6, [rdi]
        addsd xmm0, xmm6
        movsd xmm7, [rdi+8]
        addsd xmm0, xmm7
        add rdi, 16
        dec rsi
        jne 1b""", before="xorpd xmm0, xmm0")
    expect(row, vector_registers=3, vector_pressure=2, general_registers=2, general_pressure=2)


@test
def switches_between_sse_and_avx():
    body = """
        vmovapd ymm0, [rdi+rax]
        vaddpd ymm0, ymm0, ymm1
        vmovapd [rdi+rax], ymm0
        {clean}
        movsd xmm2, [rsi+rax]
        addsd xmm2, xmm3
        movsd [rsi+rax], xmm2
        add rax, 32
        cmp rax, rdx
        jne 1b"""
    mixed = body.format(clean="")
    # To SSE code and, at the start of the next iteration, back.
    expect(measure("x86_64", "sandy-bridge", mixed, before="xor eax, eax"), transition_count=2, transition_cycles=140)
    expect(measure("x86_64", "skylake", mixed, before="xor eax, eax"), transition_count=2, transition_cycles=0)
    expect(measure("x86_64", "zen2", mixed, before="xor eax, eax"), transition_count=2, transition_cycles=0)
    clean = body.format(clean="vzeroupper")
    expect(measure("x86_64", "sandy-bridge", clean, before="xor eax, eax"), transition_count=0, transition_cycles=0)
    # AVX code of 128 bits leaves nothing in use.
    narrow = mixed.replace("ymm", "xmm")
    expect(measure("x86_64", "haswell", narrow, before="xor eax, eax"), transition_count=0, transition_cycles=0)


@test
def accesses_that_must_cross_lines():
    # A window of 32 bytes that moves by 8 crosses wherever it starts.
    row = measure("x86_64", "haswell", """
        vaddpd ymm0, ymm0, [rdi+rax*8]
        inc rax
        cmp rax, rsi
        jne 1b""", before="xor eax, eax")
    expect(row, unaligned_count=1, stride_one_count=1)
    # Of three neighbours one can be aligned; the store elsewhere may be.
    row = measure("x86_64", "haswell", """
        vmovupd ymm0, [rdi+rax*8-8]
        vaddpd ymm0, ymm0, [rdi+rax*8]
        vaddpd ymm0, ymm0, [rdi+rax*8+8]
        vmovupd [rsi+rax*8], ymm0
        add rax, 4
        cmp rax, rdx
        jne 1b""", before="xor eax, eax")
    expect(row, unaligned_count=2)
    # Core 2 takes more µops for movups than for movaps; Nehalem does not.
    body = """
        movups xmm0, [rdi+rax]
        addps xmm0, xmm1
        movaps [rdi+rax], xmm0
        add rax, 16
        cmp rax, rdx
        jne 1b"""
    expect(measure("x86_64", "core2-conroe", body, before="xor eax, eax"), unaligned_count=1)
    expect(measure("x86_64", "nehalem", body, before="xor eax, eax"), unaligned_count=0)
    halves = """
    1:
        vmovups xmm0, [rdi+rax]
        vinsertf128 ymm0, ymm0, [rdi+rax+16], 1
        vaddps ymm0, ymm0, ymm1
        vmovups [rdi+rax], xmm0
        vextractf128 [rdi+rax+16], ymm0, 1
        add rax, 32
        cmp rax, rdx
        jne 1b"""
    expect(measure("x86_64", "sandy-bridge", halves, before="xor eax, eax"), unaligned_count=2)


@test
def one_thread_of_knights_corner():
    # The same multiply and add on eight doubles.  A thread issues every other cycle, so its peak is half of the core's 16.
    tool = cross("as", "x86_64")
    need(tool)
    code = bytes.fromhex("62f178082806"  # vmovaps zmm0, [rsi]
                         "62f2f108b807"  # vfmadd231pd zmm0, zmm1, [rdi]
                         "62f178082906"  # vmovaps [rsi], zmm0
                         "4883c640"      # add rsi, 64
                         "4883c740"      # add rdi, 64
                         "ffc9"          # dec ecx
                         "75e2")         # jne to the start
    with Folder() as folder:
        source, path = os.path.join(folder, "k.s"), os.path.join(folder, "k.o")
        with open(source, "w") as file:
            file.write(".globl axpy\n.type axpy, @function\naxpy:\n.byte " + ",".join(map(str, code)) +
                       "\nret\n.size axpy, .-axpy\n")
        command([tool, "-o", path, source])
        with open(path, "r+b") as file:
            file.seek(18)  # the assembler does not know it: another machine number
            file.write(struct.pack("<H", EM_K1OM))
        row = look_at(path)
    expect(row, flop_count=16, peak_flop_per_cycle=8, vector_ratio=1, vector_efficiency=1, loaded_bytes=128, stored_bytes=64,
           load_count=2, store_count=1, scalar_integer_count=3, code_bytes=30, general_registers=3, vector_registers=2,
           transition_count=0)


@test
def itanium():
    # The tail loop of the listing: two loads, a multiply-add, a store, four no-ops in three bundles, and the jump.
    row = look_at(os.path.join(os.path.dirname(PROGRAMS), os.pardir, "examples", "daxpy.s"), loop=2)
    expect(row, instruction_count=9, uop_count=9, code_bytes=48, flop_count=2, peak_flop_per_cycle=4, loaded_bytes=16,
           stored_bytes=8, load_count=2, store_count=1, fma_count=1, other_count=4, branch_count=1, fp64_count=4,
           general_registers=3, vector_registers=3, flop_per_cycle=2 / row["cycles"])


@test
def no_cycles_no_rates():
    # Sandy Bridge has no multiply-add: figures from cycles are missing, the rest is there.
    row = measure("x86_64", "sandy-bridge", """
        vfmadd213pd ymm0, ymm1, [rsi+rax*8]
        add rax, 4
        cmp rax, rdx
        jb 1b""", before="xor eax, eax")
    expect(row, cycles=None, flop_per_cycle=None, flop_share=None, loaded_bytes_per_cycle=None, load_share=None, flop_count=8,
           loaded_bytes=32, instruction_count=4, vector_ratio=1, general_registers=3)


@test
def a_loop_that_libraries_have():
    row = measure("x86_64", "haswell", """
        vmovupd ymm0, [rdi+rax*8]
        vfmadd213pd ymm0, ymm1, [rsi+rax*8]
        vmovupd [rsi+rax*8], ymm0
        add rax, 4
        cmp rax, rdx
        jb 1b""", before="xor eax, eax")
    expect(row, template_count=1)  # y += a x


@test
def every_column_is_expected_somewhere():
    if not _seen:
        raise Skip("no loop was looked at")
    left = sorted(set(_seen) - _checked - ELSEWHERE - KEYS)
    if left:
        raise Fail("no test expects something of " + ", ".join(left))
    unknown = sorted(ELSEWHERE - set(_seen))
    if unknown:
        raise Fail("no such columns: " + ", ".join(unknown))


run()
