"""Forms of x86 instructions in the spelling of uops.info (Intel XED's names) and in ours, for tools/x86-forms.

Spelling is the text of a form; Slots says which of a row's operands (REG0, MEM0.addr ...) is which of the slots that
latencies go between in a machine file."""
import re
from collections import Counter

# ---- names -------------------------------------------------------------------------------------------

# Intel XED's condition codes, and what compilers and we write.
CONDITIONS = {"NB": "ae", "NBE": "a", "NL": "ge", "NLE": "g", "NZ": "ne", "Z": "e"}
# Names that differ otherwise.
RENAMED = {"CALL_NEAR": "call", "RET_NEAR": "ret", "MOVSD_XMM": "movsd", "CMPSD_XMM": "cmpsd", "MOV_CR": "mov",
           "MOV_DR": "mov", "PREFETCH_EXCLUSIVE": "prefetch", "PEXTRW_SSE4": "pextrw"}
# Rows that another row with the same bytes but for a prefix stands for.
DROPPED = re.compile(r"_REX64$|^(ENTER|LEAVE|PUSH|POP)_W$|^V?PCMPESTR[IM]64$"
                     r"|^(LEA|BND(CL|CN|CU|MK))_(I|IS|R)?_?(D8)?$") # addresses without a base have 32 bits more
# Operands of the text whose sizes Zydis has otherwise.
RESIZED = [(r"clflush|clflushopt|clwb", "m8", "m512"), (r"prefetch.*", "m512", "m8"), (r"vp2intersect.", "r64", "k"),
           (r"movdir64b", "r", "r64")]
OPERANDS = {"R8l": "r8", "R8h": "r8h", "0": "i8=0", "VSIB_XMM": "vx", "VSIB_YMM": "vy", "VSIB_ZMM": "vz"}


def plain_name(name):
    """XED's mnemonic as we write it."""
    if name in RENAMED:
        return RENAMED[name]
    match = re.fullmatch(r"(J|SET|CMOV)(\w+)", name)
    if match and match[2] in CONDITIONS:
        return match[1].lower() + CONDITIONS[match[2]]
    return name.lower()


def explicit_operands(form):
    match = re.search(r"\((.*)\)", form)
    return [operand.strip() for operand in match[1].split(",")] if match else []


class Spelling:
    """A row's name taken apart: our text for it, and how much the row is preferred among rows of one text."""

    def __init__(self, form):
        name = form.split(" ")[0]
        operands = explicit_operands(form)
        self.text, self.rank, prefix, zeroing, address = None, 0, "", False, None
        if DROPPED.search(name):
            return
        match = re.match(r"^(LEA|BND(?:CL|CN|CU|MK))_((?:B|I|IS|D8|D32|R)(?:_(?:I|IS|D8|D32))*)$", name)
        if match:
            name, parts = match[1], match[2].split("_")
            address = "+".join({"B": "b", "I": "i", "IS": "i*s", "D8": "d8", "D32": "d32", "R": "rip"}[part]
                               for part in parts)
        while name not in RENAMED:
            match = re.match(r"^(.*)_(LOCK|REPE|REPNE|Z|EVEX|VEX|ER|SAE|IMMB|IMMZ|CL|R0|R4|(?:0F)?[0-9A-F]{2})$", name)
            if not match:
                break
            name, suffix = match[1], match[2]
            if suffix in ("LOCK", "REPE", "REPNE"):
                prefix = {"LOCK": "lock ", "REPE": "rep ", "REPNE": "repne "}[suffix]
            elif suffix == "Z":
                zeroing = True
            elif suffix == "EVEX":
                self.rank += 4 # the VEX encoding is what compilers use where there is one
            elif suffix in ("ER", "SAE"):
                self.rank += 8
            elif suffix in ("R0", "IMMB", "IMMZ", "CL", "0F11", "0F29", "0F7F", "11", "29", "7F", "0FD6", "D6", "8B", "8A",
                            "03", "0B", "13", "1B", "23", "2B", "33", "3B", "02", "0A", "12", "1A", "22", "2A", "32", "3A"):
                self.rank += 1 # the other direction of the opcode, which assemblers do not choose
        mnemonic = plain_name(name)
        kinds = []
        for place, operand in enumerate(operands):
            kind = OPERANDS.get(operand) or re.sub(r"_1to", "b", operand).lower()
            if kind == "k" and zeroing and place == 1:
                kind = "kz"
            for names, theirs, ours in RESIZED:
                if kind == theirs and re.fullmatch(names, mnemonic):
                    kind = ours
            kinds.append(kind)
        if mnemonic == "nop":
            kinds = kinds[:1]
        if address:
            kinds.append(address)
        self.mnemonic, self.kinds = mnemonic, kinds
        self.text = prefix + mnemonic + (" " + ",".join(kinds) if kinds else "")


