/* The hottest instruction of a function stands in the middle of its pane when that is first seen. */
"use strict";

(function () {
    function bring(pane) {
        const hottest = pane.querySelector("tr.h8");
        if (!hottest || !pane.offsetHeight || pane.dataset.seen)
            return;
        pane.dataset.seen = "1";
        pane.scrollTop = hottest.offsetTop - pane.clientHeight / 2;
    }

    function bringAll(root) {
        for (const pane of root.querySelectorAll(".heat .assembly, .heat .source"))
            bring(pane);
    }

    document.addEventListener("toggle", event => bringAll(event.target), true);
    bringAll(document);
})();
