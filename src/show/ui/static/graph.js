// Graphs: zoom, pan, find, light up neighbours, move along edges, open and close in place.
// The server places everything; an address that is chosen is fetched, and its picture replaces the one that is shown.
import { key } from "./frame.js";

const LEAST = 0.02, MOST = 4, MANY = 400, MARGIN = 300;
const room = document.querySelector(".graph-room"), panel = document.querySelector(".graph-panel");
const tools = document.querySelector(".graph-tools .zoom"), finder = tools.querySelector("input"), found = tools.querySelector("output");
const view = { x: 0, y: 0, scale: 1 };
let svg, all, nodes, edges, selected, hits = [], hit = -1;
let address = location.pathname + location.search; // of the picture that is shown

const numbers = text => text.match(/-?\d+(\.\d+)?/g).map(Number);
const around = (x0, y0, x1, y1) => ({ x0, y0, x1, y1, isShown: true });

// The picture as the server wrote it: where its parts are, and what leads where.
function take() {
    svg = room.querySelector("svg.graph");
    all = svg.querySelector(".all");
    const [, , width, height] = numbers(svg.getAttribute("viewBox"));
    svg.removeAttribute("viewBox");
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    nodes = [...svg.querySelectorAll(".node")].map(element => {
        const [x, y] = numbers(element.getAttribute("transform")), box = element.querySelector("rect:last-of-type");
        return { element, home: element.parentNode, link: element.querySelector("a"), from: [], to: [], ...around(x, y, x + Number(box.getAttribute("width")), y + Number(box.getAttribute("height"))) };
    });
    edges = [...svg.querySelectorAll(".edge")].map(element => {
        const [from, to] = numbers(element.dataset.e).map(it => nodes[it]);
        const edge = { element, home: element.parentNode, from, to, ...around(...limits(element.getAttribute("d"))) };
        from.to.push(edge);
        to.from.push(edge);
        return edge;
    });
    for (const link of svg.querySelectorAll("a"))
        link.setAttribute("tabindex", "-1");
    const first = nodes.find(it => it.element.classList.contains("chosen")) ?? nodes[0];
    first?.link?.setAttribute("tabindex", "0");
    view.width = width;
    view.height = height;
    hits = [];
    hit = -1;
}

// Of a way: absolute coordinates, but for the arrow at its end.
function limits(way) {
    let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
    const values = numbers(way.slice(0, way.lastIndexOf("l3.5 6")));
    for (let i = 0; i + 1 < values.length; i += 2) {
        x0 = Math.min(x0, values[i]);
        x1 = Math.max(x1, values[i]);
        y0 = Math.min(y0, values[i + 1]);
        y1 = Math.max(y1, values[i + 1]);
    }
    return [x0, y0, x1, y1];
}

let isWaiting = false;
function draw() {
    if (isWaiting)
        return;
    isWaiting = true;
    requestAnimationFrame(() => {
        isWaiting = false;
        all.setAttribute("transform", `translate(${view.x.toFixed(1)} ${view.y.toFixed(1)}) scale(${view.scale.toFixed(4)})`);
        svg.classList.toggle("far", view.scale < 0.5);
        svg.classList.toggle("farther", view.scale < 0.22);
        if (nodes.length > MANY)
            cull();
    });
}

// Only what can be seen is in the document: thousands of hidden elements would still take time in every frame.
function cull() {
    const x0 = (-MARGIN - view.x) / view.scale, y0 = (-MARGIN - view.y) / view.scale;
    const x1 = (room.clientWidth + MARGIN - view.x) / view.scale, y1 = (room.clientHeight + MARGIN - view.y) / view.scale;
    for (const list of [nodes, edges])
        for (const it of list) {
            const isShown = it.x1 >= x0 && it.x0 <= x1 && it.y1 >= y0 && it.y0 <= y1;
            if (isShown === it.isShown || (!isShown && it.element.contains(document.activeElement)))
                continue;
            it.isShown = isShown;
            if (isShown)
                it.home.append(it.element);
            else
                it.element.remove();
        }
}

function move(x, y) {
    view.x += x;
    view.y += y;
    draw();
}

function zoom(factor, x = room.clientWidth / 2, y = room.clientHeight / 2) {
    const scale = Math.min(MOST, Math.max(LEAST, view.scale * factor));
    view.x = x - (x - view.x) * scale / view.scale;
    view.y = y - (y - view.y) * scale / view.scale;
    view.scale = scale;
    draw();
}

