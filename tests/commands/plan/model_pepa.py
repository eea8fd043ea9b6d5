"""assay model pepa: closed forms, random models against the rules of PEPA written a second time in Python, the examples,
and what is wrong with bad files."""
import json, math, os, random, signal, subprocess, time, xml.dom.minidom

from harness import ASSAY, PATIENCE, ROOT, Fail, Folder, assay, run, test, text

EXAMPLES = os.path.join(ROOT, "examples", "models")


def ask(source, *words, status=0):
    with Folder() as folder:
        path = os.path.join(folder, "model.pepa")
        with open(path, "w") as file:
            file.write(source)
        return json.loads(assay("model", "pepa", path, "--json", "--quiet", *words, status=status).stdout)


def refused(source, *parts, words=()):
    with Folder() as folder:
        path = os.path.join(folder, "model.pepa")
        with open(path, "wb") as file:
            file.write(source if isinstance(source, bytes) else source.encode())
        said = assay("model", "pepa", path, "--quiet", *words, status=2).stderr.decode().replace(folder + "/", "")
    assert said.count("\n") == 1, said
    for part in parts:
        assert part in said, f"{part!r} is not in {said!r}"


def rate(answer, action):
    return next(row["rate"] for row in answer["throughputs"] if row["action"] == action)


def mean(answer, state):
    return sum(row["mean"] for row in answer["populations"] if row["state"] == state)


def near(value, expected, most=1e-9):
    if not abs(value - expected) <= most * max(1, abs(expected)):
        raise Fail(f"{value!r} is not {expected!r}")


# ---- closed forms ----

def queue(arrival, service, servers, room):
    """M/M/c/K as one sequential component, by levels."""
    lines = []
    for n in range(room + 1):
        ways = []
        if n < room:
            ways.append(f"(arrive, {arrival}).Q{n + 1}")
        if n:
            ways.append(f"(serve, {service * min(n, servers)}).Q{n - 1}")
        lines.append(f"Q{n} = {' + '.join(ways)};")
    return "\n".join(lines) + "\nQ0\n"


@test
def queues_with_one_and_more_servers():
    for arrival, service, servers, room in ((1.0, 1.5, 1, 10), (3.0, 1.0, 4, 12), (5.0, 0.5, 3, 700)):
        weights = [0.0]  # logarithms
        for n in range(1, room + 1):
            weights.append(weights[-1] + math.log(arrival / (service * min(n, servers))))
        top = max(weights)
        total = sum(math.exp(w - top) for w in weights)
        p = [math.exp(w - top) / total for w in weights]
        answer = ask(queue(arrival, service, servers, room))
        assert answer["states"] == room + 1
        near(rate(answer, "serve"), arrival * (1 - p[room]))
        near(mean(answer, f"Q{room}"), p[room])
        near(sum(n * mean(answer, f"Q{n}") for n in range(room + 1)), sum(n * p[n] for n in range(room + 1)), 1e-8)


@test
def rates_far_apart():
    """The first state is rarer than any number: 20 clients that think for 1e16."""
    source = open(os.path.join(ROOT, "examples/models/client-server.pepa")).read()
    for think in (1e-16, 1e-90, 1e90):
        answer = ask(source, "--set", f"think={think}")
        near(rate(answer, "request") / (20 * think if think < 1 else 5.263157894736842), 1, 1e-6)
        near(sum(mean(answer, state) for state in ("Client", "Client_wait", "Client_think")), 20)
    refused(source, "a rate must be from 1e-100 to 1e100", words=("--set", "think=1e308"))


