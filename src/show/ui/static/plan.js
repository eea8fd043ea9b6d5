// Probes chosen by clicking: functions and loops are added on their pages to a plan, which the page Plan shows as a file and as a
// command.  The plan is kept by the browser; nothing here starts a program.
const [, number, kind, id] = /^\/(\d+)\/(?:(function|loop)\/(\d+))?/.exec(location.pathname) ?? [];
const STORED = "assay-plan";
const WISHES = {
    loop: [["loop", "iterations and cycles"], ["addresses", "its loads and stores"]],
    function: [["functions", "calls and times"], ["values", "its parameters"], ["loops", "its innermost loops"]],
};

function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
}

async function rows(sql) {
    const answer = await fetch(`/${number}/api/query`, { method: "POST", body: sql });
    return (await answer.json()).results?.[0]?.rows ?? [];
}

const read = () => { try { return JSON.parse(localStorage.getItem(STORED)) ?? {}; } catch { return {}; } };
const listOf = program => read()[program] ?? [];
function write(program, list) {
    try { localStorage.setItem(STORED, JSON.stringify({ ...read(), [program]: list })); } catch { /* not kept */ }
}

const same = (left, right) => left.kind === right.kind && left.id === right.id;

// The button on the page of a function or a loop.
function offer() {
    const heading = document.querySelector("main h1[data-program]");
    if (!heading)
        return;
    const { program, function: name } = heading.dataset, item = { kind, id: Number(id), name, wishes: [WISHES[kind][0][0]] };
    const button = element("button", { type: "button" }), link = element("a", { href: `/${number}/plan`, textContent: "Plan of probes" });
    const show = () => {
        const isIn = listOf(program).some(other => same(other, item));
        button.textContent = isIn ? `Do not probe this ${kind}` : `Probe this ${kind}`;
        button.setAttribute("aria-pressed", String(isIn));
        link.hidden = !listOf(program).length;
    };
    button.addEventListener("click", () => {
        const list = listOf(program), isIn = list.some(other => same(other, item));
        write(program, isIn ? list.filter(other => !same(other, item)) : [...list, item]);
        show();
    });
    show();
    const links = document.querySelector("main header p.links"), tools = element(links ? "span" : "p", { className: "tools plan-tools" }, button, " ", link);
    links ? links.append(" ", tools) : heading.after(tools);
}

const quoted = text => /^[\w./+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

function planText(list, buildId) {
    const lines = buildId ? [`build-id ${buildId}`] : [];
    for (const { kind: what, id: loop, name, wishes } of list)
        for (const wish of wishes)
            lines.push(what === "function" ? `${wish} ${name}` : wish === "addresses" ? `addresses loop ${loop}` : `loop ${loop}`);
    return `${lines.join("\n")}\n`;
}

function commandText(list, program) {
    const [only] = list, isSimple = list.length === 1 && only.kind === "loop" && only.wishes.join() === "loop";
    return `assay probe ${isSimple ? `--loops --loop ${only.id}` : "--plan plan.txt"} -o probe.db -- ${quoted(program)}`;
}

function copyButton(of, words) {
    return element("button", { type: "button", textContent: words, onclick: async () => {
        try {
            await navigator.clipboard.writeText(of.textContent);
            document.getElementById("plan-state").textContent = "Copied.";
        } catch {
            getSelection().selectAllChildren(of);
            document.getElementById("plan-state").textContent = "Selected: copy it with Ctrl-C.";
        }
    } });
}

// The page of the plan.
function show(page) {
    const { program, buildId } = page.dataset, path = program.startsWith("/") || program.startsWith("./") ? program : `./${program}`;
    const list = listOf(program);
    page.replaceChildren();
    if (!list.length) {
        page.append(element("p", { textContent: "Nothing is chosen yet. The pages of functions and loops have a button for it." }));
        return;
    }
    const lines = list.map(item => element("li", {},
        element("a", { href: `/${number}/${item.kind}/${item.id}`, textContent: item.kind === "loop" ? `loop ${item.id} of ${item.name}` : item.name }),
        ...WISHES[item.kind].map(([wish, words]) => {
            const box = element("input", { type: "checkbox", checked: item.wishes.includes(wish) });
            box.addEventListener("change", () => {
                item.wishes = WISHES[item.kind].map(([name]) => name).filter(name => name === wish ? box.checked : item.wishes.includes(name));
                write(program, list.filter(other => other.wishes.length));
                show(page);
            });
            return element("label", {}, box, ` ${words}`);
        })));
    const plan = element("pre", { id: "plan-text", textContent: planText(list, buildId) });
    const command = element("pre", { id: "plan-command", textContent: commandText(list, path) });
    page.append(element("h2", { textContent: "What is probed" }), element("ul", { className: "plan-list" }, ...lines),
        element("h2", { textContent: "plan.txt" }), plan, element("p", { className: "tools" }, copyButton(plan, "Copy the plan"),
            element("a", { href: `data:text/plain;charset=utf-8,${encodeURIComponent(plan.textContent)}`, download: "plan.txt", textContent: "Save plan.txt" })),
        element("h2", { textContent: "The command" }), command, element("p", { className: "tools" }, copyButton(command, "Copy the command")),
        element("p", { className: "note", textContent: "Arguments of the program go after it. The run is written to probe.db, which assay ui shows." }));
}

const page = document.getElementById("plan");
if (page)
    show(page);
else if (kind)
    offer();
