"""assay report --html: one page that stands alone, shows what the tables have, and lets nothing of a file out of its
place; in a browser it sorts, filters and marks without an error."""
# first build only: the browser does the work; report, restrictions and trust write pages, too
import csv, io, json, os, time
from harness import ASSAY, PATIENCE, Browser, Fail, Folder, Skip, assay, build, command, cross, need, rows, run, test, text
from pages import check

SOURCE = r"""
#include <stddef.h>
double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}
void divide(double *restrict a, const double *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        a[i] /= b[i];
}
/* Two ways through an iteration. */
long ways(long *a, const long *b, size_t n)
{
    long count = 0;
    for (size_t i = 0; i < n; i++)
        if (b[i] > 3) {
            a[i] = a[i] / b[i];
            a[i + 1] ^= b[i];
        } else {
            count += b[i];
            a[count] = count * 3;
        }
    return count;
}
int main(void) { return 0; }
"""


def made(folder, source=SOURCE, *flags, name="kernels.c"):
    path = os.path.join(folder, name)
    with open(path, "wb") as out:
        out.write(source if isinstance(source, bytes) else source.encode())
    return build(folder, [need("gcc")], [path], "-O1", "-g", *flags)


def page_of(program, *words, **options):
    return check(assay("report", program, "--html", "--quiet", *words, **options).stdout.decode("utf-8"))


RANK, FUNCTION, PLACE, ROLE, SHARE, GAIN, SAVES, LEVEL, FINDINGS, CYCLES, LIMIT, VECTORISED = range(12)


def loop_rows(page):
    """Rows of the table of loops, those that are folded, too."""
    tables = [table for table in page.all("table", "all")]
    assert [table.attributes["id"] for table in tables] in (["table"], ["table", "more"])
    return [row for table in tables for row in table.first("tbody").all("tr")]


def shares(cell):
    return 0 if cell == "–" else 0.05 if cell.startswith("<") else float(cell.split()[0])


def table(program, *words):
    """Rows of --csv by loop, those of the slowest path."""
    slowest = {}
    for row in csv.DictReader(io.StringIO(text("report", program, "--csv", "--quiet", *words))):
        if row["loop"] not in slowest or float(row["cycles"] or 0) > float(slowest[row["loop"]]["cycles"] or 0):
            slowest[row["loop"]] = row
    return slowest


@test
def tells_what_the_tables_have():
    with Folder() as folder:
        program = made(folder)
        page, figures = page_of(program), table(program)
        assert len(figures) == 3, figures
        articles = {article.attributes["id"]: article for article in page.all("article")}
        assert set(articles) == {f"loop-{loop}" for loop in figures}
        lines = loop_rows(page)
        assert len(lines) == len(figures)
        savings = [shares(line.children[SAVES].text) for line in lines]
        assert savings[0] > 0 and savings == sorted(savings, reverse=True), savings
        found = {}
        for row in rows(program, "select a.loop, r.name from advice a join rules r on r.id = a.rule where a.level in ('gain', 'potential')"):
            found.setdefault(str(row["loop"]), set()).add(row["name"])
        estimated = {str(row["loop"]): row["share"] for row in rows(program, "select loop, share from loop_weights")}
        assert abs(sum(estimated.values()) - 1) < 1e-6, estimated
        for line in lines:
            loop = line.first("a").attributes["href"][len("#loop-"):]
            row, cells = figures[loop], [cell.text for cell in line.children]
            assert cells[FUNCTION] == row["function"] and (cells[ROLE] or "only") == row["role"], (cells, row)
            assert cells[PLACE].endswith(f"kernels.c:{row['first_line']}-{row['last_line']}"), cells
            assert cells[CYCLES] == f"{float(row['cycles']):.2f}" and cells[LIMIT] == row["limit"], (cells, row)
            assert set(filter(None, cells[FINDINGS].split(", "))) == found.get(loop, set()), (cells, found)
            assert abs(shares(cells[SHARE]) - 100 * estimated[loop]) <= 0.5, (cells, estimated)
            key = articles[f"loop-{loop}"].first("dl", "keys").text
            assert cells[CYCLES] in key and cells[LIMIT] in key and cells[GAIN] in key, (cells, key)
        facts = page.first("dl", "facts").text
        answer = text("report", program, "--json", "--quiet")
        names = [machine["name"].split("+")[0] for machine in json.loads(answer)["machines"]]
        assert names and all(name in facts for name in names), facts
        assert "GNU C" in facts and "-O1" in facts, facts