@test
def machine_repair():
    machines, crews, breaks, mends = 9, 2, 0.3, 1.7
    weights = [1.0]
    for n in range(1, machines + 1):
        weights.append(weights[-1] * (machines - n + 1) * breaks / (mends * min(n, crews)))
    down = sum(n * w for n, w in enumerate(weights)) / sum(weights)
    source = f"""Up = (break, {breaks}).Down; Down = (mend, {mends}).Up;
                 Crew = (mend, T).Crew;
                 Up[{machines}]"""
    near(mean(ask(source), "Down"), machines * breaks / (breaks + mends))  # a crew for each
    source = f"""Up = (break, {breaks}).Down; Down = (mend, T).Up; Crew = (mend, {mends}).Crew;
                 Up[{machines}] <mend> Crew[{crews}]"""
    # The crews' apparent rate is that of all of them, even if fewer machines are down: PEPA's own repair shop.
    weights = [1.0]
    for n in range(1, machines + 1):
        weights.append(weights[-1] * (machines - n + 1) * breaks / (mends * crews))
    near(mean(ask(source), "Down"), sum(n * w for n, w in enumerate(weights)) / sum(weights))
    # One that is repaired holds a crew: then it is the textbook's.
    source = f"""Up = (break, {breaks}).Down; Down = (take, T).Mending; Mending = (mend, {mends}).Up;
                 Crew = (take, 1000000).Busy; Busy = (mend, T).Crew;
                 Up[{machines}] <take, mend> Crew[{crews}]"""
    answer = ask(source)
    near(mean(answer, "Down") + mean(answer, "Mending"), down, 1e-4)


@test
def closed_jackson_network():
    """Three stations, each with one server; customers go round by chances: the product form, by Buzen's recursion."""
    customers, services = 12, (2.0, 1.0, 3.0)
    chances = ((0.0, 0.7, 0.3), (1.0, 0.0, 0.0), (0.6, 0.4, 0.0))
    visits = [1.0, 0.0, 0.0]
    for _ in range(2000):
        flows = [sum(visits[i] * chances[i][j] for i in range(3)) for j in range(3)]
        visits = [(a + b) / 2 for a, b in zip(visits, flows)]
    loads = [v / s for v, s in zip(visits, services)]
    g = [1.0] + [0.0] * customers
    for load in loads:
        for n in range(1, customers + 1):
            g[n] += load * g[n - 1]
    lines = []
    for i in range(3):
        ways = [f"(leave{i}, {chances[i][j]}*T).At{j}" for j in range(3) if chances[i][j]]
        lines.append(f"At{i} = {' + '.join(ways)};")
        lines.append(f"Server{i} = (leave{i}, {services[i]}).Server{i};")
    lines.append(f"At0[{customers}] <leave0, leave1, leave2> (Server0 || Server1 || Server2)")
    answer = ask("\n".join(lines))
    assert answer["states"] == (customers + 1) * (customers + 2) // 2
    for i in range(3):
        near(rate(answer, f"leave{i}"), visits[i] * g[customers - 1] / g[customers])
        near(mean(answer, f"At{i}"), sum(loads[i] ** n * g[customers - n] for n in range(1, customers + 1)) / g[customers])


@test
def iteration_agrees_with_elimination():
    """The same chain below and above the size where elimination ends: two independent halves multiply states, not rates."""
    part = """P1 = (a, 1).P2; P2 = (b, T).P3; P3 = (c, 0.01).P1; S = (b, 0.4).S1; S1 = (d, 1000).S;"""
    small = ask(part + "P1[6] <b> S[2]")
    assert small["states"] <= 500 and small["sweeps"] == 0
    large = ask(part + "(P1[6] <b> S[2]) || (P1[6] <b> S[2])")
    assert large["states"] == small["states"] ** 2 and large["sweeps"] > 0
    for action in "abcd":
        near(rate(large, action), 2 * rate(small, action), 1e-9)


# ---- the rules a second time ----

class Incomplete(Exception):
    pass


class Mixed(Exception):
    pass


