"""assay ui: the pages of runs that are in a database: sampled runs, probes, denormal numbers with their maps."""
# first build only: a browser does the work; denormals_report takes the same way
import os, shlex, subprocess
from harness import ASSAY, ROOT, Fail, Folder, build, need, run, test
from ui import Ui, UiBrowser



def recorded(folder, database, source, *words):
    """A program of the examples, watched; its database."""
    program = build(folder, [need("gcc")], [os.path.join(ROOT, "examples", source)], "-O2", "-g", f"-I{ROOT}/include", "-Wl,--no-as-needed", "-lm",
                    output=os.path.basename(source)[:-2])
    path = os.path.join(folder, database)
    done = subprocess.run([ASSAY, *words, "-o", path, "--", program], capture_output=True)
    if not os.path.exists(path):
        raise Fail(f"assay {' '.join(words)}: {done.stderr[-300:]!r}")
    return path


@test
def denormals_with_maps_and_a_slider():
    with Folder() as folder, Ui(recorded(folder, "denormals.db", "denormals/jacobi.c", "denormals", "trace")) as ui, \
            UiBrowser(folder, ui) as browser:
        page = ui.get("/1/denormals").text
        assert "The story" in page and "Where in the arrays" in page and "<style" not in page and " style=" not in page
        assert "/1/loop/" in page and "--top" not in page
        browser.inspect("/1/denormals", "denormals")
        assert browser.run("return [...document.querySelectorAll('.map img')].every(image => image.complete && image.naturalWidth > 0)")
        assert "Denormals" in browser.run("return document.querySelector('header nav [aria-current]').textContent")
        if browser.run("return document.querySelector('.player input') !== null"):
            browser.run("document.querySelector('.player input').focus()")
            before = browser.run("return document.querySelector('.map .what').textContent")
            browser.keys(["\ue014"])
            assert browser.run("return document.querySelector('.map .what').textContent") != before
            assert browser.run("return document.querySelector('.player input').getAttribute('aria-valuetext')")


@test
def the_log_and_what_led_to_a_value():
    with Folder() as folder:
        log = os.path.join(folder, "log")
        with Ui(recorded(folder, "log.db", "denormals/jacobi.c", "denormals", "trace", "--log", log)) as ui:
            assert "/1/denormal-log" in ui.get("/1/denormals").text
            page = ui.get("/1/denormal-log").text
            assert page.count("<tr") == 61 and "<figure" not in page and "sweep" in page and " style=" not in page, page[:2000]
            with open(log) as lines:
                stored = next(line.split()[0] for line in lines if " store " in line)
            page = ui.get(f"/1/denormal-log?value={stored}").text
            assert f"What led to entry {stored}." in page and "operations behind #" in page and 'id="entry"' in page, page[:2000]
            assert page.count("<svg") == 1 and "[#" in page and f"value={int(stored) - 1}#entry" in page
            assert ui.get("/1/denormal-log?value=x", status=None).status == 200
            missing = ui.get("/1/denormal-log?value=99999999", status=None)
            assert missing.status == 404 and "has no entry 99999999" in missing.text, missing.text
        with Ui(recorded(folder, "none.db", "denormals/jacobi.c", "denormals", "trace")) as ui:
            assert ui.get("/1/denormal-log", status=None).status == 404 and "denormal-log" not in ui.get("/1/denormals").text


@test
def probes_and_runs():
    with Folder() as folder:
        files = [recorded(folder, "probe.db", "heat.c", "probe", "--loops"), recorded(folder, "run.db", "heat.c", "run")]
        with Ui(*files) as ui, UiBrowser(folder, ui) as browser:
            assert "/1/loop/" in ui.get("/1/probes").text
            assert ui.ask("GET", "/1/denormals").status == 404 and ui.ask("GET", "/1/run").status == 404
            assert ui.ask("GET", "/2/probes").status == 404
            assert "Denormals" not in ui.get("/1/probes").text and "Probes</a>" in ui.get("/1/").text
            browser.inspect("/1/probes", "probes", widths=("narrow", "usual"))
            assert "class=\"flame\"" in ui.get("/2/run").text or "/2/loop/" in ui.get("/2/run").text
            browser.inspect("/2/run", "run", widths=("narrow", "usual"))


@test
def probes_are_chosen_by_clicking():
    with Folder() as folder:
        program = build(folder, [need("gcc")], [os.path.join(ROOT, "examples", "heat.c")], "-O2", "-g", "-Wl,--no-as-needed", "-lm",
                        output="heat")
        with Ui(program) as ui, UiBrowser(folder, ui) as browser:
            sql = "select l.id, f.id, f.name from loops l join functions f on f.id = l.function where l.is_innermost and f.name = 'step'"
            loop, function, name = ui.post("/1/api/query", sql).json["results"][0]["rows"][0]
            browser.open(f"/1/loop/{loop}")
            browser.wait("document.querySelector('.plan-tools button')")
            browser.run("document.querySelector('.plan-tools button').click()")
            browser.inspect("/1/plan", "plan", "document.getElementById('plan-command')", widths=("narrow", "usual"))
            simple = browser.run("return document.getElementById('plan-command').textContent")
            assert f"--loop {loop}" in simple, simple
            browser.open(f"/1/function/{function}")
            browser.wait("document.querySelector('.plan-tools button')")
            browser.run("document.querySelector('.plan-tools button').click()")
            browser.open("/1/plan")
            browser.wait("document.getElementById('plan-command')")
            several, plan = browser.run("return ['plan-command', 'plan-text'].map(id => document.getElementById(id).textContent)")
        assert f"functions {name}\n" in plan and f"loop {loop}\n" in plan and plan.startswith("build-id "), plan
        with open(os.path.join(folder, "plan.txt"), "w") as out:
            out.write(plan)
        for command in (simple, several):  # what the page shows is what works
            words = shlex.split(command)
            assert words[0] == "assay"
            done = subprocess.run([ASSAY, *words[1:]], cwd=folder, capture_output=True)
            assert done.returncode == 0, (command, done.stderr)
            assert os.path.exists(os.path.join(folder, "probe.db"))
            os.unlink(os.path.join(folder, "probe.db"))


run()
