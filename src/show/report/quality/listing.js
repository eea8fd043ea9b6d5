/* The code of a loop: source lines, instructions, the drawing of dependences and cards of advice belong together.  What is under the
   mouse or has the focus lights up with its kin; a click keeps it lit and brings its kin into view.  The arrow keys go from row to
   row, Enter to the other side, Escape lets go.  Everything listens at the document, so a page may replace its content. */
"use strict";

(function () {
    let lit = [], kept = null;

    const all = (root, selector) => root ? Array.from(root.querySelectorAll(selector)) : [];
    const loopOf = element => element.closest(".loop");

    /* Rows of instructions by their places, and what the drawing has of them. */
    function instructions(loop, prefix, places) {
        const wanted = new Set(places);
        const rows = places.map(place => document.getElementById(prefix + place)).filter(row => row);
        return rows.concat(all(loop, ".links .node").filter(node => wanted.has(node.dataset.i)));
    }

    function placeOf(row) {
        return row.id.replace(/^.*-i/, "");
    }

    /* The element that a row, a node or a card is, and what lights up with it. */
    function subject(target) {
        return target.closest?.(".code tr[id], .links .node[data-i], .card");
    }

    function kin(element) {
        if (!element)
            return [];
        const loop = loopOf(element);
        if (element.matches(".card")) {
            const places = (element.dataset.evidence || "").split(" ").filter(place => place);
            return instructions(loop, element.id.replace(/-a\d+$/, "-i"), places);
        }
        if (element.matches(".node"))
            return instructions(loop, "l" + element.closest(".links").dataset.loop + "-i", [element.dataset.i]).concat(
                lineOf(document.getElementById("l" + element.closest(".links").dataset.loop + "-i" + element.dataset.i)));
        const rows = "k" in element.dataset ? all(element.closest(".code"), "tr[data-k='" + element.dataset.k + "']") : [element];
        const places = (element.closest(".assembly") ? [element] : rows.filter(row => row.closest(".assembly"))).map(placeOf);
        return rows.concat(all(loop, ".links .node").filter(node => places.includes(node.dataset.i)));
    }

    function lineOf(row) {
        return row && "k" in row.dataset ? all(row.closest(".code"), ".source tr[data-k='" + row.dataset.k + "']") : [];
    }

    function light(elements) {
        for (const element of lit)
            element.classList.remove("lit");
        lit = elements;
        for (const element of lit)
            element.classList.add("lit");
    }

    /* Scrolls the pane, not the page. */
    function bring(element) {
        const pane = element?.closest(".source, .assembly, .picture");
        if (!pane)
            return;
        const box = element.getBoundingClientRect(), room = pane.getBoundingClientRect();
        if (box.top < room.top || box.bottom > room.bottom)
            pane.scrollTop += (box.top + box.bottom) / 2 - (room.top + room.bottom) / 2;
    }

    function bringKin(element, elements) {
        const pane = element.closest(".source, .assembly, .picture");
        for (const selector of [".source", ".assembly", ".picture"]) {
            const other = elements.find(it => it.closest(selector));
            if (other && other.closest(selector) !== pane)
                bring(other);
        }
    }

    function keep(element) {
        kept = element;
        const elements = kin(element);
        light(elements);
        if (element)
            bringKin(element, elements);
    }

    document.addEventListener("pointerover", event => light(kin(subject(event.target) || kept)));
    document.addEventListener("focusin", event => light(kin(subject(event.target) || kept)));
    document.addEventListener("click", event => {
        if (event.target.closest("a, button, summary, input, select"))
            return;
        const element = subject(event.target);
        if (element && element.closest(".code, .links"))
            keep(kept === element ? null : element);
        if (element?.matches("tr[id]")) {
            tab(element);
            element.focus({ preventScroll: true });
        }
    });

    /* One row of each pane can be reached with the Tab key. */
    function tab(row) {
        const pane = row.closest(".source, .assembly");
        for (const other of all(pane, "tr[tabindex='0']"))
            other.tabIndex = -1;
        row.tabIndex = 0;
    }

    function prepare(pane) {
        const rows = all(pane, "tr[id]");
        for (const row of rows)
            row.tabIndex = -1;
        if (rows.length)
            rows[0].tabIndex = 0;
        for (const head of all(pane, "tr.inlined, tr.file"))
            makeFold(head);
    }

    /* What a head folds: so many rows of instructions, or the lines up to the next file. */
    function foldedBy(head) {
        const rows = [];
        const most = head.dataset.fold ? Number(head.dataset.fold) : Infinity;
        for (let row = head.nextElementSibling; row && rows.length < most && !row.matches(".inlined, .file, .block"); row = row.nextElementSibling)
            rows.push(row);
        return rows;
    }

    function makeFold(head) {
        const cell = head.cells[head.cells.length - 1], button = document.createElement("button");
        if (cell.querySelector("button"))
            return;
        button.type = "button";
        button.className = "folds";
        button.append(...cell.childNodes);
        button.setAttribute("aria-expanded", "true");
        button.addEventListener("click", () => fold(head, button.getAttribute("aria-expanded") === "true"));
        cell.append(button);
    }

    function fold(head, isFolded) {
        head.querySelector("button.folds")?.setAttribute("aria-expanded", String(!isFolded));
        for (const row of foldedBy(head))
            row.hidden = isFolded;
    }

    /* Folds all inlined code, or unfolds it. */
    function foldInlined(isFolded) {
        for (const head of all(document, ".code tr.inlined"))
            fold(head, isFolded);
    }

    function step(row, down) {
        const rows = all(row.closest(".source, .assembly"), "tr[id]").filter(it => !it.hidden);
        const next = rows[rows.indexOf(row) + (down ? 1 : -1)];
        if (next) {
            tab(next);
            next.focus({ preventScroll: true });
            bring(next);
        }
    }

    function cross(row) {
        const selector = row.closest(".source") ? ".assembly" : ".source";
        const other = kin(row).find(it => it.closest(selector));
        if (!other)
            return;
        keep(row);
        tab(other);
        other.focus({ preventScroll: true });
        bring(other);
    }

    document.addEventListener("keydown", event => {
        const row = event.target.closest?.(".code tr[id]");
        if (event.ctrlKey || event.metaKey || event.altKey)
            return;
        if (event.key === "Escape" && kept)
            keep(null);
        if (!row || event.target !== row)
            return;
        if (event.key === "ArrowDown" || event.key === "ArrowUp")
            step(row, event.key === "ArrowDown");
        else if (event.key === "Enter")
            cross(row);
        else
            return;
        event.preventDefault();
    });

    /* A page that replaces its content calls this again. */
    function take() {
        light([]);
        kept = null;
        for (const pane of all(document, ".source, .assembly"))
            prepare(pane);
    }

    take();
    window.assayListing = { take, foldInlined };
})();

