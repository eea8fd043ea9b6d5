// What if: the text of a loop is sent to the server whenever the reader pauses, and what comes back is put beside its lines.
// The state (both texts, instruction set, machine) is in the fragment of the address, which no server sees.
import { key } from "/static/frame.js";

const PAUSE = 150; // ms without a key before the text is sent
const REMEMBERED = 60; // answers, so that undo is immediate
const MOST_OTHERS = 4;
const at = id => document.getElementById(id);
const root = at("whatif"), text = at("text"), machine = at("machine"), isa = at("isa"), mode = at("mode"), copies = at("copies");
const number = root.dataset.number;
let original = text.value; // what is compared with
let others = []; // names of machines
let before = null, now = null; // answers: of the original text, of the last text that was right
let timer = 0, sent = null;
const answers = new Map();

function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
}

const isFigure = value => typeof value === "number";
const shown = value => isFigure(value) ? value.toFixed(2) : "–";
const machineOf = (answer, i = 0) => answer?.machines?.[i];

// ---- asking

async function ask(words, signal) {
    const names = [machine.value, ...others];
    const body = JSON.stringify({ text: words, isa: isa.value, mode: mode.value, machines: names });
    if (answers.has(body))
        return answers.get(body);
    const reply = await fetch(`/${number}/api/whatif`, { method: "POST", body, signal, headers: { "Content-Type": "application/json" } });
    if (!reply.ok)
        throw new Error(reply.status === 413 ? "The text is too large." : "Assay gives no answer to this text.");
    const answer = await reply.json();
    answers.set(body, answer);
    if (answers.size > REMEMBERED)
        answers.delete(answers.keys().next().value);
    return answer;
}

async function compute() {
    clearTimeout(timer);
    sent?.abort();
    const mine = sent = new AbortController();
    root.dataset.state = "waiting";
    try {
        const words = text.value;
        if (!words.trim()) {
            now = null;
            show([]);
        } else {
            const first = original.trim() ? await ask(original, mine.signal) : null;
            const answer = words === original ? first : await ask(words, mine.signal);
            if (mine.signal.aborted)
                return;
            before = first?.machines ? first : before;
            if (!original.trim() && answer.machines) { // the first text that is right is what the others are compared with
                original = words;
                before = answer;
            }
            if (answer.machines)
                now = answer;
            show(answer.refusals, answer.machines ? machineOf(answer).rows : null);
        }
        await store();
        root.dataset.state = "done";
    } catch (error) {
        if (error.name === "AbortError")
            return;
        show([{ line: 0, words: error.message }]);
        root.dataset.state = "failed";
    }
}

const later = () => { clearTimeout(timer); timer = setTimeout(compute, PAUSE); root.dataset.state = "waiting"; layOut(); };

// ---- showing

// The text is as high as its lines, so that the costs stand beside them.
function layOut(wrong = new Set()) {
    const count = text.value.split("\n").length;
    const style = getComputedStyle(text);
    text.style.height = `${count * parseFloat(style.lineHeight) + parseFloat(style.paddingTop) + parseFloat(style.paddingBottom)}px`;
    const gutter = at("gutter");
    gutter.replaceChildren(...Array.from({ length: count }, (_, i) => wrong.has(i + 1) ? element("b", { textContent: `${i + 1}\n` }) : `${i + 1}\n`));
}

const latencyOf = row => !isFigure(row.most) ? "" : row.least < row.most ? `${row.least}-${row.most}` : `${row.most}`;

function portsOf(row, ports) {
    return row.ports.map((uops, i) => uops >= 0.005 ? element("i", { textContent: `${ports[i].name} ${uops.toFixed(2)}`, title: ports[i].words }) : null).filter(Boolean);
}

