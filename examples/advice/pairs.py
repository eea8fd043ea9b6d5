"""Reads and builds the pairs of examples/advice: for the tests, which check whether the rule fires, and for the bench, which
measures the gain of following the advice.  README describes a pair."""
import glob, json, os, shutil, subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SIDES = ("before", "after")
MACHINES = {"x86-64": "sapphire-rapids", "aarch64": "neoverse-v1"}
TRIPLETS = {"x86-64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu"}
KNOWN = {"faster", "function", "libraries", "same", "with"} | {
    f"{key} {isa}" for key in (*SIDES, "machine", "needs") for isa in MACHINES}
HOST = {"x86_64": "x86-64"}.get(os.uname().machine, os.uname().machine)


class Lacking(Exception):
    """What this computer does not have for a pair."""


def read_facts(path):
    facts = {}
    with open(path) as lines:
        for number, line in enumerate(lines, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            key, colon, value = line.partition(":")
            if not colon or key.strip() not in KNOWN:
                raise ValueError(f"{path}:{number}: not a fact of a case: {line}")
            facts[key.strip()] = value.strip()
    return facts


class Pair:
    def __init__(self, folder):
        self.folder, self.name = folder, os.path.basename(folder)
        self.facts = read_facts(os.path.join(folder, "case"))
        self.isas = [isa for isa in MACHINES if f"before {isa}" in self.facts]

    def source(self, side):
        found = [path for path in glob.glob(os.path.join(self.folder, side + ".*"))]
        if not found and side == "after":
            return self.source("before")
        if len(found) != 1:
            raise ValueError(f"{self.folder}: one file named {side}.* is needed, there are {len(found)}")
        return found[0]

    def machine(self, isa):
        return self.facts.get(f"machine {isa}", MACHINES[isa])

    def build(self, side, isa, output):
        """Compiles one side; for another instruction set with the cross compiler."""
        words = self.facts[f"{side} {isa}"].split()
        if isa != HOST:
            words[:1] = [words[0], f"--target={TRIPLETS[isa]}"] if words[0] == "clang" else [f"{TRIPLETS[isa]}-{words[0]}"]
        if not shutil.which(words[0]):
            raise Lacking(f"{words[0]} is not installed")
        beside = [os.path.join(self.folder, name) for name in self.facts.get("with", "").split()]
        command = [*words, "-o", output, self.source(side), *beside, *self.facts.get("libraries", "").split()]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise ValueError(f"{' '.join(command)}: {done.stderr.strip()}")
        return output

    def advice(self, assay, program, isa):
        """What the report says of the loops of the function: dictionaries with rule, level, gain, loop."""
        query = ("select r.name as rule, a.level, a.gain, a.loop, a.text from advice a join rules r on r.id = a.rule "
                 "join loops l on l.id = a.loop where l.function = FUNCTION order by a.id")
        done = subprocess.run([assay, "sql", program, query, "--function", self.facts["function"], "--machine",
                               self.machine(isa), "--json", "--quiet"], capture_output=True, text=True)
        if done.returncode:
            raise ValueError(f"assay sql {program}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def gain(self, assay, program, isa):
        """The largest gain that the rule promises; None where it speaks without one; False where it is silent."""
        gains = [row["gain"] for row in self.advice(assay, program, isa) if row["rule"] == self.name]
        known = [gain for gain in gains if gain is not None]
        return max(known) if known else None if gains else False

    def lacks(self):
        """What the programs for this computer's instruction set need and its processor does not have."""
        with open("/proc/cpuinfo") as lines:
            flags = next((line.split(":")[1].split() for line in lines if line.startswith(("flags", "Features"))), [])
        return [need for need in self.facts.get(f"needs {HOST}", "").split() if need not in flags]

    def is_promise(self):
        """Whether the program is to be faster after; the other rules help people, not processors."""
        return self.facts.get("faster", "yes") == "yes"

    def is_same(self, one, other):
        how = self.facts.get("same", "checksum")
        if how == "nothing":
            return True
        if how == "checksum":
            return one == other
        try:
            pairs = [(float(a), float(b)) for a, b in zip(one.split(), other.split(), strict=True)]
        except ValueError:
            return False
        return all(abs(a - b) <= 1e-3 * max(abs(a), abs(b), 1e-30) for a, b in pairs)


def pairs():
    return [Pair(os.path.dirname(path)) for path in sorted(glob.glob(os.path.join(HERE, "*", "case")))]
