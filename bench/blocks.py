"""Blocks of machine code as text; those of x86 as forms, and the classes that cannot be predicted from the code alone.

The text is llvm-mc's, so that what is said about a block does not depend on the program that is judged."""
import re, subprocess, tempfile

from judge import find_llvm

# A no-op that stands between blocks: its bytes, and what of its text is enough to know it.
MARKS = {"x86_64": ("0x0f,0x1f,0x84,0x00,0x78,0x56,0x34,0x12", "305419896"),
         "aarch64": ("0xff,0x2f,0x03,0xd5", "hint #127")}

FAMILIES, KINDS = {}, {}  # full register, and kind, of each general register's name


def name_register(full, names):
    for name, kind_ in zip(names, ("r64", "r32", "r16", "r8", "r8h")):
        FAMILIES[name], KINDS[name] = full, kind_


for letter in "abcd":
    name_register(f"r{letter}x", (f"r{letter}x", f"e{letter}x", f"{letter}x", f"{letter}l", f"{letter}h"))
for pair in ("si", "di", "bp", "sp"):
    name_register(f"r{pair}", (f"r{pair}", f"e{pair}", pair, f"{pair}l"))
for number in range(8, 16):
    name_register(f"r{number}", [f"r{number}{suffix}" for suffix in ("", "d", "w", "b")])
SIZES = {"byte": 1, "word": 2, "dword": 4, "qword": 8, "tbyte": 10, "xmmword": 16, "ymmword": 32, "zmmword": 64}