// One row for each line of the text; rows that are unchanged stay as they are.
function showCosts(rows, refusals) {
    const body = at("costs").tBodies[0], count = text.value.split("\n").length;
    const ports = machineOf(now)?.ports ?? [], byLine = new Map(), wrong = new Map(refusals.map(it => [it.line, it.words]));
    for (const row of rows ?? [])
        (byLine.get(row.line) ?? byLine.set(row.line, []).get(row.line)).push(row);
    const made = [];
    for (let line = 1; line <= count; line++) {
        const found = byLine.get(line) ?? [], row = found[0];
        const line_ = element("tr", {}, element("th", { scope: "row" }, element("span", { className: "unseen", textContent: `${line}` })));
        if (wrong.has(line)) {
            line_.className = "wrong";
            line_.append(element("td", { className: "uops", textContent: "!" }), element("td", { className: "latency" }), element("td", { className: "ports" }),
                element("td", { className: "remark", textContent: wrong.get(line), title: wrong.get(line) }));
        } else {
            line_.className = [found.some(it => it.limit) && "limit", found.some(it => it.chain) && "chain"].filter(Boolean).join(" ");
            const isPlain = row && !row.entry, note = found.map(it => it.note).filter(Boolean).join("; ");
            line_.append(element("td", { className: "uops", textContent: isPlain ? found.reduce((sum, it) => sum + it.uops, 0) : "" }),
                element("td", { className: "latency", textContent: isPlain ? latencyOf(row) : "" }),
                element("td", { className: "ports" }, ...(isPlain ? found.flatMap(it => portsOf(it, ports)) : [])),
                element("td", { className: "remark", textContent: note }));
        }
        made.push(line_);
    }
    body.replaceChildren(...made);
}

function pair(old, fresh, most) {
    const bars = element("span", { className: "pair" }, element("i"), element("i"));
    [old, fresh].forEach((value, i) => { bars.children[i].style.width = `${most > 0 ? Math.min(100, 100 * (value ?? 0) / most) : 0}%`; });
    return bars;
}

function showPairs(table, names, old, fresh, limit, words) {
    const most = Math.max(...names.flatMap(name => [old.get(name) ?? 0, fresh.get(name) ?? 0]), 0);
    at(table).tBodies[0].replaceChildren(...names.map(name => element("tr", { className: name === limit ? "limit" : "", title: words.get(name) ?? "" },
        element("th", { scope: "row", textContent: name }), element("td", {}, pair(old.get(name), fresh.get(name), most)),
        element("td", { className: "figure", textContent: shown(old.get(name)) }), element("td", { className: "figure", textContent: shown(fresh.get(name)) }))));
}

function showDrawings() {
    const old = machineOf(before), fresh = machineOf(now) ?? old;
    const cycles = (list, each = it => it) => new Map((list ?? []).map(it => [it.part, each(it.cycles)])), uops = (list, each = it => it) => new Map((list ?? []).map(it => [it.name, each(it.uops)]));
    const parts = [...(fresh?.parts ?? []), ...(old?.parts ?? [])];
    showPairs("parts", [...new Set(parts.map(it => it.part))], cycles(old?.parts), cycles(fresh?.parts, perIteration), fresh?.limit, new Map(parts.map(it => [it.part, it.words])));
    const ports = fresh?.ports ?? [];
    const full = Math.max(0, ...ports.map(it => it.uops));
    showPairs("ports", ports.map(it => it.name), uops(old?.ports), uops(ports, perIteration), ports.find(it => it.uops >= full && fresh?.limit === "ports")?.name,
        new Map(ports.map(it => [it.name, it.words])));
}

const perIteration = value => isFigure(value) ? value / Math.max(1, Number(copies.value) || 1) : value;

function showDifference(cell, old, fresh) {
    const isKnown = isFigure(old) && isFigure(fresh), difference = isKnown ? fresh - old : 0;
    cell.className = cell.className.replace(/ ?\b(gain|loss)\b/g, "") + (difference < -0.004 ? " gain" : difference > 0.004 ? " loss" : "");
    const sign = value => value > 0 ? "+" : value < 0 ? "−" : "±";
    const share = isKnown && old > 0 ? 100 * difference / old : 0;
    cell.textContent = !isKnown ? "–" : Math.abs(difference) < 0.005 ? "none" : `${sign(difference)}${Math.abs(difference).toFixed(2)} (${sign(share)}${Math.abs(share).toFixed(1)} %)`;
}

