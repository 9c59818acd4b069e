// A module, so that its names are its own. What needs this script is made or shown by it.

const root = document.documentElement;
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

function make(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const status = make("p", { className: "status", id: "status", role: "status" });

function tell(button, text) {
  const usual = (button.dataset.usual ??= button.textContent);
  button.textContent = status.textContent = text;
  setTimeout(() => { button.textContent = usual; }, 1600);
}

function copyTheOldWay(text) {
  const area = make("textarea", { value: text });
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

async function copy(text, button) {
  let done;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {
    done = copyTheOldWay(text);
  }
  button.focus();
  tell(button, done ? "Copied" : "Cannot copy");
}

function save(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Text in inert blocks is spelt so that no tag can end them; here it is read back.
function inertText(block) {
  if (block.type === "application/json") return block.textContent.replaceAll("\\u003c", "<");
  return block.textContent.replaceAll("&#13;", "\r").replaceAll("&lt;", "<").replaceAll("&amp;", "&");
}

async function unpacked(block) {
  const bytes = Uint8Array.from(atob(block.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

const textOf = async (block) => (block.type === "application/gzip" ? unpacked(block) : inertText(block));

async function saveFile(button) {
  const name = button.dataset.name;
  const block = all("script[data-file]").find((one) => one.dataset.file === name);
  const text = await textOf(block);
  save(new Blob([text], { type: block.dataset.kind ?? block.type }), name);
}

// Tables

// The text of a cell comes first; raised marks and the question come behind it.
const cellText = ({ firstChild: first }) => (["#text", "BDI"].includes(first?.nodeName) ? first.textContent : "");

// The numbers a cell stands for, as programs write them, empty where there is none; a name has none but itself.
const valuesOf = (cell) => cell.dataset.v?.split(";");

function sortKey(cell) {
  const values = valuesOf(cell);
  const said = values ? values[0] : cellText(cell);
  return { said, number: values ? Number(said) : NaN, none: said === "" };
}

function inOrder(a, b) {
  const apart = a.number - b.number;
  return Number.isNaN(apart) ? a.said.localeCompare(b.said, "en", { numeric: true }) : apart;
}

function sortBy(head) {
  const upwards = head.getAttribute("aria-sort") !== "ascending";
  for (const other of head.parentNode.cells) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", upwards ? "ascending" : "descending");
  const body = head.closest("table").tBodies[0];
  const rows = [...body.rows].map((row) => ({ row, key: sortKey(row.cells[head.cellIndex]) }));
  // Cells that say nothing stay last, whichever way.
  rows.sort((a, b) => a.key.none - b.key.none || (upwards ? 1 : -1) * inOrder(a.key, b.key));
  body.append(...rows.map(({ row }) => row));
}

function makeSortable(table) {
  if (table.tBodies[0].rows.length < 2) return;
  for (const head of table.tHead.rows[0].cells) {
    const button = make("button", { type: "button", onclick: () => sortBy(head) }, head.firstChild);
    head.prepend(button);
    head.setAttribute("aria-sort", "none");
  }
}

function csvField(text) {
  const formula = /^[=+\-@\t\r]./.test(text) && !Number.isFinite(Number(text));
  const safe = formula ? `'${text}` : text; // a name, and no formula of a spreadsheet
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// Values and not what is shown of them; a column of several numbers becomes several.
function csvOf(table) {
  const heads = [...table.tHead.rows[0].cells];
  const parts = heads.map((head) => (head.dataset.parts ?? "").split(";"));
  const titles = heads.map(({ firstChild }, place) =>
    parts[place].map((part) => firstChild.textContent + (part && `, ${part}`)));
  const rows = [...table.tBodies[0].rows].map(({ cells }) => [...cells].map((cell, place) => {
    const values = valuesOf(cell) ?? [cellText(cell)];
    return parts[place].map((_, part) => values[part] ?? "");
  }));
  return [titles, ...rows].map((row) => row.flat().map(csvField).join(",") + "\n").join("");
}

const tableOf = (button) => button.closest(".table");

// Charts: which curves, where the pointer is, saving

const shownSvg = (figure) => all(".drawing svg", figure).find((svg) => svg.checkVisibility());

function makeSwitch(item, figure) {
  const own = item.dataset.series.split(" ").map((place) => `.plot [data-series="${place}"]`).join();
  const button = make("button", { type: "button" }, ...item.childNodes);
  button.setAttribute("aria-pressed", "true");
  button.addEventListener("click", () => {
    const hide = button.getAttribute("aria-pressed") === "true";
    button.setAttribute("aria-pressed", !hide);
    for (const curve of all(own, figure)) curve.classList.toggle("off", hide);
    figure.dispatchEvent(new Event("switched"));
  });
  item.append(button);
}

// The normal deviate of p, to 5e-4 (Abramowitz & Stegun, 26.2.23): finer than a pixel.
function deviate(p) {
  if (p > 0.5) return -deviate(1 - p);
  const t = Math.sqrt(-2 * Math.log(Math.max(p, 1e-12)));
  const above = 2.515517 + t * (0.802853 + t * 0.010328);
  return above / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
}

const spreads = { linear: (v) => v, log: (v) => Math.log10(Math.max(v, 1e-300)), probit: deviate };

function scaleOf(kind, low, high, start, end) {
  const spread = spreads[kind] ?? spreads.linear;
  const [first, last] = [spread(Number(low)), spread(Number(high))];
  return (value) => Number(start) + ((spread(value) - first) / (last - first)) * (end - start);
}

function readable(svg) {
  const d = svg.dataset;
  const x = scaleOf(d.scaleX, d.x0, d.x1, d.left, d.right);
  const y = scaleOf(d.scaleY, d.y0, d.y1, d.bottom, d.top);
  const curves = all("[data-points]", svg).filter((curve) => curve.dataset.points).map((curve) => ({
    curve,
    steps: curve.dataset.shape === "step",
    points: curve.dataset.points.split(";").map((pair) => {
      const [a, b] = pair.split(",").map(Number);
      return { a, b, x: x(a), y: y(b) };
    }),
  }));
  return { svg, curves, top: Math.min(d.top, d.bottom), bottom: Math.max(d.top, d.bottom) };
}

// Only points of the data are read out, and no curve beyond its ends: on steps the last point passed, else the nearest.
function pointAt({ points, steps }, place) {
  if (place < points[0].x - 1 || place > points.at(-1).x + 1) return null;
  if (steps) return points.findLast((point) => point.x <= place + 1e-6) ?? points[0];
  return nearest(points, place);
}

function nearest(points, place) {
  return points.reduce((best, one) => (Math.abs(one.x - place) < Math.abs(best.x - place) ? one : best));
}

const visible = (chart) => chart.curves.filter(({ curve }) => !curve.classList.contains("off"));

// Where the reader can stop: at every point of a visible curve.
function stops(chart) {
  const places = new Map(visible(chart).flatMap(({ points }) => points.map((point) => [point.a, point])));
  return [...places.values()].sort((one, other) => one.x - other.x);
}

function setAll(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function svgElement(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  return setAll(made, attributes);
}

function shown(value, unit) {
  return unit === "count" ? value.toLocaleString("en") : String(Number(value.toPrecision(4)));
}

// Of curves in grey, which may be many, the one nearest to the pointer is read.
function readCurves(chart, stop) {
  const read = visible(chart).map((one) => ({ ...one, point: pointAt(one, stop.x) })).filter((one) => one.point);
  const grey = read.filter(({ curve }) => curve.classList.contains("series-grey"));
  const off = ({ point }) => Math.abs(point.y - (stop.pointer ?? -Infinity));
  const near = grey.length > 1 ? grey.reduce((best, one) => (off(one) < off(best) ? one : best)) : grey[0];
  return read.filter((one) => one === near || !grey.includes(one));
}

function readOut(chart, stop, line) {
  const { unitX, unitY, labelX = "x" } = chart.svg.dataset;
  const read = readCurves(chart, stop);
  const said = read.map(({ curve, steps, point }) => {
    const elsewhere = steps || point.a === stop.a ? "" : ` at ${shown(point.a, unitX)}`;
    return [make("bdi", {}, curve.dataset.name), ` ${shown(point.b, unitY)}${elsewhere}`];
  });
  const parts = said.flatMap((one, place) => (place ? [" · ", ...one] : one));
  line.replaceChildren(`${labelX} ${shown(stop.a, unitX)}: `, ...parts);
  const group = svgElement("g", { class: "crosshair" });
  group.append(svgElement("path", { d: `M${stop.x} ${chart.top}V${chart.bottom}` }));
  for (const { steps, point } of read) {
    group.append(svgElement("circle", { cx: steps ? stop.x : point.x, cy: point.y, r: 4.5, fill: "none" }));
  }
  chart.svg.querySelector(".crosshair")?.remove();
  chart.svg.append(group);
  chart.stop = stop;
}

// What was read out is read again when a curve is switched; without any curve there is nothing to read.
function readAgain(chart, line) {
  const crosshair = chart.svg.querySelector(".crosshair");
  const places = stops(chart);
  if (crosshair && places.length) return readOut(chart, nearest(places, chart.stop.x), line);
  crosshair?.remove();
  if (!places.length) line.replaceChildren();
}

function nextStop(chart, key) {
  const places = stops(chart);
  const now = places.findIndex((one) => one.a === chart.stop?.a);
  const place = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: places.length - 1 }[key];
  return place === undefined ? undefined : places[Math.min(Math.max(place, 0), places.length - 1)];
}

function makeReadable(svg, figure) {
  const chart = readable(svg);
  if (!chart.curves.length) return;
  const line = figure.querySelector(".readout");
  const holder = svg.parentNode;
  line.hidden = false;
  holder.setAttribute("aria-description", "Use the left and right arrow keys to read values.");
  svg.addEventListener("pointermove", (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const places = stops(chart);
    if (places.length) readOut(chart, { ...nearest(places, point.x), pointer: point.y }, line);
  });
  figure.addEventListener("switched", () => { if (svg.checkVisibility()) readAgain(chart, line); });
  holder.addEventListener("keydown", (event) => {
    const stop = nextStop(chart, event.key);
    if (!stop) return;
    event.preventDefault();
    readOut(chart, stop, line);
  });
}

const styled = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "stroke-linejoin",
  "opacity", "color", "font-family", "font-size", "font-weight", "text-anchor", "display"];

// A copy that needs no style sheet, in the colours of paper.
function standalone(figure) {
  const svg = shownSvg(figure);
  svg.querySelector(".crosshair")?.remove();
  const theme = root.dataset.theme;
  root.dataset.theme = "light";
  const made = svg.cloneNode(true);
  const twins = all("*", made);
  all("*", svg).forEach((element, place) => {
    const style = getComputedStyle(element);
    for (const name of styled) twins[place].setAttribute(name, style.getPropertyValue(name));
  });
  const { width, height } = svg.viewBox.baseVal;
  const below = legendBelow(figure, made, width, height);
  made.prepend(svgElement("rect", { width, height: below, fill: "#fff" }));
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  setAll(made, { viewBox: `0 0 ${width} ${below}`, width, height: below });
  return { text: new XMLSerializer().serializeToString(made), width, height: below };
}

// The legend stands outside the drawing; a saved drawing takes it along. Gives the height of both.
function legendBelow(figure, made, width, height) {
  let [x, y] = [12, height + 16];
  const items = all(".legend button[aria-pressed=true]", figure);
  for (const item of items) {
    const style = getComputedStyle(item.querySelector(".line"));
    const name = item.textContent;
    const short = name.length > 60 ? `${name.slice(0, 30)}…${name.slice(-29)}` : name;
    const room = 54 + 7.5 * short.length;
    if (x > 12 && x + room > width) [x, y] = [12, y + 20];
    made.append(svgElement("path", { d: `M${x} ${y}h28`, stroke: style.stroke, "stroke-width": 2, "stroke-dasharray": style.strokeDasharray }));
    const label = svgElement("text", { x: x + 34, y: y + 5, "font-family": "sans-serif", "font-size": 13, fill: "#1c2024" });
    label.textContent = short;
    made.append(label);
    x += room;
  }
  return items.length ? y + 14 : height;
}

function saveSvg(button) {
  const figure = button.closest("figure");
  save(new Blob([standalone(figure).text], { type: "image/svg+xml" }), `${figure.id}.svg`);
}

async function savePng(button) {
  const figure = button.closest("figure");
  const { text, width, height } = standalone(figure);
  const image = make("img", { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}` });
  await image.decode();
  const canvas = make("canvas", { width: 3 * width, height: 3 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => save(blob, `${figure.id}.png`));
}

// The page

const prefersDark = matchMedia("(prefers-color-scheme: dark)");

function showTheme() {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches;
  document.querySelector("[data-do=theme]").setAttribute("aria-pressed", dark);
  return dark;
}

function switchTheme() {
  root.dataset.theme = showTheme() ? "light" : "dark";
  showTheme();
}

function foldContents() {
  const narrow = matchMedia("(max-width: 60rem)");
  const fold = () => { document.querySelector("#contents details").open = !narrow.matches; };
  narrow.addEventListener("change", fold);
  fold();
}

function followReading() {
  const links = new Map(all("#contents a").map((link) => [link.hash.slice(1), link]));
  const watcher = new IntersectionObserver((seen) => {
    const now = seen.find((one) => one.isIntersecting);
    if (!now) return;
    links.forEach((link) => link.removeAttribute("aria-current"));
    links.get(now.target.id).setAttribute("aria-current", "true");
  }, { rootMargin: "-15% 0% -80% 0%" });
  links.forEach((_, id) => watcher.observe(document.getElementById(id)));
}

// A link to a folded part opens it.
function unfoldWhatIsLinked() {
  const open = () => {
    const fold = location.hash.length > 1 && document.getElementById(location.hash.slice(1))?.querySelector(":scope > details");
    if (fold) fold.open = true;
  };
  addEventListener("hashchange", open);
  open();
}

function unfoldForPrint() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = all("main details:not([open], .numbers)");
    opened.forEach((one) => { one.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((one) => { one.open = false; }));
}

const actions = {
  "theme": switchTheme,
  "print": () => print(),
  "copy-code": (button) => copy(button.closest(".code").querySelector("code").textContent, button),
  "copy-csv": (button) => copy(csvOf(tableOf(button).querySelector("table")), button),
  "copy-latex": async (button) => copy(await textOf(tableOf(button).querySelector(".latex")), button),
  "save-svg": saveSvg,
  "save-png": savePng,
  "save-file": saveFile,
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  if (button) actions[button.dataset.do](button);
});
root.classList.add("js");
document.body.append(status);
all("table").forEach(makeSortable);
for (const figure of all("figure")) {
  all(".legend li", figure).forEach((item) => makeSwitch(item, figure));
  all(".drawing svg", figure).forEach((svg) => makeReadable(svg, figure));
}
prefersDark.addEventListener("change", showTheme);
showTheme();
foldContents();
followReading();
unfoldWhatIsLinked();
unfoldForPrint();
