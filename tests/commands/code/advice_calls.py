"""Advice about branches and calls: branches on data, calls through pointers, calls in conditions and of functions that could be
inlined.  Loops in which a rule speaks, on both instruction sets, and loops that look alike in which it has to be silent."""
import os

from harness import Folder, command, cross, need, rows, run, test

CORES = {"x86_64": "skylake-x", "aarch64": "neoverse-v1"}
ADVICE = ("select f.name as function, r.name as rule, a.level, a.gain, a.is_upper, a.text, (select group_concat(m.action) from "
          "remedies m where m.advice = a.id) as actions, (select group_concat(m.text, ' ') from remedies m where m.advice = a.id) "
          "as remedies from advice a join rules r on r.id = a.rule join loops l on l.id = a.loop join functions f on f.id = "
          "l.function order by a.id")
SHOWN = ("gain", "potential")


def reported(source, *flags, machine, suffix=".c", core=None):
    """Advice by function and rule; the first of each that is shown, else the first."""
    with Folder() as folder:
        path, output = os.path.join(folder, "loop" + suffix), os.path.join(folder, "loop")
        with open(path, "w") as out:
            out.write(source)
        compiler = need(cross("g++" if suffix == ".cpp" else "gcc", machine))
        command([compiler, "-g", *(flags or ["-O2"]), *(() if "-shared" in flags else ("-c",)), "-o", output, path])
        found = {}
        for row in rows(output, ADVICE, "--machine", core or CORES[machine]):
            kept = found.setdefault(row["function"], {})
            if row["rule"] not in kept or (row["level"] in SHOWN and kept[row["rule"]]["level"] not in SHOWN):
                kept[row["rule"]] = row
        return found


def speaks(found, function, rule, level, *actions):
    row = found.get(function, {}).get(rule)
    assert row, f"{rule} is silent in {function}; there is {sorted(found.get(function, {}))}"
    assert row["level"] == level, f"{rule} in {function}: {row}"
    for action in actions:
        assert action in row["actions"].split(","), f"{rule} in {function}: {row}"
    return row


def is_silent(found, rule, *functions, levels=("gain", "potential", "hint")):
    for function in functions:
        row = found.get(function, {}).get(rule)
        assert not row or row["level"] not in levels, f"{rule} speaks in {function}: {row}"


BRANCHES = """
long sum(const int *x, const int *y, int n, int t)
{
    long s = 0;
    for (int i = 0; i < n; i++)
        if (x[i] < t)
            s += y[i];
    return s;
}
int filter(int *restrict y, const int *restrict x, int n, int t)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        if (x[i] < t)
            y[k++] = x[i];
    return k;
}
void mark(int *restrict y, const int *restrict x, int n, int t) { for (int i = 0; i < n; i++) if (x[i] < t) y[i] = x[i] * 3; }
long odd(const unsigned char *x, const int *y, int n)
{
    long s = 0;
    for (int i = 0; i < n; i++)
        if (x[i] & 4)
            s += y[i];
    return s;
}
long commas(const char *x, const int *y, int n) { long s = 0; for (int i = 0; i < n; i++) if (x[i] == ',') s += y[i]; return s; }
void both(int *c, const unsigned char *x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] & 1)
            c[x[i]]++;
        else
            c[256]++;
}
int search(const int *a, int n, int k)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] < k)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
struct node { struct node *next; int key, value; };
long list(const struct node *p, int t) { long s = 0; for (; p; p = p->next) if (p->key < t) s += p->value; return s; }
"""

QUIET = """
#include <stdlib.h>
int find(const int *x, int n, int t) { int i = 0; for (; i < n; i++) if (x[i] > t) break; return i; }
void check(const int *x, int *y, int n) { for (int i = 0; i < n; i++) { if (x[i] < 0) abort(); y[i] = x[i] * 3; } }
long half(const int *y, int n) { long s = 0; for (int i = 0; i < n; i++) if (i % 3) s += y[i]; return s; }
int g(int);
long calls(const int *x, int n) { long s = 0; for (int i = 0; i < n; i++) if (x[i] > 3) s += g(i); return s; }
int largest(const double *x, const int *y, int n)
{
    double m = x[0];
    int k = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > m) {
            m = x[i];
            k = y[i];
        }
    return k;
}
int chosen(const int *x, int n, int t) { int k = 0; for (int i = 0; i < n; i++) k += x[i] < t; return k; }
"""


