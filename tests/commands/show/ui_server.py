"""assay ui: files that are open, their databases, the report in the background, the browser, the end."""
# first build only: a browser does the work; ui_hostile and ui_links ask the same server
import glob, hashlib, http.client, os, shutil, signal, socket, sqlite3, stat, subprocess, time
from harness import ASSAY, PATIENCE, Fail, Folder, Lacking, assay, build, need, rows, run, test
from ui import Ui, UiBrowser

SOURCE = """
double dot(const double *a, const double *b, long n)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}
int main(void) { return 0; }
"""


def made(folder, name="program"):
    path = os.path.join(folder, "kernels.c")
    with open(path, "w") as out:
        out.write(SOURCE)
    return build(folder, [need("gcc")], [path], "-O1", "-g", output=name)


def large():
    """A file whose report takes more than a moment: a library that Assay itself needs."""
    found = sorted(glob.glob("/usr/lib/*/libsqlite3.so.0"))
    if not found:
        raise Lacking("libsqlite3.so.0 is not installed")
    return found[0]


def contents(database):
    """Every table of a database, as a mark of its rows."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        names = [name for name, in connection.execute("select name from sqlite_schema where type = 'table' and name not like 'sqlite%'")]
        return {name: hashlib.sha256(repr(connection.execute(f'select * from "{name}"').fetchall()).encode()).hexdigest()
                for name in names}


def private(folder):
    """Folders of databases in TMPDIR."""
    return glob.glob(os.path.join(folder, "assay-ui-*"))


def elsewhere(folder):
    return dict(os.environ, TMPDIR=folder)


@test
def link_opens_the_page():
    with Folder() as folder, Ui(made(folder)) as ui:
        assert ui.address == "127.0.0.1"
        assert ui.get("/", 303).headers["Location"] == "/1/"
        page = ui.get("/1/")
        assert page.headers["Content-Type"].startswith("text/html") and "program" in page.text
        policy = page.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy, policy
        assert ui.get("/1/api/progress").json == {"is_working": False, "has_report": True, "share": 1, "problem": None}


@test
def browser_enters_by_the_link():
    with Folder() as folder, Ui(made(folder)) as ui, UiBrowser(folder, ui) as browser:
        assert browser.path == "/1/", browser.path
        assert "program" in browser.run("return document.body.textContent")
        browser.inspect("/1/", "start")
        # A page of somebody else may lead here, if it has the link; the browser then sends the cookie.
        browser.ask("/cookie", method="DELETE")
        path = os.path.join(folder, "open.html")
        with open(path, "w") as out:
            out.write(f'<a id="there" href="{ui.link}">there</a>')
        browser.ask("/url", {"url": f"file://{path}"})
        browser.run("document.getElementById('there').click()")
        browser.wait("document.title.includes('program')")
        assert browser.path == "/1/", browser.path


@test
def token_leaves_the_address_and_the_rest_stays():
    with Folder() as folder, Ui(made(folder)) as ui:
        answer = ui.ask("GET", f"/1/loops?machine=zen4&token={ui.token}&q=a%26b", cookie=None)
        assert answer.status == 303 and answer.headers["Location"] == "/1/loops?machine=zen4&q=a%26b", answer.headers
        answer = ui.ask("GET", f"//evil.example/%0d%0aX-Bad:1?token={ui.token}", cookie=None)
        assert answer.headers["Location"].startswith("/evil.example/%0D%0AX-Bad"), answer.headers
        assert "X-Bad" not in answer.headers


@test
def several_files_are_open():
    with Folder() as folder:
        program, database = made(folder), os.path.join(folder, "program.db")
        assay("db", "--report", program, "-o", database)
        with Ui(program, database, program) as ui:
            page = ui.get("/").text
            assert page.count("program.db") == 1 and all(f'href="/{i}/"' in page for i in (1, 2, 3)), page
            for i in (1, 2, 3):
                assert ui.get(f"/{i}/").status == 200
            ui.get("/4/", 404), ui.get("/0/", 404), ui.get("/99999999999999999999/", 404)


@test
def report_in_the_background_is_the_same():
    """Pages change from the first database to the complete one, which has the same ids."""
    with Folder() as folder:
        program, database, wanted = large(), os.path.join(folder, "plain.db"), os.path.join(folder, "wanted.db")
        assay("db", "--paths", "64", program, "-o", database)
        assay("db", "--report", program, "-o", wanted)
        with open(database, "rb") as file:
            before = file.read()
        with sqlite3.connect(database) as connection:
            connection.execute("create table own (x)")
            connection.execute("insert into own values (17)")
        with Ui(program, database, env=elsewhere(folder)) as ui:
            first = ui.get("/1/api/progress").json
            assert first["is_working"] and not first["has_report"] and first["share"] < 1, first
            assert ui.get("/1/").status == 200
            place, = private(folder)
            assert stat.S_IMODE(os.stat(place).st_mode) == 0o700
            plain = contents(os.path.join(place, "1.db"))
            ui.wait_for_report(1), ui.wait_for_report(2)
            for number in (1, 2):
                assert ui.get(f"/{number}/api/progress").json == {"is_working": False, "has_report": True, "share": 1, "problem": None}
                assert ui.get(f"/{number}/").status == 200
            expected = contents(wanted)
            assert contents(os.path.join(place, "1-complete.db")) == expected
            copied = contents(os.path.join(place, "2-complete.db"))
            assert copied.pop("own") and copied == expected, [name for name in expected if copied[name] != expected[name]]
            assert plain["loops"] == expected["loops"] and plain["advice"] != expected["advice"]
            assert rows(database, "select count(*) as n from advice")[0]["n"] == 0, "the user's database changed"
        assert not private(folder) and before


@test
def database_without_report_gets_one():
    with Folder() as folder:
        program, database = made(folder), os.path.join(folder, "program.db")
        assay("db", program, "-o", database)
        mark = os.stat(database).st_mtime_ns
        with Ui(database, env=elsewhere(folder)) as ui:
            assert ui.get("/1/api/progress").json["has_report"]
            assert len(private(folder)) == 1
        assert os.stat(database).st_mtime_ns == mark and not private(folder)


@test
def database_that_changes_is_an_error():
    with Folder() as folder:
        program, database = made(folder), os.path.join(folder, "program.db")
        assay("db", "--report", program, "-o", database)
        with Ui(database) as ui:
            ui.get("/1/")
            shutil.copy(database, database + "2")
            os.rename(database + "2", database)
            assert "has changed" in ui.get("/1/", 500).text
            os.unlink(database)
            assert "is gone" in ui.get("/1/", 500).text
            assert "is gone" in ui.get("/1/api/progress", 500).json["error"]
            ui.get("/", 303)
        assay("db", "--report", program, "-o", database)
        with Ui(database) as ui:
            with open(database, "r+b") as file:  # damaged while it is open
                file.seek(4096)
                file.write(os.urandom(20000))
            for _ in range(3):
                ui.get("/1/", 500)


def refused(*words, env=None):
    result = assay("ui", "--no-browser", *words, status=2, env=env)
    return result.stderr.decode()


@test
def bad_usage_is_one_line():
    with Folder() as folder:
        program, text = made(folder), os.path.join(folder, "text")
        with open(text, "w") as out:
            out.write("hello")
        env = elsewhere(folder)
        for words, expected in (((os.path.join(folder, "missing"),), "missing"), ((text,), "text"), ((folder,), "directory"),
                                ((program, "--port", "70000"), "--port"), ((program, "--port", "x"), "--port"),
                                ((program, "--listen", "here"), "--listen"), ((program, "--listen", "0.0.0.0"), "--token"),
                                ((program, "--listen", "::"), "--token"), ((program, "--token", "short"), "token"),
                                ((program, "--token", "a" * 20 + "&x"), "token"), ((program, "--machine", "nothing"), "nothing"),
                                ((program, "--listen", "192.0.2.1", "--token", "a" * 16), "192.0.2.1")):
            said = refused(*words, env=env)
            assert expected in said and said.count("\n") <= 2, (words, said)
            assert not private(folder), words
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            said = refused(program, "--port", str(taken.getsockname()[1]), env=env)
            assert "in use" in said, said


@test
def listens_where_it_is_told():
    with Folder() as folder:
        program = made(folder)
        with Ui(program, words=("--listen", "0.0.0.0", "--token", "abcdefghijklmnop-1")) as ui:
            ui.address = "127.0.0.1"
            assert ui.token == "abcdefghijklmnop-1"
            assert ui.get("/1/", Host=f"127.0.0.1:{ui.port}").status == 200
            assert ui.get("/1/", None, Host=f"rebound.example:{ui.port}").status == 403
            ui.end()
            assert b"not encrypted" in ui.errors and b"sources" in ui.errors, ui.errors
        try:
            socket.socket(socket.AF_INET6).bind(("::1", 0))
        except OSError:
            return
        with Ui(program, words=("--listen", "::1")) as ui:
            assert ui.link.startswith("http://[::1]:") and ui.get("/1/").status == 200


def browser_script(folder):
    """A browser that writes down how it was started, and what the page is that it was given."""
    path, log = os.path.join(folder, "browser"), os.path.join(folder, "log")
    with open(path, "w") as out:
        out.write(f'#!/bin/sh\nprintf "%s\\n" "$@" > {log}.part\ncat "${{2#file://}}" >> {log}.part\nmv {log}.part {log}\n')
    os.chmod(path, 0o755)
    return path, log


@test
def browser_is_started_without_the_token_in_its_words():
    with Folder() as folder:
        program, (script, log) = made(folder), browser_script(folder)
        env = dict(elsewhere(folder), DISPLAY=":99", BROWSER=f"/nowhere/browser:{script} --new %s")
        process = subprocess.Popen([ASSAY, "ui", program], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        link = process.stdout.readline().decode().strip()
        end = time.monotonic() + 60
        while not os.path.exists(log) and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, said
        with open(log) as file:
            words = file.read()
        new, address, page = words.split("\n", 2)
        assert new == "--new" and address.startswith("file:///") and "token" not in address, words
        assert link in page, (link, page)
        env.pop("DISPLAY"), env.pop("WAYLAND_DISPLAY", None)
        os.unlink(log)
        with Ui(program, env=env):
            pass
        assert not os.path.exists(log)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


def is_there(pid):
    """Runs, and is not merely unburied."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@test