def moves(term, automata):
    """[(action, rate, is_passive, next)]; hidden actions begin with ~."""
    if term[0] == "seq":
        return [(a, r, p, ("seq", to)) for a, r, p, to in automata[term[1]]]
    if term[0] == "hide":
        return [("~" + a if a in term[1] else a, r, p, ("hide", term[1], to)) for a, r, p, to in moves(term[2], automata)]
    _, shared, left, right = term
    lefts, rights = moves(left, automata), moves(right, automata)
    found = [(a, r, p, ("coop", shared, to, right)) for a, r, p, to in lefts if a not in shared]
    found += [(a, r, p, ("coop", shared, left, to)) for a, r, p, to in rights if a not in shared]
    for action in sorted(shared):
        ones, others = [m for m in lefts if m[0] == action], [m for m in rights if m[0] == action]
        for side in (ones, others):
            if len({m[2] for m in side}) > 1:
                raise Mixed
        if not ones or not others:
            continue
        total, other_total = sum(m[1] for m in ones), sum(m[1] for m in others)
        if ones[0][2] == others[0][2]:
            pace = min(total, other_total)
        else:
            pace = other_total if ones[0][2] else total
        for one in ones:
            for other in others:
                found.append((action, one[1] / total * other[1] / other_total * pace, one[2] and other[2],
                              ("coop", shared, one[3], other[3])))
    return found


def leaves(term):
    if term[0] == "seq":
        return [term[1]]
    return [leaf for part in term[2:] for leaf in leaves(part)]


def explore(system, automata, most):
    numbers, states, rows = {system: 0}, [system], []
    for state in states:
        row = []
        for action, r, is_passive, to in moves(state, automata):
            if is_passive:
                raise Incomplete
            if to not in numbers:
                numbers[to] = len(states)
                states.append(to)
                if len(states) > most:
                    return None
            row.append((action, r, numbers[to]))
        rows.append(row)
    return states, rows


def long_run(rows):
    """Probabilities from state 0: bottom classes by reachability, then Grassmann's elimination in each."""
    n = len(rows)
    reach = []
    for i in range(n):
        seen, todo = {i}, [i]
        while todo:
            for _, _, to in rows[todo.pop()]:
                if to not in seen:
                    seen.add(to)
                    todo.append(to)
        reach.append(seen)
    bottoms = {frozenset(reach[i]) for i in range(n) if all(i in reach[k] for k in reach[i])}
    result = [0.0] * n
    for members in bottoms:
        order = sorted(members)
        index = {s: k for k, s in enumerate(order)}
        q = [[0.0] * len(order) for _ in order]
        for s in order:
            for _, r, to in rows[s]:
                if to != s:
                    q[index[s]][index[to]] += r
        m, out = len(order), [0.0] * len(order)
        for k in range(m - 1, 0, -1):
            out[k] = sum(q[k][:k])
            for i in range(k):
                share = q[i][k] / out[k]
                if share:
                    for j in range(k):
                        q[i][j] += share * q[k][j]
        p = [1.0]
        for k in range(1, m):
            p.append(sum(p[i] * q[i][k] for i in range(k)) / out[k])
        chance = absorbed(rows, members)
        for s in order:
            result[s] = chance * p[index[s]] / sum(p)
    return result


def absorbed(rows, members):
    """The chance of ending in these states, from state 0: value iteration would be slow, so elimination."""
    if 0 in members:
        return 1.0
    n = len(rows)
    matrix = [[0.0] * (n + 1) for _ in range(n)]
    for i, row in enumerate(rows):
        matrix[i][i] = 1.0
        if i in members:
            matrix[i][n] = 1.0
            continue
        total = sum(r for _, r, to in row if to != i)
        for _, r, to in row:
            if to != i:
                matrix[i][to] -= r / total
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(matrix[i][k]))
        matrix[k], matrix[best] = matrix[best], matrix[k]
        if abs(matrix[k][k]) < 1e-14:
            continue  # a class that never gets there: its value is 0
        for i in range(n):
            if i != k and matrix[i][k]:
                share = matrix[i][k] / matrix[k][k]
                for j in range(k, n + 1):
                    matrix[i][j] -= share * matrix[k][j]
    return matrix[0][n] / matrix[0][0]


