"""Where functions start, in files with little information: odd unwind entries, padding, calls into the middle of code."""
import os
from harness import *


def assemble(folder, source, *flags, strip=True):
    """A stripped shared object of x86-64 from assembly."""
    path = os.path.join(folder, "source.s")
    open(path, "w").write(source)
    compiler = need(cross("gcc", "x86_64"))
    file = build(folder, [compiler], [path], "-shared", "-nostdlib", *flags, output="program.so")
    if strip:
        command([need(cross("strip", "x86_64")), file])
    return file


def functions(file, columns="address, size, origin"):
    return rows(file, f"select {columns} from functions where section is not null order by address")


@test
def the_frame_of_a_signal_handlers_return_starts_one_byte_early():
    source = """
        .text
        .p2align 4
        .byte 0x0f, 0x1f, 0x40
        .cfi_startproc
        .cfi_signal_frame
        .byte 0x00                      # the last byte of the no-op before
        mov $15, %rax
        syscall
        .cfi_endproc
        .p2align 4
        .cfi_startproc
        ret
        .cfi_endproc
    """
    with Folder() as folder:
        file = assemble(folder, source)
        base = rows(file, "select address from sections where name = '.text'")[0]["address"]
        known = [f["address"] - base for f in functions(file) if f["origin"] == "unwind"]
        assert known == [4, 16], known
        names = [r["name"] for r in rows(file, "select name from instructions where class <> 'nop' order by address")]
        assert names == ["mov", "syscall", "ret"], names


@test
def zeros_between_functions_are_padding():
    function = "\n.cfi_startproc\n push %rbx\n pop %rbx\n ret\n.cfi_endproc\n"
    for zeros in (1, 2, 7, 8):
        with Folder() as folder:
            file = assemble(folder, ".text" + function + f".zero {zeros}" + function + ".zero 4\n")
            found = functions(file)
            assert [f["size"] for f in found] == [3, 3], (zeros, found)
            loose = rows(file, "select sum(size) as n from blocks where function is null")[0]["n"] or 0
            gaps = rows(file, "select sum(size) as n from gaps")[0]["n"] or 0
            assert loose + gaps == zeros + 4, (zeros, loose, gaps)


@test
def thousands_of_calls_into_instructions_are_no_trouble():
    """Each call leads into the constant of a mov, nothing else says where functions start."""
    count = 20000
    body = "call 1f + 2\n1: mov $0x90c39090, %eax\n" * count
    with Folder() as folder:
        file = assemble(folder, ".text\n" + body, "-fno-asynchronous-unwind-tables")
        found = rows(file, """select (select count(*) from functions where section is not null) as functions,
                                     (select sum(size) from blocks) + (select coalesce(sum(size), 0) from gaps) as bytes,
                                     (select sum(size) from sections where is_code) as size""")[0]
        assert found["bytes"] == found["size"] and count <= found["functions"] <= 2 * count, found  # what follows each ret, too


@test
def of_several_names_the_plainest_is_the_functions():
    names = ("__frexp", "frexpf64", "frexp", "_IO_frexp", "frexpl")
    source = ".text\n" + "".join(f".globl {n}\n.type {n}, @function\n{n}:\n" for n in names) + "ret\n" + \
             "".join(f".size {n}, 1\n" for n in names)
    for strip in (False, True):  # then from the dynamic symbols
        with Folder() as folder:
            found = [f["name"] for f in functions(assemble(folder, source, strip=strip), "name")]
            assert found == ["frexp"], found


def without_unwind_tables(folder, compiler, machine, *flags):
    """The same program with symbols, and with neither symbols nor unwind tables."""
    full = build(folder, compiler, [os.path.join(PROGRAMS, "pointers.c")], "-O2", "-fno-asynchronous-unwind-tables",
                 "-fno-unwind-tables", "-fno-stack-protector", "-fno-tree-vectorize", "-nostdlib", *flags, output="full")
    bare = os.path.join(folder, "bare")
    command([need(cross("strip", machine)), "-s", "-R", ".eh_frame", "-R", ".eh_frame_hdr", "-o", bare, full])
    return full, bare


def loop_heads(file):
    return [l["address"] for l in rows(file, "select b.address from loops l join blocks b on b.id = l.header order by 1")]


