
/* The call tree: a click makes a box as wide as the drawing, another one on it shows all again. */
(function () {
    const flame = document.querySelector(".flame");
    if (!flame)
        return;
    const boxes = Array.from(flame.querySelectorAll(".box")).map(element => ({
        element,
        start: parseFloat(element.getAttribute("x")),
        width: parseFloat(element.getAttribute("width")),
        depth: parseFloat(element.getAttribute("y")),
    }));
    let shown = null;

    function zoom(to) {
        shown = to;
        const start = to ? to.start : 0, width = to ? to.width : 100, end = start + width;
        for (const box of boxes) {
            const left = Math.max(box.start, start), right = Math.min(box.start + box.width, end);
            const isAway = right - left < width * 1e-4;
            box.element.classList.toggle("away", isAway);
            if (isAway)
                continue;
            box.element.setAttribute("x", (left - start) / width * 100 + "%");
            box.element.setAttribute("width", (right - left) / width * 100 + "%");
        }
    }

    for (const box of boxes)
        box.element.addEventListener("click", () => zoom(shown === box ? null : box));
})();