def random_model(dice):
    """Text, the system as a term, and the automata."""
    automata, lines, starts = {}, [], []
    for c in range(dice.randint(2, 3)):
        names = [f"C{c}S{k}" for k in range(dice.randint(2, 3))]
        passive = {a for a in "abcd" if dice.random() < 0.3}
        for k, name in enumerate(names):
            steps = []
            for i in range(dice.randint(1, 2) + (dice.random() < 0.2)):
                action = dice.choice("abcd")
                is_passive = action in passive if dice.random() < 0.97 else action not in passive
                to = names[(k + 1) % len(names)] if i == 0 else dice.choice(names)
                steps.append((action, dice.choice((0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 7.0)), is_passive, to))
            automata[name] = steps
            lines.append(f"{name} = " + " + ".join(f"({a}, {r}{'*T' if p else ''}).{to}" for a, r, p, to in steps) + ";")
        starts.append(names[0])

    def system(depth):
        kind = dice.random()
        if depth == 0 or kind < 0.25:
            name = dice.choice(starts)
            copies = dice.choice((1, 1, 2, 3))
            if copies == 1:
                return name, ("seq", name)
            shared = frozenset(a for a in "abcd" if dice.random() < 0.25)
            term = ("seq", name)
            for _ in range(copies - 1):
                term = ("coop", shared, term, ("seq", name))
            return (f"{name}[{copies}]" if not shared else f"{name}[{copies},{{{', '.join(sorted(shared))}}}]"), term
        if kind < 0.35:
            inner, term = system(depth - 1)
            hidden = frozenset(a for a in "abcd" if dice.random() < 0.4)
            return f"({inner})/{{{', '.join(sorted(hidden))}}}", ("hide", hidden, term)
        if kind < 0.45:
            inner, term = system(depth - 1)
            return f"({inner})[2]", ("coop", frozenset(), term, term)
        left, left_term = system(depth - 1)
        right, right_term = system(depth - 1)
        shared = frozenset(a for a in "abcd" if dice.random() < 0.5)
        sign = f"<{', '.join(sorted(shared))}>" if shared or dice.random() < 0.5 else "||"
        return f"({left}) {sign} ({right})", ("coop", shared, left_term, right_term)

    words, term = system(2)
    return "\n".join(lines) + "\n" + words + "\n", term, automata


def classes(rows):
    """How many classes of strongly equivalent states there are: split by what they do, until nothing splits."""
    of, count = [0] * len(rows), 1
    while True:
        deeds = []
        for i, row in enumerate(rows):
            rates = {}
            for action, r, to in row:
                rates[action, of[to]] = rates.get((action, of[to]), 0) + r
            deeds.append((of[i], tuple(sorted((key, float(f"{r:.9g}")) for key, r in rates.items()))))
        names = {deed: k for k, deed in enumerate(dict.fromkeys(deeds))}
        if len(names) == count:
            return count
        of, count = [names[deed] for deed in deeds], len(names)


def sums(states, rows, probability):
    rates, means = {}, {}
    for state, row, p in zip(states, rows, probability):
        for action, r, _ in row:
            name = f"tau ({action[1:]})" if action[0] == "~" else action
            rates[name] = rates.get(name, 0) + p * r
        for leaf in leaves(state):
            means[leaf] = means.get(leaf, 0) + p
    return rates, means


def compare(folder, source, term, automata):
    path = os.path.join(folder, "model.pepa")
    with open(path, "w") as file:
        file.write(source)
    try:
        space = explore(term, automata, 70)
    except (Incomplete, Mixed) as problem:
        said = assay("model", "pepa", path, "--expand", status=2).stderr.decode()
        expected = "incomplete" if isinstance(problem, Incomplete) else "active and passive"
        assert expected in said or "incomplete" in said and "active and passive" in expected, (source, said)
        return "refused"
    if not space:
        return "large"
    states, rows = space
    rates, means = sums(states, rows, long_run(rows))
    for options in ((), ("--expand",)):
        answer = json.loads(assay("model", "pepa", path, "--json", "--quiet", *options, status=None).stdout)
        if options:
            assert answer["states"] == len(states), (source, answer["states"], len(states))
        else:
            assert answer["states"] <= len(states)
        for row in answer["throughputs"]:
            near(row["rate"], rates.get(row["action"], 0), 1e-8)
        for name in automata:
            near(mean(answer, name), means.get(name, 0), 1e-8)
    for options in (("--lump",), ("--lump", "--expand")):
        answer = json.loads(assay("model", "pepa", path, "--json", "--quiet", *options, status=None).stdout)
        assert answer["states"] == classes(rows), (source, options, answer["states"], classes(rows))
        for row in answer["throughputs"]:
            near(row["rate"], rates.get(row["action"], 0), 1e-8)
        for name in automata:
            told = [row["mean"] for row in answer["populations"] if row["state"] == name]
            if None not in told:  # or it was lumped
                near(sum(told), means.get(name, 0), 1e-8)
    return "compared"