def nothing_is_left_behind():
    with Folder() as folder:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
            ui = Ui(large(), env=elsewhere(folder))
            helpers = children(ui.process.pid)
            assert len(helpers) == 4 and len(private(folder)) == 1, helpers  # the guard of the folder, the worker, and two desks
            status = ui.end(number)
            assert status == (0 if number != signal.SIGKILL else -9), (number, status, ui.errors)
            end = time.monotonic() + 60
            while (private(folder) or any(map(is_there, helpers))) and time.monotonic() < end:
                time.sleep(0.05)  # only a kill leaves it to the guard
            assert not private(folder) and not any(map(is_there, helpers)), number


@test
def strangers_take_no_places():
    """200 connections that say a byte now and then, without the token; the page opens beside them, and they are closed."""
    with Folder() as folder, Ui(made(folder)) as ui:
        knocking = []
        for _ in range(200):
            knocking.append(socket.create_connection((ui.address, ui.port)))
            knocking[-1].sendall(b"G")
        begun = time.monotonic()
        left = list(knocking)
        while left and time.monotonic() - begun < PATIENCE:
            assert ui.get("/1/").status == 200
            left = [one for one in left if goes_on(one)]
        assert not left, len(left)
        for one in knocking:
            one.close()
        # Whoever has shown the token stays.
        kept = http.client.HTTPConnection(ui.address, ui.port)
        for pause in (0, 12):
            time.sleep(pause)
            kept.request("GET", "/1/", headers={"Cookie": ui.cookie})
            assert kept.getresponse().read()
        kept.close()


def goes_on(connection):
    try:
        connection.sendall(b"E")
        connection.setblocking(False)
        return bool(connection.recv(1))  # the end of the connection is the only thing that comes
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        connection.setblocking(True)


@test
def worker_that_is_killed_is_said():
    with Folder() as folder, Ui(large(), env=elsewhere(folder)) as ui:
        for pid in children(ui.process.pid):
            with open(f"/proc/{pid}/comm") as file:
                if file.read().strip() == "assay-report":
                    os.kill(pid, signal.SIGKILL)
        ui.wait_for_report()
        state = ui.get("/1/api/progress").json
        assert not state["has_report"] and "killed" in state["problem"], state
        assert ui.get("/1/").status == 200


run()
