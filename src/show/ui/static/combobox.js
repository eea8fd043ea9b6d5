// A list of suggestions below a text field: arrows move, Enter takes, Escape closes; the field keeps the focus.
let count = 0;

export class Suggestions {
    // take(item) is called with the chosen one; line(item) gives [name, detail].
    constructor(field, { label, line, take, takesTab = false }) {
        Object.assign(this, { field, line, take, takesTab, items: [], at: -1 });
        this.list = document.createElement("ul");
        this.list.className = "completions";
        this.list.id = `suggestions-${++count}`;
        this.list.hidden = true;
        this.list.setAttribute("role", "listbox");
        this.list.setAttribute("aria-label", label);
        this.said = document.createElement("p");
        this.said.className = "unseen";
        this.said.setAttribute("role", "status");
        (field.closest("dialog") ?? document.querySelector("main")).append(this.list, this.said);
        field.setAttribute("aria-controls", this.list.id);
        if (field.getAttribute("role") === "combobox")
            field.setAttribute("aria-expanded", "false");
        field.addEventListener("keydown", event => this.press(event), true);
        field.addEventListener("blur", () => this.close());
        this.list.addEventListener("mousedown", event => {
            event.preventDefault();
            const option = event.target.closest("li");
            if (option)
                this.choose(Array.from(this.list.children).indexOf(option));
        });
    }

    get isOpen() { return !this.list.hidden; }

    // place: the rectangle of what is completed.
    show(items, place, at = 0) {
        if (!items.length)
            return this.close();
        this.items = items;
        this.list.replaceChildren(...items.map((item, number) => {
            const option = document.createElement("li"), [name, detail] = this.line(item);
            option.id = `${this.list.id}-${number}`;
            option.setAttribute("role", "option");
            const strong = document.createElement("b"), note = document.createElement("span");
            strong.textContent = name;
            note.textContent = detail;
            option.append(strong, note);
            return option;
        }));
        this.list.hidden = false;
        const width = Math.min(560, innerWidth - 16), left = Math.max(8, Math.min(place.left, innerWidth - width - 8));
        const below = innerHeight - place.bottom, height = Math.min(280, Math.max(below, place.top) - 16);
        Object.assign(this.list.style, { left: `${left + scrollX}px`, maxWidth: `${width}px`, maxHeight: `${height}px` });
        const isBelow = below > this.list.offsetHeight + 8 || below >= place.top;
        this.list.style.top = `${scrollY + (isBelow ? place.bottom + 4 : place.top - this.list.offsetHeight - 4)}px`;
        if (this.field.getAttribute("role") === "combobox")
            this.field.setAttribute("aria-expanded", "true");
        this.said.textContent = `${items.length} suggestion${items.length > 1 ? "s" : ""}`;
        this.move(at);
    }

    move(at) {
        this.at = at < 0 ? this.items.length - 1 : at >= this.items.length ? 0 : at;
        Array.from(this.list.children).forEach((option, number) => {
            option.setAttribute("aria-selected", String(number === this.at));
        });
        const option = this.list.children[this.at];
        option.scrollIntoView({ block: "nearest" });
        this.field.setAttribute("aria-activedescendant", option.id);
    }

    close() {
        if (!this.isOpen)
            return;
        this.list.hidden = true;
        this.said.textContent = "";
        this.field.removeAttribute("aria-activedescendant");
        if (this.field.getAttribute("role") === "combobox")
            this.field.setAttribute("aria-expanded", "false");
    }

    choose(at) {
        const item = this.items[at];
        this.close();
        this.take(item);
    }

    press(event) {
        if (!this.isOpen || event.isComposing || event.ctrlKey || event.metaKey || event.altKey)
            return;
        const actions = {
            ArrowDown: () => this.move(this.at + 1),
            ArrowUp: () => this.move(this.at - 1),
            PageDown: () => this.move(Math.min(this.items.length - 1, this.at + 8)),
            PageUp: () => this.move(Math.max(0, this.at - 8)),
            Enter: () => this.choose(this.at),
            Escape: () => this.close(),
        };
        if (this.takesTab && !event.shiftKey)
            actions.Tab = actions.Enter;
        if (!actions[event.key])
            return;
        event.preventDefault();
        event.stopImmediatePropagation();
        actions[event.key]();
    }
}