function fit(least = LEAST, most = 1) {
    const scale = Math.min(most, (room.clientWidth - 16) / view.width, (room.clientHeight - 16) / view.height);
    view.scale = Math.max(least, scale);
    view.x = (room.clientWidth - view.width * view.scale) / 2 + 4 * view.scale;
    view.y = Math.max(8, (room.clientHeight - view.height * view.scale) / 2);
    draw();
    return scale >= least;
}

// To the middle; `isGentle`: only as far as needed to see it.
function show(it, isGentle) {
    const left = it.x0 * view.scale + view.x, right = it.x1 * view.scale + view.x;
    const top = it.y0 * view.scale + view.y, bottom = it.y1 * view.scale + view.y;
    const isIn = left >= 0 && right <= room.clientWidth && top >= 0 && bottom <= room.clientHeight;
    if (isGentle && isIn)
        return;
    move(room.clientWidth / 2 - (left + right) / 2, Math.min(room.clientHeight / 2 - (top + bottom) / 2, 30 - top + room.clientHeight / 5));
}

function begin() {
    if (fit(0.45))
        return;
    // Too large to be read as a whole: its start, or what was chosen.
    view.scale = 0.8;
    const first = nodes.find(it => it.element.classList.contains("chosen")) ?? nodes[0];
    view.x = room.clientWidth / 2 - (first.x0 + first.x1) / 2 * view.scale;
    view.y = first.element.classList.contains("chosen") ? room.clientHeight / 2 - first.y0 * view.scale : 20 - first.y0 * view.scale;
    draw();
}

let lit = [];
function light(node) {
    for (const element of lit)
        element.classList.remove("lit", "near");
    lit = [];
    svg.classList.toggle("lighting", Boolean(node) && edges.length < 3000);
    for (const edge of node ? [...node.from, ...node.to] : []) {
        edge.element.classList.add("lit");
        const other = edge.from === node ? edge.to : edge.from;
        other.element.classList.add("near");
        lit.push(edge.element, other.element);
    }
}

const nodeOf = target => nodes[target.closest?.(".node")?.dataset.n] ?? null;

function focus(node) {
    if (!node?.link)
        return;
    for (const link of svg.querySelectorAll("a[tabindex='0']"))
        link.setAttribute("tabindex", "-1");
    if (!node.isShown) {
        node.isShown = true;
        node.home.append(node.element);
    }
    node.link.setAttribute("tabindex", "0");
    node.link.focus({ preventScroll: true });
    show(node, true);
}

// The next one from a node: along an edge, or at its side.
function next(node, direction) {
    const middle = it => (it.x0 + it.x1) / 2;
    const ends = direction === "ArrowDown" ? node.to.map(it => it.to) : direction === "ArrowUp" ? node.from.map(it => it.from) : [];
    const others = ends.filter(it => it !== node && it.link);
    if (others.length)
        return others.toSorted((a, b) => Math.abs(middle(a) - middle(node)) - Math.abs(middle(b) - middle(node)))[0];
    const sign = direction === "ArrowRight" ? 1 : direction === "ArrowLeft" ? -1 : 0;
    const beside = sign ? nodes.filter(it => it.link && it.y0 < node.y1 && it.y1 > node.y0 && sign * (middle(it) - middle(node)) > 0) : [];
    return beside.toSorted((a, b) => Math.abs(middle(a) - middle(node)) - Math.abs(middle(b) - middle(node)))[0];
}

room.addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey)
        return;
    const node = nodeOf(event.target), step = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (step && node && !event.shiftKey)
        focus(next(node, event.key));
    else if (step)
        move(step[0] * 60, step[1] * 60);
    else if (event.key === "Enter" && event.target === room)
        focus(selected ?? nodes.find(it => it.link?.getAttribute("tabindex") === "0") ?? nodes[0]);
    else if (event.key === "Escape" && node)
        room.focus();
    else if (event.key === "Escape" && !panel.hidden)
        choose(null);
    else
        return;
    event.preventDefault();
});

