"""assay ui: What if: cycles follow the text, refusals stand at their lines, links and saved pages have everything in them."""
# first build only: the same C code as in the tests of cycles and of texts; the rest happens in the browser
import html, json, os, re, subprocess
from harness import ASSAY, Folder, build, cross, need, run, test
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
X86 = """.intel_syntax noprefix
top:
    movsd xmm1, qword ptr [rdi+rax*8]
    mulsd xmm1, qword ptr [rsi+rax*8]
    addsd xmm0, xmm1
    addsd xmm0, xmm1
    add rax, 1
    cmp rax, rdx
    jne top
"""


def made(folder, architecture="x86_64"):
    path = os.path.join(folder, "kernels.c")
    with open(path, "w") as out:
        out.write(SOURCE)
    return build(folder, [cross("gcc", architecture)], [path], "-O2", "-g", output="dot-" + architecture)


def loop_of(program):
    out = subprocess.run([ASSAY, "sql", "--csv", program, "select l.id from loops l join functions f on f.id = l.function "
                          "where f.name = 'dot'"], capture_output=True, text=True, check=True).stdout
    return int(out.split()[1])


def cycles_of(text, isa, machine, *words):
    out = subprocess.run([ASSAY, "cycles", "--json", "--asm", "-", "--isa", isa, "--machine", machine, *words], input=text,
                         capture_output=True, text=True, check=True).stdout
    return json.loads(out)[0]["cycles"]


def ask(ui, text, isa="x86-64", machines=("skylake",), mode="auto"):
    return ui.post("/1/api/whatif", json.dumps({"text": text, "isa": isa, "mode": mode, "machines": machines})).json


def text_of(page):
    return html.unescape(re.search(r'<textarea id="text"[^>]*>\n(.*?)</textarea>', page, re.S).group(1))


def settle(browser):
    browser.wait("document.getElementById('whatif').dataset.state === 'done'")


def type_text(browser, text):
    browser.run("const t = document.getElementById('text'); t.value = arguments[0];"
                "t.dispatchEvent(new Event('input', {bubbles: true}))", text)
    settle(browser)


def shown(browser, name):
    return browser.run("return document.getElementById(arguments[0]).textContent", name)


@test
def the_text_of_a_loop_gives_its_cycles():
    with Folder() as folder:
        for architecture, isa, machine in (("x86_64", "x86-64", "skylake"), ("aarch64", "aarch64", "neoverse-n1")):
            program = made(folder, architecture)
            loop = loop_of(program)
            out = subprocess.run([ASSAY, "cycles", "--json", program, "--loop", str(loop), "--machine", machine],
                                 capture_output=True, text=True, check=True).stdout
            with Ui(program) as ui:
                text = text_of(ui.get(f"/1/whatif/{loop}?machine={machine}").text)
                assert "top:" in text and f"# at 0x" in text, text
                found = ask(ui, text, isa, [machine])["machines"][0]
                assert found["cycles"] == json.loads(out)[0]["cycles"] == cycles_of(text, isa, machine), (found, out)
                assert {row["line"] for row in found["rows"]} <= set(range(1, text.count("\n") + 1))
                assert any(row["chain"] for row in found["rows"]) and found["limit"] == "latency"


@test
def several_machines_at_once():
    with Folder() as folder, Ui(made(folder)) as ui:
        found = ask(ui, X86, machines=["skylake", "zen4", "neoverse-n1", "nothing"])["machines"]
        assert [found[0]["cycles"], found[1]["cycles"]] == [cycles_of(X86, "x86-64", it) for it in ("skylake", "zen4")]
        assert "does not run" in found[2]["error"] and "nothing" in found[3]["error"]


@test
def hostile_texts_are_refused():
    with Folder() as folder, Ui(made(folder)) as ui:
        secret = os.path.join(folder, "secret")
        with open(secret, "w") as out:
            out.write("nop\n")
        for text, words in ((f'nop\n.incbin "{secret}"', ".incbin is not taken"), (f'.include "{secret}"', ".include is not taken"),
                            (".rept 1000000000\nnop\n.endr", ".rept is not taken"), (".fill 1000000000", ".fill is not taken"),
                            (".macro m\nnop\n.endm\nm", ".macro is not taken"), (". = 100000000", "assigned"),
                            (".p2align 30", "at most"), (".balign 1073741824", "at most"), (".byte secret", "takes numbers"),
                            ("nop; .incbin \"x\"", ".incbin is not taken"), ("a: b: .incbin \"x\"", ".incbin is not taken"),
                            ("nop\1nop", "control character"), ("vaddpz ymm0", "unknown mnemonic vaddpz"), ("", "no instruction"),
                            ("# nothing", "no instruction"), ("nop\n" * 100000, "larger than 256 KB")):
            found = ask(ui, text)
            assert found["refusals"] and words in found["refusals"][0]["words"], (text[:60], found)
        found = ask(ui, "top:\n nop\n vaddpz %ymm0\n jmp top\n fooo %rax\n")
        assert [it["line"] for it in found["refusals"]] == [3, 5], found
        assert ui.post("/1/api/whatif", "no json", None).status == 400
        assert ui.post("/1/api/whatif", json.dumps({"text": "nop\0", "isa": "x86-64"}), None).status == 400
        assert ui.post("/1/api/whatif", json.dumps({"text": "nop", "isa": "z80"}), None).status == 400
        assert ask(ui, "\t.loc 1 2 3\n.globl f\n.cfi_startproc\nf:\tnop\n")["machines"][0]["rows"][0]["line"] == 4
        assert ui.get("/1/whatif/99999", None).status == 404
        assert ui.get("/1/whatif/x", None).status == 404