def disassemble(blocks, intel, isa="x86_64"):
    """A list of instructions for each block of hex; None where the bytes are not code."""
    mark, mark_text = MARKS[isa]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        for block in blocks:
            code = ",".join(f"0x{block[i:i + 2]}" for i in range(0, len(block), 2))
            file.write(f"[{code}]\n{mark}\n")
        file.flush()
        result = subprocess.run([find_llvm("llvm-mc"), "--disassemble", f"--triple={isa}",
                                *(["--mattr=+all"] if isa == "aarch64" else []),
                                 f"--output-asm-variant={int(intel)}", file.name], capture_output=True, text=True)
    texts, current = [], []
    for line in result.stdout.splitlines():
        line = re.sub(r"\s+# .*" if isa == "x86_64" else r"\s+// .*", "", line).strip().replace("\t", " ")
        if mark_text in line:
            texts.append(current)
            current = []
        elif line and not line.startswith("."):
            current.append(line)
    bad = {(int(n) - 1) // 2 for n in re.findall(rf"^{re.escape(file.name)}:(\d+):.*invalid", result.stderr, re.M)}
    if len(texts) != len(blocks):
        raise RuntimeError("llvm-mc lost its place between blocks")
    return [None if i in bad else text for i, text in enumerate(texts)]


def operands(instruction):
    """Mnemonic and operands of an instruction in Intel's syntax."""
    name, _, rest = instruction.partition(" ")
    while name in ("lock", "rep", "repne", "notrack", "data16"):
        following, _, rest = rest.partition(" ")
        name += " " + following
    parts = re.findall(r"(?:[^,\[]|\[[^\]]*\])+", rest)
    return name, [part.strip() for part in parts]


def register_kind(name):
    return KINDS.get(name) or re.sub(r"(\(\d\)|\d+)$", "", name)


def kind(operand):
    if "[" in operand:
        word = operand.split()[0]
        inside = operand[operand.index("["):]
        indexed = "*" in inside or len([r for r in re.findall(r"[a-z]\w+", inside) if r in FAMILIES]) > 1
        return (f"m{8 * SIZES[word]}" if word in SIZES else "m") + "+i" * indexed
    if re.match(r"-?(0x)?\d", operand):
        return "i"
    return register_kind(operand.split()[0])


def form(instruction):
    name, parts = operands(instruction)
    same = " (same)" if len(parts) >= 2 and parts[-1] == parts[-2] else ""
    return name + " " * bool(parts) + ",".join(kind(part) for part in parts) + same


def address(operand):
    """Registers (full names) and displacement of a memory operand, its bytes; None for others."""
    if "[" not in operand:
        return None
    inside = operand[operand.index("[") + 1:operand.index("]")]
    registers = [FAMILIES[r] for r in re.findall(r"[a-z]\w*", inside) if r in FAMILIES]
    number = re.search(r"(^|[+-])\s*(\d+)$", inside.strip())
    displacement = int((number[1] if number[1] == "-" else "") + number[2]) if number else 0
    return registers, displacement, SIZES.get(operand.split()[0], 8)


def is_unbalanced(instructions):
    """x87: more is pushed than popped, or less, so that the stack over- or underflows when the block repeats."""
    level = 0
    for instruction in instructions:
        name = instruction.split()[0]
        if re.match(r"f(ld(?!cw|env)|ild|bld|decstp|ptan|xtract|sincos)", name):
            level += 1
        elif name in ("fcompp", "fucompp"):
            level -= 2
        elif re.match(r"f(stp|istp|isttp|bstp|(add|mul|sub|subr|div|divr)p$|u?com(i)?p|comip|ucomip|pi$|incstp|yl2x"
                      r"|patan)", name):
            level -= 1
    return level != 0


def accesses(instructions):
    """(is a store, is a load, address) of each explicit memory operand."""
    for instruction in instructions:
        name, parts = operands(instruction)
        if name.startswith(("lea", "nop", "prefetch")):
            continue
        for place, part in enumerate(parts):
            where = address(part)
            if where:
                only_reads = place > 0 or re.match(r"(v?u?comis|cmp|test|push|mul|imul|div|idiv|fld|fild|f\w*(add|mul|sub"
                                                   r"|div|com)|bt$|jmp|call|ldmxcsr)", name)
                only_writes = place == 0 and not only_reads and re.match(r"(v?mov|v?pextr|v?extract|set|fst|fist|pop|v?cvt"
                                                                         r"|stmxcsr|fnst)", name)
                yield not only_reads, not only_writes, where


def written(instructions):
    """Registers whose value an explicit first operand, or a push or pop, changes."""
    names = set()
    for instruction in instructions:
        name, parts = operands(instruction)
        if parts and parts[0] in FAMILIES and name not in ("cmp", "test", "push", "bt"):
            names.add(FAMILIES[parts[0]])
        if name.startswith(("xchg", "xadd")):
            names |= {FAMILIES[p] for p in parts if p in FAMILIES}
        if re.match(r"(mul|imul|div|idiv|cdq|cqo|cwd|cbw|cwde|cdqe)$", name) and len(parts) < 2:
            names |= {"rax", "rdx"}
        if name.startswith(("push", "pop")):
            names.add("rsp")
    return names


def walks(instructions):
    """An address register moves by half a page or more in an iteration: 100 of them leave the first-level TLB."""
    moved = set()
    for instruction in instructions:
        name, parts = operands(instruction)
        if not parts or parts[0] not in FAMILIES or len(parts) < 2:
            continue
        target = FAMILIES[parts[0]]
        if name in ("add", "sub", "adc", "sbb", "xadd"):
            if not re.match(r"-?\d", parts[1]) or abs(int(parts[1])) >= 2048:
                moved.add(target)
        elif name == "imul" or name in ("shl", "sal"):
            moved.add(target)
        elif name == "lea":
            registers, displacement, _ = address(parts[1])
            if target in registers and (len(registers) > 1 or abs(displacement) >= 2048):
                moved.add(target)
    return any(register in moved for _, _, (registers, _, _) in accesses(instructions) for register in registers)


def meets(instructions):
    """A store and a load through different registers that hold one value in BHive's harness (all but rsp and rbp do)."""
    fixed = written(instructions) | {"rsp", "rbp"}
    stores, loads = [], []
    for is_store, is_load, (registers, displacement, size) in accesses(instructions):
        if len(registers) == 1 and registers[0] not in fixed:
            entry = (registers[0], displacement, displacement + size)
            stores += [entry] * is_store
            loads += [entry] * is_load
    return any(s[0] != l[0] and s[1] < l[2] and l[1] < s[2] for s in stores for l in loads)


def special(instructions, machine):
    """Why the measurement of a block is about something else than its code; None for nearly all."""
    names = [instruction.split()[0] for instruction in instructions]
    if is_unbalanced(instructions):
        return "x87 stack unbalanced"
    if any(name in ("div", "idiv") for name in names):
        return "integer divide: time depends on data"
    if any(re.match(r"v?(div|sqrt|rcp|rsqrt)[ps][sd]|f\w*div|fsqrt|fprem|fsin|fcos|fptan|fyl2x|fpatan|f2xm1|fscale", name)
           for name in names):
        return "floating-point divide, root or function"
    if machine == "ivy-bridge" and any(name in ("tzcnt", "lzcnt") for name in names):
        return "tzcnt or lzcnt, decoded as bsf or bsr"
    if walks(instructions):
        return "addresses leave the TLB's reach"
    if meets(instructions):
        return "accesses meet through different registers"
    return None