/* Marks of the path that was opened; of the first one again when all others are closed. */
(function () {
    function mark(loop, path) {
        const rows = loop.querySelectorAll(".assembly tr[id]");
        const places = name => new Set((path.dataset[name] || "").split(" "));
        const limit = places("limit"), chain = places("chain"), blocks = places("blocks");
        rows.forEach(row => {
            const place = row.id.replace(/^.*-i/, "");
            row.classList.toggle("limit", limit.has(place));
            row.classList.toggle("chain", chain.has(place));
        });
        const part = loop.querySelector(".legend .limit b");
        if (part)
            part.textContent = path.dataset.part;
        for (const body of loop.querySelectorAll(".assembly tbody"))
            body.classList.toggle("off", !blocks.has(body.dataset.b));
    }

    for (const path of document.querySelectorAll("details.path"))
        path.addEventListener("toggle", () => {
            const loop = path.closest(".loop");
            if (path.open)
                for (const other of loop.querySelectorAll("details.path[open]"))
                    if (other !== path)
                        other.open = false;
            mark(loop, loop.querySelector("details.path[open]") || loop);
        });
})();

/* Figures of a loop say what they mean when they are unfolded. */
document.addEventListener("toggle", event => {
    const legend = document.getElementById("figures");
    if (!legend || legend.contains(event.target))
        return;
    const sentences = new Map(Array.from(legend.querySelectorAll("tr"), row => [row.cells[0].textContent, row.cells[1]?.textContent]));
    for (const name of event.target.querySelectorAll(".metrics tbody th"))
        name.title = sentences.get(name.textContent) || "";
}, true);
