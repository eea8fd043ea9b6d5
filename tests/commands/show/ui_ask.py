"""assay ui, the page Ask: queries, completion, menus of analyses, charts, export, saving; who may do what."""
# first build only: a browser does the work; ui_links opens its page, and sql and analyses test the queries
import json, os, signal, subprocess, threading, time
from harness import ASSAY, Folder, build, need, need_real_kernel, run, test, watching
from ui import Ui, UiBrowser

SOURCE = """
double dot(const double *a, const double *b, long n)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}
void scale(double *a, long n, long m)
{
    for (long k = 0; k < m; k++)
        for (long i = 0; i < n; i++)
            a[i] = a[i] * 3 + k;
}
int hostile(void) { return 3; }
int main(void) { return hostile(); }
"""
ENDLESS = "with recursive t(a) as (select 1 union all select a + 1 from t) select count(*) from t"
CONTROL, ENTER, ESCAPE, DOWN, TAB = "\ue009", "\ue007", "\ue00c", "\ue015", "\ue004"


def made(folder):
    path = os.path.join(folder, "kernels.c")
    with open(path, "w") as out:
        out.write(SOURCE)
    program = build(folder, [need("gcc")], [path], "-O1", "-g", output="program")
    subprocess.run([need("objcopy"), "--redefine-sym", "hostile=<img src=x onerror=alert(1)>", program], check=True)
    return program


def opened(folder, *files, **more):
    """The server with a home of its own, so that analyses are saved there."""
    env = {name: value for name, value in os.environ.items() if name not in ("XDG_CONFIG_HOME", "ASSAY_ANALYSES")}
    return Ui(*(files or [made(folder)]), env=dict(env, HOME=os.path.join(folder, "home")), **more)


def ask(ui, sql, more=""):
    return ui.post(f"/1/api/query?{more}", sql).json


def chord(browser, *keys):
    down = [{"type": "keyDown", "value": key} for key in keys]
    up = [{"type": "keyUp", "value": key} for key in reversed(keys)]
    browser.ask("/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": down + up}]})


@test
def queries_give_rows_and_the_pages_they_lead_to():
    with Folder() as folder, opened(folder) as ui:
        found = ask(ui, "select id, name, address from functions where name = 'dot'; select 7 as seven, null as none")
        first, second = found["results"]
        assert first["columns"] == ["id", "name", "address"] and first["pages"] == ["function", None, None], first
        assert first["rows"][0][1] == "dot" and not first["cut"] and found["seconds"] < 10
        assert second["rows"] == [[7, None]]
        assert ask(ui, "select l.id, l.function, l.header from loops l")["results"][0]["pages"] == ["loop", "function", "block"]
        cut = ask(ui, "select id from functions", more="most=2")["results"][0]
        assert cut["cut"] and len(cut["rows"]) == 2
        large = ask(ui, "select 9007199254740993 as n, x'00ff' as b")["results"][0]["rows"][0]
        assert large == ["9007199254740993", "00ff"], large
        loop = ask(ui, "select id from loops limit 1")["results"][0]["rows"][0][0]
        assert ask(ui, "select LOOP as l", more=f"loop={loop}")["results"][0]["rows"] == [[loop]]
        notes = ask(ui, "select count(*) from def_use")["notes"]
        assert notes == ["The table def_use is empty: assay db --flow fills it."], notes


@test
def errors_say_where():
    with Folder() as folder, opened(folder) as ui:
        for sql, words, place in [("select * from lops", "no such table: lops; did you mean loops?", 14),
                                  ("select 'é', nam from functions", "no such column: nam; did you mean name?", 12),
                                  ("select FUNCTION from functions where x = 1", "no such column: x", 37),
                                  ("select 1;\nselect 2 frm x y", "near \"x\": syntax error", 23),
                                  ("-- title: a\n-- does: b\nselect 1 +", "incomplete input", None)]:
            found = ask(ui, sql, "function=1")
            assert found["error"] == words, found
            if place is not None:
                assert found["place"] == place, (sql, found)


@test
def queries_only_read():
    with Folder() as folder:
        database = os.path.join(folder, "program.db")
        subprocess.run([ASSAY, "db", made(folder), "-o", database], check=True, capture_output=True)
        before = open(database, "rb").read()
        with opened(folder, database) as ui:
            for sql in ("insert into functions(name) values ('x')", "delete from functions", "create table x(a)", "drop table loops",
                        f"attach '{folder}/other.db' as other", "pragma journal_mode = wal", "pragma writable_schema = 1",
                        f"vacuum into '{folder}/copy.db'", "select load_extension('x')", "begin immediate",
                        "update functions set name = 'x'", "select writefile('/tmp/x', 'y')"):
                found = ask(ui, sql)
                assert "results" not in found, (sql, found)
            assert ui.ask("POST", "/1/api/query", "select 1").status == 403  # without an origin
            assert ui.ask("POST", "/1/api/query", "select 1", Origin="http://example.com").status == 403
            assert ui.ask("GET", "/1/api/query").status == 405
        assert open(database, "rb").read() == before
        assert sorted(os.listdir(folder)) == ["kernels.c", "program", "program.db"], os.listdir(folder)