@test
def branches_on_data():
    for machine in CORES:
        found = reported(BRANCHES, machine=machine)
        row = speaks(found, "sum", "unpredictable-branch", "potential", "branch-free")
        assert row["is_upper"] and row["gain"] > 3 and "take branches as predicted" in row["text"], row
        assert "At loop.c:6 the loop compares a number that it loads with another" in row["text"], row
        row = speaks(found, "filter", "unpredictable-branch", "potential", "branch-free")
        assert "y[k] = x[i]" in row["remedies"], row
        row = speaks(found, "mark", "unpredictable-branch", "potential", "branch-free")
        assert "y[i] = c ? x : y[i]" in row["remedies"], row
        assert "single bits" in speaks(found, "odd", "unpredictable-branch", "potential")["text"], found["odd"]
        # Loads that would wait for each other: less is gained than by a branch that decides nothing else.
        row, plain = speaks(found, "search", "unpredictable-branch", "potential", "branch-free"), found["sum"]["unpredictable-branch"]
        assert row["is_upper"] and 1.5 < row["gain"] < plain["gain"] and "base[half - 1] < key" in row["remedies"], row
        assert "Each load waits for the comparison" in row["text"], row
        # Rarely equal; stores to different places; a list.
        for function in ("commas", "both", "list"):
            row = speaks(found, function, "unpredictable-branch", "hint")
            assert row["gain"] is None, row
        is_silent(reported(QUIET, machine=machine), "unpredictable-branch", "find", "check", "half", "calls", "largest", "chosen")


@test
def the_cost_of_a_wrong_guess_only_where_it_is_known():
    row = speaks(reported(BRANCHES, machine="x86_64", core="tiger-lake"), "sum", "unpredictable-branch", "potential")
    assert "more than ten cycles" in row["text"] and row["gain"] is None, row
    row = speaks(reported(BRANCHES, machine="aarch64"), "sum", "unpredictable-branch", "potential")
    assert "each wrong guess costs about 14 cycles" in row["text"], row


POINTERS = """
struct shape { virtual long area() const = 0; virtual void draw() = 0; };
extern "C" {
long sum(shape *const *all, int n) { long s = 0; for (int i = 0; i < n; i++) s += all[i]->area(); return s; }
void draw(shape *const *all, int n) { for (int i = 0; i < n; i++) all[i]->draw(); }
void store(double *y, const double *x, int n, double (*f)(double)) { for (int i = 0; i < n; i++) y[i] = f(x[i]); }
struct item { long (*value)(long); long of; };
long each(const item *all, int n) { long s = 0; for (int i = 0; i < n; i++) s += all[i].value(all[i].of); return s; }
int compare(const int *x, int n, int (*less)(int, int)) { int k = 0; for (int i = 1; i < n; i++) if (less(x[i - 1], x[i])) k = i; return k; }
long work(long);
long direct(const int *x, int n) { long s = 0; for (int i = 0; i < n; i++) s += work(x[i]); return s; }
}
"""


@test
def calls_through_pointers():
    for machine in CORES:
        found = reported(POINTERS, machine=machine, suffix=".cpp")
        row = speaks(found, "sum", "indirect-call", "potential", "direct-call")
        assert "makes a virtual call" in row["text"] and "array of their own" in row["remedies"], row
        row = speaks(found, "store", "indirect-call", "potential", "direct-call")
        assert "calls the same function through a pointer" in row["text"] and "template" in row["remedies"], row
        row = speaks(found, "each", "indirect-call", "potential", "direct-call")
        assert "loads a function pointer" in row["text"], row
        # Nothing is computed with the result.
        speaks(found, "draw", "indirect-call", "hint")
        speaks(found, "compare", "indirect-call", "hint")
        is_silent(found, "indirect-call", "direct")