@test
def random_models_follow_the_rules():
    dice, found = random.Random(11), {}
    with Folder() as folder:
        while found.get("compared", 0) < 60:
            source, term, automata = random_model(dice)
            try:
                what = compare(folder, source, term, automata)
            except Fail as problem:
                raise Fail(f"{problem}\n{source}")
            found[what] = found.get(what, 0) + 1
    assert found["refused"] >= 3, found


# ---- moments, passages, fluids ----

@test
def moments_agree_with_closed_forms():
    source = "Up = (break, 0.3).Down; Down = (mend, 1.7).Up; Up[5]"
    answer = ask(source, "--time", "3", "--points", "6")
    assert answer["curve_error"] < 1e-9 and len(answer["moments"]) == 7
    for moment in answer["moments"]:
        near(mean(moment, "Down"), 5 * 0.15 * (1 - math.exp(-2 * moment["time"])), 1e-10)


@test
def stiff_moments():
    """Rates that differ by 1e9: the matrix of a short interval is squared."""
    source = "A = (quick, 1000000).B; B = (back, 1000000).A + (slow, 0.001).C; C = (home, 0.002).A; A"
    answer = ask(source, "--time", "1000", "--points", "4")
    for moment in answer["moments"][1:]:  # A and B as one: leaves at half of 0.001
        near(mean(moment, "C"), 0.2 * (1 - math.exp(-0.0025 * moment["time"])), 1e-7)


@test
def passage_times_are_erlangs():
    source = "P0 = (go, 2).P1; P1 = (go, 2).P2; P2 = (go, 2).P3; P3 = (again, 1).P0; P0"
    answer = ask(source, "--passage", "again -> P3", "--time", "4", "--points", "8")["passage"]
    near(answer["mean"], 1.5)
    near(answer["deviation"], math.sqrt(3) / 2)
    for point in answer["curve"]:
        x = 2 * point["time"]
        near(point["cdf"], 1 - math.exp(-x) * (1 + x + x * x / 2), 1e-9)
        near(point["pdf"], math.exp(-x) * x * x, 1e-8)
    for row in answer["quantiles"]:
        x = 2 * row["time"]
        near(1 - math.exp(-x) * (1 + x + x * x / 2), row["level"], 1e-8)
    near(ask(source, "--passage", "-> again")["passage"]["mean"], 2.5)
    near(ask(source, "--passage", "P1 -> go")["passage"]["mean"], 0.5)


@test
def passages_that_may_fail():
    source = "A = (well, 3).Good + (badly, 1).Bad; Good = (stay, 1).Good; Bad = (stay, 1).Bad; A"
    answer = ask(source, "--passage", "-> Good")["passage"]
    near(answer["reached"], 0.75)
    near(answer["mean"], 0.25)
    assert answer["quantiles"][-1]["time"] is None
    refused(source, "did you mean Good", words=("--passage", "-> Goood"))
    refused(source, "'FROM -> TO'", words=("--passage", "Good"))
    refused(source, "never entered", words=("--passage", "A -> Good"))


def runge_kutta(slope, x, until, steps):
    h = until / steps
    for _ in range(steps):
        a = slope(x)
        b = slope([v + h / 2 * s for v, s in zip(x, a)])
        c = slope([v + h / 2 * s for v, s in zip(x, b)])
        d = slope([v + h * s for v, s in zip(x, c)])
        x = [v + h / 6 * (p + 2 * q + 2 * r + s) for v, p, q, r, s in zip(x, a, b, c, d)]
    return x