// Pointers: one drags, two zoom.
const pointers = new Map();
let dragged = 0;
room.addEventListener("pointerdown", event => {
    if (event.button)
        return;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    dragged = 0;
});
addEventListener("pointermove", event => {
    const before = pointers.get(event.pointerId);
    if (!before)
        return;
    const others = [...pointers.entries()].filter(([id]) => id !== event.pointerId).map(([, it]) => it);
    const x = event.clientX - before.x, y = event.clientY - before.y;
    dragged += Math.abs(x) + Math.abs(y);
    if (others.length) {
        const [other] = others, box = room.getBoundingClientRect();
        const was = Math.hypot(before.x - other.x, before.y - other.y), is = Math.hypot(event.clientX - other.x, event.clientY - other.y);
        if (was > 0)
            zoom(is / was, (event.clientX + other.x) / 2 - box.left, (event.clientY + other.y) / 2 - box.top);
    } else if (dragged > 4) {
        room.classList.add("held");
        move(x, y);
    }
    before.x = event.clientX;
    before.y = event.clientY;
});
const release = event => {
    pointers.delete(event.pointerId);
    room.classList.remove("held");
};
addEventListener("pointerup", release);
addEventListener("pointercancel", release);
room.addEventListener("dragstart", event => event.preventDefault());
room.addEventListener("wheel", event => {
    const box = room.getBoundingClientRect(), lines = event.deltaMode ? 20 : 1;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.002)), event.clientX - box.left, event.clientY - box.top);
}, { passive: false });
room.addEventListener("pointerover", event => light(nodeOf(event.target)));
room.addEventListener("pointerleave", () => light(null));
room.addEventListener("focusin", event => light(nodeOf(event.target)));
room.addEventListener("focusout", () => light(null));

// A link that was dragged is not followed; one that opens or closes something changes the picture in place.
room.addEventListener("click", event => {
    const link = event.target.closest("a");
    if (dragged > 4) {
        event.preventDefault();
        return;
    }
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey)
        return;
    const target = link.getAttribute("href");
    if (target.startsWith("#")) {
        event.preventDefault();
        if (location.hash !== target)
            history.pushState(null, "", target);
        choose(nodeOf(link));
    } else if (link.closest(".folded, .close")) {
        event.preventDefault();
        go(target, link.closest(".node, .loop-frame"));
    }
});

// Where something that was closed is when it is open, and the other way round.
function counterpart(id) {
    const [, kind, row] = id.match(/^(.*)-(\d+)$/) ?? [];
    const names = { "closed-loop": [`loop-${row}`], loop: [`closed-loop-${row}`], region: [`block-${row}`],
        "loop-region": [`closed-loop-${row}`, `loop-${row}`], callers: [`function-${row}`], callees: [`function-${row}`] };
    return (names[kind] ?? [id]).map(it => nodes.find(node => node.element.id === it)?.element ?? document.getElementById(it)).find(it => it);
}

// What is looked at stays where it is on the screen.
async function go(there, anchor, isBack) {
    const place = anchor && numbers(anchor.getAttribute("transform"));
    const at = place && { x: place[0] * view.scale + view.x, y: place[1] * view.scale + view.y, id: anchor.id };
    const hadFocus = svg.contains(document.activeElement);
    room.classList.add("busy");
    try {
        const answer = await fetch(there);
        if (!answer.ok)
            throw new Error(answer.statusText);
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (!isBack)
            history.pushState(null, "", there);
        address = location.pathname + location.search;
        svg.replaceWith(document.adoptNode(page.querySelector(".graph-room svg.graph")));
        for (const part of [".graph-tools .choices", ".graph-tools .download", ".graph-sentence", ".graph-legend", ".graph-list"])
            document.querySelector(part).replaceWith(document.adoptNode(page.querySelector(part)));
    } catch {
        location.assign(there);
        return;
    } finally {
        room.classList.remove("busy");
    }
    take();
    listen();
    const now = at && counterpart(at.id);
    if (now) {
        const [x, y] = numbers(now.getAttribute("transform"));
        view.x = at.x - x * view.scale;
        view.y = at.y - y * view.scale;
        draw();
        if (hadFocus)
            focus(nodeOf(now) ?? nodes.find(it => it.link && it.y0 >= y && it.x0 >= x));
    } else {
        begin();
    }
    choose(fromHash(), true);
}

function listen() {
    const form = document.querySelector(".graph-tools .choices");
    form.classList.add("live");
    form.addEventListener("change", () => {
        const words = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
        go(`${location.pathname}?${words}`);
    });
    document.querySelector(".graph-list").addEventListener("click", event => {
        const target = event.target.closest("a")?.getAttribute("href");
        const node = target?.startsWith("#") && nodes.find(it => it.element.id === target.slice(1));
        if (!node)
            return;
        event.preventDefault();
        history.pushState(null, "", target);
        choose(node);
        room.scrollIntoView({ block: "nearest" });
        focus(node);
    });
}

