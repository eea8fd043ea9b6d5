// Suggestions below the search box, while somebody types: up and down choose, Enter opens.

const PAUSE = 80; // ms without a key before the server is asked
const box = document.getElementById("search");

function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
}

function begin(form) {
    const list = element("div", { className: "suggestions", id: "suggestions", hidden: true });
    const base = form.getAttribute("action").replace(/search$/, "api/search");
    let asked = "", timer = 0, options = [], chosen = -1, running = null;

    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Suggestions");
    for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-controls": "suggestions", "aria-expanded": "false" }))
        box.setAttribute(name, value);
    form.append(list);

    function choose(at) {
        chosen = at;
        options.forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
        if (at >= 0) {
            box.setAttribute("aria-activedescendant", options[at].id);
            options[at].scrollIntoView({ block: "nearest" });
        } else
            box.removeAttribute("aria-activedescendant");
    }

    function show(isOpen) {
        list.hidden = !isOpen;
        box.setAttribute("aria-expanded", String(isOpen));
        if (!isOpen)
            choose(-1);
    }

    function fill(groups) {
        options = [];
        list.replaceChildren(...groups.map((group, g) => {
            const heading = element("div", { className: "group", id: `suggestions-${g}`, textContent: `${group.word} ${group.count.toLocaleString("en")}` });
            const block = element("div", {}, heading);
            block.setAttribute("role", "group");
            block.setAttribute("aria-labelledby", heading.id);
            for (const hit of group.hits) {
                const option = element("div", { id: `suggestion-${options.length}` }, hit.title);
                if (hit.detail)
                    option.append(" ", element("small", { textContent: hit.detail }));
                option.setAttribute("role", "option");
                option.setAttribute("aria-selected", "false");
                option.dataset.address = hit.address;
                options.push(option);
                block.append(option);
            }
            return block;
        }));
        chosen = -1;
        show(options.length > 0 && document.activeElement === box);
    }

    async function ask() {
        const text = box.value.trim();
        if (text === asked)
            return;
        asked = text;
        running?.abort();
        if (!text) {
            fill([]);
            return;
        }
        running = new AbortController();
        const answer = await fetch(`${base}?q=${encodeURIComponent(text)}`, { signal: running.signal }).catch(() => null);
        if (answer?.ok)
            fill((await answer.json()).groups);
    }

    box.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(ask, PAUSE);
    });
    box.addEventListener("keydown", event => {
        if (event.key === "Escape" && !list.hidden) {
            show(false);
            event.preventDefault();
        } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && options.length) {
            const step = event.key === "ArrowDown" ? 1 : -1, count = options.length;
            show(true);
            choose(chosen < 0 ? (step > 0 ? 0 : count - 1) : (chosen + step + count) % count);
            event.preventDefault();
        } else if (event.key === "Enter" && !list.hidden && chosen >= 0) {
            location.assign(options[chosen].dataset.address);
            event.preventDefault();
        }
    });
    box.addEventListener("blur", () => show(false));
    list.addEventListener("mousedown", event => {
        const option = event.target.closest("[role=option]");
        event.preventDefault(); // the box keeps the focus
        if (option)
            location.assign(option.dataset.address);
    });
}

if (box)
    begin(box.form);
