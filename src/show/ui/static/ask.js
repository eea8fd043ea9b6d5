// Ask: the editor, the menus of analyses, the tables, what is run, and what came of it.
import { Suggestions } from "./combobox.js";
import { Editor } from "./editor.js";
import { key } from "./frame.js";
import { counted, section } from "./results.js";
import { header, macros, Schema, withHeader } from "./sql.js";

const $ = id => document.getElementById(id);
const base = location.pathname.replace(/ask$/, "");
const HISTORY = "assay-ask-history", CHART = "assay-ask-chart", MOST_KEPT = 40, FEW = 1000, MANY = 20000;
const EXAMPLE = "select f.name as function, l.id as loop, l.depth, l.instruction_count as instructions, f.id as function_id\n"
    + "  from loops l\n  join functions f on f.id = l.function\n where l.is_innermost\n order by l.instruction_count desc\n limit 20";

function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
}

const stored = {
    get(name, otherwise) { try { return JSON.parse(localStorage.getItem(name)) ?? otherwise; } catch { return otherwise; } },
    set(name, value) { try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* for this page only */ } },
};

const sentence = words => words && `${words[0].toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;

const [schemaAnswer, menus] = await Promise.all(["api/schema", "api/analyses"].map(async path => {
    const answer = await fetch(base + path);
    if (!answer.ok)
        throw new Error(`${path}: ${answer.status}`);
    return answer.json();
}));
const schema = new Schema(schemaAnswer);
const editor = new Editor($("sql"), $("ink"), schema);
const given = new Map(); // values of fields by their name in the address, kept while the text changes
const shownNames = new Map(); // "function 12": its name
let running = null, most = FEW;

/* What the text needs: rows for its macros, values of its parameters. */

function chooser(macro, isOptional) {
    const kind = macro.toLowerCase(), id = `field-${kind}`;
    const input = element("input", { id, type: "text", autocomplete: "off", spellcheck: false, required: !isOptional,
        placeholder: isOptional ? "all" : kind === "block" ? "number" : "name or number" });
    const name = () => given.has(kind) ? shownNames.get(`${kind} ${given.get(kind)}`) ?? given.get(kind) : "";
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.value = name();
    let asked = 0;
    const list = new Suggestions(input, {
        label: `${macro}: choose one`,
        line: ([number, title, place]) => [title, [`${kind} ${number}`, place].filter(Boolean).join(" · ")],
        take: ([number, title]) => {
            given.set(kind, String(number));
            shownNames.set(`${kind} ${number}`, kind === "loop" || kind === "block" ? `${number} (${title})` : title);
            input.value = name();
        },
    });
    const look = async () => {
        const turn = ++asked;
        const answer = await fetch(`${base}api/choose?kind=${kind}&text=${encodeURIComponent(input.value)}`);
        if (answer.ok && turn === asked && document.activeElement === input)
            list.show(await answer.json(), input.getBoundingClientRect());
    };
    input.addEventListener("input", () => {
        if (/^\d+$/.test(input.value.trim()))
            given.set(kind, input.value.trim());
        else
            given.delete(kind);
        input.value.trim() ? look() : list.close();
    });
    input.addEventListener("keydown", event => {
        if (event.key === "ArrowDown" && !list.isOpen) {
            event.preventDefault();
            look();
        }
    });
    return element("label", { htmlFor: id }, element("code", { textContent: macro }), input);
}

function parameterField({ name, initial, words }) {
    const input = element("input", { type: "text", autocomplete: "off", spellcheck: false, placeholder: initial, value: given.get(`p.${name}`) ?? "" });
    input.addEventListener("input", () => { input.value ? given.set(`p.${name}`, input.value) : given.delete(`p.${name}`); });
    return element("label", {}, element("code", { textContent: `:${name}` }), input, element("span", { className: "note", textContent: words }));
}

let fieldsOf = "";
function showFields() {
    const head = header(editor.text), used = macros(editor.text, schema);
    const now = JSON.stringify([used, [...head.optional], head.parameters]);
    $("chosen").hidden = !head.fields.title;
    $("chosen").querySelector("h2").textContent = head.fields.title ?? "";
    $("chosen").querySelector("p").textContent = sentence(head.fields.does ?? "");
    if (now === fieldsOf)
        return;
    fieldsOf = now;
    $("fields").replaceChildren(...used.map(macro => chooser(macro, head.optional.has(macro))), ...head.parameters.map(parameterField));
    $("fields").hidden = !$("fields").childElementCount;
}

function values() {
    const { parameters } = header(editor.text), address = new URLSearchParams();
    for (const name of [...macros(editor.text, schema).map(macro => macro.toLowerCase()), ...parameters.map(({ name }) => `p.${name}`)])
        if (given.has(name))
            address.set(name, given.get(name));
    return address;
}

/* Running. */

function say(words) { $("state").textContent = words; }

function complain(words, place) {
    const suggestion = /; did you mean (.+)\?$/.exec(words), box = $("wrong");
    box.hidden = !words;
    box.replaceChildren(words);
    editor.mark(place ?? -1);
    if (place === undefined || !words)
        return;
    const line = editor.text.slice(0, place).split("\n").length;
    box.append(" ", element("button", { type: "button", textContent: `Line ${line}`, onclick: () => {
        editor.field.focus();
        editor.field.setSelectionRange(place, place + (/^[\w.]+/.exec(editor.text.slice(place))?.[0].length ?? 0));
    } }));
    if (suggestion)
        box.append(" ", element("button", { type: "button", textContent: `Use ${suggestion[1]}`, onclick: () => {
            const wrong = /^(?:\w+\.)?(\w+)/.exec(editor.text.slice(place));
            if (!wrong)
                return;
            const start = place + wrong[0].length - wrong[1].length;
            editor.field.focus();
            editor.field.setSelectionRange(start, start + wrong[1].length);
            document.execCommand("insertText", false, suggestion[1]);
            run();
        } }));
}

function lacking() {
    const { optional } = header(editor.text);
    return macros(editor.text, schema).find(macro => !optional.has(macro) && !given.has(macro.toLowerCase()));
}

function remember() {
    const text = editor.text.trim(), list = [text, ...stored.get(HISTORY, []).filter(other => other !== text)].slice(0, MOST_KEPT);
    stored.set(HISTORY, list);
    showHistory();
    const address = values();
    address.set("sql", editor.text);
    history.replaceState(null, "", `#${address}`);
}