@test
def a_query_without_end_is_stopped():
    with Folder() as folder, opened(folder) as ui:
        begun = time.monotonic()
        found = ask(ui, ENDLESS, "seconds=1")
        assert found["error"] == "The query was stopped after 1 s, which is its limit.", found
        threading.Timer(0.5, lambda: ui.post("/1/api/query/stop?name=mine", "")).start()
        found = ask(ui, ENDLESS, "name=mine&seconds=28")
        assert found["stopped"] and found["error"] == "Stopped.", found
        assert time.monotonic() - begun < 60
        assert not ui.post("/1/api/query/stop?name=mine", "").json["stopped"]
        large = "select hex(zeroblob(1000000)) from functions a, functions b, functions c, functions d"
        found = ask(ui, large)
        assert "too large" in found["error"], found


# What SQLite does in one step, where it asks nobody whether to go on.
ONE_STEP = "select instr(hex(zeroblob(10000000)), hex(zeroblob(5000000)) || '1')"


@test
def questions_in_one_step_block_nobody():
    with Folder() as folder, opened(folder) as ui:
        found = []
        asking = [threading.Thread(target=lambda: found.append(ask(ui, ONE_STEP, "seconds=3"))) for _ in range(9)]
        for thread in asking:
            thread.start()
        pages = 0
        while any(thread.is_alive() for thread in asking):
            assert ui.get("/1/functions").status == 200
            pages += 1
        assert pages > 1 and len(found) == 9, (pages, found)
        assert all(one["error"] == "The query was stopped after 3 s, which is its limit." for one in found), found
        threading.Timer(1, lambda: ui.post("/1/api/query/stop?name=mine", "")).start()
        found = ask(ui, ONE_STEP, "name=mine&seconds=28")
        assert found["stopped"] and found["error"] == "Stopped.", found
        assert ask(ui, "select 1 as one")["results"][0]["rows"] == [[1]]
        # One that still waits for a place can be stopped, too.
        asking = [threading.Thread(target=lambda: ask(ui, ONE_STEP, "name=others&seconds=28")) for _ in range(4)]
        for thread in asking:
            thread.start()
        time.sleep(1)
        threading.Timer(1, lambda: ui.post("/1/api/query/stop?name=mine", "")).start()
        found = ask(ui, ONE_STEP, "name=mine&seconds=28")
        assert found["stopped"] and any(thread.is_alive() for thread in asking), found
        assert ui.post("/1/api/query/stop?name=others", "").json["stopped"]
        for thread in asking:
            thread.join()


@test
def questions_are_asked_in_a_confined_process():
    need_real_kernel("seccomp")
    with Folder() as folder:
        ui = opened(folder)
        threading.Thread(target=lambda: ask_in_vain(ui), daemon=True).start()
        tree, confined = watching.Tree(ui.process.pid), set()
        while ui.process.poll() is None and not confined:
            confined = {pid for pid in tree.look() if field(pid, "Seccomp") == "2"}
        assert all(field(pid, "NoNewPrivs") == "1" for pid in confined), confined
        assert ui.end(signal.SIGTERM) == 0, ui.errors  # at once, whatever is asked
        assert not any(map(os.path.exists, (f"/proc/{pid}" for pid in confined)))


def ask_in_vain(ui):
    try:
        ask(ui, ONE_STEP, "seconds=28")
    except Exception:
        pass  # the server ends meanwhile


def field(pid, name):
    try:
        with open(f"/proc/{pid}/status") as file:
            return next((line.split()[1] for line in file if line.startswith(name + ":")), None)
    except OSError:
        return None


@test
def exports_are_those_of_assay_sql():
    with Folder() as folder, opened(folder, made(folder)) as ui:
        sql = "select id, name, address, demangle(name) as n from functions order by id; select 'a,\"b' as q, 1.5 as r, null as z, x'ab' as b"
        for format in ("csv", "json"):
            exported = ui.post(f"/1/api/export?format={format}", sql)
            told = subprocess.run([ASSAY, "sql", os.path.join(folder, "program"), sql, f"--{format}"], capture_output=True, check=True)
            assert exported.body == told.stdout, (format, exported.body[-300:], told.stdout[-300:])
            assert exported.headers["Content-Disposition"] == f'attachment; filename="result.{format}"'
        assert ui.post("/1/api/export", "select * from lops", 400).json["place"] == 14


