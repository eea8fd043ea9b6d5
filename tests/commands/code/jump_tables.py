"""Jump tables in hand-written code of the kinds that compilers write, so that every compiler is covered whichever is
installed.  A function is its dispatch and four cases or so; each must have exactly its own targets, in an object file and
linked, and tables that are not found must be rows of `assay problems`."""
import os

from harness import *

CASES = {"x86_64": "{label}: mov ${number}, %r10d\n {end}\n", "aarch64": "{label}: mov w17, #{number}\n {end}\n"}


class Function:
    """Text of a function with tables: table(…) makes one and its cases, {T0} … name them in the dispatch."""

    def __init__(self, machine, name, dispatch, *tables):
        self.name = name
        self.targets = [count for count, *_ in tables]
        names = {f"T{i}": f".L{name}_table{i}" for i in range(len(tables))}
        names |= {f"B{i}": f".L{name}_{i}_0" for i in range(len(tables))}
        code, data = [f".globl {name}\n.type {name}, %function\n{name}:\n" + dispatch.format(default=f".L{name}_default", **names)], []
        for i, (count, size, end) in enumerate(tables):
            labels = [f".L{name}_{i}_{j}" for j in range(count)]
            code += [CASES[machine].format(label=label, number=j, end=end) for j, label in enumerate(labels)]
            entry = {8: "{0}", 4: "{0} - {1}", 2: "({0} - {2}) >> 2", 1: "({0} - {2}) >> 2"}[size]
            word = {8: ".quad", 4: ".long", 2: ".hword", 1: ".byte"}[size]
            data += [f" .balign {size}\n.L{name}_table{i}:\n"]
            data += [f" {word} {entry.format(label, names[f'T{i}'], labels[0])}\n" for label in labels]
        code += [f".L{name}_default: ret\n.size {name}, . - {name}\n"]
        self.code, self.data = "".join(code), "".join(data)


def assemble(folder, machine, functions, tail, ld):
    """The object, and what is linked from it, if options for that are given."""
    source, made = os.path.join(folder, "tables.s"), os.path.join(folder, "tables.o")
    with open(source, "w") as file:
        file.write(".text\n" + "".join(f.code for f in functions) + ".section .rodata\n"
                   + "".join(f.data for f in functions) + tail)
    command([need(cross("as", machine)), "-o", made, source])
    if not ld:
        return [made]
    linked = os.path.join(folder, "tables.so")
    command([need(cross("ld", machine)), *ld, "-o", linked, made])
    return [made, linked]


def found(file):
    """By function: how many targets each of its switches has, in order."""
    answer = {}
    for row in rows(file, """select f.name, (select count(*) from edges e where e.source = b.id and e.kind = 'switch') as n
                               from blocks b join functions f on f.id = b.function where b.ends = 'switch' order by b.id"""):
        answer.setdefault(row["name"], []).append(row["n"])
    return answer


def problems(file):
    return {row["kind"]: row["count"] for row in rows(file, "select kind, count from problems")}


def check(machine, *functions, tail="", guesses=0, linked=True, ld=("-shared",)):
    with Folder() as folder:
        for file in assemble(folder, machine, functions, tail, ld if linked else None):
            expected = {f.name: f.targets for f in functions}
            assert found(file) == expected, f"{os.path.basename(file)}: {found(file)}, expected {expected}"
            lost = rows(file, "select count(*) as n from blocks where function is not null and not is_reachable")[0]["n"]
            assert lost == 0, f"{os.path.basename(file)}: {lost} blocks are not reached"
            assert problems(file) == ({"jump table": guesses} if guesses else {}), problems(file)


X86_JUMP = "lea {T0}(%rip), %rdx\n movslq (%rdx,%rax,4), %rax\n add %rdx, %rax\n jmp *%rax\n"
ARM_JUMP = "adrp x9, {T0}\n add x9, x9, :lo12:{T0}\n ldrb w10, [x9, x8]\n adr x11, {B0}\n add x11, x11, x10, lsl #2\n br x11\n"


@test
def a_call_may_change_a_variable_whose_address_it_gets():
    """int x = 0; get(&x); switch (x)"""
    check("x86_64", Function("x86_64", "changed", """sub $24, %rsp
        movl $0, 12(%rsp)
        lea 12(%rsp), %rdi
        call get
        mov 12(%rsp), %eax
        add $24, %rsp
        cmp $3, %eax
        ja {default}
        """ + X86_JUMP, (4, 4, "ret")), linked=False)
    check("aarch64", Function("aarch64", "changed", """stp x29, x30, [sp, #-32]!
        str wzr, [sp, #28]
        add x0, sp, #28
        bl get
        ldr w8, [sp, #28]
        ldp x29, x30, [sp], #32
        cmp w8, #3
        b.hi {default}
        """ + ARM_JUMP, (4, 1, "ret")), linked=False)


@test
def a_member_that_a_call_may_change_is_not_known_either():
    """struct { int a, b; } x = {0}; get(&x); switch (x.b)"""
    check("x86_64", Function("x86_64", "member", """push %rbp
        mov %rsp, %rbp
        sub $16, %rsp
        movl $0, -4(%rbp)
        lea -8(%rbp), %rdi
        call get
        mov -4(%rbp), %eax
        leave
        cmp $3, %eax
        ja {default}
        """ + X86_JUMP, (4, 4, "ret")), linked=False)


