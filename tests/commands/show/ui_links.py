"""assay ui: every link of every page leads somewhere, and no page fails, of two builds of a program, one with a sampled run."""
import html, os, re, urllib.parse
from harness import Folder, assay, build, need, run, test
from ui import Ui

SOURCE = """
#include <stdio.h>
static double a[4096], b[4096];
double dot(const double *x, const double *y, long n)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}
void scale(double *to, double by, long n)
{
    for (long i = 0; i < n; i++)
        if (to[i] > 0)
            to[i] /= by;
}
int main(void)
{
    double sum = 0;
    for (int round = 0; round < 20000; round++) {
        scale(a, 1.5, 4096);
        sum += dot(a, b, 4096);
    }
    printf("%g\\n", sum);
    return 0;
}
"""
ENOUGH = 250  # pages
HREF = re.compile(r'href="([^"]*)"')


def links_of(page, path):
    """Addresses of this server that a page names."""
    for found in HREF.findall(page):
        address = urllib.parse.urlsplit(urllib.parse.urljoin(path, html.unescape(found)))
        if not address.netloc:
            yield urllib.parse.urlunsplit(("", "", address.path, address.query, ""))


def kind_of(path):
    """Pages of one kind answer in the same way: only some of each are opened."""
    address = urllib.parse.urlsplit(path)
    names = sorted(name for name, _ in urllib.parse.parse_qsl(address.query))
    return re.sub(r"\d+", "N", address.path), tuple(names)


def crawl(ui):
    todo, seen, opened = ["/"], {"/"}, {}
    for number in range(1, 3):
        todo += [f"/{number}/{rest}" for rest in ("", "whatif/", "search?q=dot", "search?q=source.c:8", "search?q=zzz", "plan", "run", "denormals",
                                                  "probes", "api/schema", "api/analyses", "api/search?q=a")]
    while todo and sum(opened.values()) < ENOUGH:
        path = todo.pop(0)
        kind = kind_of(path)
        opened[kind] = opened.get(kind, 0) + 1
        if opened[kind] > 4:
            continue
        answer = ui.get(path, status=None)
        assert answer.status in (200, 303) or (answer.status == 404 and path.endswith(("/run", "/denormals", "/probes"))), \
            (path, answer.status, answer.body[-600:])
        if answer.status == 303:
            todo.append(answer.headers["Location"])
        for link in links_of(answer.text, path) if "html" in (answer.headers["Content-Type"] or "") else ():
            if link not in seen:
                seen.add(link)
                todo.append(link)
    return opened


@test
def every_link_leads_somewhere():
    with Folder() as folder:
        source = os.path.join(folder, "source.c")
        with open(source, "w") as out:
            out.write(SOURCE)
        one = build(folder, [need("gcc")], [source], "-O1", "-g", output="one")
        two = build(folder, [need("gcc")], [source], "-O3", "-g", output="two")
        database = os.path.join(folder, "run.db")
        assay("run", "-o", database, "--", one)
        with Ui(database, two) as ui:
            ui.wait_for_report(2)
            kinds = {path for path, _ in crawl(ui)}
            for wanted in ("/N/loop/N", "/N/function/N", "/N/source/N", "/N/graph/flow/N", "/N/graph/calls/N", "/N/graph/dominators/N", "/N/whatif/N",
                           "/N/two", "/N/ask", "/N/loops", "/N/functions"):
                assert wanted in kinds, (wanted, sorted(kinds))


run()
