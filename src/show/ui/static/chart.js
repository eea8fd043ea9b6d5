// Charts of a result: bars, lines, points and histograms, drawn as SVG.  The table stays below: a chart is a second view of it.

const SVG = "http://www.w3.org/2000/svg";
const MOST_BARS = 40, MOST_POINTS = 5000;

const isFigure = value => typeof value === "number" && Number.isFinite(value);
const isKey = (result, column) => Boolean(result.pages[column]) || /(^|_)(id|address|line)$/.test(result.columns[column]);

// Which columns hold figures, and which hold words.
export function columns(result) {
    const figures = [], words = [];
    result.columns.forEach((name, column) => {
        const values = result.rows.map(row => row[column]).filter(value => value !== null);
        if (values.length && values.every(isFigure) && !isKey(result, column))
            figures.push(column);
        else if (values.length && values.some(value => typeof value === "string") && !/address$/.test(name))
            words.push(column);
    });
    return { figures, words };
}

const rises = (rows, column) => rows.every((row, at) => isFigure(row[column]) && (!at || row[column] > rows[at - 1][column]));

// What fits the columns: { kind, x, y }; x -1: the number of the row.  null: nothing can be drawn.
export function choose(result, isHistogram = false) {
    const { figures, words } = columns(result);
    const most = isHistogram ? figures.at(-1) : figures[0];
    if (result.rows.length < 2 || most === undefined)
        return null;
    if (words.length && (result.rows.length <= MOST_BARS || isHistogram))
        return { kind: "bars", x: words[0], y: most };
    if (figures.length > 1 && rises(result.rows, figures[0]))
        return { kind: isHistogram || result.rows.length <= MOST_BARS ? "bars" : "line", x: figures[0], y: isHistogram ? most : figures[1] };
    if (figures.length > 1 && !words.length)
        return { kind: "points", x: figures[0], y: figures[1] };
    return { kind: "histogram", x: -1, y: most };
}

function element(name, attributes = {}, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes))
        made.setAttribute(key, value);
    if (text !== undefined)
        made.textContent = text;
    return made;
}

export const figure = value => !isFigure(value) ? String(value ?? "")
    : Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(4)));

// Round numbers between two figures.
function ticks(low, high, most) {
    const rough = (high - low) / Math.max(1, most), power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(it => it * power).find(it => it >= rough) ?? rough, found = [];
    for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at++)
        found.push(Number((at * step).toPrecision(12)));
    return found;
}

const shorten = (text, most) => text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text;

function mark(made, words) {
    made.append(element("title", {}, words));
    return made;
}

// Bars side by side below their names: one line each.
function drawBars(svg, data, width) {
    const room = Math.min(width * 0.42, 12 + 7.2 * Math.max(...data.map(({ name }) => name.length))), right = 84;
    const high = Math.max(0, ...data.map(({ value }) => value)), low = Math.min(0, ...data.map(({ value }) => value));
    const scale = value => room + (value - low) / (high - low || 1) * (width - room - right), step = 24;
    data.forEach(({ name, value }, at) => {
        const y = at * step + 4, start = scale(Math.min(0, value)), end = scale(Math.max(0, value));
        svg.append(element("text", { x: room - 8, y: y + 12, class: "name end" }, shorten(name, Math.floor(room / 7.2))),
            mark(element("rect", { x: start, y, width: Math.max(1, end - start), height: 16, class: "mark" }), `${name}: ${figure(value)}`),
            element("text", { x: end + 6, y: y + 12, class: "value" }, figure(value)));
    });
    return data.length * step + 8;
}

function drawAxes(svg, { left, top, width, height, x, y, names }) {
    for (const at of y.ticks) {
        svg.append(element("line", { x1: left, x2: left + width, y1: y.scale(at), y2: y.scale(at), class: "rule" }),
            element("text", { x: left - 6, y: y.scale(at) + 4, class: "end" }, figure(at)));
    }
    for (const at of x.ticks)
        svg.append(element("text", { x: x.scale(at), y: top + height + 18, class: "middle" }, figure(at)));
    svg.append(element("line", { x1: left, x2: left + width, y1: top + height, y2: top + height, class: "base" }),
        element("text", { x: left + width, y: top + height + 38, class: "end name" }, names[0]),
        element("text", { x: 0, y: 12, class: "name" }, names[1]));
}