@test
def fluids_agree_with_small_steps_and_with_large_populations():
    source = """Think = (think, 0.5).Wait; Wait = (serve, 2).Think; Idle = (serve, 3).Log; Log = (log, 10).Idle;
                Think[300] <serve> Idle[20]"""
    answer = ask(source, "--fluid", "--time", "5", "--points", "5")

    def slope(x):
        serve = min(2 * x[1], 3 * x[2])
        return [serve - 0.5 * x[0], 0.5 * x[0] - serve, 10 * x[3] - serve, serve - 10 * x[3]]

    for moment in answer["moments"][1:]:
        x = runge_kutta(slope, [300, 0, 20, 0], moment["time"], 2000)
        for name, value in zip(("Think", "Wait", "Idle", "Log"), x):
            near(mean(moment, name), value, 1e-5)
    chain, fluid = ask(source, "--time", "2", "--points", "1"), ask(source, "--fluid", "--time", "2", "--points", "1")
    near(mean(chain["moments"][1], "Wait"), mean(fluid["moments"][1], "Wait"), 0.02)
    settled = ask(source, "--fluid")
    near(rate(settled, "serve"), rate(settled, "think"), 1e-6)
    near(rate(settled, "serve"), 20 / (1 / 3 + 1 / 10), 1e-6)


@test
def stiff_fluids():
    """Robertson's problem in spirit: the quick part dies within microseconds, the slow one lasts."""
    source = "A = (q, 1000000).B; B = (s, 0.1).C; C = (r, 0.05).B; A[1000]"
    answer = ask(source, "--fluid", "--time", "40", "--points", "4")
    for moment in answer["moments"][1:]:
        near(mean(moment, "C"), 1000 * (2 / 3) * (1 - math.exp(-0.15 * (moment["time"] - 1e-6))), 1e-6)


# ---- structure, and what is wrong ----

@test
def syntax_in_all_its_spellings():
    base = "r = 2.0;\ns = r*2 - 1/2;\nP = (a, r).Q;\nQ = (b, s).P;\n"
    usual = ask(base + "P || P")
    assert usual["states"] == 3 and ask(base + "P || P", "--expand")["states"] == 4
    for other in ("P <> P", "P[2]", "(P) || (P);", "P[4/2]", "P[1] || P"):
        near(rate(ask(base + other), "a"), rate(usual, "a"))
    old = "%r = 2.0;\n% a comment\n/* another\none */ %s = 3.5; // and one\n#P = (a, r).Q;\n#Q = (b, s).P;\nP || P"
    near(rate(ask(old), "a"), rate(usual, "a"))
    both = "P = (a, 1).Q; Q = (c, 1).P; R = (a, infty).R; S = (a, 2*T).S + (c, 1).S;\n"
    near(rate(ask(both + "P <a> R"), "a"), rate(ask(both + "P <*> R"), "a"))
    near(rate(ask(both + "P[2]<a>"), "a"), rate(ask(both + "P <a> P"), "a"))
    near(rate(ask(both + "P[2]<a> R"), "a"), rate(ask(both + "(P||P) <a> R"), "a"))
    near(rate(ask(base + "P", "--set", "r=8,s=8"), "a"), 4)


