
"use strict";

/* Tables: sorted by any column.  Numbers by size, the largest first; what has none goes last in any order. */
for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const heads = Array.from(table.tHead.rows[0].cells).filter(head => head.textContent);
    const collator = new Intl.Collator("en", { numeric: true });

    function sort(position, falls, isFigure) {
        const rows = Array.from(body.rows);
        const key = row => {
            const text = row.cells[position].textContent;
            const value = isFigure ? parseFloat(text.replaceAll(",", "")) : text;
            return text === "" || Number.isNaN(value) ? null : value;
        };
        const keys = new Map(rows.map(row => [row, key(row)]));
        const sign = falls ? -1 : 1;
        rows.sort((a, b) => {
            const x = keys.get(a), y = keys.get(b);
            if (x === null || y === null)
                return (x === null) - (y === null);
            return sign * (isFigure ? x - y : collator.compare(x, y));
        });
        body.append(...rows);
        for (const head of heads)
            head.removeAttribute("aria-sort");
        heads[position].setAttribute("aria-sort", falls ? "descending" : "ascending");
    }

    heads.forEach((head, position) => {
        const button = document.createElement("button");
        const isFigure = head.classList.contains("figure");
        button.type = "button";
        button.textContent = head.textContent;
        head.replaceChildren(button);
        button.addEventListener("click", () => {
            const now = head.getAttribute("aria-sort");
            sort(position, now ? now === "ascending" : isFigure, isFigure);
        });
    });
}

/* Maps with phases: a slider from the whole run through its phases, and a film of the phases. */
for (const map of document.querySelectorAll(".map")) {
    const phases = map.querySelector(".phases");
    if (!phases)
        continue;
    const caption = map.querySelector("figcaption");
    const what = caption.querySelector(".what");
    const frames = [map.querySelector("img"), ...phases.querySelectorAll("img")];
    const player = document.createElement("div");
    const slider = document.createElement("input");
    const button = document.createElement("button");
    let timer = 0;

    function show(place) {
        frames.forEach((frame, at) => { frame.hidden = at !== place; });
        what.textContent = frames[place].dataset.what;
        slider.value = place;
    }

    function stop() {
        clearInterval(timer);
        timer = 0;
        button.textContent = "Play";
    }

    frames.forEach(frame => map.insertBefore(frame, caption));
    phases.remove();
    player.className = "player";
    Object.assign(slider, { type: "range", min: 0, max: frames.length - 1, value: 0 });
    slider.setAttribute("aria-label", "phase");
    slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
    button.type = "button";
    button.addEventListener("click", () => {
        if (timer)
            return stop();
        button.textContent = "Stop";
        timer = setInterval(() => show(Number(slider.value) % (frames.length - 1) + 1), Math.max(80, Math.min(600, 6000 / frames.length)));
    });
    player.append(button, slider);
    caption.after(player);
    stop();
    show(0);
}
