"""assay ui: the frame of all pages, the start page, search, lists, functions and sources; by keyboard alone; names of a hostile
program stay text."""
# first build only: a browser does the work; ui_links opens the same pages
import os, subprocess
from harness import Folder, assay, build, need, run, test
from ui import Ui, UiBrowser

SOURCE = """
#include <stddef.h>
__attribute__((noinline)) double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}
__attribute__((noinline)) void scale(double *a, double by, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            a[i * n + k] /= by;
}
double room[10000];
int main(int argc, char **argv)
{
    for (int round = 0; round < argc * argc * 1000; round++)
        scale(room, 1, 100);
    return (int)dot(room, room, 10000);
}
"""
HOSTILE = "<script>document.title='broken'</script>\"'&"


def made(folder, *flags):
    path = os.path.join(folder, "kernels.c")
    with open(path, "w") as out:
        out.write(SOURCE)
    return build(folder, [need("gcc")], [path], "-O1", "-g", *flags, output="program")


def number_of(ui, text, kind):
    """The address of the first suggestion for a text in a group."""
    groups = {group["word"]: group for group in ui.get("/1/api/search?q=" + text).json["groups"]}
    return groups[kind]["hits"][0]["address"]


@test
def pages_answer():
    with Folder() as folder, Ui(made(folder)) as ui:
        ui.wait_for_report()
        start = ui.get("/1/").text
        for words in ("most to gain", "Compilers and options", "What is not known", "-O1", "kernels.c:6-7", "Skip to content"):
            assert words in start, words
        loops = ui.get("/1/loops").text
        assert loops.count("<tr>") == 5 and "cycles" in loops, loops
        assert ui.get("/1/loops?innermost=1").text.count("<tr>") == 4
        functions = ui.get("/1/functions?name=DOT&sort=name").text
        assert ">dot</a>" in functions and ">scale</a>" not in functions and "1–1 of 1" in functions, functions
        assert "Nothing fits" in ui.get("/1/functions?name=nobody").text
        rising = ui.get("/1/functions?sort=instructions&order=up").text
        assert 'aria-sort="ascending"' in rising and rising.index(">main<") > rising.index(">frame_dummy<"), rising
        missing = ui.get("/1/function/99999", 404).text
        assert "Go to the start page" in missing and "header" in missing
        ui.get("/1/source/99999", 404)
        ui.get("/1/function/none", 404)


@test
def start_names_sources_that_are_gone():
    with Folder() as folder:
        program = made(folder)
        with Ui(program) as ui:
            assert "cannot be shown" not in ui.get("/1/").text
            os.remove(os.path.join(folder, "kernels.c"))
            assert ">kernels.c</a>" in ui.get("/1/").text.split("cannot be shown")[1]
            gone = ui.get(number_of(ui, "kernels.c", "Source")).text
            assert "Its text cannot be shown" in gone and "/1/loop/" in gone, gone


@test
def search_finds_all_kinds():
    with Folder() as folder, Ui(made(folder)) as ui:
        function = number_of(ui, "dot", "Functions")
        page = ui.get(function).text
        assert "kernels.c:3" in page and "Called by" in page and ">main</a>" in page and "loop" in page, page
        assert "sum += a[i] * b[i]" in page
        line = number_of(ui, "kernels.c%3A7", "Source")
        assert line.endswith("?line=7#line-7"), line
        text = ui.get(line.split("#")[0]).text
        assert 'id="line-7" class=" chosen"' in text and "sum += a[i] * b[i]" in text, text
        assert "/loop/" in number_of(ui, "kernels.c%3A7", "Loops")
        assert number_of(ui, "loop+1", "Loops") == number_of(ui, "1", "Loops") == "/1/loop/1"
        assert number_of(ui, "ret", "Instructions") == "/1/search?q=ret"
        places = ui.get("/1/search?q=ret").text
        assert "0x" in places and "#l0-i" in places, places
        address = places.split(">0x", 1)[1] if ">0x" in places else places.split("0x", 1)[1]
        assert "#l0-i" in number_of(ui, "0x" + address.split(" ")[0], "Instructions")
        assert ui.get("/1/api/search?q=").json == {"groups": []}
        assert "Nothing is called" in ui.get("/1/search?q=%3Cb%3Enobody").text


@test
def start_shows_a_run():
    with Folder() as folder:
        program = made(folder)
        database = os.path.join(folder, "run.db")
        assay("run", "-o", database, "--", program, "many", "rounds")
        with Ui(database) as ui:
            page = ui.get("/1/").text
            assert "Where the processor time went" in page and "How it was measured" in page, page
            assert "of the run" in ui.get("/1/loops").text and "in itself" in ui.get("/1/functions").text


@test
def browser_keyboard_alone():
    with Folder() as folder, Ui(made(folder)) as ui, UiBrowser(folder, ui) as browser:
        ui.wait_for_report()
        press = lambda keys: browser.ask("/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": [
            action for key in keys for action in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})]}]})
        browser.open("/1/")
        press("?")
        assert "go to Loops" in browser.wait("document.querySelector('dialog[open]')?.textContent")
        press("\ue00c")
        browser.wait("!document.querySelector('dialog[open]')")
        press("gl")
        browser.wait("location.pathname === '/1/loops'")
        browser.wait("document.querySelector('header.frame .help')")
        press("jj")
        assert browser.run("return document.activeElement.closest('tr').rowIndex") == 2
        press("k\ue007")
        browser.wait("location.pathname.startsWith('/1/loop/')")
        browser.wait("document.querySelector('header.frame .help')")
        press("/dot")
        browser.wait("document.querySelector('[role=option]')")
        assert not browser.axe(), browser.axe()
        press("\ue015")
        assert browser.run("return document.querySelector('[aria-selected=true]').textContent").startswith("dot")
        press("\ue007")
        browser.wait("location.pathname.startsWith('/1/function/')")
        browser.wait("document.querySelector('header.frame .help')")
        press("gs")
        browser.wait("location.pathname === '/1/'")


@test
def browser_light_dark_narrow_wide():
    with Folder() as folder, Ui(made(folder)) as ui, UiBrowser(folder, ui) as browser:
        ui.wait_for_report()
        function, line = number_of(ui, "scale", "Functions"), number_of(ui, "kernels.c%3A7", "Source")
        for name, path in (("start", "/1/"), ("loops", "/1/loops"), ("functions", "/1/functions?name=a"), ("search", "/1/search?q=s"),
                           ("function", function), ("source", line)):
            browser.inspect(path, name)


@test
def hostile_names_stay_text():
    with Folder() as folder:
        program = made(folder)
        hostile = os.path.join(folder, "hostile")
        subprocess.run([need("objcopy"), "--redefine-sym", f"dot={HOSTILE}", "--strip-debug", program, hostile], check=True)
        with Ui(hostile) as ui, UiBrowser(folder, ui) as browser:
            ui.wait_for_report()
            function = number_of(ui, "%3Cscript", "Functions")
            for path in ("/1/", "/1/loops", "/1/functions", "/1/search?q=%3Cscript%3E%22'", "/1/functions?name=%22%3E%3Cscript%3E", function):
                text = ui.get(path).text
                assert "<script>document" not in text and "<script>\"" not in text, path
                browser.open(path)
                assert browser.run("return document.title") != "broken", path
            assert HOSTILE[:20] in browser.run("return document.querySelector('h1').textContent")


run()
