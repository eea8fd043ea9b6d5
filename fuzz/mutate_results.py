"""Results of measurements for fuzz/mutate: what `assay bench` keeps, with a sound head and hostile rows.

Whoever reads them believes the head (which instruction set, which version), so that damage there is refused early.  Rows get
figures that are huge, negative, no numbers or missing, names of other tests, fields too many or too few, and come twice, in
another order or ten thousand times.  Most files have rows that are sound one by one, with figures that no computer has: these get
past the reader, and to whoever computes with them."""
import pathlib, subprocess

FORMS = {"aarch64": "^(add x,x,x|fmul d,d,d|ldr x)", "x86_64": "^(add r64,r64|mulsd x,x|mov r64,m64)"}
COMMANDS = [["bench", "--result", "FILE", "--forms", "common"], ["bench", "--result", "FILE", "--forms", "common", "--json"],
            ["bench", "--result", "FILE", "--forms", "common", "--csv"], ["bench", "--result", "FILE", "--name", "hostile"],
            ["bench", "--result", "FILE", "--compare", "neoverse-v1"], ["bench", "--result", "FILE", "--make-runner", "FOLDER/runner"]]
ODD = ["", "0", "-1", "-0.0", "nan", "inf", "-inf", "1e308", "1e-308", "9" * 400, "18446744073709551616", "2147483648", "x", "0x10",
       "1,5", "1e999", "\x1b[31m", "%s%n", "a" * 5000, "\u00e9", " ", "|", "||||", "measured", "trapped"]


def seeds(folder, assay):
    path = pathlib.Path(folder) / "results"
    machine = subprocess.run(["uname", "-m"], capture_output=True, text=True).stdout.strip()
    subprocess.run([str(assay), "bench", "--form", FORMS[machine], "--resume", str(path)], capture_output=True, stdin=subprocess.DEVNULL)
    if not path.exists():
        raise SystemExit("assay bench measured nothing to begin with")
    return [path]


FIGURES = ["0", "0.0001", "1e-300", "0.25", "1", "3", "1000", "1e9", "1e18", "1e300", "1.7e308"]


def odd_row(random, rows):
    """A row whose figures are changed, or that has the name of another one."""
    fields = random.choice(rows).split("\t")
    for at in range(2, len(fields)):
        if random.random() < 0.4:
            fields[at] = random.choice(FIGURES)
    if random.random() < 0.2:
        fields[0] = random.choice(rows).split("\t")[0]
    return "\t".join(fields)


def damaged_row(random, rows):
    fields = random.choice(rows).split("\t")
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(fields))
        kind = random.randrange(5)
        if kind == 0:
            fields[at] = random.choice(ODD)
        elif kind == 1:
            fields[at] = random.choice(random.choice(rows).split("\t"))
        elif kind == 2:
            fields.insert(at, random.choice(ODD))
        elif kind == 3 and len(fields) > 1:
            del fields[at]
        else:
            letters = list(fields[at]) or [" "]
            letters[random.randrange(len(letters))] = chr(random.choice([9, 32, 45, 46, 48, 57, 101, 124, 255]))
            fields[at] = "".join(letters)
    return "\t".join(fields)


def mutate(random, seed):
    lines = seed.decode(errors="replace").splitlines()
    head, rows = [line for line in lines if line.startswith("#")], [line for line in lines if not line.startswith("#")]
    made = [row for row in rows if random.random() < 0.9]
    change = odd_row if random.random() < 0.7 else damaged_row
    for _ in range(random.choice([1, 1, 3, 10, 100])):
        made.insert(random.randrange(len(made) + 1), change(random, rows))
    if random.random() < 0.05:
        made = made * (10000 // max(1, len(made)))
    if random.random() < 0.3:
        random.shuffle(made)
    if random.random() < 0.1:
        head.insert(random.randrange(1, len(head) + 1), "# " + random.choice(ODD))
    text = "\n".join(head + made) + random.choice(["\n", "", "\t"])
    return text.encode(errors="replace")
