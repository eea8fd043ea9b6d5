
"use strict";

/* Tables: sorted by any column.  Numbers by size, the largest first; what has none goes last in any order. */
for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const heads = Array.from(table.tHead.rows[0].cells).filter(head => head.textContent);
    const collator = new Intl.Collator("en", { numeric: true });

    function sort(sorted, falls, isFigure) {
        const rows = Array.from(body.rows);
        const key = row => {
            const text = row.cells[sorted.cellIndex].textContent;
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
        sorted.setAttribute("aria-sort", falls ? "descending" : "ascending");
    }

    heads.forEach(head => {
        const button = document.createElement("button");
        const isFigure = head.classList.contains("figure");
        button.type = "button";
        button.textContent = head.textContent;
        head.replaceChildren(button);
        button.addEventListener("click", () => {
            const now = head.getAttribute("aria-sort");
            sort(head, now ? now === "ascending" : isFigure, isFigure);
        });
    });
}