@test
def a_spilled_address_of_a_table_outlives_calls():
    check("x86_64", Function("x86_64", "spilled", """sub $24, %rsp
        lea {T0}(%rip), %rdx
        mov %rdx, 16(%rsp)
        lea 8(%rsp), %rdi
        call get
        mov 16(%rsp), %rdx
        add $24, %rsp
        cmp $3, %eax
        ja {default}
        movslq (%rdx,%rax,4), %rax
        add %rdx, %rax
        jmp *%rax
        """, (4, 4, "ret")), linked=False)


@test
def a_spilled_index_that_was_checked_outlives_calls():
    """The check is made on another slot that the index was copied from."""
    check("x86_64", Function("x86_64", "checked", """sub $40, %rsp
        mov %esi, 28(%rsp)
        mov %esi, %eax
        mov %rax, 16(%rsp)
        lea 8(%rsp), %rdi
        call get
        cmpl $3, 28(%rsp)
        ja {default}
        mov 16(%rsp), %rax
        """ + X86_JUMP, (4, 4, "ret")), tail=".zero 64\n", linked=False)


@test
def the_first_case_may_be_far_from_0():
    far = [Function("x86_64", f"far_{first}", f"""lea -{first}(%rdi), %eax
        cmp $3, %eax
        ja {{default}}
        jmp *{{T0}}-8*{first}(,%rdi,8)
        """, (4, 8, "ret")) for first in (100, 300, 3000, 1000000)]
    check("x86_64", *far, ld=["-e", "0"])
    check("x86_64", *[Function("x86_64", f"far_{first}", f"""mov $-{first}, %eax
        add %edi, %eax
        cmp $3, %eax
        ja {{default}}
        """ + X86_JUMP, (4, 4, "ret")) for first in (100, 300, 3000, 1000000)])
    check("aarch64", *[Function("aarch64", f"far_{first}", f"""mov w9, #-{first}
        add w8, w0, w9
        cmp w8, #3
        b.hi {{default}}
        """ + ARM_JUMP, (4, 1, "ret")) for first in (100, 300, 3000)])


@test
def two_loops_with_a_switch_each_share_no_targets():
    """The register that holds the first table's address holds the second one's in the second loop."""
    check("x86_64", Function("x86_64", "twice", """lea {T0}(%rip), %r12
        1: mov (%rdi), %eax
        add $4, %rdi
        cmp $3, %eax
        ja 2f
        movslq (%r12,%rax,4), %rax
        add %r12, %rax
        jmp *%rax
        2: lea {T1}(%rip), %r12
        3: mov (%rdi), %eax
        add $4, %rdi
        cmp $4, %eax
        ja {default}
        movslq (%r12,%rax,4), %rax
        add %r12, %rax
        jmp *%rax
        """, (4, 4, "jmp 1b"), (5, 4, "jmp 3b")))
    check("aarch64", Function("aarch64", "twice", """adrp x9, {T0}
        add x9, x9, :lo12:{T0}
        1: ldr w8, [x0], #4
        cmp w8, #3
        b.hi 2f
        ldrsw x10, [x9, x8, lsl #2]
        add x10, x9, x10
        br x10
        2: adrp x9, {T1}
        add x9, x9, :lo12:{T1}
        3: ldr w8, [x0], #4
        cmp w8, #4
        b.hi {default}
        ldrsw x10, [x9, x8, lsl #2]
        add x10, x9, x10
        br x10
        """, (4, 4, "b 1b"), (5, 4, "b 3b")))


@test
def jumps_to_symbols_of_other_files_are_not_taken_for_jumps_through_tables():
    check("x86_64", Function("x86_64", "leaves", """lea {T0}(%rip), %r8
        1: mov (%rdi), %eax
        test %eax, %eax
        jns 2f
        xor %r8d, %r8d
        jmp elsewhere
        2: cmp $3, %eax
        ja {default}
        movslq (%r8,%rax,4), %rax
        add %r8, %rax
        jmp *%rax
        """, (4, 4, "jmp 1b")), linked=False)
    check("aarch64", Function("aarch64", "leaves", """adrp x9, {T0}
        add x9, x9, :lo12:{T0}
        1: ldr w8, [x0], #4
        cbnz w8, 2f
        mov x9, #0
        b elsewhere
        2: cmp w8, #3
        b.hi {default}
        ldrsw x10, [x9, x8, lsl #2]
        add x10, x9, x10
        br x10
        """, (4, 4, "b 1b")), linked=False)