def compare_starts(full, bare):
    found = {f["address"]: f for f in functions(bare, "address, origin, is_guessed")}
    known = {f["address"]: f["name"] for f in functions(full, "address, name")}
    assert found.keys() == known.keys(), sorted(hex(a) for a in found.keys() ^ known.keys())
    origins = {name: found[address]["origin"] for address, name in known.items()}
    for name in ("through_table_1", "through_table_2", "taken"):
        assert origins[name] in ("reference", "entry", "gap"), origins
    assert "reference" in origins.values() and "gap" in origins.values(), origins
    assert all(f["is_guessed"] for f in found.values() if f["origin"] in ("reference", "gap")), found
    assert loop_heads(bare) == loop_heads(full)
    assert not rows(bare, "select text from problems where kind = 'unreached code'")


def test_pointers(machine, *ways):
    for compiler in compilers(machine):
        for way in ways:
            with Folder() as folder:
                full, bare = without_unwind_tables(folder, compiler, machine, *way)
                compare_starts(full, bare)


@test
def functions_that_only_pointers_lead_to_are_found_aarch64():
    test_pointers("aarch64", ["-fPIE", "-pie"], ["-fno-pie", "-no-pie"])


@test
def functions_that_only_pointers_lead_to_are_found_x86_64():
    test_pointers("x86_64", ["-fPIE", "-pie"], ["-fno-pie", "-no-pie"])


@test
def labels_that_jumps_may_lead_to_are_no_functions():
    """With -fcf-protection, which other distributions have by default, labels of gotos begin as functions do."""
    test_pointers("x86_64", ["-fPIE", "-pie", "-fcf-protection"])
    test_pointers("aarch64", ["-fPIE", "-pie", "-mbranch-protection=standard"])


@test
def packed_relocations_are_pointers_too():
    compiler = need(cross("gcc", "x86_64"))
    with Folder() as folder:
        try:
            full, bare = without_unwind_tables(folder, [compiler], "x86_64", "-fPIE", "-pie",
                                               "-Wl,-z,pack-relative-relocs")
        except Fail:
            raise Lacking("this linker does not pack relocations")
        if b".relr.dyn" not in command(["readelf", "-SW", bare]).stdout:
            raise Lacking("this linker does not pack relocations")
        compare_starts(full, bare)


@test
def a_jump_back_from_a_split_off_part_does_not_cut_a_function():
    source = """
        .text
        part:                           # what is rarely done of the second function
            addl $1, %eax
            jmp back
        entry:
            call second
        1:  jmp 1b
        second:
            testl %edi, %edi
            je part
            addl $2, %eax
        back:
            addl $3, %eax
            ret
    """
    with Folder() as folder:
        file = assemble(folder, ".globl entry\n.type entry, @function\n" + source)
        base = rows(file, "select address from sections where name = '.text'")[0]["address"]
        found = [f["address"] - base for f in functions(file)]
        assert found == [0, 5, 12], found
        assert not rows(file, "select id from blocks where not is_reachable")


@test
def a_tail_call_does_not_glue_the_functions_between():
    source = """
        .text
        entry: call first
        1:  jmp 1b
        first: movl $1, %esi
            jmp last
            .p2align 4
        between: leal (%rdi,%rdi), %eax
            ret
            .p2align 4
        last: pushq %rbx
            movl %esi, %ebx
            popq %rbx
            ret
            .p2align 4
        back: xorl %esi, %esi
            jmp first
            .data
            .quad between
    """
    with Folder() as folder:
        file = assemble(folder, ".globl entry\n.type entry, @function\n" + source)
        base = rows(file, "select address from sections where name = '.text'")[0]["address"]
        found = [(f["address"] - base, f["origin"]) for f in functions(file)]
        assert found == [(0, "dynamic"), (7, "call"), (16, "reference"), (32, "call"), (48, "gap")], found


@test
def what_follows_a_call_that_never_returns_may_be_the_rest_of_the_function():
    source = """
        .text
        entry: pushq %rbx
            call dies
            addl $1, %eax
            popq %rbx
            ret
            .p2align 4
        dies: testl %edi, %edi
            je 1f
            ud2
        1:  pushq %rax
            call dies                   # returns only if another way through it does
            .p2align 4
        next: call local              # needs no room on the stack
            leal (%rdi,%rdi), %eax
            ret
            .p2align 4
        local: leal 1(%rdi), %edi
            ret
    """
    with Folder() as folder:
        file = assemble(folder, ".globl entry\n.type entry, @function\n" + source)
        base = rows(file, "select address from sections where name = '.text'")[0]["address"]
        found = [(f["address"] - base, f["returns"]) for f in functions(file, "address, returns")]
        assert found == [(0, 0), (16, 0), (32, 1), (48, 1)], found
        problem = rows(file, "select count, address from problems where kind = 'unreached code'")
        assert problem == [{"count": 3, "address": base + 6}], problem


run()