@test
def schema_has_tables_and_their_sentences():
    with Folder() as folder, opened(folder) as ui:
        schema = ui.get("/1/api/schema").json
        tables = {table["name"]: table for table in schema["tables"]}
        assert tables["instructions"]["kind"] == "view" and tables["instructions"]["does"].startswith("Every instruction in full")
        columns = {column[0]: column for column in tables["loops"]["columns"]}
        assert columns["function"][1] == "→ functions" and columns["id"][2] == "id of the row" and columns["depth"][2], columns
        assert "demangle" in schema["functions"] and "select" in schema["keywords"] and schema["macros"] == ["FUNCTION", "LOOP", "BLOCK", "PROGRAM"]
        found = ui.get("/1/api/choose?kind=function&text=do").json
        assert any(name == "dot" for _, name, _ in found), found
        assert ui.get("/1/api/choose?kind=loop&text=scale").json, "loops of scale"
        assert ui.get("/1/api/choose?kind=program&text=").json[0][1].endswith("program")
        assert ui.ask("GET", "/1/api/choose?kind=x&text=").status == 404
        answer = ui.ask("GET", "/1/instruction/1")
        assert answer.status == 303 and answer.headers["Location"].startswith("/1/function/"), answer.headers


@test
def saved_analyses_are_listed():
    text = "-- title: My loops\n-- does: lists my loops\n-- group: mine\n-- parameter: least 1 depth\nselect id as loop from loops where depth >= :least"
    with Folder() as folder, opened(folder) as ui:
        env = dict(os.environ, HOME=os.path.join(folder, "home"))
        for name in ("../evil", "a b", "", "a.sql", "-x", "é", "a" * 61, "a/b"):
            ui.post(f"/1/api/analyses?name={name.replace(' ', '%20').replace('é', '%C3%A9')}", text, 400)
        assert "lacks the line" in ui.post("/1/api/analyses?name=good", "select 1", 400).json["error"]
        path = ui.post("/1/api/analyses?name=my-loops", text).json["path"]
        assert path == os.path.join(folder, "home", ".config", "assay", "analyses", "my-loops.sql")
        assert open(path).read() == text + "\n"
        assert ui.post("/1/api/analyses?name=my-loops", text, 409).json["exists"] == "own"
        assert ui.post("/1/api/analyses?name=block-sizes", text, 409).json["exists"] == "shipped"
        ui.post("/1/api/analyses?name=my-loops&replace=yes", text.replace("mine", "yours"))
        assert os.listdir(os.path.dirname(path)) == ["my-loops.sql"]
        listed = json.loads(subprocess.run([ASSAY, "analyses", "--json"], env=env, capture_output=True, check=True).stdout)
        assert [it["group"] for it in listed if it["name"] == "my-loops"] == ["yours"]
        menus = ui.get("/1/api/analyses").json["analyses"]
        assert [it["is_own"] for it in menus if it["name"] == "my-loops"] == [True]
        assert len(ask(ui, text, more="p.least=2")["results"][0]["rows"]) == 1


def fill(browser, text):
    browser.run("const e = document.getElementById('sql'); e.focus(); e.select(); document.execCommand('insertText', false, arguments[0])", text)


