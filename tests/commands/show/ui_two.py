"""assay ui OLD NEW: the page of two programs."""
# first build only: a browser does the work; diff takes the same way
import os

from harness import Folder, build, need, run, test
from ui import Ui, UiBrowser

SOURCE = """void scale(double *restrict y, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = %s;
}
int main(void) { return 0; }
"""


def made(folder, name, what):
    path = os.path.join(folder, name + ".c")
    with open(path, "w") as out:
        out.write(SOURCE % what)
    return build(folder, [need("gcc")], [path], "-O2", "-g", output=name)


@test
def two_open_files_are_compared():
    with Folder() as folder:
        with Ui(made(folder, "old", "3 * x[i]"), made(folder, "<b>new", "3 / x[i]")) as ui:
            page = ui.get("/2/two").text
            assert "1 loop got slower" in page and "divisions 0" in page and "<b>new" not in page, page
            assert "1 loop got slower" not in ui.get("/1/two").text and "1 faster" in ui.get("/1/two?old=2").text
            assert "No difference" in ui.get("/2/two?old=2").text or "0 loops got slower" in ui.get("/2/two?old=2").text
            ui.get("/2/two?old=3", 404)
        with Ui(made(folder, "old", "3 * x[i]")) as ui:
            ui.get("/1/two", 404)


@test
def the_page_in_a_browser():
    with Folder() as folder, Ui(made(folder, "old", "3 * x[i]"), made(folder, "new", "3 / x[i]")) as ui:
        with UiBrowser(folder, ui) as browser:
            browser.inspect("/2/two")
            assert "1 loop got slower" in browser.run("return document.body.innerText")
            sections = browser.run("return [...document.querySelectorAll('h2')].map(h => h.innerText)")
            assert sections == ["Slower", "Functions with the largest change"], sections


run()