function showHistory() {
    const line = text => header(text).fields.title ?? text.replace(/\s+/g, " ").slice(0, 80);
    const list = stored.get(HISTORY, []);
    $("history").replaceChildren(element("option", { value: "", textContent: list.length ? "choose…" : "nothing yet" }),
        ...list.map((text, at) => element("option", { value: String(at), textContent: line(text) })));
}

async function ask(path, address) {
    const name = crypto.getRandomValues(new Uint32Array(4)).join("-"), begun = performance.now();
    address.set("name", name);
    running = { name, isStopped: false };
    $("stop").hidden = false;
    $("run").disabled = true;
    complain("");
    const timer = setInterval(() => say(`Running for ${Math.round((performance.now() - begun) / 1000)} s …`), 1000);
    try {
        return await fetch(`${base}${path}?${address}`, { method: "POST", body: editor.text });
    } finally {
        clearInterval(timer);
        running = null;
        $("stop").hidden = true;
        $("run").disabled = false;
    }
}

async function stop() {
    if (running)
        await fetch(`${base}api/query/stop?name=${encodeURIComponent(running.name)}`, { method: "POST", body: "" });
}

function showAnswer(answer) {
    const isHistogram = header(editor.text).fields.shows === "histogram", rows = answer.results.reduce((sum, { rows: list }) => sum + list.length, 0);
    say(`${counted(rows, "row")}, ${answer.seconds < 0.0995 ? `${(answer.seconds * 1000).toFixed(1)} ms` : `${answer.seconds.toFixed(2)} s`}`);
    $("results").replaceChildren(
        ...answer.notes.map(note => element("p", { className: "note", textContent: note })),
        ...answer.results.map((result, at) => section(result, {
            base, isHistogram, number: answer.results.length > 1 ? at + 1 : 0,
            showsChart: stored.get(CHART, false), toggled: isOn => stored.set(CHART, isOn),
            more: () => { most = MANY; run(); },
        })));
}