@test
def what_is_wrong_is_told_with_its_place():
    good = "P = (a, 1.0).P;\n"
    refused("P = (a, r).P;\nP", "model.pepa:1:9: the rate r is not defined")
    refused("rate = 1;\nP = (a, rat).P;\nP", "model.pepa:2:9:", "did you mean rate")
    refused("P = (a, 1).Q;\nP", "model.pepa:1:12: the component Q is not defined")
    refused("Pump = (a, 1).Pumb;\nPump", "1:15:", "did you mean Pump")
    refused("P = P + (a, 1).P;\nP", "1:1:", "defined by itself")
    refused("P = Q; Q = P;\nP", "defined by itself")
    refused("Sys = Sys || P;\n" + good + "Sys", "a part of itself")
    refused(good + "Q = (b, 1).(P <a> P);\nQ", "model.pepa:2:15: a cooperation cannot stand after an activity")
    refused(good, "there is no system equation")
    refused("", "there is no system equation")
    refused("P = (a, 1).P\nP", "1:", "expected")
    refused("P = (a, 0).P;\nP", "1:9: a rate must be above 0")
    refused("r = 1/0;\n" + good + "P", "1:6: division by zero")
    refused("a = b; b = a;\n" + good + "P", "defined by itself")
    refused(good + good + "P", "2:1: P is defined twice; first in line 1")
    refused("P = (a, T+1).P;\nP", "T cannot be added")
    refused(good + "P[2.5]", "2:3: the number of replicas")
    refused(good + "P[0]", "the number of replicas")
    refused(good + "P <tau> P", "tau cannot stand in a set")
    refused(good + "/* P", "this comment does not end")
    refused(good + "P $ P", "2:3: '$' has no meaning")
    refused(b"P = (a, 1).\xff;\nP", "has no meaning")
    refused("P = (a, T).P;\nP", "incomplete: a is passive", "in the state (P)")
    refused("P = (a, 1).P; Q = (a, T).Q; R = (a, 1).R;\n(P || Q) <a> R", "active and passive")
    refused("P = " + "(" * 100000 + "P", "brackets within each other")
    refused("P = " + "(a, 1)." * 100000 + "P;\nP", "within each other")
    refused("\n".join(f"P{i} = P{i + 1};" for i in range(50000)) + "\nP50000 = (a, 1).P0;\nP0", "within each other")
    refused(good + "P", "--set", "NAME=NUMBER", words=("--set", "r"))
    refused("r = 1; P = (a, r).P;\nP", "did you mean r", words=("--set", "rr=2"))
    refused(good + "P", "--plot draws", words=("--plot", "x.svg"))


@test
def explosions_have_a_limit_and_a_sentence():
    source = "P = (a, 1).Q; Q = (b, 1).R; R = (c, 1).P;\nP[100]"
    refused(source, "the state space explodes: more than 1000 states", "--fluid", words=("--most-states", "1000"))
    doubled = "S0 = (a, 1).S0;\n" + "\n".join(f"D{i + 1} = D{i} <b> (D{i} / {{a}});" for i in range(40)) + "\nD0 = S0 || S0;\nD40"
    refused(doubled, "parts")


@test
def deadlocks_are_told_with_their_state():
    answer = ask("P = (a, 1).Q; Q = (b, 1).P; R = (b, T).R1; R1 = (a, T).R;\nP <a, b> R", status=1)
    assert answer["states"] == 1 and answer["classes"][0]["is_deadlock"] and answer["classes"][0]["state"] == "(P, R)"
    with Folder() as folder:
        path = os.path.join(folder, "model.pepa")
        with open(path, "w") as file:
            file.write("A = (left, 1).Stop + (right, 3).B; B = (go, 1).C; C = (go, 1).B;\nA")
        said = text("model", "pepa", path, status=1)
        assert "can deadlock" in said and "0.25: deadlock in (Stop)" in said and "0.75: among states such as (B)" in said, said


@test
def composed_parts_are_replicated():
    """(A <x> B)[n] is explored once and counted; the answer is the one without counting."""
    source = "A = (x, 2).A1; A1 = (y, 1).A; B = (x, T).B1; B1 = (z, 3).B; S = (y, 5).S;\n((A <x> B)/{z})[3] <y> S"
    counted, apart = ask(source), ask(source, "--expand")
    assert counted["states"] == 20 and apart["states"] == 64, (counted["states"], apart["states"])
    for action in ("x", "y", "tau (z)"):
        near(rate(counted, action), rate(apart, action))
    for state in ("A", "A1", "B", "B1"):
        near(mean(counted, state), mean(apart, state))


