// A result as a table that can be sorted, and as a chart above it.
import { choose, columns, describe, draw, leftOut } from "./chart.js";

const collator = new Intl.Collator("en", { numeric: true });
const KINDS = { bars: "Bars", line: "Line", points: "Points", histogram: "Histogram" };

function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
}

export const counted = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

const isAddress = name => /(^|_)address$/.test(name);

function words(value, name) {
    if (value === null)
        return "";
    if (typeof value !== "number")
        return value;
    if (isAddress(name) && Number.isInteger(value) && value >= 0)
        return `0x${value.toString(16)}`;
    return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
}

// Which page a cell leads to: an id by itself, a name by the id in the column beside it ("function" and "function_id").
function addressOf(result, base) {
    const partners = result.columns.map(name => result.columns.indexOf(`${name}_id`));
    return (row, column) => {
        const value = row[column], partner = partners[column];
        if (result.pages[column] && Number.isInteger(value))
            return `${base}${result.pages[column]}/${value}`;
        if (partner >= 0 && result.pages[partner] && Number.isInteger(row[partner]))
            return `${base}${result.pages[partner]}/${row[partner]}`;
        return null;
    };
}

function rowsOf(result, rows, base, figures) {
    const address = addressOf(result, base);
    return rows.map(row => {
        const line = document.createElement("tr");
        row.forEach((value, column) => {
            const cell = document.createElement("td"), name = result.columns[column], text = words(value, name), link = address(row, column);
            if (figures[column])
                cell.className = "figure";
            else if (value === null)
                cell.className = "none";
            if (link)
                cell.append(element("a", { href: link, textContent: text }));
            else
                cell.textContent = text;
            if (typeof value === "number" && text !== String(value))
                cell.title = String(value);
            line.append(cell);
        });
        return line;
    });
}

function compare(column, sign) {
    return (left, right) => {
        const x = left[column], y = right[column];
        if (x === null || y === null)
            return (x === null) - (y === null);
        return sign * (typeof x === "number" && typeof y === "number" ? x - y : collator.compare(String(x), String(y)));
    };
}

function table(result, base, name) {
    const figures = result.columns.map((_, column) => result.rows.some(row => typeof row[column] === "number")
        && result.rows.every(row => row[column] === null || typeof row[column] === "number"));
    const body = element("tbody", {}, ...rowsOf(result, result.rows, base, figures));
    const heads = result.columns.map((title, column) => {
        const button = element("button", { type: "button", textContent: title });
        const head = element("th", { scope: "col", className: figures[column] ? "figure" : "" }, button);
        button.addEventListener("click", () => {
            const now = head.getAttribute("aria-sort"), falls = now ? now === "ascending" : figures[column];
            heads.forEach(other => other.removeAttribute("aria-sort"));
            head.setAttribute("aria-sort", falls ? "descending" : "ascending");
            body.replaceChildren(...rowsOf(result, result.rows.toSorted(compare(column, falls ? -1 : 1)), base, figures));
        });
        return head;
    });
    const made = element("div", { className: "result-rows", tabIndex: 0 },
        element("table", { className: "result" }, element("thead", {}, element("tr", {}, ...heads)), body));
    made.setAttribute("role", "region");
    made.setAttribute("aria-label", name);
    return made;
}

function select(label, options, value, change) {
    const made = element("select", {}, ...options.map(([key, text]) => element("option", { value: key, textContent: text, selected: key === value })));
    made.addEventListener("change", () => change(made.value));
    return element("label", {}, element("span", { textContent: label }), made);
}

// The drawing with its controls; it follows the width of the page.
function chart(result, first) {
    const choice = { ...first }, { figures, words: names } = columns(result);
    const holder = element("figure", { className: "chart-holder" }), title = element("figcaption"), drawing = element("div"), note = element("p", { className: "note" });
    let width = 0;
    const redraw = () => {
        if (!width)
            return;
        title.textContent = describe(result, choice);
        drawing.replaceChildren(draw(result, choice, width));
        const left = leftOut(result, choice);
        note.textContent = left ? `The first ${(result.rows.length - left).toLocaleString("en")} rows are drawn.` : "";
    };
    const controls = element("div", { className: "tools small" });
    const name = column => [String(column), column < 0 ? "row" : result.columns[column]];
    const set = (key, value) => { choice[key] = key === "kind" ? value : Number(value); show(); };
    const show = () => {
        const across = choice.kind === "bars" ? [-1, ...names, ...figures] : [-1, ...figures];
        if (!across.includes(choice.x))
            choice.x = across[across.length > 1 ? 1 : 0];
        controls.replaceChildren(
            select("Kind", Object.entries(KINDS), choice.kind, value => set("kind", value)),
            select("Figure", figures.map(name), String(choice.y), value => set("y", value)),
            ...(choice.kind === "histogram" ? [] : [select("By", across.map(name), String(choice.x), value => set("x", value))]));
        redraw();
    };
    holder.append(title, drawing, note, controls);
    new ResizeObserver(([entry]) => {
        if (Math.abs(entry.contentRect.width - width) > 1) {
            width = Math.floor(entry.contentRect.width);
            redraw();
        }
    }).observe(holder);
    show();
    return holder;
}

// A section with the result; more: shows more rows of a result that was cut.
export function section(result, { base, number, isHistogram, showsChart, more, toggled }) {
    const name = number ? `Result ${number}` : "Result", first = choose(result, isHistogram);
    const made = element("section", { className: "answer-part" }), head = element("div", { className: "tools small" });
    const words = result.cut ? `The first ${counted(result.rows.length, "row")}.` : counted(result.rows.length, "row");
    head.append(element("h2", { textContent: name }), element("span", { className: "note", textContent: words }));
    if (result.cut)
        head.append(element("button", { type: "button", textContent: "Show more", onclick: more }),
            element("span", { className: "note", textContent: "CSV and JSON have all of them; sorting is of those shown." }));
    made.append(head);
    if (first) {
        const button = element("button", { type: "button", textContent: "Chart" }), place = element("div");
        const turn = isOn => {
            button.setAttribute("aria-pressed", String(isOn));
            place.replaceChildren(...(isOn ? [chart(result, first)] : []));
        };
        button.addEventListener("click", () => {
            const isOn = button.getAttribute("aria-pressed") !== "true";
            turn(isOn);
            toggled(isOn);
        });
        head.append(button);
        made.append(place);
        turn(showsChart || isHistogram);
    }
    if (result.rows.length)
        made.append(table(result, base, name));
    return made;
}