# ---- operands that the text does not show -------------------------------------------------------------

# Implicit registers in the order of XED's operands, by mnemonic: Intel XED's tables.
HIDDEN = {
    "mul": "rax rdx", "imul": "rax rdx", "div": "rax rdx", "idiv": "rax rdx", "mulx": "rdx",
    "cmpxchg": "rax", "cmpxchg8b": "rdx rax rcx rbx", "cmpxchg16b": "rdx rax rcx rbx",
    "cbw": "rax rax", "cwde": "rax rax", "cdqe": "rax rax", "cwd": "rdx rax", "cdq": "rdx rax", "cqo": "rdx rax",
    "blendvpd": "xmm0", "blendvps": "xmm0", "pblendvb": "xmm0", "sha256rnds2": "xmm0",
    "pcmpestri": "rax rdx rcx", "pcmpestrm": "rax rdx xmm0", "pcmpistri": "rcx", "pcmpistrm": "xmm0",
    "lahf": "rax", "sahf": "rax", "leave": "rbp rsp", "enter": "rsp rbp", "jrcxz": "rcx", "jecxz": "rcx",
    "loop": "rcx", "loope": "rcx", "loopne": "rcx", "push": "rsp", "pop": "rsp", "pushf": "rsp", "pushfq": "rsp",
    "popf": "rsp", "popfq": "rsp", "call": "rsp", "ret": "rsp", "xlat": "rax", "cpuid": "rax rbx rcx rdx",
    "rdtsc": "rax rdx", "rdtscp": "rax rdx rcx", "rdpmc": "rax rdx rcx", "xgetbv": "rcx rdx rax",
}
for letters in ("b", "w", "d", "q"):
    for string, registers in (("lods", "rax rcx"), ("stos", "rax rcx"), ("scas", "rax rcx"), ("movs", "rcx"),
                              ("cmps", "rcx"), ("ins", "rdx rcx"), ("outs", "rdx rcx")):
        HIDDEN[string + letters] = registers
# Where memory that the text does not show is: the register of its address, by number of the memory operand.
HIDDEN_MEMORY = {"push": "rsp", "pop": "rsp", "call": "rsp", "ret": "rsp", "lods": "rsi", "stos": "rdi", "scas": "rdi",
                 "movs": "rdi rsi", "cmps": "rsi rdi", "ins": "rdi", "outs": "rsi", "maskmovdqu": "rdi", "maskmovq": "rdi",
                 "enter": "rsp", "leave": "rbp", "xlat": "rbx"}


def hidden_memory(mnemonic):
    for name, registers in HIDDEN_MEMORY.items():
        if re.fullmatch("v?" + name + ("[bwdq]?" if name in ("lods", "stos", "scas", "movs", "cmps", "ins", "outs") else
                                       "(f|fq)?" if name in ("push", "pop") else ""), mnemonic):
            return registers.split()
    return []