@test
def typing_changes_the_cycles():
    with Folder() as folder, Ui(made(folder)) as ui, UiBrowser(folder, ui) as browser:
        loop = loop_of(os.path.join(folder, "dot-x86_64"))
        browser.open(f"/1/whatif/{loop}?machine=skylake")
        settle(browser)
        before = shown(browser, "now")
        assert before == shown(browser, "before") == "4.00" and shown(browser, "difference") == "none", before
        type_text(browser, X86)
        now = cycles_of(X86, "x86-64", "skylake")
        assert shown(browser, "now") == f"{now:.2f}" != before and "+" in shown(browser, "difference")
        marked = browser.run("return [...document.querySelectorAll('#costs tbody tr')].flatMap((r, i) => r.matches('.chain') ? [i + 1] : [])")
        assert marked == [5, 6], marked
        assert "latency" in browser.run("return document.querySelector('#parts .limit th').textContent")

        type_text(browser, X86.replace("addsd xmm0", "adsd xmm0", 1))
        assert "line 5: unknown mnemonic adsd" in shown(browser, "refusals")
        assert shown(browser, "now") == f"{now:.2f}" and "last text" in shown(browser, "more")
        browser.run("document.querySelector('#refusals button').click()")
        assert browser.run("const t = document.activeElement; return t.value.slice(t.selectionStart, t.selectionEnd)").strip().startswith("adsd")

        type_text(browser, X86)
        browser.run("const t = document.getElementById('text'); t.focus(); const at = t.value.lastIndexOf('addsd'); t.setSelectionRange(at, at)")
        browser.run("document.getElementById('comment').click()")
        settle(browser)
        assert shown(browser, "now") == "4.00", shown(browser, "now")
        browser.run("document.getElementById('double').click()")
        settle(browser)
        text = browser.run("return document.getElementById('text').value")
        assert text.count("mulsd") == 2 and text.count("jne top") == 1 and text.count("top:") == 1, text
        assert shown(browser, "now") == f"{cycles_of(text, 'x86-64', 'skylake') / 2:.2f}"
        browser.run("document.getElementById('reset').click()")
        settle(browser)
        assert shown(browser, "difference") == "none"
        browser.inspect(None, "whatif-loop")


@test
def links_and_pages_have_everything():
    with Folder() as folder, Ui(made(folder)) as ui, Ui(made(folder, "aarch64")) as other, UiBrowser(folder, ui) as browser:
        loop = loop_of(os.path.join(folder, "dot-x86_64"))
        browser.open(f"/1/whatif/{loop}?machine=zen4")
        settle(browser)
        type_text(browser, X86)
        result = [shown(browser, name) for name in ("now", "before", "limit")]
        link = browser.run("return document.getElementById('link').value")
        assert "/1/whatif/#w1" in link and "mulsd" not in link

        browser.ask("/url", {"url": "about:blank"})
        browser.ask("/url", {"url": link})
        settle(browser)
        assert [shown(browser, name) for name in ("now", "before", "limit")] == result
        assert browser.run("return document.getElementById('text').value") == X86

        browser.ask("/url", {"url": other.link})
        browser.ask("/url", {"url": other.base + "/1/whatif/"})
        settle(browser)
        browser.run("document.getElementById('received').value = arguments[0]; document.getElementById('open').click()", link)
        browser.wait("document.getElementById('now').textContent === arguments[0]", result[0])
        assert browser.run("return document.getElementById('isa').value") == "x86-64"

        body = {"text": X86, "original": X86.replace("addsd xmm0, xmm1\n", "", 1), "isa": "x86-64", "mode": "auto", "machine": "zen4",
                "title": "loop 1 of <script>alert(1)</script>", "link": link}
        saved = ui.post("/1/whatif/export", json.dumps(body))
        half = ui.post("/1/whatif/export", json.dumps({**body, "copies": 2})).text
        assert f"<dd>{float(result[0]) / 2:.2f}</dd>" in half and "has 2 iterations" in half
        assert "attachment" in saved.headers["Content-Disposition"]
        path = os.path.join(folder, "what-if.html")
        with open(path, "wb") as out:
            out.write(saved.body)
        ui.end()
        browser.ask("/url", {"url": "file://" + path})
        words = browser.run("return document.body.innerText")
        for part in ("mulsd xmm1", result[0], "latency", "zen4", "<script>alert(1)</script>"):
            assert part in words, (part, words)
        assert browser.run("return document.getElementById('link').value") == link
        assert browser.run("return performance.getEntriesByType('resource').length") == 0
        assert not browser.axe(), browser.axe()
        assert not browser.complaints()


@test
def empty_editor():
    with Folder() as folder, Ui(made(folder)) as ui, UiBrowser(folder, ui) as browser:
        browser.open("/1/whatif/?isa=aarch64")
        settle(browser)
        type_text(browser, "top: fadd d0, d0, d1\n subs x0, x0, 1\n b.ne top\n")
        assert shown(browser, "limit") == "latency" and shown(browser, "difference") == "none"
        browser.inspect(None, "whatif-empty", widths=("narrow", "usual"))


run()
