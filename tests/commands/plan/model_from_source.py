# first build only: most of it is libclang, and the rest is that of other models
"""assay model from FILE.c: the flow of C functions, with the iterations and operations that they really have."""
import json, os, re

from harness import Folder, assay, run, test, text

SOURCE = """#define WIDTH 100
double sqrt(double), exp(double);
static double norm(int n, const double *a)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}
static void step(int n, double *a, const double *b, int order)
{
    const int inner = n - 2;
    for (int i = 1; i <= inner; i++)
        for (int j = 1; j < i; j++)
            a[i * n + j] = 0.25 * (b[i * n + j - 1] + b[i * n + j + 1]);
    if (order > 2)
        for (int i = n - 1; i >= 0; i -= 4)
            a[i] += b[i];
    else
        a[0] = 1;
}
double solve(int n, int steps, double *a, double *b, int max)
{
    int k = 0;
    for (int t = 0; t < steps; t++) {
        step(n, a, b, 2 * t);
        norm(n, a);
    }
    for (int i = 0; i < WIDTH * 2; ++i)
        b[i] = a[k] + max;
    for (k = 0; k != n; k++)
        if (k % 2 == 0)
            a[k] /= 3;
    return a[0];
}
"""
ONLY = {"flops": ("1", "0", "0"), "accesses": ("0", "1", "0")}


def write(folder, name, source):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(source)
    return path


def model(folder, source, status=0, name="flow.c"):
    path = os.path.join(folder, "flow.model")
    said = assay("model", "from", write(folder, name, source), "-o", path, status=status).stderr.decode()
    return path, said


def predicted(path, settings, what="flops"):
    times = dict(zip(("flop_time", "access_time", "branch_time"), (value + "s" for value in ONLY[what])))
    words = ",".join(f"{name}={value}" for name, value in {**settings, **times}.items())
    return json.loads(text("model", "run", path, "--json", "--quiet", "--set", words))[0]["predicted_seconds"]


def operations(n, steps):
    """What SOURCE does, done: floating-point operations and accesses to arrays."""
    flops = accesses = 0
    for t in range(steps):
        for i in range(1, n - 2 + 1):
            flops, accesses = flops + 2 * max(0, i - 1), accesses + 3 * max(0, i - 1)
        if 2 * t > 2:
            times = len(range(n - 1, -1, -4))
            flops, accesses = flops + times, accesses + 3 * times
        else:
            accesses += 1
        flops, accesses = flops + 2 * n + 1, accesses + 2 * n  # and the root
    evens = len(range(0, n, 2))
    return flops + 200 + evens, accesses + 400 + 2 * evens + 1


@test
def iterations_and_operations_are_those_of_the_source():
    with Folder() as folder:
        path, said = model(folder, SOURCE)
        assay("model", "check", path)
        assert "0 parameters stand for" in said, said
        for n, steps in ((1, 1), (10, 4), (37, 3), (64, 5)):
            settings = {"n": n, "steps": steps, "max_": 3}
            for what, expected in zip(ONLY, operations(n, steps)):
                found = predicted(path, settings, what)
                assert abs(found - expected) < 1e-6 * expected, (n, steps, what, found, expected)


@test
def what_the_source_does_not_say_is_a_parameter_with_its_line():
    source = """void work(int n, double *a, int (*next)(int))
{
    for (int i = 0; i < n; i++)
        if (a[i] > 0)
            break;
    while (a[0] > 1)
        a[0] /= 2;
    for (int i = 0; i < n; i++) {
        if (a[i] > 2)
            a[i] = 1;
        i += a[i] > 3;
    }
    switch (n) { case 1: a[0] = 1; }
    other(next(3));
    n++;
    for (int i = 0; i < n; i++)
        a[i] = 0;
}
void outer(int rank, double *a)
{
    work((int)a[0], a, 0);
    outer(rank - 1, a);
}
"""
    with Folder() as folder:
        path, _ = model(folder, source)
        written = open(path).read()
        names = set(re.findall(r"parameter (\w+) = ", written))
        assert names == {"flop_time", "times_3", "chance_4", "times_6", "times_8", "chance_9", "switch_13", "call_other", "call_pointer",
                         "times_16", "work_21_1", "call_outer"}, names
        assay("model", "check", path)
        # outer is called by itself alone, so the first function that nobody else calls is the one to begin with.
        assert re.search(r"run \{\s+outer\(rank_\);", written), written
        # The chance and the number of iterations count.
        usual = {"rank_": 1, "times_3": 4, "times_6": 8, "times_8": 0, "times_16": 0, "work_21_1": 1, "chance_4": 0.5}
        assert predicted(path, {**usual, "times_6": 16}) - predicted(path, usual) == 16


@test
def odd_sources_are_told():
    with Folder() as folder:
        assert "has no function with a body" in model(folder, "int x;\n", 2)[1]
        said = model(folder, "void f(int n) { for (int i = 0; i < n; i++) unknown_type y = i; }\n")[1]
        assert "the compiler finds" in said, said
        # Names that are words of models, or that models cannot have; numbers that are no numbers of iterations.
        path, _ = model(folder, "int loop(int send, int _x, int \u00fcber) { int s = 0; for (int rank = send; rank < 8; rank += 3)\n"
                        "  for (int any = _x; any > \u00fcber; any--) s += any; return s; }\n")
        assay("model", "check", path)
        deep = "void f(double *a) { " + "if (a[0] > 1) { " * 400 + "a[0] = 1;" + " }" * 400 + " }\n"
        path, _ = model(folder, deep)
        assert open(path).read().count("{") == open(path).read().count("}")
        assert "is neither a database nor a C source" in model(folder, "x", 2, "flow.txt")[1]
        assert "cannot be read" in assay("model", "from", os.path.join(folder, "away.c"), status=2).stderr.decode()


run()