function frame(data, width, isFromZero) {
    const xs = data.map(([x]) => x), ys = data.map(([, y]) => y);
    let [low, high, bottom, top] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    if (isFromZero)
        bottom = Math.min(0, bottom);
    if (low === high)
        [low, high] = [low - 0.5, high + 0.5];
    if (bottom === top)
        [bottom, top] = [bottom - 0.5, top + 0.5];
    const yTicks = ticks(bottom, top, 5);
    const left = 14 + 7.2 * Math.max(...yTicks.map(at => figure(at).length)), area = { left, top: 24, width: width - left - 12, height: 240 };
    return { ...area,
        x: { ticks: ticks(low, high, Math.max(2, width / 110)), scale: value => left + (value - low) / (high - low) * area.width },
        y: { ticks: yTicks, scale: value => area.top + area.height - (value - bottom) / (top - bottom) * area.height } };
}

function drawPoints(svg, data, width, names, isLine) {
    const area = frame(data, width, isLine), { x, y } = area;
    drawAxes(svg, { ...area, names });
    if (isLine)
        svg.append(element("polyline", { points: data.map(([a, b]) => `${x.scale(a).toFixed(1)},${y.scale(b).toFixed(1)}`).join(" "), class: "line" }));
    if (!isLine || data.length <= 100)
        for (const [a, b, name] of data.slice(0, MOST_POINTS))
            svg.append(mark(element("circle", { cx: x.scale(a).toFixed(1), cy: y.scale(b).toFixed(1), r: isLine ? 3 : 3.5, class: "mark point" }),
                `${name ? `${name}: ` : ""}${names[0]} ${figure(a)}, ${names[1]} ${figure(b)}`));
    return area.top + area.height + 44;
}

function drawHistogram(svg, values, width, name) {
    const low = Math.min(...values), high = Math.max(...values), isWhole = values.every(Number.isInteger);
    const steps = ticks(low, high === low ? low + 1 : high, Math.min(30, Math.max(4, Math.ceil(Math.sqrt(values.length)))));
    let step = steps.length > 1 ? steps[1] - steps[0] : 1;
    if (isWhole)
        step = Math.max(1, Math.round(step));
    const first = Math.floor(low / step) * step, counts = new Array(Math.floor((high - first) / step + 1e-9) + 1).fill(0);
    for (const value of values)
        counts[Math.min(counts.length - 1, Math.floor((value - first) / step + 1e-9))]++;
    const area = frame([[first, 0], [first + step * counts.length, Math.max(...counts)]], width, true), { x, y } = area;
    drawAxes(svg, { ...area, names: [name, "rows"] });
    counts.forEach((count, at) => {
        const from = first + at * step, start = x.scale(from), end = x.scale(from + step);
        const words = isWhole && step === 1 ? figure(from) : `${figure(from)} to ${figure(isWhole ? from + step - 1 : from + step)}`;
        if (count)
            svg.append(mark(element("rect", { x: start + 0.5, y: y.scale(count), width: Math.max(1, end - start - 1),
                height: y.scale(0) - y.scale(count), class: "mark" }), `${words}: ${figure(count)} row${count > 1 ? "s" : ""}`));
    });
    return area.top + area.height + 44;
}

export function describe(result, { kind, x, y }) {
    const name = result.columns[y];
    return kind === "histogram" ? `How often each ${name} occurs` : `${name} by ${x < 0 ? "row" : result.columns[x]}`;
}

// The drawing of a choice, this wide.
export function draw(result, choice, width) {
    const { kind, x, y } = choice, title = describe(result, choice);
    const svg = element("svg", { class: "chart", role: "img", "aria-label": `${title}. The table below has the figures.` });
    const rows = result.rows.filter(row => isFigure(row[y]));
    const value = (row, at) => x < 0 ? at : row[x];
    const names = [x < 0 ? "row" : result.columns[x], result.columns[y]];
    let height = 40;
    if (!rows.length)
        svg.append(element("text", { x: 0, y: 20, class: "name" }, "No figures to draw."));
    else if (kind === "bars")
        height = drawBars(svg, rows.slice(0, MOST_BARS).map((row, at) => ({ name: String(value(row, at + 1) ?? "–"), value: row[y] })), width);
    else if (kind === "histogram")
        height = drawHistogram(svg, rows.map(row => row[y]), width, names[1]);
    else {
        const { words } = columns(result);
        const points = rows.map((row, at) => [value(row, at + 1), row[y], words.length ? row[words[0]] : ""]).filter(([at]) => isFigure(at));
        height = points.length ? drawPoints(svg, points, width, names, kind === "line") : 40;
    }
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    return svg;
}

// How many rows a kind leaves out.
export const leftOut = (result, { kind }) => Math.max(0, result.rows.length - (kind === "bars" ? MOST_BARS : kind === "points" ? MOST_POINTS : Infinity));