LENGTHS = """
#include <string.h>
#include <wchar.h>
void change(char *s) { for (size_t i = 0; i < strlen(s); i++) s[i] ^= 1; }
void signed_index(char *s) { for (int i = 0; i < (int)strlen(s); i++) s[i] ^= 1; }
void wide(wchar_t *s) { for (size_t i = 0; i < wcslen(s); i++) s[i] ^= 1; }
char *shared;
void global(void) { for (size_t i = 0; i < strlen(shared); i++) shared[i] ^= 1; }
void shorten(char *s) { while (strlen(s) > 3) s[strlen(s) - 1] = 0; }
int once(const char *s) { int n = 0; for (size_t i = 0; i < strlen(s); i++) n += s[i] == 'x'; return n; }
long all(char **s, char *t, int m) { long k = 0; for (int i = 0; i < m; i++) { t[i] = 0; k += strlen(s[i]); } return k; }
void others(char **s, int *l, unsigned m) { for (int i = 0; strlen(s[i]) > m; i++) l[i] = 0; }
"""


@test
def lengths_in_conditions():
    for machine in CORES:
        found = reported(LENGTHS, machine=machine)
        for function in ("change", "signed_index", "wide"):
            row = speaks(found, function, "call-in-condition", "gain", "hoist")
            assert "square of its length" in row["text"], row
        speaks(found, "global", "call-in-condition", "potential", "hoist")
        is_silent(found, "call-in-condition", "shorten", "once", "all", "others")


LIBRARY = """
int is_member(const unsigned *set, int i) { return set[i >> 5] >> (i & 31) & 1; }
__attribute__((visibility("hidden"), noinline)) int is_hidden(const unsigned *set, int i) { return set[i >> 5] >> (i & 31) & 1; }
int large(const unsigned *set, int n) { int c = 0; for (int i = 0; i < n; i++) c += set[i] & 7; return c; }
int members(const unsigned *set, int n) { int c = 0; for (int i = 0; i < n; i++) c += is_member(set, i); return c; }
int hidden(const unsigned *set, int n) { int c = 0; for (int i = 0; i < n; i++) c += is_hidden(set, i); return c; }
int larger(const unsigned *set, int n) { int c = 0; for (int i = 0; i < n; i++) c += large(set, i); return c; }
int abs_of(const int *x, int n); /* of another library */
int foreign(const int *x, int n) { int c = 0; for (int i = 0; i < n; i++) c += abs_of(x, i); return c; }
"""


@test
def own_functions_through_the_plt():
    for machine in CORES:
        found = reported(LIBRARY, "-O2", "-fPIC", "-shared", machine=machine)
        row = speaks(found, "members", "plt-call", "potential", "visibility")
        assert "-fno-semantic-interposition" in row["remedies"] and "is_member through the PLT" in row["text"], row
        is_silent(found, "plt-call", "hidden", "larger", "foreign")
        found = reported(LIBRARY, "-O2", "-fPIC", "-shared", "-fno-semantic-interposition", machine=machine)
        is_silent(found, "plt-call", "members")
        # Executables call their functions directly.
        is_silent(reported(LIBRARY, machine=machine), "plt-call", "members")


ATOMICS = """
#include <atomic>
std::atomic<unsigned> counter;
std::atomic<int> flag;
unsigned other(unsigned);
extern "C" {
void add(const int *x, int n) { for (int i = 0; i < n; i++) counter += x[i]; }
void spin() { while (flag.exchange(1)) ; }
void change(int v) { int o = flag.load(); while (!flag.compare_exchange_weak(o, o | v)) ; }
void take(int n, int *y) { for (;;) { unsigned i = counter.fetch_add(1); if (i >= (unsigned)n) break; y[i] = 1; } }
void histogram(std::atomic<int> *h, const unsigned char *x, int n) { for (int i = 0; i < n; i++) h[x[i]]++; }
void fence(int *y, int n) { for (int i = 0; i < n; i++) { y[i] = i; std::atomic_thread_fence(std::memory_order_seq_cst); } }
void plain(int *y, int n) { for (int i = 0; i < n; i++) y[i] += i; }
}
"""


@test
def atomic_operations():
    for machine, flags in (("x86_64", ()), ("aarch64", ()), ("aarch64", ("-march=armv8.1-a",))):
        found = reported(ATOMICS, "-O2", *flags, machine=machine, suffix=".cpp")
        row = speaks(found, "add", "atomics", "potential", "fewer-atomics")
        assert "always on the same variable" in row["text"] and "local variable" in row["remedies"], row
        speaks(found, "histogram", "atomics", "hint", "fewer-atomics")
        assert "memory fence" in speaks(found, "fence", "atomics", "hint")["text"], found["fence"]
        is_silent(found, "atomics", "spin", "change", "take", "plain")
    # A loop that repeats until a store succeeds is an update of the loop around it, but not where it waits or takes its work.
    found = reported(ATOMICS, "-O2", "-mno-outline-atomics", machine="aarch64", suffix=".cpp")
    row = speaks(found, "add", "atomics", "potential", "fewer-atomics")
    assert "loop around it" in row["text"] and "always of the same variable" in row["text"], row
    speaks(found, "histogram", "atomics", "hint", "fewer-atomics")
    is_silent(found, "atomics", "spin", "change", "take", "plain")