class Slots:
    """Operand names of a row (REG0, MEM0 ...) and the slots that our lines call them by."""

    def __init__(self, spelling, row):
        self.of = {}     # name: slot
        self.memory = {} # name of memory that the text does not show: register of its address
        self.written_only = set()
        explicit = explicit_operands(row["form"])
        described = [operand.split(":") for operand in row.get("operands", "").split()]
        if not described:
            described = self.guess(explicit, row)
        hidden = HIDDEN.get(spelling.mnemonic.removeprefix("v"), HIDDEN.get(spelling.mnemonic, "")).split()
        if spelling.mnemonic in ("mul", "imul", "div", "idiv") and explicit and explicit[0] in ("R8l", "R8h", "M8"):
            hidden = ["rax", "rax", "rax"]
        stacks = hidden_memory(spelling.mnemonic)
        place = 0
        for name, kind, access in described:
            if kind == "hidden-mask":
                continue
            if kind == "flags":
                self.of[name] = "f"
            elif place < len(explicit):
                place += 1
                self.of[name] = "mem" if name.startswith("MEM") else str(place)
                if access == "W":
                    self.written_only.add(str(place))
            elif name == "AGEN":
                self.of[name] = "address"
            elif name.startswith("MEM"):
                self.of[name] = "mem"
                self.memory[name] = stacks[min(len(self.memory), len(stacks) - 1)] if stacks else None
            elif kind == "reg":
                self.of[name] = hidden.pop(0) if hidden else None
        self.flags_if_unknown = not row.get("operands")

    @staticmethod
    def guess(explicit, row):
        """XED numbers registers in the order of its own name for the form, with a mask even where it is k0."""
        described, numbers = [], Counter()
        masks = row.get("iform", "").count("MASKmskw")
        hidden_mask = masks > explicit.count("K")
        if not row.get("iform") and row.get("extension", "").startswith("AVX512"):
            hidden_mask = "K" not in explicit

        def add(kind, prefix):
            described.append(("%s%d" % (prefix, numbers[prefix]), kind, "?"))
            numbers[prefix] += 1
        for operand in explicit:
            if re.match(r"M\d|VSIB", operand):
                add("mem", "MEM")
            elif re.match(r"(I\d+|0|1)$", operand):
                add("imm", "IMM")
            elif operand.startswith("Rel"):
                described.append(("RELBR", "relbr", "R"))
            elif operand.startswith("Moffs"):
                add("mem", "MEM")
            else:
                add("reg", "REG")
            if hidden_mask and len(described) == 1:
                add("hidden-mask", "REG")
        return described

    def slot(self, name):
        """The slots that a name of the latency column means; none where it has no place in our lines."""
        base, _, part = name.partition(".")
        if base == "AGEN":
            return {"addr": ["addr"], "index": ["index"]}.get(part, ["addr", "index"])
        if base not in self.of:
            return ["f"] if self.flags_if_unknown and base.startswith("REG") else []
        if base in self.memory and part in ("addr", "index"):
            if part == "index":
                return ["rax"] if self.memory[base] == "rbx" else []
            return [self.memory[base]] if self.memory[base] else []
        if part in ("addr", "index"):
            return [part]
        return [self.of[base]] if self.of[base] else []


# Forms that are what another form is, for one of these reasons: a hint that older processors take as a no-op
# (Intel's manual), a prefix that older processors ignore (bsf for tzcnt), 32-bit code of what was measured in
# 64-bit code, an operand that Zydis shows in another width.
SAME_AS = [
    ("endbr64", "nop m32"), ("endbr32", "nop m32"), ("nop r16", "nop"), ("nop r32", "nop"), ("nop r64", "nop"),
    ("nop m64", "nop m32"), ("nop m16", "nop m32"), ("nop m32", "nop"), ("prefetchwt1 m8", "prefetchw m8"),
    ("lock xchg m8,r8", "xchg m8,r8"), ("lock xchg m16,r16", "xchg m16,r16"), ("lock xchg m32,r32", "xchg m32,r32"),
    ("lock xchg m64,r64", "xchg m64,r64"), ("push r32", "push r64"), ("push m32", "push m64"), ("pop r32", "pop r64"), ("pop m32", "pop m64"), ("pushfd", "pushfq"),
    ("popfd", "popfq"), ("call r32", "call r64"), ("call m32", "call m64"), ("jmp r32", "jmp r64"), ("jmp m32", "jmp m64"),
    ("jecxz rel8", "jrcxz rel8"), ("push cs", "push fs"), ("push ds", "push fs"), ("push es", "push fs"), ("push ss", "push fs"),
    ("movmskps r64,xmm", "movmskps r32,xmm"), ("movmskpd r64,xmm", "movmskpd r32,xmm"), ("vmovmskps r64,xmm", "vmovmskps r32,xmm"),
    ("vmovmskpd r64,xmm", "vmovmskpd r32,xmm"), ("vmovmskps r64,ymm", "vmovmskps r32,ymm"),
    ("vmovmskpd r64,ymm", "vmovmskpd r32,ymm"), ("pmovmskb r64,xmm", "pmovmskb r32,xmm"), ("vpmovmskb r64,xmm", "vpmovmskb r32,xmm"),
    ("vpmovmskb r64,ymm", "vpmovmskb r32,ymm"), ("pextrw r64,xmm,i8", "pextrw r32,xmm,i8"), ("pextrb r64,xmm,i8", "pextrb r32,xmm,i8"),
    ("pinsrw xmm,r64,i8", "pinsrw xmm,r32,i8"), ("jmp rel16", "jmp rel32"), ("call rel16", "call rel32"),
    ("movsx r32,r16", "movsx r64,r16"), ("movsxd r32,r32", "mov r32,r32"), ("movsxd r32,m32", "mov r32,m32"),
]
for sizes in ("r16,r16", "r32,r32", "r64,r64", "r16,m16", "r32,m32", "r64,m64"):
    SAME_AS += [("tzcnt " + sizes, "bsf " + sizes), ("lzcnt " + sizes, "bsr " + sizes)]