@test
def the_editor_by_keyboard():
    with Folder() as folder, opened(folder) as ui, UiBrowser(folder, ui) as browser:
        browser.open("/1/ask")
        browser.wait("document.body.dataset.ready")
        browser.keys(["e"])
        fill(browser, "")
        browser.keys("select dep")
        fill(browser, "select l.")
        browser.keys("d")
        assert browser.run("return document.querySelector('.completions:not([hidden])')") is None  # no such name yet
        fill(browser, "select name from funct")
        browser.keys("i")
        option = browser.wait("document.querySelector('.completions:not([hidden]) [aria-selected=true] b')?.textContent")
        assert option == "functions", option
        assert browser.run("const e = document.getElementById('sql'); return document.getElementById(e.getAttribute('aria-activedescendant')).textContent").startswith("functions")
        problems = browser.axe()
        assert not problems, problems
        browser.picture("ask-completion")
        browser.keys([ENTER])
        assert browser.run("return document.getElementById('sql').value") == "select name from functions"
        fill(browser, "select f. from functions f")
        browser.run("document.getElementById('sql').setSelectionRange(9, 9)")
        chord(browser, CONTROL, " ")
        names = browser.wait("document.querySelector('.completions:not([hidden])')?.innerText")
        assert "loop_count" in names and "demangle" not in names, names
        browser.keys([DOWN, ESCAPE])
        fill(browser, "select id, name, instruction_count from functions order by id")
        chord(browser, CONTROL, ENTER)
        browser.wait("document.querySelector('.result td a')")
        assert browser.run("return document.querySelector('.result td a').getAttribute('href')") == "/1/function/1"
        assert "sql=select" in browser.run("return location.hash")
        assert browser.run("return document.querySelector('.result img')") is None
        assert "<img src=x" in browser.run("return document.querySelector('.result').textContent")
        browser.run("document.querySelectorAll('.result th button')[2].click()")
        assert browser.run("return document.querySelectorAll('.result th')[2].getAttribute('aria-sort')") == "descending"
        browser.run("[...document.querySelectorAll('.answer-part button')].find(b => b.textContent === 'Chart').click()")
        browser.wait("document.querySelector('svg.chart .mark')")
        assert "figures" in browser.run("return document.querySelector('svg.chart').getAttribute('aria-label')")
        browser.inspect(None, "ask-chart")
        fill(browser, "select * from lops")
        chord(browser, CONTROL, ENTER)
        browser.wait("!document.getElementById('wrong').hidden")
        assert browser.run("return document.querySelector('.wrong-place').textContent") == "lops"
        browser.inspect(None, "ask-wrong", widths=("narrow", "usual"))
        browser.run("[...document.querySelectorAll('.wrong button')].find(b => b.textContent === 'Use loops').click()")
        browser.wait("document.getElementById('wrong').hidden && document.querySelector('.result')")
        fill(browser, ENDLESS)
        chord(browser, CONTROL, ENTER)
        browser.wait("!document.getElementById('stop').hidden")
        browser.keys([ESCAPE])
        browser.wait("document.getElementById('state').textContent === 'Stopped.'")
        assert not browser.complaints()


@test
def analyses_and_saving_in_the_browser():
    with Folder() as folder, opened(folder) as ui, UiBrowser(folder, ui) as browser:
        browser.inspect("/1/ask", "ask", "document.body.dataset.ready")
        browser.run("[...document.querySelectorAll('#analyses li button')].find(b => b.textContent.startsWith('Instruction mix')).click()")
        browser.wait("document.querySelector('svg.chart .mark')")
        assert browser.run("return document.querySelector('#chosen h2').textContent") == "Instruction mix"
        browser.run("const e = document.getElementById('field-function'); e.focus()")
        browser.keys("scal")
        browser.wait("document.querySelector('.completions:not([hidden]) b')?.textContent === 'scale'")
        browser.picture("ask-chooser")
        browser.keys([ENTER])
        chord(browser, CONTROL, ENTER)
        browser.wait("location.hash.includes('function=')")
        link = browser.run("return location.hash")
        browser.run("document.getElementById('save').click()")
        assert not browser.axe(), browser.axe()
        browser.picture("ask-saving")
        browser.run("document.getElementById('save-name').value = 'block-sizes'; document.getElementById('save-do').click()")
        browser.wait("document.getElementById('save-do').textContent === 'Replace it'")
        browser.run("document.getElementById('save-name').value = 'mix'; document.getElementById('save-name').dispatchEvent(new Event('input'));"
                    "document.getElementById('save-title').value = 'Mix <b>'; document.getElementById('save-group').value = 'mine';"
                    "document.getElementById('save-do').click()")
        browser.wait("!document.getElementById('saving').open")
        browser.wait("document.querySelector('#analyses').textContent.includes('Mix <b>')")
        saved = open(os.path.join(folder, "home", ".config", "assay", "analyses", "mix.sql")).read()
        assert saved.startswith("-- title: Mix <b>\n-- group: mine\n-- does: counts") and "-- needs: FUNCTION optional" in saved, saved
        browser.open("/1/")
        browser.open("/1/ask" + link)
        browser.wait("document.querySelector('.result')")
        browser.run("document.getElementById('find').value = 'def_use'; document.getElementById('find').dispatchEvent(new Event('input'))")
        assert browser.run("return [...document.querySelectorAll('#tables > details')].filter(d => !d.hidden).map(d => d.querySelector('b').textContent)")[0] == "def_use"
        browser.run("const d = [...document.querySelectorAll('#tables > details')].find(d => !d.hidden); d.open = true")
        browser.wait("document.querySelector('#tables details[open] li')")
        assert not browser.axe("aside"), browser.axe("aside")
        assert not [it for it in browser.complaints() if "409" not in it]


run()