QUADRUPLE = """
typedef __typeof__(0.0L) wide;
wide sum(const wide *x, int n) { wide s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i]; return s; }
double narrow(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i]; return s; }
"""


@test
def numbers_of_128_bits():
    found = reported(QUADRUPLE, machine="aarch64")
    row = speaks(found, "sum", "long-double", "potential", "precision")
    assert "2 calls for 128-bit numbers" in row["text"] and "__addtf3" in row["text"], row
    is_silent(found, "calls", "sum")
    is_silent(found, "long-double", "narrow")
    is_silent(reported(QUADRUPLE, machine="x86_64"), "long-double", "sum")
    found = reported(QUADRUPLE.replace("__typeof__(0.0L)", "__float128"), machine="x86_64")
    speaks(found, "sum", "long-double", "potential", "precision")


COUNTED = """
__attribute__((noinline)) static double clamp(double value) { return value > 5 ? 5 : value; }
void each(double *restrict y, const double *restrict x, int n) { for (int i = 0; i < n; i++) y[i] = clamp(x[i]); }
void none(double *restrict y, const double *restrict x, int n) { for (int i = 0; i < n; i++) y[i] = x[i] + 1; }
"""


@test
def functions_that_report_their_calls():
    for machine in CORES:
        for option in ("-pg", "-finstrument-functions"):
            for debug in ("-g", "-g0"):
                found = reported(COUNTED, "-O2", option, debug, machine=machine)
                row = speaks(found, "each", "flag-harmful", "gain", "drop-option")
                assert option in row["text"] and option in row["remedies"], row
                is_silent(found, "flag-harmful", "none")
        is_silent(reported(COUNTED, machine=machine), "flag-harmful", "each")
        row = speaks(reported(COUNTED, "-O2", "-fstack-protector-all", "-g", machine=machine), "each", "flag-harmful", "potential")
        assert "-fstack-protector-strong" in row["remedies"], row
        found = reported(COUNTED, "-O2", "-fstack-protector-strong", "-g", machine=machine)
        is_silent(found, "flag-harmful", "each", "none")


BITS = """
#include <vector>
extern "C" {
int count(const std::vector<bool> &v, int n) { int c = 0; for (int i = 0; i < n; i++) c += v[i]; return c; }
int walk(const std::vector<bool> &v) { int c = 0; for (bool b : v) c += b; return c; }
void set(std::vector<bool> &v, const int *x, int n) { for (int i = 0; i < n; i++) v[i] = x[i] > 3; }
int bytes(const std::vector<char> &v, int n) { int c = 0; for (int i = 0; i < n; i++) c += v[i]; return c; }
void powers(long *y, int n) { for (int i = 0; i < n; i++) y[i] = 1L << i; }
void shifted(unsigned *y, const unsigned *x, int s, int n) { for (int i = 0; i < n; i++) y[i] = x[i] >> s & 1; }
}
"""
WORDS = "int count(const unsigned *w, int n) { int c = 0; for (int i = 0; i < n; i++) c += w[i >> 5] >> (i & 31) & 1; return c; }\n"


@test
def single_bits():
    for machine in CORES:
        found = reported(BITS, machine=machine, suffix=".cpp")
        for function in ("count", "walk", "set"):
            speaks(found, function, "vector-bool", "potential", "element-type")
        is_silent(found, "vector-bool", "bytes", "powers", "shifted")
        speaks(reported(WORDS, machine=machine), "count", "vector-bool", "hint")


ROUNDED = """
#include <math.h>
void always(long *restrict y, const double *restrict x, int n) { for (int i = 0; i < n; i++) y[i] = lrint(x[i]); }
void sometimes(long *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++) {
        double v = x[i] * 32768;
        y[i] = v > 32767 ? 32767 : v < -32768 ? -32768 : lrint(v);
    }
}
"""