function showResult(refusals) {
    const old = machineOf(before), fresh = machineOf(now);
    at("result").classList.toggle("old", refusals.length > 0);
    at("now").textContent = shown(perIteration(fresh?.cycles));
    at("before").textContent = shown(old?.cycles);
    showDifference(at("difference"), old?.cycles, perIteration(fresh?.cycles));
    at("limit").textContent = fresh?.limit ?? "–";
    at("limit").title = fresh?.limitWords ?? "";
    at("next").textContent = fresh?.next ? `${shown(perIteration(fresh.nextCycles))} (${fresh.next})` : "–";
    const words = [];
    if (refusals.length)
        words.push("The last text that could be assembled:");
    if (fresh?.refusal || fresh?.error)
        words.push(`No cycles: ${fresh.refusal ?? fresh.error}.`);
    if (fresh && isFigure(fresh.cycles))
        words.push(`${fresh.title ?? fresh.machine}: ${fresh.instructions} instructions, ${fresh.uops} µops, ${fresh.bytes} bytes, ${(fresh.instructions / fresh.cycles).toFixed(2)} instructions per cycle`
            + (fresh.mode === "loop" ? "" : ", repeated without a branch") + (fresh.source ? `, µops from the ${fresh.source}` : "") + (fresh.remark ? `; ${fresh.remark}` : "") + ".");
    if (isFigure(fresh?.unaligned))
        words.push(`${shown(perIteration(fresh.unaligned))} cycles with the worst alignment of the data.`);
    at("more").textContent = words.join(" ");
}

function showOthers() {
    const section = at("others").closest(".wide");
    section.hidden = !others.length;
    at("others").tBodies[0].replaceChildren(...others.map((name, i) => {
        const old = machineOf(before, i + 1), fresh = machineOf(now, i + 1), cell = element("td", { className: "figure" });
        showDifference(cell, old?.cycles, perIteration(fresh?.cycles));
        const gone = element("button", { type: "button", textContent: "Remove" });
        gone.setAttribute("aria-label", `Remove ${fresh?.title ?? name}`);
        gone.addEventListener("click", () => { others.splice(i, 1); compute(); });
        return element("tr", {}, element("th", { scope: "row", textContent: fresh?.title ?? name }), element("td", { className: "figure", textContent: shown(old?.cycles) }),
            element("td", { className: "figure", textContent: shown(perIteration(fresh?.cycles)) }), cell,
            element("td", { textContent: fresh?.refusal ?? fresh?.error ?? fresh?.limit ?? "" }), element("td", {}, gone));
    }));
}

function goTo(line) {
    const lines = text.value.split("\n"), start = lines.slice(0, line - 1).reduce((sum, it) => sum + it.length + 1, 0);
    text.focus();
    text.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
}

function showRefusals(refusals) {
    const made = refusals.slice(0, 5).map(({ line, words }) => {
        if (!line)
            return element("p", { textContent: words });
        const link = element("button", { type: "button", textContent: `line ${line}: ${words}` });
        link.addEventListener("click", () => goTo(line));
        return element("p", {}, link);
    });
    if (refusals.length > 5)
        made.push(element("p", { textContent: `and ${refusals.length - 5} more` }));
    const isIntel = refusals.length && !isa.value.startsWith("aarch") && !/^\s*\.(intel|att)_syntax/m.test(text.value) && !text.value.includes("%");
    if (isIntel)
        made.push(element("p", { textContent: "If this is Intel syntax, its first line must be .intel_syntax noprefix" }));
    at("refusals").replaceChildren(...made);
}

