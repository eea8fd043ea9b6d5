"""assay ui: control flow, dominators and calls: the same nodes and edges as assay graph, opened and closed, by pointer and keyboard."""
# first build only: mostly Chromium
import os, re, xml.etree.ElementTree
from harness import MACHINE, Folder, assay, build, command, compilers, rows, run, test, text
from ui import Ui, UiBrowser

SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
static int leaf(int x) { return x * 3 + 1; }
__attribute__((noinline)) int hostile(int x) { return x ? leaf(x) : 7; }
__attribute__((noinline)) int odd(int x);
__attribute__((noinline)) int even(int x) { return x ? odd(x - 1) + 1 : 0; }
__attribute__((noinline)) int odd(int x) { return x ? even(x - 1) + 2 : 1; }
__attribute__((noinline)) double nest(double *a, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (a[j] < 0)
                sum += a[i] * a[j];
            for (int k = 0; k < j; k++)
                sum += a[k];
        }
    return sum;
}
int main(int argc, char **argv)
{
    double a[100] = {0};
    printf("%g %d %d\n", nest(a, argc), hostile(argc), even(argc));
    return 0;
}
"""


class Made:
    """The program above, its database, and a server."""

    def __enter__(self):
        self.folder = Folder()
        path = self.folder.__enter__()
        source = os.path.join(path, "graphs.c")
        with open(source, "w") as file:
            file.write(SOURCE)
        program = build(path, compilers(MACHINE)[0], [source], "-O0")
        command(["objcopy", "--redefine-sym", "hostile=<script>alert(1)</script>", program])
        self.path, self.database = path, os.path.join(path, "program.db")
        assay("db", program, "-o", self.database, "--quiet")
        self.ui = Ui(self.database)
        return self

    def __exit__(self, *_):
        self.ui.end()
        self.folder.__exit__()

    def id(self, name):
        return rows(self.database, f"select id from functions where name = '{name}' order by block_count desc")[0]["id"]


def page_graph(page):
    """Nodes and edges (as pairs of ids) of a page."""
    nodes = re.findall(r'<g class="node [^"]*" id="([^"]+)"', page)
    edges = {(nodes[int(a)], nodes[int(b)]) for a, b in re.findall(r'data-e="(\d+) (\d+)"', page)}
    return set(nodes), edges


def dot_graph(words, kind):
    dot = text("graph", *words)
    found = {(a, b) for a, b in re.findall(r"\b([bf]\d+|unknown) -> ([bf]\d+|unknown)", dot)}
    nodes = set(re.findall(r"^\s*([bf]\d+|unknown)\s*\[", dot, re.M))
    name = lambda it: "unknown-0" if it == "unknown" else f"{kind}-{it[1:]}"
    return {name(it) for it in nodes}, {(name(a), name(b)) for a, b in found}


@test
def same_graphs_as_assay_graph():
    with Made() as made:
        nest = made.id("nest")
        for words, address in ((["-F", "nest"], f"/1/graph/flow/{nest}"), (["-F", "nest", "--dominators"], f"/1/graph/dominators/{nest}")):
            assert page_graph(made.ui.get(address).text) == dot_graph([made.database, *words, "--short"], "block"), address
        main = made.id("main")
        calls = page_graph(made.ui.get(f"/1/graph/calls/{main}?depth=1").text)
        assert calls == dot_graph([made.database, "--calls", "-F", "main", "--depth", "1"], "function"), calls
        everything = page_graph(made.ui.get("/1/graph/calls?most=20000").text)
        assert everything == dot_graph([made.database, "--calls"], "function")
        frames = set(re.findall(r'id="loop-(\d+)"', made.ui.get(f"/1/graph/flow/{nest}").text))
        assert frames == {str(row["id"]) for row in rows(made.database, f"select id from loops where function = {nest}")}


@test
def loops_close_and_open():
    with Made() as made:
        nest = made.id("nest")
        outer = rows(made.database, f"select id, block_count from loops where function = {nest} and depth = 1")[0]
        inside = {f"block-{row['block']}" for row in rows(made.database, f"select block from loop_blocks where loop = {outer['id']}")}
        whole, _ = page_graph(made.ui.get(f"/1/graph/flow/{nest}").text)
        page = made.ui.get(f"/1/graph/flow/{nest}?close=l{outer['id']}").text
        closed, edges = page_graph(page)
        assert closed == whole - inside | {f"closed-loop-{outer['id']}"}, closed
        assert any(to == f"closed-loop-{outer['id']}" for _, to in edges)
        assert f"{outer['block_count']} blocks" in page and f"open=l{outer['id']}" in page
        few, _ = page_graph(made.ui.get(f"/1/graph/flow/{nest}?most=1").text)
        assert len(few) < len(whole) and any(it.startswith(("closed-loop", "loop-region", "region")) for it in few), few
        block = sorted(inside)[-1]
        assert block in page_graph(made.ui.get(f"/1/graph/flow/{nest}?most=1&show={block.split('-')[1]}").text)[0]


@test
def circles_of_calls_are_in_a_frame():
    with Made() as made:
        assert "2 functions that call each other" in made.ui.get(f"/1/graph/calls/{made.id('even')}").text


@test
def what_is_not_there():
    with Made() as made:
        for address in ("/1/graph/flow/999999", "/1/graph/flow/x", "/1/graph/calls/999999", "/1/graph/dominators/"):
            made.ui.get(address, status=404)
        nest = made.id("nest")
        made.ui.get(f"/1/graph/flow/{nest}?open=l1,x,b,,l99999999999999999999&close=b-4,l&most=-3&show=zzz&text=%3Cb%3E")


@test
def svg_stands_alone():
    with Made() as made:
        answer = made.ui.get(f"/1/graph/flow/{made.id('nest')}?format=svg")
        assert answer.headers["Content-Type"] == "image/svg+xml" and "attachment" in answer.headers["Content-Disposition"]
        assert "<style>" in answer.text and "href" not in answer.text
        assert xml.etree.ElementTree.fromstring(answer.text).tag.endswith("svg")


@test
def names_stay_text():
    with Made() as made:
        hostile = made.id("<script>alert(1)</script>")
        for address in (f"/1/graph/flow/{hostile}", f"/1/graph/calls/{hostile}", f"/1/graph/calls/{made.id('main')}",
                        f"/1/graph/calls/{hostile}?format=svg"):
            page = made.ui.get(address).text
            assert "<script>alert" not in page and "&lt;script&gt;alert" in page, address


SCALE = "+document.querySelector('.graph .all').getAttribute('transform').match(/scale\\(([^)]+)/)[1]"
PLACE = "document.querySelector('.graph .all').getAttribute('transform')"


def press(browser, name):
    browser.tool("Input.dispatchKeyEvent", type="keyDown", key=name, **({"text": name} if len(name) == 1 else {}))
    browser.tool("Input.dispatchKeyEvent", type="keyUp", key=name)


@test
def in_the_browser():
    with Made() as made, UiBrowser(made.path, made.ui) as browser:
        nest, main = made.id("nest"), made.id("main")
        ready = "document.querySelector('.graph .all')?.hasAttribute('transform')"
        for address in (f"/1/graph/flow/{nest}", f"/1/graph/dominators/{nest}", f"/1/graph/calls/{main}", "/1/graph/calls"):
            browser.inspect(address, prepare=ready)
        browser.open(f"/1/graph/flow/{nest}")
        browser.wait(ready)
        before = browser.run("return " + SCALE)
        press(browser, "+")
        browser.wait(f"{SCALE} > {before} * 1.2")
        browser.run("document.querySelector('.graph-room').focus()")
        place = browser.run("return " + PLACE)
        press(browser, "ArrowLeft")
        browser.wait(f"{PLACE} !== arguments[0]", place)
        place = browser.run("return " + PLACE)
        browser.tool("Input.dispatchMouseEvent", type="mouseWheel", x=500, y=500, deltaX=0, deltaY=-200)
        browser.wait(f"{PLACE} !== arguments[0]", place)
        # along edges by keyboard, and a block is chosen
        press(browser, "Enter")
        browser.wait("document.activeElement.closest('.node')")
        first = browser.run("return document.activeElement.closest('.node').id")
        press(browser, "ArrowDown")
        browser.wait("document.activeElement.closest('.node').id !== arguments[0]", first)
        assert (first, browser.run("return document.activeElement.closest('.node').id")) in page_graph(made.ui.get(f"/1/graph/flow/{nest}").text)[1]
        browser.run("document.activeElement.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))")
        browser.wait("!document.querySelector('.graph-panel').hidden && document.querySelectorAll('.graph-panel tr').length")
        assert "#block-" in browser.path, browser.path
        # a loop closes and opens in place, and the address says so
        count = browser.run("return document.querySelectorAll('.node').length")
        browser.run("document.querySelector('.close').dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))")
        browser.wait("document.querySelectorAll('.node').length < arguments[0]", count)
        assert "close=l" in browser.path, browser.path
        browser.run("document.querySelector('.folded a').dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))")
        browser.wait("document.querySelectorAll('.node').length === arguments[0]", count)
        # a block that is closed in is opened by its hash
        block = rows(made.database, f"select max(block) as id from loop_blocks join loops l on l.id = loop where l.function = {nest}")[0]["id"]
        browser.open(f"/1/graph/flow/{nest}?most=1#block-{block}")
        browser.wait("document.querySelector('.node.selected')?.id === arguments[0]", f"block-{block}")


@test
def five_thousand_nodes():
    with Folder() as folder:
        source = os.path.join(folder, "large.c")
        with open(source, "w") as file:
            file.write("volatile int v, w;\nint blocks(void)\n{\n")
            file.writelines(f"if (v == {i}) w += {i};\n" for i in range(2600))
            file.write("return w;\n}\n")
            file.writelines(f"int f{i}(int x) {{ return {f'f{i // 2}(x) + f{i - 1}(x)' if i else 'x'}; }}\n" for i in range(5000))
            file.write("int main(void) { return blocks() + f4999(1); }\n")
        program = build(folder, compilers(MACHINE)[0], [source], "-O0")
        database = os.path.join(folder, "large.db")
        assay("db", program, "-o", database, "--quiet")
        function = rows(database, "select id, block_count from functions where name = 'blocks'")[0]
        assert function["block_count"] > 5000, function
        with Ui(database) as ui, UiBrowser(folder, ui) as browser:
            nodes, _ = page_graph(ui.get(f"/1/graph/flow/{function['id']}").text)
            assert len(nodes) <= 250, len(nodes)
            for address, least in ((f"/1/graph/flow/{function['id']}?most=20000", 5000), ("/1/graph/calls?most=20000", 5000)):
                browser.open(address)
                browser.wait("document.querySelector('.graph .all')?.hasAttribute('transform')")
                shown = browser.run("return [document.querySelectorAll('.graph-list tbody tr').length, document.querySelectorAll('.node').length]")
                assert shown[0] >= least and shown[1] < shown[0] / 2, shown
                paint, frame = browser.ask("/execute/async", {"args": [], "script": """
                    const done = arguments[0], room = document.querySelector('.graph-room'), times = [];
                    const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
                    let last = performance.now(), count = 0;
                    const step = () => {
                        const now = performance.now();
                        times.push(now - last);
                        last = now;
                        room.dispatchEvent(new WheelEvent('wheel', {deltaY: count % 20 < 10 ? 40 : -40, bubbles: true, cancelable: true}));
                        count++ < 60 ? requestAnimationFrame(step) : done([paint, times.sort((a, b) => a - b)[30]]);
                    };
                    requestAnimationFrame(step);"""})
                if os.environ.get("ASSAY_PICTURES"):
                    print(f"{address}: {shown[0]} nodes, first paint {paint:.0f} ms, a frame {frame:.0f} ms")
                browser.picture("large-" + address.split("/")[3].split("?")[0])


run()
