// SQL as the editor sees it: tokens, colours, which tables and macros a text uses, and the header of an analysis.

const TOKEN = new RegExp([
    "(?<comment>--[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$))",
    "(?<string>'(?:[^']|'')*(?:'|$))",
    "(?<quoted>\"(?:[^\"]|\"\")*(?:\"|$)|\\[[^\\]]*(?:\\]|$)|`[^`]*(?:`|$))",
    "(?<parameter>[:@$][A-Za-z_]\\w*)",
    "(?<number>\\.?\\d[\\w.]*)",
    "(?<word>[A-Za-z_\\u0080-\\uffff][\\w$\\u0080-\\uffff]*)",
    "(?<blank>\\s+)",
    "(?<mark>[\\s\\S])"].join("|"), "g");

export function tokens(text) {
    return Array.from(text.matchAll(TOKEN), match => {
        const [kind] = Object.entries(match.groups).find(([, found]) => found !== undefined);
        return { kind, text: match[0], start: match.index, end: match.index + match[0].length };
    });
}

// What the browser was told by /N/api/schema, by name.
export class Schema {
    constructor(answer) {
        this.tables = answer.tables;
        this.named = new Map(answer.tables.map(table => [table.name.toLowerCase(), table]));
        this.functions = answer.functions;
        this.keywords = new Set(answer.keywords);
        this.macros = new Set(answer.macros);
        this.columns = new Set(answer.tables.flatMap(table => table.columns.map(([name]) => name)));
        this.known = new Set(answer.functions);
    }
}

const isMacro = (schema, list, at) => schema.macros.has(list[at].text) && list[at - 1]?.text !== "." && list[at + 1]?.text !== ".";

function colour(schema, list, at) {
    const { kind, text } = list[at], lower = text.toLowerCase();
    if (kind !== "word")
        return kind === "blank" || kind === "mark" ? "" : kind;
    if (isMacro(schema, list, at))
        return "macro";
    if (list[at - 1]?.text === ".")
        return "column";
    if (list[at - 2]?.text.toLowerCase() === "as")
        return "";
    if (list[at + 1]?.text === "(" && schema.known.has(lower))
        return "function";
    if (schema.named.has(lower))
        return "table";
    return schema.keywords.has(lower) ? "keyword" : schema.columns.has(text) ? "column" : "";
}

// Writes the coloured text behind the editor; wrong: a place to mark, or -1.
export function paint(pre, text, schema, wrong) {
    const list = tokens(text), pieces = [];
    let plain = "";
    const flush = () => { if (plain) pieces.push(plain); plain = ""; };
    list.forEach((token, at) => {
        const isWrong = wrong >= token.start && wrong < token.end;
        const name = [colour(schema, list, at), isWrong ? "wrong-place" : ""].filter(Boolean).join(" ");
        if (!name) {
            plain += token.text;
            return;
        }
        flush();
        const span = document.createElement("span");
        span.className = name;
        span.textContent = token.text;
        pieces.push(span);
    });
    flush();
    if (wrong >= text.length && wrong >= 0) {
        const end = document.createElement("span");
        end.className = "wrong-place";
        end.textContent = " ";
        pieces.push(end);
    }
    pre.replaceChildren(...pieces, "\n");
}

// Tables of the text and what they are called in it: [[alias, table], …].
export function sources(text, schema) {
    const list = tokens(text).filter(({ kind }) => kind !== "blank" && kind !== "comment"), found = [];
    list.forEach(({ kind, text: word }, at) => {
        const table = kind === "word" ? schema.named.get(word.toLowerCase()) : undefined;
        if (!table || list[at - 1]?.text === ".")
            return;
        const next = list[at + 1]?.text.toLowerCase() === "as" ? list[at + 2] : list[at + 1];
        found.push([table.name, table]);
        if (next?.kind === "word" && !schema.keywords.has(next.text.toLowerCase()))
            found.push([next.text, table]);
    });
    return found;
}

export function macros(text, schema) {
    const list = tokens(text);
    return Array.from(schema.macros).filter(name => list.some((token, at) => token.text === name && isMacro(schema, list, at)));
}

// The header of an analysis: fields, those that may be NULL, parameters, and where it ends.
export function header(text) {
    const found = { fields: {}, optional: new Set(), parameters: [], end: 0 };
    for (const line of text.match(/[^\n]*\n?/g)) {
        const content = line.trim();
        if (content && !content.startsWith("--"))
            break;
        found.end += line.length;
        const field = /^--\s*(\w+)\s*:\s*(.*)$/.exec(content);
        if (!field)
            continue;
        const [, name, value] = field;
        if (name === "needs" && /\boptional\b/.test(value))
            found.optional.add(value.split(/\s+/)[0]);
        if (name === "parameter") {
            const [, parameter, initial, words] = /^(\S+)\s+(\S+)\s*(.*)$/.exec(value) ?? [];
            if (parameter)
                found.parameters.push({ name: parameter, initial, words });
        }
        found.fields[name] = value;
    }
    return found;
}

// The text with another head: title, menu and sentence in front, the other fields of its header kept.
export function withHeader(text, { title, group, does }, schema) {
    const { end } = header(text);
    const kept = text.slice(0, end).split("\n").filter(line => line.trim() && !/^\s*--\s*(title|group|does)\s*:/.test(line));
    for (const macro of macros(text, schema))
        if (!kept.some(line => new RegExp(`^\\s*--\\s*needs\\s*:\\s*${macro}\\b`).test(line)))
            kept.push(`-- needs: ${macro}`);
    const line = value => value.replace(/\s+/g, " ").trim();
    return [`-- title: ${line(title)}`, ...(group.trim() ? [`-- group: ${line(group)}`] : []), `-- does: ${line(does)}`, ...kept,
        text.slice(end)].join("\n");
}