@test
def examples_of_the_thesis():
    path = os.path.join(EXAMPLES, "goldilocks.pepa")
    answer = json.loads(assay("model", "pepa", path, "--json", "--quiet").stdout)
    assert answer["states"] == 5 and len(answer["classes"]) == 1
    # A round: tasted hot (1/4), blown on (2), right (10), tasted cold (1/4), heated (2).
    near(rate(answer, "cool"), 1 / 14.5)
    near(mean(answer, "Porridge_right"), 10 / 14.5)
    lonely = open(path).read().split("Porridge_hot  =")[0] + "Goldilocks"
    refused(lonely, "the model is incomplete: too_hot is passive")
    path = os.path.join(EXAMPLES, "batch-server.pepa")
    answer = json.loads(assay("model", "pepa", path, "--json", "--quiet", status=1).stdout)
    ends = {row["state"]: row["probability"] for row in answer["classes"]}
    assert all(row["is_deadlock"] for row in answer["classes"]) and len(ends) == 7, ends
    near(sum(ends.values()), 1)
    near(ends["(6 Stop, 2 Server_idle)"], 0.99 ** 6)  # none of six crashed
    one = json.loads(assay("model", "pepa", path, "--json", "--quiet", "--set", "jobs=1,servers=1", "--passage",
                           "-> Stop").stdout)["passage"]
    near(one["reached"], 0.99)  # the server that crashed forgets the job
    near(one["mean"], 1 / 10 + 1 / 0.5 + 1 / 5)


@test
def published_figures_of_ipc():
    """doc/ipc/simpleTea-steady-output of ipclib (github.com/allanderek/ipclib), made by its own solver."""
    answer = json.loads(assay("model", "pepa", os.path.join(EXAMPLES, "tea.pepa"), "--json", "--quiet").stdout)
    assert answer["states"] == 6, answer["states"]
    for state, published in {"Drinker": 0.8979347500748279, "Waiting": 8.979347500748278e-3, "Pouring": 8.97934750074828e-4,
                             "Adding": 1.49655791679138e-3, "Stirring": 8.979347500748278e-4, "Enjoying": 8.979347500748279e-2,
                             "Kettle": 1.0}.items():
        near(mean(answer, state), published, 1e-12)
    for action in ("thirst", "boil_kettle", "pour", "milk", "stir", "drink"):
        near(rate(answer, action), 8.97934750074828e-3, 1e-12)


@test
def pictures_and_rows():
    path = os.path.join(EXAMPLES, "client-server.pepa")
    with Folder() as folder:
        for words in (("--time", "5"), ("--passage", "request -> response"), ("--fluid", "--time", "5")):
            picture = os.path.join(folder, "out.svg")
            assay("model", "pepa", path, "--plot", picture, *words)
            shown = xml.dom.minidom.parse(picture)
            curves = [p for p in shown.getElementsByTagName("path") if "curve" in p.getAttribute("class")]
            assert curves and all("nan" not in p.getAttribute("d") for p in curves)
        rows = text("model", "pepa", path, "--csv", "--quiet").splitlines()
        assert rows[0] == "time,measure,component,name,value" and len(rows) == 1 + 4 + 6
        assert text("model", "pepa", path, "--csv", "--passage", "-> response").startswith("time,cdf,pdf\n")
        assert "Client_think" in text("model", "pepa", path, "--states")


@test
def ctrl_c_ends_it():
    """Whenever it comes: also while the process that works on the model is being made."""
    source = "P0 = (a, 1).P1; P1 = (b, 1.1).P2; P2 = (c, 1.2).P3; P3 = (d, 1.3).P4; P4 = (e, 1.4).P0;\nP0[60] || P1[60]"
    with Folder() as folder:
        path = os.path.join(folder, "model.pepa")
        with open(path, "w") as file:
            file.write(source)
        for wait in [i * 0.0002 for i in range(60)] + [i * 0.001 for i in range(12, 60)]:
            child = subprocess.Popen([ASSAY, "model", "pepa", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(wait)
            child.send_signal(signal.SIGINT)
            said, complaint = child.communicate(timeout=PATIENCE)
            # Before the signal is caught, or between two pieces of work, it ends the process without a word.
            is_told = child.returncode == 130 and (b"Ctrl-C" in complaint or b"interrupted" in complaint)
            assert (is_told or child.returncode == -signal.SIGINT) and not said, (wait, child.returncode, said, complaint)


run()