@test
def many_instructions_may_set_the_address_of_one_table():
    check("x86_64", Function("x86_64", "many", """lea {T0}(%rip), %r8
        1: mov (%rdi), %eax
        cmp $7, %eax
        ja {default}
        movslq (%r8,%rax,4), %rax
        add %r8, %rax
        jmp *%rax
        """, (8, 4, "lea .Lmany_table0(%rip), %r8\n jmp 1b")))
    check("aarch64", Function("aarch64", "many", """adrp x9, {T0}
        add x9, x9, :lo12:{T0}
        1: ldr w8, [x0], #4
        cmp w8, #7
        b.hi {default}
        ldrsw x10, [x9, x8, lsl #2]
        add x10, x9, x10
        br x10
        """, (8, 4, "adrp x9, .Lmany_table0\n add x9, x9, :lo12:.Lmany_table0\n b 1b")))


@test
def registers_that_are_moved_to_and_fro_keep_the_address():
    check("x86_64", Function("x86_64", "circle", """lea {T0}(%rip), %r8
        1: mov (%rdi), %eax
        cmp $3, %eax
        ja {default}
        movslq (%r8,%rax,4), %rax
        add %r8, %rax
        jmp *%rax
        """, (4, 4, "mov %r8, %r9\n xor %r8d, %r8d\n mov %r9, %r8\n jmp 1b")))
    check("aarch64", Function("aarch64", "circle", """adrp x9, {T0}
        add x9, x9, :lo12:{T0}
        1: ldr w8, [x0], #4
        cmp w8, #3
        b.hi {default}
        ldrsw x10, [x9, x8, lsl #2]
        add x10, x9, x10
        br x10
        """, (4, 4, "mov x24, x9\n mov x9, #0\n mov x9, x24\n b 1b")))


@test
def a_mask_is_a_limit_and_not_the_length():
    """The entries after the table's own, those of the next table, would lead into the function, too."""
    x86 = lambda name, count: Function("x86_64", name, "mov %edi, %eax\n and $63, %eax\n" + X86_JUMP, (count, 4, "ret"))
    arm = lambda name, count: Function("aarch64", name, "and x8, x0, #63\n" + ARM_JUMP, (count, 1, "ret"))
    for machine, make in ("x86_64", x86), ("aarch64", arm):
        functions = [make("first", 3), make("second", 40), make("third", 64)]
        for function in functions[:2]:
            function.code = function.code.replace(f".L{function.name}_default: ret\n", "")
        functions[2].code = functions[2].code.replace(".Lthird_default: ret\n", "")
        check(machine, *functions, guesses=2)


@test
def a_check_may_be_made_on_two_paths_that_meet():
    """The table's neighbours would be taken for entries if it were not found."""
    check("x86_64", Function("x86_64", "meet", """test %esi, %esi
        je 1f
        mov (%rdi), %eax
        cmp $3, %eax
        jbe 2f
        ret
        1: mov 4(%rdi), %eax
        cmp $3, %eax
        ja {default}
        2: """ + X86_JUMP, (4, 4, "ret")), tail=".zero 64\n")
    check("aarch64", Function("aarch64", "meet", """cbz w1, 1f
        ldr w8, [x0]
        cmp w8, #3
        b.ls 2f
        ret
        1: ldr w8, [x0, #4]
        cmp w8, #3
        b.hi {default}
        2: """ + ARM_JUMP, (4, 1, "ret")), tail=".zero 256\n")


@test
def a_jump_with_the_frame_still_set_up_is_not_a_tail_call():
    texts = {"x86_64": """kept: push %rbx
        mov (%rdi), %rax
        jmp *%rax
        gone: push %rbx
        mov (%rdi), %rax
        pop %rbx
        jmp *%rax
        none: mov (%rdi), %rax
        jmp *%rax
        """, "aarch64": """kept: stp x29, x30, [sp, #-16]!
        ldr x8, [x0]
        br x8
        gone: stp x29, x30, [sp, #-16]!
        ldr x8, [x0]
        ldp x29, x30, [sp], #16
        br x8
        none: ldr x8, [x0]
        br x8
        """}
    for machine, text_ in texts.items():
        with Folder() as folder:
            source, made = os.path.join(folder, "jumps.s"), os.path.join(folder, "jumps.o")
            with open(source, "w") as file:
                file.write("".join(f".type {name}, %function\n" for name in ("kept", "gone", "none")) + text_)
            command([need(cross("as", machine)), "-o", made, source])
            ends = {row["name"]: row["ends"] for row in
                    rows(made, "select f.name, b.ends from blocks b join functions f on f.id = b.function")}
            assert ends == {"kept": "indirect", "gone": "tail call", "none": "tail call"}, ends
            assert problems(made) == {"indirect jump": 1}, problems(made)


@test
def an_address_that_was_added_up_is_not_a_pointer():
    """A table that nobody could know: its address comes from the caller.  There is no frame."""
    texts = {"x86_64": "f: movslq (%rsi,%rdi,4), %rax\n add %rsi, %rax\n jmp *%rax\n",
             "aarch64": "f: ldrsw x8, [x1, x0, lsl #2]\n add x8, x8, x1\n br x8\n"}
    for machine, text_ in texts.items():
        with Folder() as folder:
            source, made = os.path.join(folder, "jumps.s"), os.path.join(folder, "jumps.o")
            with open(source, "w") as file:
                file.write(".type f, %function\n" + text_)
            command([need(cross("as", machine)), "-o", made, source])
            assert problems(made) == {"indirect jump": 1}, problems(made)


run()
