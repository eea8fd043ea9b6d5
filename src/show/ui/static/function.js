// The page of a function; listing.js links its source and its instructions.
import { key } from "/static/frame.js";

const code = document.querySelector("#code .code");

if (code)
    key("c", "go to the code", () => {
        code.scrollIntoView({ block: "start" });
        (code.querySelector("tr[tabindex='0']") ?? code.querySelector("a"))?.focus({ preventScroll: true });
    });