let lastRows = null;
function show(refusals, rows = lastRows) {
    if (rows)
        lastRows = rows;
    layOut(new Set(refusals.map(it => it.line)));
    showResult(refusals);
    showCosts(refusals.length ? [] : rows, refusals);
    showDrawings();
    showOthers();
    showRefusals(refusals);
}

// ---- changing

// Through the editor's own command, so that its undo knows it.
function replace(start, end, words) {
    text.focus();
    text.setSelectionRange(start, end);
    if (!document.execCommand?.("insertText", false, words))
        text.setRangeText(words, start, end, "end");
    later();
}

function linesOfSelection() {
    const start = text.value.lastIndexOf("\n", text.selectionStart - 1) + 1;
    const close = text.value.indexOf("\n", Math.max(text.selectionStart, text.selectionEnd - 1));
    return { start, end: close < 0 ? text.value.length : close };
}

function comment() {
    const { start, end } = linesOfSelection(), lines = text.value.slice(start, end).split("\n");
    const isOut = lines.every(it => !it.trim() || it.startsWith("#"));
    replace(start, end, lines.map(it => isOut ? it.replace(/^# ?/, "") : it.trim() ? `# ${it}` : it).join("\n"));
}

const BRANCH = /^\s*(\{\w+\}\s*)?(j\w+|loop\w*|b(\.\w+)?|cbn?z|tbn?z)\s/i, LABEL = /^\s*([\w.$]+):/;

// Two iterations in one: the text from the first instruction of the loop to the branch back stands twice.  Labels of the copy get
// names of their own.
function double() {
    const rows = (lastRows ?? []).filter(it => !it.entry && it.line), lines = text.value.split("\n");
    if (!rows.length || at("refusals").childElementCount)
        return;
    const first = rows[0].line - 1, last = rows.at(-1).line - 1;
    const body = lines.slice(first, BRANCH.test(lines[last]) ? last : last + 1).filter(it => !/^# at /.test(it));
    const names = body.map(it => LABEL.exec(it)?.[1]).filter(Boolean), mark = `_${copies.value}`;
    const rename = it => names.reduce((line, name) => line.replace(new RegExp(`(^|[^\\w.$])${name.replace(/[.$]/g, "\\$&")}(?![\\w.$])`, "g"), `$1${name}${mark}`), it);
    const start = lines.slice(0, first).reduce((sum, it) => sum + it.length + 1, 0);
    copies.value = Math.min(64, 2 * (Number(copies.value) || 1));
    replace(start, start, body.map(rename).join("\n") + "\n");
}

function reset() {
    copies.value = 1;
    replace(0, text.value.length, original);
}

// ---- the state in the address

const bytesOf = async stream => new Uint8Array(await new Response(stream).arrayBuffer());
const pack = words => bytesOf(new Blob([words]).stream().pipeThrough(new CompressionStream("deflate-raw")));
const unpack = async bytes => new TextDecoder().decode(await bytesOf(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))));

function toAddress(bytes) {
    let words = "";
    for (const byte of bytes)
        words += String.fromCharCode(byte);
    return btoa(words).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
const fromAddress = words => Uint8Array.from(atob(words.replaceAll("-", "+").replaceAll("_", "/")), it => it.charCodeAt(0));

const state = () => ({ v: 1, text: text.value, original, isa: isa.value, machine: machine.value, mode: mode.value, copies: Number(copies.value) || 1,
    others, loop: Number(root.dataset.loop), title: root.dataset.title, place: root.dataset.place });

async function link() {
    return `${location.origin}/${number}/whatif/#w1${toAddress(await pack(JSON.stringify(state())))}`;
}

async function store() {
    const address = await link();
    at("link").value = address;
    const isChanged = text.value !== original || location.hash.startsWith("#w1") || others.length;
    if (isChanged)
        history.replaceState(null, "", location.pathname + location.search + new URL(address).hash);
}

async function restore(hash) {
    const packed = /#w1([\w-]+)$/.exec(hash)?.[1];
    if (!packed)
        return false;
    const words = await unpack(fromAddress(packed)), found = JSON.parse(words);
    if (typeof found.text !== "string" || found.text.length > 1 << 20)
        throw new Error("it holds no text");
    text.value = found.text;
    original = typeof found.original === "string" ? found.original : found.text;
    isa.value = [...isa.options].some(it => it.value === found.isa) ? found.isa : isa.value;
    offer();
    const has = name => [...machine.options].some(it => it.value === name && !it.disabled);
    machine.value = has(found.machine) ? found.machine : "";
    mode.value = ["auto", "loop", "unrolled"].includes(found.mode) ? found.mode : "auto";
    copies.value = Math.min(64, Math.max(1, Number(found.copies) || 1));
    others = (Array.isArray(found.others) ? found.others : []).filter(it => typeof it === "string" && it && has(it)).slice(0, MOST_OTHERS);
    root.dataset.loop = Number(found.loop) || 0;
    root.dataset.title = String(found.title ?? "a loop").slice(0, 300);
    root.dataset.place = String(found.place ?? "").slice(0, 300);
    before = now = null;
    return true;
}

// Machines that run the chosen instruction set.
function offer() {
    const wanted = isa.value === "i386" ? "x86-64" : isa.value;
    for (const option of document.querySelectorAll("#machine option[data-isa], #other option"))
        option.hidden = option.disabled = option.dataset.isa !== wanted;
    for (const choice of [machine, at("other")])
        if (choice.selectedOptions[0]?.disabled)
            choice.value = [...choice.options].find(it => !it.disabled)?.value ?? "";
}

const say = words => { at("said").textContent = words; };

async function copy() {
    const address = await link();
    at("link").value = address;
    try {
        await navigator.clipboard.writeText(address);
        say("The link is in the clipboard.");
    } catch {
        at("link").select();
        say("Copy the selected link.");
    }
}

async function open() {
    try {
        const is = await restore(at("received").value.trim());
        say(is ? "" : "This is not a link to What if: it must contain #w1…");
        if (is)
            await compute();
    } catch (error) {
        say(`The link cannot be read: ${error.message}`);
    }
}

async function save() {
    const body = JSON.stringify({ text: text.value, original, isa: isa.value, mode: mode.value, machine: machine.value, copies: Number(copies.value) || 1, title: root.dataset.title,
        place: root.dataset.place, link: await link() });
    const reply = await fetch(`/${number}/whatif/export`, { method: "POST", body, headers: { "Content-Type": "application/json" } });
    if (!reply.ok) {
        say("The page cannot be made: both texts must assemble.");
        return;
    }
    const made = element("a", { href: URL.createObjectURL(await reply.blob()), download: "what-if.html" });
    made.click();
    setTimeout(() => URL.revokeObjectURL(made.href), 10000);
    say("The page was saved as what-if.html.");
}

// ---- all of it together

text.addEventListener("input", later);
for (const choice of [machine, mode, copies])
    choice.addEventListener("change", () => compute());
isa.addEventListener("change", () => { offer(); others = []; before = now = null; compute(); });
for (const [name, action] of Object.entries({ comment, double, reset, copy, open, export: save }))
    at(name).addEventListener("click", action);
at("add").addEventListener("click", () => {
    const name = at("other").value;
    if (name && !others.includes(name) && others.length < MOST_OTHERS)
        others.push(name);
    compute();
});
at("received").addEventListener("keydown", event => { if (event.key === "Enter") open(); });
window.addEventListener("hashchange", async () => { if (await restore(location.hash).catch(() => false)) compute(); });
key("Ctrl+/", "What if: remove the line, or put it back", comment);
key("Ctrl+Enter", "What if: compute now", () => compute());
key("e", "What if: edit the text", () => { text.focus(); });

// The page is drawn first: what computes the answer runs on the same computer.
const drawn = new Promise(done => document.readyState === "complete" ? done() : window.addEventListener("load", done, { once: true }));

offer();
restore(location.hash).catch(() => say("The link in the address cannot be read.")).finally(() => drawn.then(compute));
