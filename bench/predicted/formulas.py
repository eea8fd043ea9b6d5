"""Random 3-SAT formulas at the threshold (4.26 clauses for each variable), where solvers need longest. Everything follows from seeds."""
import os, random

RATIO = 4.26
SIZES = [210, 220, 230, 240, 250, 260, 270, 280]
COUNT = 48


def formula(path, variables, seed):
    chance = random.Random(seed)
    clauses = round(RATIO * variables)
    with open(path + ".new", "w") as file:
        file.write(f"p cnf {variables} {clauses}\n")
        for _ in range(clauses):
            chosen = chance.sample(range(1, variables + 1), 3)
            file.write(" ".join(str(v if chance.random() < 0.5 else -v) for v in chosen) + " 0\n")
    os.rename(path + ".new", path)


def formulas(folder, count=COUNT, seed=3):
    """Makes the files.  Rows with formula (a name in the folder), variables, clauses."""
    chance = random.Random(seed)
    rows = []
    for number in range(1, count + 1):
        variables = SIZES[number % len(SIZES)]
        name = f"formula{number}-{variables}.cnf"
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            formula(path, variables, 1000 * seed + number)
        rows.append({"formula": name, "variables": variables, "clauses": round(RATIO * variables)})
    chance.shuffle(rows)
    return rows
