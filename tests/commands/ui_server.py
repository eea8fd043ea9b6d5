"""assay ui: who gets an answer, and which; files that are open; the end."""
import os
from harness import Folder, build, need, run, test
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


@test
def link_opens_the_page():
    with Folder() as folder, Ui(made(folder)) as ui:
        assert ui.address == "127.0.0.1"
        assert ui.get("/", 303).headers["Location"] == "/1/"
        page = ui.get("/1/")
        assert page.headers["Content-Type"].startswith("text/html") and "program" in page.text
        policy = page.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy, policy


@test
def browser_enters_by_the_link():
    with Folder() as folder, Ui(made(folder)) as ui, UiBrowser(folder, ui) as browser:
        assert browser.path == "/1/", browser.path
        assert "program" in browser.run("return document.body.textContent")
        browser.inspect("/1/", "start")


run()
