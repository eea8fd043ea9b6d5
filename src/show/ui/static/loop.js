// The loop page: another machine, path or level of advice replaces the content without losing the place on the page.
import { key } from "/static/frame.js";

const wanted = form => {
    const address = new URL(location.href);
    for (const [name, value] of new FormData(form))
        value ? address.searchParams.set(name, value) : address.searchParams.delete(name);
    address.hash = "";
    return address;
};

let last = 0;

async function show(address, isNew) {
    const turn = ++last, main = document.querySelector("main");
    main.setAttribute("aria-busy", "true");
    const answer = await fetch(address, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (turn !== last)
        return;
    if (!answer.ok) {
        location.assign(address);
        return;
    }
    const focused = document.activeElement?.closest("form.machine") && document.activeElement.name;
    const top = scrollY;
    main.replaceChildren(...page.querySelector("main").childNodes);
    main.removeAttribute("aria-busy");
    for (const selector of ["header.frame form.machine", "header.frame nav"]) {
        const old = document.querySelector(selector), fresh = page.querySelector(selector);
        if (old && fresh)
            old.replaceWith(fresh);
    }
    for (const form of document.querySelectorAll("form.machine"))
        form.classList.add("live");
    document.title = page.title;
    if (isNew)
        history.pushState({ loop: true }, "", address);
    window.assayListing?.take();
    if (focused)
        document.querySelector(`form.machine select[name="${focused}"]`)?.focus({ preventScroll: true });
    scrollTo(0, top);
}

// Before the frame's own way, which loads the whole page.
document.addEventListener("change", event => {
    const form = event.target.closest?.("form.machine");
    if (!form)
        return;
    event.stopPropagation();
    show(wanted(form), true).catch(() => location.assign(wanted(form)));
}, true);
addEventListener("popstate", () => show(location.href, false).catch(() => location.reload()));

let isFolded = false;
key("i", "fold inlined code, or unfold it", () => { isFolded = !isFolded; window.assayListing?.foldInlined(isFolded); });
key("c", "go to the code", () => {
    const row = document.querySelector(".code tr[tabindex='0']");
    if (!row)
        return false;
    row.closest(".code").scrollIntoView({ block: "center" });
    row.focus({ preventScroll: true });
});
