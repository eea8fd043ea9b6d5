
"use strict";

/* The table: sorted by any column, filtered by text, limit, level, finding and action.  Of many rows only the first that match are
   in the document, because a browser takes long to lay out thousands; the others come from the folded table, which goes.
   Filters combine.  Each is a select above the table, and a button in the bars and lists that name its values; all of them are
   in the fragment of the address (#loops?limit=latency&finding=loads), so that a link can be shared. */
(function () {
    const PREFIX = "#loops?";
    const table = document.getElementById("table");
    if (!table)
        return;
    const body = table.tBodies[0], rest = document.getElementById("rest");
    const first = body.rows.length;
    const heads = Array.from(table.tHead.rows[0].cells);
    const column = name => heads.findIndex(head => head.textContent === name);
    const places = { function: column("function"), place: column("place"), limit: column("limit"), level: column("level"), findings: column("findings") };
    const collator = new Intl.Collator("en", { numeric: true });
    const controls = document.querySelector(".controls");
    /* What the filters compare, read once. */
    const elements = Array.from(body.rows).concat(rest ? Array.from(rest.querySelector("tbody").rows) : []);
    const rows = elements.map(row => {
        const cell = place => row.cells[place].textContent;
        return {
            row,
            text: (cell(places.function) + " " + (row.cells[places.place].title || cell(places.place))).toLowerCase(),
            limit: [cell(places.limit)],
            level: [cell(places.level)],
            finding: cell(places.findings).split(", "),
            action: (row.dataset.a || "").split(" "),
        };
    });
    let order = rows, showsAll = !rest;
    rest?.remove();

    function make(name, properties) {
        return Object.assign(document.createElement(name), properties);
    }

    /* The label of a value: what a line that filters by it says. */
    const labels = new Map();
    const lines = Array.from(document.querySelectorAll("tr[data-filter]"));
    for (const line of lines)
        if (line.dataset.filter === "action")
            labels.set(line.dataset.value, line.cells[0].textContent);

    function choice(label, name) {
        const words = new Set(rows.flatMap(row => row[name]).filter(word => word && word !== "–"));
        const select = make("select", { title: label });
        select.setAttribute("aria-label", label);
        select.append(make("option", { value: "", textContent: label }));
        for (const word of Array.from(words).sort(collator.compare))
            select.append(make("option", { value: word, textContent: labels.get(word) || word }));
        select.addEventListener("change", changed);
        controls.append(select);
        return select;
    }

    const text = make("input", { type: "search", placeholder: "function or place" });
    text.setAttribute("aria-label", "function or place");
    text.addEventListener("input", changed);
    controls.append(text);
    const selects = {
        limit: choice("any limit", "limit"),
        level: choice("any level", "level"),
        finding: choice("any finding", "finding"),
        action: choice("any action", "action"),
    };
    const clear = make("button", { type: "button", className: "clear", textContent: "Clear filters" });
    clear.addEventListener("click", () => {
        set(new URLSearchParams());
        changed();
        text.focus();
    });
    const count = make("output", {});
    const more = make("button", { type: "button", className: "more", textContent: "Show all" });
    more.addEventListener("click", () => { showsAll = true; show(); });
    controls.append(clear, count, more);
    controls.hidden = false;

    /* Lines that filter become buttons. */
    const buttons = lines.filter(line => selects[line.dataset.filter]).map(line => {
        const button = make("button", { type: "button", className: "filter" });
        button.append(...line.cells[0].childNodes);
        line.cells[0].append(button);
        line.addEventListener("click", event => {
            if (event.target.closest("a"))
                return;
            const select = selects[line.dataset.filter];
            select.value = select.value === line.dataset.value ? "" : line.dataset.value;
            changed();
            const box = controls.getBoundingClientRect();
            if (select.value && (box.top < 0 || box.bottom > innerHeight)) {
                reveal();
                document.getElementById("loops").scrollIntoView();
            }
        });
        return { button, line };
    });

    document.getElementById("summary")?.prepend(make("p", { className: "note hint", textContent: "Click a line to see its loops in the table." }));

    /* The table may be folded. */
    function reveal() {
        for (let fold = table.closest("details"); fold; fold = fold.parentElement.closest("details"))
            fold.open = true;
    }

    function filters() {
        const wanted = new URLSearchParams();
        if (text.value)
            wanted.set("text", text.value);
        for (const [name, select] of Object.entries(selects))
            if (select.value)
                wanted.set(name, select.value);
        return wanted;
    }

    function set(wanted) {
        text.value = wanted.get("text") || "";
        for (const [name, select] of Object.entries(selects)) {
            select.value = wanted.get(name) || "";
            if (select.selectedIndex < 0)
                select.value = "";
        }
    }

    function changed() {
        const wanted = filters().toString();
        history.replaceState(null, "", wanted ? PREFIX + wanted : "#loops");
        show();
    }

    function followAddress() {
        if (!location.hash.startsWith(PREFIX))
            return;
        set(new URLSearchParams(location.hash.slice(PREFIX.length)));
        show();
        reveal();
        document.getElementById("loops").scrollIntoView();
    }

    function show() {
        const word = text.value.toLowerCase(), names = Object.keys(selects).filter(name => selects[name].value);
        const matching = order.filter(it => (!word || it.text.includes(word)) && names.every(name => it[name].includes(selects[name].value)));
        const shown = showsAll ? matching : matching.slice(0, first);
        body.replaceChildren(...shown.map(it => it.row));
        const figures = [...new Set([shown.length, matching.length, rows.length])].map(number => number.toLocaleString("en"));
        count.textContent = figures.length > 1 ? figures.join(" of ") + " loops" : "";
        more.hidden = shown.length === matching.length;
        clear.hidden = !word && !names.length;
        for (const select of Object.values(selects))
            select.classList.toggle("on", select.value !== "");
        for (const { button, line } of buttons) {
            const isOn = selects[line.dataset.filter].value === line.dataset.value;
            button.setAttribute("aria-pressed", isOn);
            line.classList.toggle("on", isOn);
        }
    }

    /* Numbers by size, the largest first; what has none goes last in any order. */
    function sort(position, falls, isFigure) {
        const word = row => row.cells[position].textContent;
        const number = row => {
            const value = parseFloat(word(row).replace(/[^0-9.]/g, ""));
            return isNaN(value) ? null : word(row).startsWith("<") ? value / 2 : value;
        };
        const sign = falls ? -1 : 1;
        const keys = new Map(rows.map(it => [it, isFigure ? number(it.row) : word(it.row)]));
        order = Array.from(rows).sort((a, b) => {
            const x = keys.get(a), y = keys.get(b);
            const isEmpty = x === null || x === "", isOtherEmpty = y === null || y === "";
            if (isEmpty || isOtherEmpty)
                return isEmpty - isOtherEmpty;
            return sign * (isFigure ? x - y : collator.compare(x, y));
        });
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
    window.addEventListener("hashchange", followAddress);
    show();
    followAddress();
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
