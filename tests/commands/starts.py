"""Where functions start, in files that tell little: odd unwind entries, padding, calls into the middle of things."""
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
        assert found["bytes"] == found["size"] and count <= found["functions"] <= count + 1, found


@test
def of_several_names_the_plainest_is_the_functions():
    names = ("__frexp", "frexpf64", "frexp", "_IO_frexp", "frexpl")
    source = ".text\n" + "".join(f".globl {n}\n.type {n}, @function\n{n}:\n" for n in names) + "ret\n" + \
             "".join(f".size {n}, 1\n" for n in names)
    for strip in (False, True):  # then the dynamic symbols tell
        with Folder() as folder:
            found = [f["name"] for f in functions(assemble(folder, source, strip=strip), "name")]
            assert found == ["frexp"], found


run()