@test
def source_stands_beside_its_instructions():
    with Folder() as folder:
        program = made(folder)
        page = page_of(program, "--function", "^divide$")
        article = page.first("article")
        loop = article.attributes["id"][len("loop-"):]
        source = {row.children[0].text: row for row in article.first("div", "source").all("tr") if "id" in row.attributes}
        wanted = {str(number): line for number, line in enumerate(SOURCE.split("\n"), 1)}
        for number, row in source.items():
            assert row.children[1].text == wanted[number], (number, row.text)
        assert any("a[i] /= b[i];" in row.text for row in source.values())
        keys = {row.attributes["data-k"]: number for number, row in source.items()}
        expected = rows(program, "select b.address + c.offset as address, e.name, s.line from loop_blocks l "
                                 "join blocks b on b.id = l.block join code c on c.block = b.id join encodings e "
                                 f"on e.id = c.encoding left join source_lines s on s.id = c.source_line where l.loop = {loop} "
                                 "order by c.id")
        listed = list(article.first("div", "assembly").all("tr"))
        assert len(listed) == len(expected)
        for row, known in zip(listed, expected):
            assert int(row.children[0].text, 16) == known["address"], (row.text, known)
            assert row.first("b").text == known["name"], (row.text, known)
            assert keys.get(row.attributes.get("data-k")) == (known["line"] and str(known["line"])), (row.text, known)
        marked = [row for row in listed if "limit" in row.attributes["class"].split()]
        limiting = rows(program, "select count(*) as n from bound_instructions b join loop_cycles c using (loop, path) "
                                 f"where b.loop = {loop} and b.part_code = c.limit_code")[0]["n"]
        assert marked and len(marked) == limiting, (len(marked), limiting)


@test
def ports_and_parts_are_drawn():
    with Folder() as folder:
        program = made(folder)
        page = page_of(program, "--function", "^dot$")
        article = page.first("article")
        loop = article.attributes["id"][len("loop-"):]
        bounds = rows(program, f"select part, cycles from core_bounds where loop = {loop} order by cycles desc")
        drawn = [(row.children[0].text, float(row.children[2].text)) for row in article.first("table", "bars").all("tr")]
        assert sorted(drawn) == sorted((row["part"], round(row["cycles"], 2)) for row in bounds), (drawn, bounds)
        ports = rows(program, f"select port, uops from port_uses where loop = {loop} order by position")
        names = [label.text for label in article.first("svg", "ports").all("text", "name")]
        assert [name.removeprefix("p") for name in names] == [row["port"].removeprefix("p") for row in ports], names
        heights = [float(rect.attributes["height"]) for rect in article.first("svg", "ports").all("rect", "port")]
        busiest = max(range(len(ports)), key=lambda i: ports[i]["uops"])
        assert heights[busiest] == max(heights) > 0, (heights, ports)


@test
def advice_has_its_evidence_and_remedies():
    with Folder() as folder:
        program = made(folder)
        page = page_of(program, "--level", "expert")
        given = {}
        for row in rows(program, "select a.id, a.loop, r.title, a.text, (select count(*) from remedies m where "
                                 "m.advice = a.id) as remedies from advice a join rules r on r.id = a.rule"):
            given.setdefault((str(row["loop"]), row["title"]), []).append(row)
        cards = {(card.attributes["id"].split("-")[0][1:], card.first("h4").text): card for card in page.all("section", "card")}
        assert set(cards) == set(given), (set(cards) ^ set(given))
        for key, card in cards.items():
            assert any(row["text"].replace("`", "") in card.text for row in given[key]), (given[key], card.text)
            reported = len(list(card.first("ul", "remedies").all("li"))) if list(card.all("ul", "remedies")) else 0
            assert reported in {row["remedies"] for row in given[key]}, (reported, given[key])
            for place in card.attributes["data-evidence"].split():
                assert any(row.attributes.get("id") == f"l{key[0]}-i{place}" for row in page.all("tr")), place