const fromHash = () => nodes.find(it => it.element.id === decodeURIComponent(location.hash.slice(1)));

function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
}

// The chosen block, with its instructions beside the graph.
async function choose(node, isGentle) {
    selected?.element.classList.remove("selected");
    selected = node ?? null;
    panel.hidden = true;
    if (!node)
        return;
    node.element.classList.add("selected");
    show(node, true);
    const [, row] = node.element.id.match(/^block-(\d+)$/) ?? [];
    if (!row)
        return;
    const answer = await fetch(room.dataset.api + row);
    const { columns, rows } = answer.ok ? await answer.json() : { columns: [], rows: [] };
    if (selected !== node)
        return;
    const at = Object.fromEntries(columns.map((name, i) => [name, i]));
    const program = room.dataset.api.split("/")[1];
    const button = element("button", { type: "button", textContent: "Close" });
    button.addEventListener("click", () => { choose(null); room.focus(); });
    const body = element("tbody");
    for (const it of rows) {
        const where = element("td", { className: "line", textContent: it[at.line] ?? "" });
        if (it[at.file])
            where.title = it[at.file];
        const text = element("td", { textContent: it[at.text] });
        if (it[at.callee])
            text.append(" ", element("a", { href: `/${program}/graph/flow/${it[at.function]}`, textContent: it[at.callee] }));
        body.append(element("tr", {}, element("td", { textContent: it[at.address] }), text, where));
    }
    const name = node.element.querySelector(".title").textContent;
    const loop = rows[0]?.[at.loop];
    panel.replaceChildren(element("header", {}, element("h2", { textContent: name }), ...(loop ? [element("a", { href: `/${program}/loop/${loop}`, textContent: `loop ${loop}` })] : []), button),
        element("table", {}, body));
    panel.hidden = false;
    show(node, isGentle);
}

// A block that is hidden in something closed is asked for.
async function followHash() {
    const [, row] = location.hash.match(/^#block-(\d+)$/) ?? [];
    if (fromHash())
        await choose(fromHash());
    else if (row && room.dataset.page === "blocks") {
        const words = new URLSearchParams(location.search);
        if (words.get("show") === row)
            return;
        words.set("show", row);
        await go(`${location.pathname}?${words}#block-${row}`);
    }
}

finder.addEventListener("input", () => {
    const wanted = finder.value.trim().toLowerCase();
    for (const it of hits)
        it.element.classList.remove("found");
    hits = wanted ? nodes.filter(it => it.element.textContent.toLowerCase().includes(wanted)) : [];
    hit = -1;
    for (const it of hits)
        it.element.classList.add("found");
    found.textContent = !wanted ? "" : hits.length === 1 ? "1 node" : `${hits.length} nodes`;
    if (hits.length)
        show(hits[0], true);
});
finder.addEventListener("keydown", event => {
    if (event.key === "Enter" && hits.length) {
        hit = (hit + (event.shiftKey ? hits.length - 1 : 1)) % hits.length;
        found.textContent = `${hit + 1} of ${hits.length}`;
        show(hits[hit]);
        light(hits[hit]);
    } else if (event.key === "Escape") {
        finder.value = "";
        finder.dispatchEvent(new Event("input"));
        room.focus();
    } else {
        return;
    }
    event.preventDefault();
});

const actions = { in: () => zoom(1.25), out: () => zoom(0.8), fit: () => fit(), one: () => zoom(1 / view.scale) };
tools.addEventListener("click", event => actions[event.target.closest("button")?.dataset.zoom]?.());
tools.hidden = false;
key("+", "Graph: zoom in", actions.in);
key("-", "Graph: zoom out", actions.out);
key("0", "Graph: show everything", actions.fit);
key("1", "Graph: usual size", actions.one);
key("f", "Graph: find", () => finder.focus());
key("Arrows", "Graph: move it; on a node, go along edges (Shift: move)", () => false);
key("Enter", "Graph: go to its nodes; on a node, open or choose it", () => false);
addEventListener("popstate", () => {
    if (location.pathname + location.search !== address)
        go(location.href, null, true);
    else
        choose(fromHash(), true);
});
addEventListener("hashchange", followHash);
new ResizeObserver(draw).observe(room);

room.classList.add("live");
take();
listen();
begin();
followHash();
