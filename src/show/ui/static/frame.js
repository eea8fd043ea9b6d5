// Shortcuts and search of every page.  Scripts of pages register theirs with `key`, and the help lists them.

const known = [];
let typed = "", typedAt = 0;
const PATIENCE = 1200; // ms between the letters of a sequence
const STORED = "assay-shortcuts";

const areOn = () => { try { return localStorage.getItem(STORED) !== "off"; } catch { return true; } };
const isTyping = target => target.isContentEditable || target.matches?.("input:not([type=checkbox]):not([type=radio]):not([type=range]):not([type=button]), textarea, select");

// keys: "/", "?", "g s" (one after the other), "Ctrl+Enter" (also while typing).  action gets the event; false from it leaves the
// key to the browser.
export function key(keys, words, action) {
    known.push({ keys, words, action });
}

function nameOf(event) {
    const shift = event.shiftKey && event.key.length > 1 ? "Shift+" : "";
    return (event.ctrlKey || event.metaKey ? "Ctrl+" : "") + (event.altKey ? "Alt+" : "") + shift + event.key;
}

document.addEventListener("keydown", event => {
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]"))
        return;
    const name = nameOf(event), isPlain = !/^(Ctrl|Alt)\+/.test(name);
    if (isPlain && (isTyping(event.target) || !areOn()))
        return;
    const now = Date.now();
    const sequence = typed && now - typedAt < PATIENCE ? typed + " " + name : name;
    const found = known.find(it => it.keys === sequence) ?? known.find(it => it.keys === name);
    typed = "";
    if (found) {
        if (found.action(event) !== false)
            event.preventDefault();
    } else if (known.some(it => it.keys.startsWith(name + " "))) {
        typed = name;
        typedAt = now;
    }
});

function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
}

function help() {
    const list = element("dl");
    for (const { keys, words } of known)
        list.append(element("dt", {}, ...keys.split(" ").flatMap((it, i) => [i ? " " : "", element("kbd", { textContent: it })])),
            element("dd", { textContent: words }));
    const box = element("input", { type: "checkbox", checked: areOn() });
    box.addEventListener("change", () => { try { localStorage.setItem(STORED, box.checked ? "on" : "off"); } catch { /* for this page only */ } });
    const dialog = element("dialog", { className: "keys-help" }, element("h2", { textContent: "Keyboard", id: "keys-title" }), list,
        element("label", {}, box, " Shortcuts of one letter are on"),
        element("form", { method: "dialog" }, element("button", { textContent: "Close" })));
    dialog.setAttribute("aria-labelledby", "keys-title");
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
}

// Rows of tables and lists: the first link of each.
function stops() {
    const rows = document.querySelectorAll("main :is(tbody tr, li.row)");
    return Array.from(rows, row => row.querySelector("a[href], button")).filter(link => link?.checkVisibility());
}

function move(step) {
    const all = stops(), active = document.activeElement;
    if (!all.length)
        return false;
    const row = active?.closest("tr, li.row");
    let at = all.findIndex(link => link === active || row?.contains(link));
    if (at < 0)
        at = step > 0 ? -1 : all.length;
    const next = all[Math.min(all.length - 1, Math.max(0, at + step))];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
    return true;
}

const moveInTable = step => event => event.target.closest?.("tbody tr, li.row") ? move(step) : false;
const follow = rel => () => {
    const link = document.querySelector(`main a[rel=${rel}]`);
    if (!link)
        return false;
    link.click();
    return true;
};

const search = document.getElementById("search");
if (search)
    key("/", "search", () => { search.focus(); search.select(); });
key("?", "this help", help);
for (const link of document.querySelectorAll("header.frame nav a[data-letter]"))
    key("g " + link.dataset.letter, "go to " + link.textContent, () => link.click());
key("j", "next row of a table", () => move(1));
key("k", "row before", () => move(-1));
key("ArrowDown", "next row, in a table", moveInTable(1));
key("ArrowUp", "row before, in a table", moveInTable(-1));
key("n", "next page of a long table", follow("next"));
key("p", "page before", follow("prev"));

const header = document.querySelector("header.frame");
const button = element("button", { type: "button", className: "help", textContent: "?", title: "Shortcuts" });
button.setAttribute("aria-label", "Shortcuts");
button.addEventListener("click", help);
header.append(button);

// A choice that takes effect at once: forms of class "machine".
for (const form of document.querySelectorAll("form.machine")) {
    form.classList.add("live");
    form.addEventListener("change", () => {
        const address = new URL(location.href);
        for (const [name, value] of new FormData(form))
            value ? address.searchParams.set(name, value) : address.searchParams.delete(name);
        location.assign(address);
    });
}

// A menu closes when the reader goes on.
document.addEventListener("click", event => {
    for (const menu of document.querySelectorAll("details.programs[open]"))
        if (!menu.contains(event.target))
            menu.open = false;
});
document.addEventListener("keydown", event => {
    const menu = document.querySelector("details.programs[open]");
    if (event.key === "Escape" && menu) {
        menu.open = false;
        menu.querySelector("summary").focus();
    }
});