@test
def every_known_figure_has_its_sentence():
    with Folder() as folder:
        program = made(folder)
        page = page_of(program, "--function", "^dot$")
        row = next(iter(table(program, "--function", "^dot$").values()))
        metrics = {line.children[0].text: line for line in page.first("table", "metrics").all("tr") if line.children[0].text}
        for name in ("instruction_count", "cycles", "load_count", "flop_count"):
            line = metrics[name.replace("_", " ")]
            assert float(line.children[1].text) == round(float(row[name]), 2), (name, line.text)
        sentences = {line.children[0].text: line.children[1].text for part in page.all("div")
                     if part.attributes.get("id") == "figures" for line in part.all("tr") if len(line.children) == 2}
        assert all(sentences.values()) and len(sentences["instruction count"]) > 10, sentences
        assert {name for name, line in metrics.items() if len(line.children) > 1} <= set(sentences), metrics.keys() - sentences.keys()


@test
def names_and_source_cannot_leave_their_place():
    hostile = "</script><img src=x onerror=alert(1)>'\"&amp;"
    source = SOURCE.encode().replace(b"a[i] /= b[i];", b"a[i] /= b[i]; /* </td></script><b>&lt;\xff\xe2\x80\xae */")
    with Folder() as folder:
        program = made(folder, source, name="a\"><u>&.c")
        renamed = os.path.join(folder, "renamed<i>")
        command([need("objcopy"), f"--redefine-sym=divide={hostile}", program, renamed])
        page = page_of(renamed, "--level", "expert")
        heads = [head.text for head in page.all("h2")]
        assert hostile in heads, heads
        assert page.first("h1").text == renamed
        line = next(row for row in page.all("tr") if "a[i] /=" in row.text and row.parent.parent.attributes.get("class") == "source")
        assert line.children[1].text.endswith("/* </td></script><b>&lt;\ufffd\ufffd */"), line.text
        assert any(row.text.endswith("a\"><u>&.c") for row in page.all("tr", "file"))
        for name in ("img", "u", "i"):
            assert all(element.attributes.get("class") or not element.attributes for element in page.all(name)), name
        assert not list(page.all("img")) and not list(page.all("u"))


@test
def without_source_the_instructions_stand_alone():
    with Folder() as folder:
        program = made(folder)
        os.remove(os.path.join(folder, "kernels.c"))
        page = page_of(program)
        assert list(page.all("div", "assembly")) and not list(page.all("div", "source"))
        assert any("kernels.c:7" in row.text for row in page.all("tr")), "lines are still named"
        command(["strip", program])
        page = page_of(program)
        assert list(page.all("div", "assembly")) and "-g" in page.first("dl", "facts").text
        article = next(one for one in page.all("article") if list(one.all("section", "card")))
        listed = list(article.first("div", "assembly").all("tr"))
        assert all(int(row.children[0].text, 16) for row in listed) and not any(row.children[3].text for row in listed)
        badges = {link.attributes["href"][1:] for row in listed for link in row.children[2].all("a")}
        evidence = {card.attributes["id"] for card in article.all("section", "card") if card.attributes["data-evidence"]}
        assert badges == evidence and evidence, (badges, evidence)
        assert any("limit" in row.attributes["class"] or "chain" in row.attributes["class"] for row in listed)


@test
def only_the_first_loops_have_sections():
    with Folder() as folder:
        program = made(folder)
        page = page_of(program, "--top", "1")
        assert len(list(page.all("article"))) == 1
        lines = loop_rows(page)
        assert len(lines) == 3 and [len(list(line.all("a"))) for line in lines] == [1, 0, 0]
        assert "--top" in page.first("section", "loops").first("p", "note").text


@test
def the_same_page_every_time():
    with Folder() as folder:
        program = made(folder)
        first = assay("report", program, "--html").stdout
        assert first == assay("report", program, "--html", "--threads", "1").stdout
        out = os.path.join(folder, "page.html")
        assay("report", program, "--html", "-o", out)
        with open(out, "rb") as written:
            assert written.read() == first


COLUMN = """return Array.from(document.querySelectorAll('#table tbody tr')).filter(row => !row.hidden)
            .map(row => row.cells[arguments[0]].textContent)"""
PRESSED = """return Array.from(document.querySelectorAll('[aria-pressed=true]')).map(button => button.closest('tr').dataset.value)"""
CLICK = "document.querySelectorAll('#table thead button')[arguments[0]].click()"
SELECT = """const box = document.querySelectorAll('.controls select')[arguments[0]];
            box.value = arguments[1]; box.dispatchEvent(new Event('change'))"""


