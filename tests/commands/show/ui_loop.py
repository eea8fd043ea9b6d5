"""The loop page of assay ui: its figures are those of assay report, code and drawing are linked, names stay text."""
# first build only: the same C code runs in report_html.py, and the rest is a browser
import json, os, sqlite3
from harness import ASSAY, Folder, build, command, cross, need, run, test, text
from pages import Page
from ui import Ui, UiBrowser

SOURCE = """
static inline double step(double a, double b)
{
    double r = a / (b + 1e-9);
    return r * r * (3 - 2 * r);
}
__attribute__((noinline)) double dot(const double *a, const double *b, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}
__attribute__((noinline)) void smooth(const double *a, double *out, int n)
{
    for (int j = 1; j < n; j++)
        for (int i = 1; i < n; i++)
            out[j * n + i] = step(a[j * n + i], 2.0) + a[j * n + i - 1] * 0.5;
}
__attribute__((noinline)) long sort(const int *a, int n)
{
    long s = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] > 100)
            s += a[i] * 3l;
        else
            s ^= a[i] / 7;
        __asm__ volatile("" ::: "memory");
    }
    return s;
}
double a[400], b[400];
int c[400];
int main(void) { smooth(a, b, 20); return (int)dot(a, b, 400) + (int)sort(c, 400); }
"""
X86 = cross("gcc", "x86_64")
# Addresses of the machines that are compared: as in ?machine=.
MACHINES = ("skylake", "zen2")


def made(folder, source=SOURCE):
    path = os.path.join(folder, "kernels.c")
    with open(path, "w") as out:
        out.write(source)
    return build(folder, [need(X86)], [path], "-O2", "-g", "-nostdlib", "-static", "-Wl,-emain", output="prog")


def asked(*words):
    return json.loads(text(*words, "--json"))


def loops_of(program):
    return asked("loops", program)


def loop_of(program, function, innermost=True):
    return next(row["loop"] for row in loops_of(program) if row["function"] == function and bool(row["is_innermost"]) == innermost)


@test
def the_figures_are_those_of_assay_report_on_any_machine():
    with Folder() as folder:
        program = made(folder)
        loops = [loop_of(program, name) for name in ("dot", "smooth", "sort")]
        with Ui(program) as ui:
            for machine in MACHINES:
                for loop in loops:
                    answer = asked("report", program, "--loop", str(loop), "--level", "hint", "--machine", machine)
                    known, rules = answer["loops"][0], {rule["name"]: rule["title"] for rule in answer["rules"]}
                    page = Page(ui.get(f"/1/loop/{loop}?machine={machine}&level=hint").text).root
                    cycles = max(path["cycles"] for path in known["paths"])
                    keys = page.first("dl", "keys").text
                    assert f"{cycles:.2f}" in keys, (machine, loop, cycles, keys)
                    titles = sorted(card.first("h4").text for card in page.all("section", "card"))
                    assert titles == sorted({rules[item["rule"]] for path in known["paths"] for item in path["advice"]}), (titles, known)
                    parts = {row.first("th").text: float(row.first("td", "figure").text) for row in page.first("table", "bars").all("tr")}
                    assert max(parts.values()) == round(cycles, 2), (parts, cycles)


@test
def unknown_loops_machines_and_paths_are_refused_or_left_out():
    with Folder() as folder:
        program = made(folder)
        with Ui(program) as ui:
            for path, status in (("/1/loop/999", 404), ("/1/loop/0", 404), ("/1/loop/x", 404), ("/1/loop/-1", 404),
                                 ("/1/loop/1?machine=nonsense", 400), ("/1/loop/1?machine=neoverse-v1", 400), ("/1/loop/1?machine=../../etc/passwd", 400)):
                ui.get(path, status)
            loop = loop_of(program, "sort")
            assert ui.get(f"/1/loop/{loop}?path=77&level=nonsense").status == 200


@test
def a_loop_around_others_lists_them():
    with Folder() as folder:
        program = made(folder)
        loop, inner = loop_of(program, "smooth", False), loop_of(program, "smooth")
        with Ui(program) as ui:
            assert f'href="/1/loop/{inner}"' in ui.get(f"/1/loop/{loop}").text
            assert f'href="/1/loop/{loop}"' in ui.get(f"/1/loop/{inner}").text


@test
def lines_instructions_and_the_drawing_are_linked_by_mouse_and_keyboard_another_machine_replaces_the_content():
    with Folder() as folder:
        program = made(folder)
        loop = loop_of(program, "dot")
        with Ui(program) as ui, UiBrowser(folder, ui) as browser:
            browser.open(f"/1/loop/{loop}?machine=skylake")
            lit = "Array.from(document.querySelectorAll('.lit'), it => it.closest('.source, .assembly, .links').classList[0])"
            browser.point(".links .node[data-i='1'] text")
            browser.wait(f"{lit}.includes('assembly') && {lit}.includes('links') && {lit}.includes('source')")
            browser.run("document.querySelector('.source tr[data-k]').focus()")
            browser.wait(f"{lit}.filter(it => it === 'assembly').length >= 1")
            press = "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: arguments[0], bubbles: true, cancelable: true }))"
            browser.run(press, "Enter")
            browser.wait("document.activeElement.closest('.assembly') !== null")
            first = browser.run("return document.activeElement.id")
            browser.run(press, "ArrowDown")
            browser.wait("document.activeElement.id !== arguments[0]", first)
            assert browser.run("return document.querySelectorAll('.links .link.chain').length") >= 1
            browser.run("window.same = true; const it = document.querySelector('header.frame form.machine select');"
                        "it.value = 'zen2'; it.dispatchEvent(new Event('change', { bubbles: true }))")
            browser.wait("document.querySelector('main').textContent.includes('Figures for zen2') && window.same")
            assert browser.path.endswith("machine=zen2"), browser.path


@test
def pages_are_accessible_light_and_dark_narrow_and_wide():
    with Folder() as folder:
        program = made(folder)
        with Ui(program) as ui, UiBrowser(folder, ui) as browser:
            browser.inspect(f"/1/loop/{loop_of(program, 'smooth')}", "loop")
            browser.inspect(f"/1/loop/{loop_of(program, 'smooth', False)}", "loop-outer", widths=("narrow", "usual"))
            browser.inspect(f"/1/loop/{loop_of(program, 'sort')}?level=expert", "loop-expert", widths=("narrow", "usual"))


@test
def a_loop_around_itself_is_damage():
    with Folder() as folder:
        program, database = made(folder), os.path.join(folder, "prog.db")
        command([ASSAY, "db", program, "-o", database])
        with sqlite3.connect(database) as connection:
            connection.execute("update loops set parent = id")
        assert b"damaged" in command([ASSAY, "report", database], status=2).stderr


@test
def names_of_a_hostile_program_stay_text():
    name = "<script>alert(1)</script>"
    with Folder() as folder:
        program = made(folder)
        names = ["--redefine-sym", f"dot={name}", "--redefine-sym", f"smooth={name}<img src=x onerror=alert(2)>"]
        command([need(cross("objcopy", "x86_64")), "--strip-debug", *names, program])
        with Ui(program) as ui, UiBrowser(folder, ui) as browser:
            for row in loops_of(program):
                page = ui.get(f"/1/loop/{row['loop']}").text
                assert row["function"] == "main" or "&lt;script&gt;" in page or "sort" in page
                assert "<script>alert" not in page and "<img src=x" not in page
            browser.open("/1/loop/1")
            assert not browser.complaints()


run()
