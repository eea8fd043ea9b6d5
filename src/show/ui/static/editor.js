// The editor: a plain text field over its coloured text, which completes names as one types.
import { Suggestions } from "./combobox.js";
import { paint, sources, tokens } from "./sql.js";

const MOST = 60;

// Inserts as if typed, so that undo works.
function insert(field, start, end, text) {
    field.focus();
    field.setSelectionRange(start, end);
    if (!document.execCommand("insertText", false, text)) {
        field.setRangeText(text, start, end, "end");
        field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }
}

export class Editor {
    constructor(field, ink, schema) {
        Object.assign(this, { field, ink, schema, wrong: -1 });
        this.suggestions = new Suggestions(field, {
            label: "Names", takesTab: true,
            line: ({ name, detail }) => [name, detail],
            take: item => this.complete(item),
        });
        field.addEventListener("input", event => this.change(event));
        field.addEventListener("scroll", () => { ink.scrollTop = field.scrollTop; });
        field.addEventListener("click", () => this.suggestions.close());
        field.addEventListener("keydown", event => {
            if (event.ctrlKey && event.code === "Space") {
                event.preventDefault();
                this.suggest(true);
            } else if (/^(Arrow(Left|Right)|Home|End)$/.test(event.key))
                this.suggestions.close();
        });
        this.paint();
    }

    get text() { return this.field.value; }

    set text(text) {
        this.field.value = text;
        this.wrong = -1;
        this.suggestions.close();
        this.paint();
    }

    paint() { paint(this.ink, this.field.value, this.schema, this.wrong); }

    mark(place) {
        this.wrong = place;
        this.paint();
    }

    change(event) {
        this.wrong = -1;
        this.paint();
        if (event.inputType?.startsWith("insert") && event.inputType !== "insertFromPaste" && !this.isInserting)
            this.suggest(false);
        else
            this.suggestions.close();
    }

    // Puts a name where the caret is, with a blank around it where words would touch.
    insert(name) {
        const { selectionStart: start, selectionEnd: end, value } = this.field;
        const before = /[\w"]$/.test(value.slice(0, start)) ? " " : "", after = /^[\w"]/.test(value.slice(end)) ? " " : "";
        this.isInserting = true;
        insert(this.field, start, end, before + name + after);
        this.isInserting = false;
    }

    complete({ name, kind }) {
        const { start } = this.word(), end = this.field.selectionStart;
        this.isInserting = true;
        insert(this.field, start, end, kind === "function" ? `${name}(` : name);
        this.isInserting = false;
    }

    // The beginning of a word before the caret, and what is before it.
    word() {
        const caret = this.field.selectionStart, before = this.field.value.slice(0, caret);
        const list = tokens(before), last = list.at(-1);
        if (last && (last.kind === "comment" || last.kind === "string" || last.kind === "parameter" || last.kind === "number")
            && !(last.kind === "comment" && last.text.startsWith("/*") && last.text.endsWith("*/")))
            return { start: caret, prefix: "", isText: last.kind !== "string" || !/[^']'$/.test(last.text), list: [] };
        const isWord = last?.kind === "word";
        return { start: isWord ? last.start : caret, prefix: isWord ? last.text : "", isText: false,
            list: (isWord ? list.slice(0, -1) : list).filter(({ kind }) => kind !== "comment") };
    }

    candidates(list) {
        const solid = list.filter(({ kind }) => kind !== "blank"), last = solid.at(-1);
        const used = sources(this.field.value, this.schema);
        const column = table => ([name, type, does]) => ({ name, kind: "column", detail: [type, does || table.name].filter(Boolean).join(" · ") });
        if (last?.text === "." && list.at(-1)?.text === ".") {
            const alias = solid.at(-2)?.text.toLowerCase();
            const found = used.find(([name]) => name.toLowerCase() === alias);
            return found ? found[1].columns.map(column(found[1])) : [];
        }
        const tables = this.schema.tables.map(({ name, kind, does }) => ({ name, kind, detail: does || kind }));
        if (/^(from|join|into|table)$/i.test(last?.text ?? ""))
            return tables;
        const columns = Array.from(new Set(used.map(([, table]) => table)), table => table.columns.map(column(table))).flat();
        return [...columns, ...tables,
            ...Array.from(this.schema.macros, name => ({ name, kind: "macro", detail: `id of the ${name.toLowerCase()} that you choose` })),
            ...this.schema.functions.map(name => ({ name, kind: "function", detail: "function" })),
            ...Array.from(this.schema.keywords, name => ({ name, kind: "keyword", detail: "" }))];
    }

    suggest(isAsked) {
        const { start, prefix, isText, list } = this.word();
        const isBehindDot = list.at(-1)?.text === "." && start > 0;
        if (isText || (!isAsked && !isBehindDot && prefix.length < 2))
            return this.suggestions.close();
        const lower = prefix.toLowerCase(), seen = new Set(), first = [], later = [];
        for (const item of this.candidates(list)) {
            const name = item.name.toLowerCase(), at = name.indexOf(lower);
            if (at < 0 || seen.has(item.name) || (at > 0 && (prefix.length < 3 || item.kind === "keyword")))
                continue;
            seen.add(item.name);
            (at ? later : first).push(item);
        }
        const items = [...first, ...later].slice(0, MOST);
        if (!isAsked && items.length && items[0].name === prefix)
            return this.suggestions.close();
        this.suggestions.show(items, this.place(start));
    }

    // Where a character of the text is on the screen.
    place(at) {
        const walker = document.createTreeWalker(this.ink, NodeFilter.SHOW_TEXT), range = document.createRange();
        for (let node, left = at; (node = walker.nextNode()); left -= node.length)
            if (left < node.length) {
                range.setStart(node, left);
                range.setEnd(node, left + 1);
                const box = range.getBoundingClientRect();
                return box.height ? box : this.field.getBoundingClientRect();
            }
        return this.field.getBoundingClientRect();
    }
}