def until(holds, what):
    """Events come a little after what causes them."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if holds():
            return
        time.sleep(0.1)
    raise Fail(f"not so after {PATIENCE} seconds: {what}")


def opened(browser, folder, program, *words):
    page = os.path.join(folder, "page.html")
    assay("report", program, "--html", "-o", page, *words)
    browser.ask("/url", {"url": "file://" + page})


@test
def a_browser_sorts_and_filters_the_table():
    with Folder() as folder:
        program = made(folder)
        with Browser(folder) as browser:
            opened(browser, folder, program)
            names = browser.run(COLUMN, FUNCTION)
            assert len(names) == 3
            browser.run(CLICK, 1)
            assert browser.run(COLUMN, 1) == sorted(names)
            browser.run(CLICK, 1)
            assert browser.run(COLUMN, 1) == sorted(names, reverse=True)
            browser.run(CLICK, CYCLES)
            cycles = [float(cell) for cell in browser.run(COLUMN, CYCLES)]
            assert cycles == sorted(cycles, reverse=True), cycles
            assert browser.run("return document.querySelector('#table [aria-sort]').cellIndex") == CYCLES
            browser.run(CLICK, 0)
            assert browser.run(COLUMN, 1) == names
            browser.keys("/")
            browser.keys("WAY")
            assert browser.run(COLUMN, 1) == ["ways"]
            browser.run("const box = document.querySelector('.controls input'); box.value = ''; "
                        "box.dispatchEvent(new Event('input')); box.blur()")
            limits = browser.run(COLUMN, LIMIT)
            browser.run(SELECT, 0, limits[0])
            assert browser.run(COLUMN, LIMIT) == [limit for limit in limits if limit == limits[0]]
            assert browser.run("return document.querySelector('.controls output').textContent") or \
                limits.count(limits[0]) == 3
            browser.run(SELECT, 0, "")
            assert len(browser.run(COLUMN, 1)) == 3
            assert not browser.complaints(), browser.complaints()


def counts(page, name):
    """Loops of each value that a kind of line filters by, as the lines say."""
    return {line.attributes["data-value"]: int(line.first("td", "figure").text.replace(",", ""))
            for line in page.all("tr") if line.attributes.get("data-filter") == name}


@test
def the_whole_program_comes_first():
    with Folder() as folder:
        program = made(folder)
        page = page_of(program)
        wanted = rows(program, "select action, loop_count, level from program_actions order by position")
        section = page.first("section", "actions")
        lines = [line for line in section.all("tr") if "data-value" in line.attributes]
        assert wanted and [line.attributes["data-value"] for line in lines] == [row["action"] for row in wanted], wanted
        for line, row in zip(lines, wanted):
            assert line.children[1].text == row["level"], line.text
            links = [link.attributes["href"] for link in line.all("a")]
            assert 1 <= len(links) <= 3 and len(links) == min(row["loop_count"], 3), (links, row)
        parts = [part.attributes["id"] for part in page.all("section") if "id" in part.attributes]
        assert parts.index("actions") < parts.index("summary") < parts.index("loops"), parts
        assert "estimated" in section.first("p", "note").text


@test
def lines_that_filter_count_the_rows_of_the_table():
    with Folder() as folder:
        page = page_of(made(folder), "--level", "expert")
        lines = loop_rows(page)
        number = lambda holds: sum(1 for line in lines if holds(line))
        values = {"limit": lambda value: lambda line: line.children[LIMIT].text == value,
                  "level": lambda value: lambda line: line.children[LEVEL].text == value,
                  "finding": lambda value: lambda line: value in line.children[FINDINGS].text.split(", "),
                  "action": lambda value: lambda line: value in line.attributes.get("data-a", "").split()}
        for name, holds in values.items():
            said = counts(page, name)
            assert said, name
            for value, count in said.items():
                assert count == number(holds(value)), (name, value, count)


@test
def places_keep_their_line_and_lose_their_front():
    with Folder() as folder:
        deep = os.path.join(folder, *("folder_number_%d" % i for i in range(6)))
        os.makedirs(deep)
        page = page_of(made(deep))
        for line in loop_rows(page):
            place = line.children[PLACE]
            assert place.text.startswith("…/") and ":" in place.text.split("kernels.c")[1] and len(place.text) < 60, place.text
            full = place.attributes["title"]
            assert full.startswith(deep) and full.endswith(place.text[1:]), (full, place.text)


@test
def inlined_loops_have_both_places():
    source = "#include <numeric>\n#include <vector>\ndouble total(const std::vector<double> &v)\n{\n" \
             "    return std::accumulate(v.begin(), v.end(), 0.0);\n}\nint main() { return 0; }\n"
    with Folder() as folder:
        path, program = os.path.join(folder, "total.cpp"), os.path.join(folder, "total")
        with open(path, "w") as out:
            out.write(source)
        command([need("g++"), "-O2", "-g", "-o", program, path])
        page = page_of(program)
        place = loop_rows(page)[0].children[PLACE]
        assert place.text.endswith("total.cpp:5") and "inlined from stl_numeric.h" in place.attributes["title"], place.attributes
        assert "total.cpp:5, inlined from" in page.first("article").first("p", "place").text


@test
def ports_say_what_they_are_for():
    with Folder() as folder:
        path = os.path.join(folder, "kernels.c")
        with open(path, "w") as out:
            out.write(SOURCE)
        for machine, processor, busy, words in (("x86_64", "skylake", "p0", "floating-point additions, multiplications, divisions"),
                                                ("aarch64", "neoverse-v1", "pm", "integer additions, shifts, multiplications, divisions")):
            gcc = need(cross("gcc", machine))
            program = os.path.join(folder, machine)
            command([gcc, "-O1", "-g", "-o", program, path])
            page = page_of(program, "--machine", processor)
            legend = next(part for part in page.all("section", "reference") if part.attributes["id"] == "ports")
            ports = {}
            for name, text_ in zip(legend.all("dt"), legend.all("dd")):
                ports.update({one: text_.text for one in name.text.split(", ")})
            assert words in ports[busy], ports
            drawn = page.first("svg", "ports")
            for port in drawn.all("g"):
                uses = [label.text for label in port.all("text") if not label.attributes.get("class")]
                name = port.first("text", "name").text
                titles = [title.text for title in port.all("title")]
                assert titles == ([ports[name]] if uses else []), (name, titles, ports)
            assert "busiest" in drawn.parent.first("p", "note").text


@test
def a_browser_filters_by_what_is_clicked():
    with Folder() as folder:
        program = made(folder)
        page = page_of(program)
        actions, findings = counts(page, "action"), counts(page, "finding")
        with Browser(folder) as browser:
            opened(browser, folder, program)
            everything = browser.run(COLUMN, FUNCTION)
            click = "document.querySelector(`tr[data-filter=\"${arguments[0]}\"][data-value=\"${arguments[1]}\"] .filter`).click()"
            for name, values in (("action", actions), ("finding", findings)):
                for value, count in values.items():
                    browser.run(click, name, value)
                    assert len(browser.run(COLUMN, FUNCTION)) == count, (name, value, browser.run(COLUMN, FUNCTION))
                    assert browser.run(PRESSED) == [value], browser.run(PRESSED)
                    assert browser.run("return location.hash") == f"#loops?{name}={value}"
                    browser.run(click, name, value)
                    assert browser.run(COLUMN, FUNCTION) == everything and not browser.run(PRESSED)
            finding = next(iter(findings))
            browser.run(click, "finding", finding)
            limit = browser.run(COLUMN, LIMIT)[0]
            browser.run("document.querySelector('tr[data-filter=limit][data-value=' + arguments[0] + '] .filter').focus()", limit)
            browser.keys("\ue007")
            both = browser.run(COLUMN, FUNCTION)
            assert sorted(browser.run(PRESSED)) == sorted([limit, finding])
            assert all(finding in cell.split(", ") for cell in browser.run(COLUMN, FINDINGS))
            assert set(browser.run(COLUMN, LIMIT)) == {limit}
            address = browser.run("return location.href")
            browser.run("document.querySelector('.controls .clear').click()")
            assert browser.run(COLUMN, FUNCTION) == everything and browser.run("return location.hash") == "#loops"
            assert browser.run("return document.querySelector('.controls .clear').hidden")
            browser.ask("/url", {"url": "about:blank"})
            browser.ask("/url", {"url": address})
            assert browser.run(COLUMN, FUNCTION) == both and sorted(browser.run(PRESSED)) == sorted([limit, finding])
            browser.run("location.hash = '#loops?text=dot&limit=nonsense'")
            until(lambda: browser.run(COLUMN, FUNCTION) == ["dot"], "the address filters")
            browser.run("location.hash = '#loop-' + document.querySelector('.loop').id.slice(5)")
            assert browser.run(COLUMN, FUNCTION) == ["dot"]
            assert not browser.complaints(), browser.complaints()


@test
def a_browser_says_what_figures_mean():
    with Folder() as folder:
        program = made(folder)
        with Browser(folder) as browser:
            opened(browser, folder, program)
            browser.run("document.querySelector('.loop .metrics').closest('details').open = true")
            title = "return Array.from(document.querySelectorAll('.loop .metrics th')).find(name => name.textContent === 'cycles').title"
            until(lambda: len(browser.run(title)) > 10, "a figure has its sentence")


@test
def a_browser_marks_what_belongs_together():
    with Folder() as folder:
        program = made(folder)
        with Browser(folder) as browser:
            opened(browser, folder, program, "--function", "^ways$")
            lit = "return Array.from(document.querySelectorAll('.lit')).map(row => row.dataset.k)"
            browser.point(".source tr[data-k] td.text")
            until(lambda: browser.run(lit), "a line under the mouse lights up")
            kin = browser.run(lit)
            assert len(kin) > 1 and len(set(kin)) == 1, kin
            off = "return Array.from(document.querySelectorAll('.assembly tbody')).filter(b => b.classList.contains('off')).map(b => b.dataset.b)"
            first = browser.run(off)
            paths = browser.run("return document.querySelectorAll('details.path').length")
            assert paths >= 1 and first, (paths, first)
            browser.run("document.querySelector('details.path').open = true")
            until(lambda: browser.run(off) != first, "the marks follow the path that is open")
            browser.run("document.querySelector('details.path').open = false")
            until(lambda: browser.run(off) == first, "the marks come back")
            browser.run("scrollTo(0, 0)")  # pointing at a line may have scrolled
            browser.keys("j")
            assert abs(browser.run("return document.querySelector('.loop').getBoundingClientRect().top")) < 60
            assert not browser.complaints(), browser.complaints()


@test
def a_browser_shows_the_first_of_many_loops():
    source = "".join(f"void f{i}(long *a, long n) {{ for (long i = 0; i < n; i++) a[i] += {i}; }}\n" for i in range(130))
    with Folder() as folder:
        program = made(folder, source + "int main(void) { return 0; }\n")
        page = page_of(program)
        assert len(list(page.all("article"))) == 100
        assert len(loop_rows(page)) == 130
        assert "30 more loops" in next(fold for fold in page.all("details") if fold.attributes.get("id") == "rest").children[0].text
        with Browser(folder) as browser:
            opened(browser, folder, program)
            assert len(browser.run(COLUMN, 1)) == 100
            browser.run(CLICK, 1)
            assert browser.run(COLUMN, 1)[:12] == [f"f{i}" for i in range(12)]
            browser.run("document.querySelector('.controls .more').click()")
            assert browser.run(COLUMN, 1) == [f"f{i}" for i in range(130)]
            assert browser.run("return document.querySelector('.controls .more').hidden")
            assert not browser.complaints(), browser.complaints()


@test
def a_browser_obeys_no_other_script():
    """The policy holds: a script that is put into the page does not run, and the browser says so."""
    with Folder() as folder:
        program = made(folder)
        with Browser(folder) as browser:
            page = os.path.join(folder, "page.html")
            source = assay("report", program, "--html").stdout
            with open(page, "wb") as out:
                out.write(source.replace(b"<main>", b"<main><script>document.title = 'broken'</script>", 1))
            browser.ask("/url", {"url": "file://" + page})
            assert browser.run("return document.title").endswith("Assay report")
            assert any("Content Security Policy" in line for line in browser.complaints())


@test
def without_a_script_everything_is_there():
    with Folder() as folder:
        program = made(folder)
        page = page_of(program, "--level", "expert")
        assert "hidden" in page.first("div", "controls").attributes and not page.first("div", "controls").children
        for fold in page.all("details"):
            assert fold.children[0].name == "summary" and fold.children[0].text.strip()


run()
