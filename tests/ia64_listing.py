"""Assembly listings for IA-64 as tests/ia64.py executes them: sections, symbols, instructions."""
import re

NAMES = {"gp": "r1", "sp": "r12", "tp": "r13", "rp": "b0", **{f"ret{i}": f"r{8 + i}" for i in range(4)},
         **{f"farg{i}": f"f{8 + i}" for i in range(8)}, **{f"fret{i}": f"f{8 + i}" for i in range(8)}}


class Instruction:
    def __init__(self, predicate, name, targets, sources, line, address):
        self.predicate, self.targets, self.sources, self.line, self.address = predicate, targets, sources, line, address
        self.base, *self.more = name.split(".")
        self.name, self.has_stop = name, False

    def __repr__(self):
        return f"{self.line}: {self.name} {', '.join(map(str, self.targets))} = {', '.join(map(str, self.sources))}"


class Listing:
    """Sections, symbols and instructions of one text."""
    def __init__(self, text, number):
        self.sections, self.labels, self.constants, self.fixes = {}, {}, {}, []
        self.weak, self.globals, self.code, self.number = set(), set(), [], number
        self.section, self.bundle, self.frame, self.place = self.open(".text"), None, {}, 0
        for line, statement in self.statements(text):
            self.read(statement, line)

    def open(self, name):
        return self.sections.setdefault(name, {"name": name, "bytes": bytearray(), "align": 16})

    @staticmethod
    def statements(text):
        text = re.sub(r"/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), text, flags=re.S)
        for number, line in enumerate(text.split("\n"), 1):
            quoted = []
            line = re.sub(r'"(?:\\.|[^"\\])*"', lambda found: quoted.append(found[0]) or f"\0{len(quoted) - 1}\0", line)
            for part in re.split(r"(;;|[;{}])", line.split("//")[0]):
                part = re.sub("\0(\\d+)\0", lambda found: quoted[int(found[1])], part).strip()
                if part and part != ";":
                    yield number, part

    def read(self, statement, line):
        while found := re.match(r"(?:\[)?([.\w$]+):+\]?\s*", statement):
            self.labels[found[1]] = (self.section["name"], len(self.section["bytes"]))
            statement = statement[found.end():]
        if not statement:
            return
        if found := re.match(r"([.\w$]+)\s*=(?!=)\s*([^,]+)$", statement):
            if not re.search(r"\s", found[1].strip()) and " " not in statement.split("=")[0].strip():
                self.constants[found[1]] = found[2]
                return
        if statement == ";;":
            self.code[-1].has_stop = True
        elif statement == "{":
            self.bundle = len(self.section["bytes"])
            self.section["bytes"] += bytes(16)
        elif statement == "}":
            self.bundle = None
        elif re.match(r"\.[mibflx]{3}\b", statement):
            self.read(statement[4:].strip(), line) if statement[4:].strip() else None
        elif statement.startswith((".", "data", "stringz")):
            self.directive(*(statement.split(None, 1) + [""])[:2])
        else:
            self.instruction(statement, line)

    def pad(self, size):
        data = self.section["bytes"]
        self.section["align"] = max(self.section["align"], size)
        data += bytes(-len(data) % size)

    def directive(self, name, words):
        name = name.removesuffix(".ua")
        sizes = {"data1": 1, "data2": 2, "data4": 4, "data8": 8, ".byte": 1, ".long": 4, ".quad": 8}
        if name == ".section":
            self.section = self.open(words.split(",")[0].strip().strip('"'))
        elif name in (".text", ".data", ".bss", ".rodata", ".sdata", ".sbss"):
            self.section = self.open(name)
        elif name in (".align", ".balign"):
            self.pad(int(words.split(",")[0], 0))
        elif name in (".skip", ".zero"):
            self.section["bytes"] += bytes(int(words, 0))
        elif name in sizes:
            for word in re.split(r",(?![^(]*\))", words):
                self.fixes.append((self.section["name"], len(self.section["bytes"]), sizes[name], word.strip()))
                self.section["bytes"] += bytes(sizes[name])
        elif name in (".ascii", ".string", ".asciz", "stringz"):
            for text in re.findall(r'"((?:\\.|[^"\\])*)"', words):
                text = re.sub(r"\\([0-7]{1,3}|.)", self.escape, text)
                self.section["bytes"] += text.encode("latin-1") + (b"" if name == ".ascii" else b"\0")
        elif name == ".weak":
            self.weak.add(words.strip().rstrip("#"))
        elif name == ".global":
            self.globals |= {word.strip().rstrip("#") for word in words.split(",")}
        elif name in (".comm", ".common", ".lcomm"):
            symbol, size, *align = [word.strip() for word in words.split(",")]
            section = self.open(".bss")
            section["bytes"] += bytes(-len(section["bytes"]) % int(align[0] if align else 16))
            self.labels[symbol.rstrip("#")] = (".bss", len(section["bytes"]))
            self.globals.add(symbol.rstrip("#"))
            section["bytes"] += bytes(int(size))

    @staticmethod
    def escape(found):
        plain = {"n": "\n", "t": "\t", "\\": "\\", '"': '"'}
        return chr(int(found[1], 8)) if found[1][0] in "01234567" else plain[found[1]]

    def instruction(self, statement, line):
        found = re.match(r"(?:\((.*?)\)\s*)?([a-z][\w.]*)\s*(.*)$", statement)
        predicate, name, words = found[1] or "p0", found[2], found[3]
        left, right = words.split("=", 1) if "=" in words else ("", words)
        split = lambda text: [self.operand(word.strip()) for word in re.split(r",(?![^(\[]*[)\]])", text) if word.strip()]
        address = self.bundle
        if address is None:
            self.pad(16)
            address = len(self.section["bytes"])
            self.section["bytes"] += bytes(16)
        if name == "alloc":
            numbers = [int(word, 0) for word in words.split(",")[1:]] if "=" in words else []
            inputs, local, outs = numbers[0], numbers[1], numbers[2]
            self.frame = {**{f"in{i}": f"r{32 + i}" for i in range(inputs)}, **{f"loc{i}": f"r{32 + inputs + i}" for i in range(local)},
                          **{f"out{i}": f"r{32 + inputs + local + i}" for i in range(outs)}}
        row = Instruction(predicate.strip(), name, split(left), split(right), line, (self.section["name"], address))
        row.listing = self
        self.code.append(row)

    def operand(self, word):
        inner = word[1:-1].strip() if word.startswith("[") else word
        inner = self.frame.get(inner, NAMES.get(inner, inner))
        return f"[{inner}]" if word.startswith("[") else inner