@test
def rounding_on_one_of_several_paths_is_a_hint():
    for machine in CORES:
        found = reported(ROUNDED, "-O2", machine=machine)
        speaks(found, "always", "calls", "potential")
        speaks(found, "sometimes", "calls", "hint")


CHECKS = """
#include <assert.h>
#include <vector>
extern "C" {
void element(float *__restrict y, const float *__restrict x, float a, int n)
{
    for (int i = 0; i < n; i++) {
        assert(x[i] >= 0);
        y[i] += a * x[i];
    }
}
double chain(const double *x, int n) /* the additions wait for each other, not for the checks */
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        assert(x[i] != 0);
        s += x[i];
    }
    return s;
}
void range(std::vector<float> &y, const std::vector<float> &x, int n)
{
    for (int i = 0; i < n; i++)
        y.at(i) = y.at(i) * 0.5f + x.at(i);
}
void before(float *__restrict y, const float *__restrict x, float a, int n)
{
    assert(n > 0);
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}
int search(const int *x, int n, int k) { int i = 0; while (i < n && x[i] != k) i++; return i; }
}
"""


@test
def checks_that_end_the_program_are_found_in_loops():
    for machine in CORES:
        found = reported(CHECKS, "-O3", machine=machine, suffix=".cpp")
        row = speaks(found, "element", "checks", "potential", "no-checks")
        assert "assert()" in row["text"] and "vectorise" in row["text"], row
        speaks(found, "range", "checks", "potential", "hoist")
        is_silent(found, "checks", "chain", levels=("gain", "potential"))
        is_silent(found, "checks", "before", "search")
        is_silent(reported(CHECKS, "-O3", "-DNDEBUG", machine=machine, suffix=".cpp"), "checks", "element", "chain")


COPIES = """
#include <memory>
#include <vector>
typedef std::vector<std::shared_ptr<double>> pointers;
extern "C" double copied(const pointers &all)
{
    double sum = 0;
    for (auto p : all)
        sum += *p;
    return sum;
}
extern "C" double referred(const pointers &all)
{
    double sum = 0;
    for (const auto &p : all)
        sum += *p;
    return sum;
}
extern "C" void kept(pointers &to, const pointers &all)
{
    for (const auto &p : all)
        to.push_back(p);
}
"""


@test
def copies_that_are_destroyed_again():
    for machine in CORES:
        found = reported(COPIES, "-O2", machine=machine, suffix=".cpp")
        row = speaks(found, "copied", "copies", "potential", "no-copy")
        assert "std::shared_ptr" in row["text"] and "const auto &" in row["remedies"], row
        is_silent(found, "copies", "referred", "kept")


BUCKETS = """
#include <unordered_map>
extern "C" long look_up(const std::unordered_map<int, int> &places, const int *keys, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += places.count(keys[i]);
    return sum;
}
extern "C" long own(const int *keys, long buckets, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += keys[i] % buckets;
    return sum;
}
"""


@test
def divisions_of_the_library_are_not_ours():
    found = reported(BUCKETS, "-O2", machine="x86_64", suffix=".cpp")
    for function in found:
        if function != "own":
            is_silent(found, "integer-division", function)
    speaks(found, "own", "integer-division", "potential", "divide-less")


TEXTS = """
#include <stdio.h>
#include <string.h>
void digits(char *text, const unsigned char *x, int n) { for (int i = 0; i < n; i++) sprintf(text + 2 * i, "%02x", x[i]); }
void files(FILE *f, char *name, int n)
{
    for (int i = 0; i < n; i++) {
        sprintf(name, "part-%d", i);
        fputs(name, f);
    }
}
void join(char *text, char **words, int n) { for (int i = 0; i < n; i++) { strcat(text, words[i]); strcat(text, ","); } }
void each(char *text, char **words, int n) { for (int i = 0; i < n; i++) strcpy(text + 80 * i + strlen(words[i]), words[i]); }
"""


@test
def texts_by_formats_and_from_their_beginning():
    for machine in CORES:
        found = reported(TEXTS, "-O2", machine=machine)
        assert "sprintf" in speaks(found, "digits", "calls", "potential", "cheaper")["text"], found
        assert "end of the text" in speaks(found, "join", "calls", "potential", "cheaper")["remedies"], found
        is_silent(found, "calls", "files", "each", levels=SHOWN)


run()
