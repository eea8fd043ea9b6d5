
"use strict";

/* The table: sorted by any column, filtered by text, limit and level.  Long ones show their first rows. */
(function () {
    const SHOWN = 100;
    const table = document.getElementById("table");
    if (!table)
        return;
    const body = table.tBodies[0];
    const rows = Array.from(body.rows);
    const heads = Array.from(table.tHead.rows[0].cells);
    const column = name => heads.findIndex(head => head.textContent === name);
    const limitColumn = column("limit"), levelColumn = column("level");
    const collator = new Intl.Collator("en", { numeric: true });
    const controls = document.querySelector(".controls");
    let showsAll = rows.length <= SHOWN;

    function make(name, properties) {
        return Object.assign(document.createElement(name), properties);
    }

    function choice(label, position) {
        const words = new Set(rows.map(row => row.cells[position].textContent).filter(word => word));
        const select = make("select", { title: label });
        select.setAttribute("aria-label", label);
        select.append(make("option", { value: "", textContent: label }));
        for (const word of Array.from(words).sort(collator.compare))
            select.append(make("option", { value: word, textContent: word }));
        select.addEventListener("change", show);
        controls.append(select);
        return select;
    }

    const text = make("input", { type: "search", placeholder: "function or place" });
    text.setAttribute("aria-label", "function or place");
    text.addEventListener("input", show);
    controls.append(text);
    const limit = choice("any limit", limitColumn), level = choice("any level", levelColumn);
    const count = make("output", {});
    const more = make("button", { type: "button", className: "more" });
    more.addEventListener("click", () => { showsAll = true; show(); });
    controls.append(count, more);
    controls.hidden = false;

    function show() {
        const wanted = text.value.toLowerCase();
        let matching = 0, shown = 0;
        for (const row of rows) {
            const cells = row.cells;
            const matches = (!wanted || (cells[1].textContent + " " + cells[2].textContent).toLowerCase().includes(wanted)) &&
                (!limit.value || cells[limitColumn].textContent === limit.value) &&
                (!level.value || cells[levelColumn].textContent === level.value);
            matching += matches;
            row.hidden = !matches || (!showsAll && matching > SHOWN);
            shown += !row.hidden;
        }
        count.textContent = shown === rows.length ? "" : shown.toLocaleString("en") + " of " + rows.length.toLocaleString("en") + " loops";
        more.hidden = shown === matching;
        more.textContent = "Show all";
    }

    /* Numbers by size, the largest first; what has none goes last in any order. */
    function sort(position, falls, isFigure) {
        const number = row => {
            const value = parseFloat(row.cells[position].textContent.replace(/[^0-9.]/g, ""));
            return isNaN(value) ? null : value;
        };
        const word = row => row.cells[position].textContent;
        const sign = falls ? -1 : 1;
        const keys = new Map(rows.map(row => [row, isFigure ? number(row) : word(row)]));
        rows.sort((a, b) => {
            const x = keys.get(a), y = keys.get(b);
            const isEmpty = x === null || x === "", isOtherEmpty = y === null || y === "";
            if (isEmpty || isOtherEmpty)
                return isEmpty - isOtherEmpty;
            return sign * (isFigure ? x - y : collator.compare(x, y));
        });
        body.append(...rows);
        for (const head of heads)
            head.removeAttribute("aria-sort");
        heads[position].setAttribute("aria-sort", falls ? "descending" : "ascending");
        show();
    }

    heads.forEach((head, position) => {
        const button = make("button", { type: "button", textContent: head.textContent || "rank" });
        const isFigure = head.classList.contains("figure");
        head.replaceChildren(button);
        button.addEventListener("click", () => {
            const now = head.getAttribute("aria-sort");
            const falls = now ? now === "ascending" : isFigure && position > 0;
            sort(position, falls, isFigure);
        });
    });
    show();
})();

/* A source line and its instructions light up together; so does the evidence of a card. */
(function () {
    let lit = [];

    function light(rows) {
        for (const row of lit)
            row.classList.remove("lit");
        lit = rows;
        for (const row of lit)
            row.classList.add("lit");
    }

    function kin(element) {
        const row = element.closest("tr[data-k]");
        if (row)
            return Array.from(row.closest(".code").querySelectorAll("tr[data-k='" + row.dataset.k + "']"));
        const card = element.closest(".card");
        if (!card)
            return [];
        const prefix = card.id.replace(/-a\d+$/, "-i");
        return card.dataset.evidence.split(" ").filter(place => place).map(place => document.getElementById(prefix + place));
    }

    document.addEventListener("pointerover", event => light(kin(event.target)));
    document.addEventListener("focusin", event => light(kin(event.target)));
})();

/* Marks of the path that was opened; of the first one again when all others are closed. */
(function () {
    function mark(loop, path) {
        const rows = loop.querySelectorAll(".assembly tr");
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

/* Keys: / to the filter, j and k to the next and previous loop, t to the table. */
(function () {
    const loops = Array.from(document.querySelectorAll(".loop"));
    const hint = document.createElement("p");
    hint.className = "keyboard note";
    for (const [key, what] of [["/", "filter"], ["j", "next loop"], ["k", "previous loop"], ["t", "table"]]) {
        const name = document.createElement("kbd");
        name.textContent = key;
        hint.append(name, " " + what + "   ");
    }
    document.querySelector("main").append(hint);

    function go(element) {
        if (element)
            element.scrollIntoView();
    }

    document.addEventListener("keydown", event => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea"))
            return;
        const below = loops.findIndex(loop => loop.getBoundingClientRect().top > 24);
        const above = loops.filter(loop => loop.getBoundingClientRect().top < -8).pop();
        if (event.key === "/") {
            event.preventDefault();
            document.querySelector(".controls input")?.focus();
        } else if (event.key === "j") {
            go(loops[below]);
        } else if (event.key === "k") {
            go(above || document.getElementById("loops"));
        } else if (event.key === "t") {
            go(document.getElementById("loops"));
        }
    });
})();