async function run() {
    if (running)
        return;
    const macro = lacking();
    if (!editor.text.trim())
        return;
    if (macro) {
        complain(`Choose a ${macro.toLowerCase()} for ${macro}.`);
        $(`field-${macro.toLowerCase()}`)?.focus();
        return;
    }
    const address = values();
    address.set("most", most);
    most = FEW;
    remember();
    say("Running …");
    try {
        const answer = await ask("api/query", address), found = await answer.json();
        if (found.error === undefined)
            showAnswer(found);
        else {
            $("results").replaceChildren();
            say(found.stopped ? "Stopped." : "");
            if (!found.stopped)
                complain(found.error, found.place);
        }
    } catch {
        say("");
        complain("The server does not answer.");
    }
}

async function download(format) {
    if (running || !editor.text.trim() || lacking())
        return run();
    const address = values();
    address.set("format", format);
    address.set("seconds", "28");
    say("Exporting …");
    const answer = await ask("api/export", address);
    if (!answer.ok) {
        const found = await answer.json();
        say("");
        complain(found.error, found.place);
        return;
    }
    const link = element("a", { href: URL.createObjectURL(await answer.blob()), download: `result.${format}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say(`result.${format} is saved.`);
}

/* The menus and the tables beside the editor. */

function take(text) {
    editor.text = text;
    given.clear();
    fieldsOf = "";
    showFields();
    if (lacking()) {
        $("results").replaceChildren();
        complain("");
        say("");
        $("fields").querySelector("input").focus();
    } else
        run();
}

function showMenus(list) {
    const groups = new Map();
    for (const analysis of list)
        groups.set(analysis.group_title, [...groups.get(analysis.group_title) ?? [], analysis]);
    $("analyses").replaceChildren(...Array.from(groups, ([title, members]) => element("details", { className: "menu" },
        element("summary", { textContent: title }),
        element("ul", {}, ...members.map(analysis => element("li", {},
            element("button", { type: "button", onclick: () => take(analysis.text) },
                element("b", { textContent: analysis.title }),
                element("span", { textContent: sentence(analysis.does) + (analysis.isa ? ` (${analysis.isa})` : "") + (analysis.is_own ? " (your own)" : "") }))))))));
    $("groups").replaceChildren(...new Set(list.map(({ group }) => group).filter(Boolean)).values().map(value => element("option", { value })));
}

function columnLine([name, type, does, words]) {
    const detail = [type, does, words.length ? words.join(", ") : ""].filter(Boolean).join(" · ");
    return element("li", {}, element("button", { type: "button", onclick: () => editor.insert(name) },
        element("b", { textContent: name }), element("span", { textContent: detail })));
}

function tableLine(table) {
    const made = element("details", { className: "menu table" }, element("summary", {}, element("b", { textContent: table.name }),
        element("span", { textContent: table.does })));
    made.addEventListener("toggle", () => {
        if (made.open && !made.querySelector("ul"))
            made.append(element("ul", {}, element("li", {}, element("button", { type: "button", className: "insert", textContent: `Insert ${table.name}`,
                onclick: () => editor.insert(table.name) })), ...table.columns.map(columnLine)));
    });
    return made;
}

function find() {
    const wanted = $("find").value.trim().toLowerCase(), has = text => text.toLowerCase().includes(wanted);
    for (const group of $("analyses").children) {
        let shown = 0;
        for (const line of group.querySelectorAll("li"))
            shown += !(line.hidden = !has(line.textContent));
        group.hidden = !shown;
        group.open = Boolean(wanted) && shown > 0;
    }
    schema.tables.forEach((table, at) => {
        const line = $("tables").children[at];
        line.hidden = !(has(table.name) || table.columns.some(([name]) => has(name)) || (wanted.length > 3 && has(table.does)));
    });
    if (wanted)
        for (const side of document.querySelectorAll(".side"))
            side.open = true;
}

/* Saving. */

let replaces = false;
function openSaving() {
    const { fields } = header(editor.text);
    for (const [id, value] of [["save-title", fields.title], ["save-does", fields.does], ["save-group", fields.group]])
        $(id).value = value ?? "";
    $("save-state").textContent = menus.can_save ? "" : "There is no folder for analyses: HOME is not set.";
    askAgain(false);
    $("saving").showModal();
}

function askAgain(isAgain) {
    replaces = isAgain;
    $("save-do").textContent = isAgain ? "Replace it" : "Save";
}

async function save(event) {
    event.preventDefault();
    const name = $("save-name").value;
    const text = withHeader(editor.text, { title: $("save-title").value, group: $("save-group").value, does: $("save-does").value }, schema);
    const answer = await fetch(`${base}api/analyses?name=${encodeURIComponent(name)}${replaces ? "&replace=yes" : ""}`, { method: "POST", body: text });
    const found = await answer.json();
    if (answer.status === 409) {
        $("save-state").textContent = found.exists === "own" ? `You have an analysis ${name} already. Replace it?`
            : `Assay comes with an analysis ${name}. Yours would take its place in the menu.`;
        askAgain(true);
    } else if (!answer.ok)
        $("save-state").textContent = found.error;
    else {
        $("saving").close();
        editor.text = text;
        showFields();
        say(`Saved: ${found.path}`);
        showMenus((await (await fetch(`${base}api/analyses`)).json()).analyses);
        find();
    }
}

/* What the reader can do. */

$("form").addEventListener("submit", event => { event.preventDefault(); run(); });
$("stop").addEventListener("click", stop);
$("csv").addEventListener("click", () => download("csv"));
$("json").addEventListener("click", () => download("json"));
$("save").addEventListener("click", openSaving);
$("save-cancel").addEventListener("click", () => $("saving").close());
$("saving").querySelector("form").addEventListener("submit", save);
$("save-name").addEventListener("input", () => { askAgain(false); $("save-state").textContent = ""; });
$("find").addEventListener("input", find);
$("link").addEventListener("click", async () => {
    const address = values();
    address.set("sql", editor.text);
    history.replaceState(null, "", `#${address}`);
    try {
        await navigator.clipboard.writeText(location.href);
        say("The link is copied.");
    } catch {
        say("The address of this page is the link.");
    }
});
$("history").addEventListener("change", () => {
    const text = stored.get(HISTORY, [])[Number($("history").value)];
    if (text !== undefined) {
        editor.text = text;
        showFields();
        editor.field.focus();
    }
});
editor.field.addEventListener("input", showFields);
document.addEventListener("keydown", event => {
    if (event.key === "Escape" && running && event.target.matches("textarea, input, select") && !event.defaultPrevented)
        stop();
});
key("Ctrl+Enter", "run the query", () => { run(); });
key("Escape", "stop the query", () => running ? void stop() : false);
key("Ctrl+Space", "complete a name in the editor", () => false);
key("e", "go to the editor", () => editor.field.focus());

showMenus(menus.analyses);
$("tables").replaceChildren(...schema.tables.map(tableLine));
showHistory();
const isWide = matchMedia("(min-width: 1000px)").matches;
$("side-analyses").open = $("side-tables").open = isWide;

function takeAddress() {
    const address = new URLSearchParams(location.hash.slice(1)), sql = address.get("sql"), named = address.get("analysis");
    const text = sql ?? menus.analyses.find(({ name }) => name === named)?.text;
    given.clear();
    for (const [name, value] of address)
        if (name !== "sql" && name !== "analysis")
            given.set(name, value);
    editor.text = text ?? EXAMPLE;
    fieldsOf = "";
    showFields();
    if (text && !lacking())
        run();
}
addEventListener("hashchange", takeAddress);
takeAddress();
document.body.dataset.ready = "yes";
