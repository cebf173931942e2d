// The page is complete without this script. Inside an MCP Apps host, the script
// connects to the host, adopts its theme and draws the model of the tool result.
// It creates the same nodes that the server renders from page.html.

const root = document.documentElement;
const main = document.getElementById("view");

// ---- Drawing ----

// make creates an element. Strings become text nodes, never markup. Undefined
// attributes and children are ignored.
function make(tag, attributes, ...children) {
  return populate(document.createElement(tag), attributes, children);
}

function makeSVG(tag, attributes, ...children) {
  return populate(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function populate(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined));
  return element;
}

// optional draws a value unless it is absent.
const optional = (value, draw) => (value ? draw(value) : undefined);

function text(t) {
  const parts = (t.parts ?? []).map((part) => (part.kind ? text(part) : part.text));
  return make("bdi", { lang: t.lang, dir: t.dir, class: t.kind }, t.text ?? "", parts);
}

// escapeSVG escapes the same characters as the server, including some that
// encodeURIComponent does not escape.
const escapeSVG = (svg) =>
  encodeURIComponent(svg).replace(/[!'()*]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());

function icon({ svg, dark }) {
  const image = (theme, source) =>
    make("img", { class: theme, src: "data:image/svg+xml," + escapeSVG(source), alt: "", width: 36, height: 36 });
  return dark ? [image("light", svg), image("dark", dark)] : [image("both", svg)];
}

function facts(list) {
  return make("dl", { class: "facts" }, list.map((fact) =>
    make("div", {}, make("dt", {}, text(fact.label)), make("dd", {}, text(fact.value)))));
}

// link creates a link if the scheme is one that the server allows.
function link(href, ...children) {
  if (!/^(https|mailto|tel):/.test(href)) return children;
  const external = href.startsWith("https:");
  return make("a", {
    href,
    target: external ? "_blank" : undefined,
    rel: external ? "noopener noreferrer" : undefined,
  }, children);
}

function notes(n) {
  return make("details", { class: "notes" },
    make("summary", {}, text(n.summary)),
    optional(n.facts, facts),
    (n.quotes ?? []).map((quote) =>
      make("figure", {},
        make("blockquote", {}, text(quote.text)),
        optional(quote.context, (t) => make("figcaption", {}, text(t))))),
    optional(n.sources, (sources) =>
      make("ul", { class: "sources" }, sources.map((source) =>
        make("li", {},
          source.href ? link(source.href, text(source.title)) : text(source.title),
          optional(source.address, (t) => make("span", {}, text(t))),
          optional(source.citation, (t) => make("span", {}, text(t))))))));
}

function action(a) {
  const content = [
    optional(a.label, (t) => make("span", { class: "action-label" }, text(t))),
    optional(a.label, () => " "),
    make("span", { class: "action-target" }, text(a.target)),
  ];
  return make("li", {}, a.href ? link(a.href, content) : make("div", {}, content));
}

function placement(p, level) {
  return make("li", { class: "placement" },
    make("div", { class: "icon" }, icon(p.icon)),
    make("div", { class: "placement-body" },
      make("h" + (level + 1), {},
        optional(p.label, (t) => make("span", { class: "label" }, text(t))),
        optional(p.label, () => " "),
        make("span", { class: "title" }, text(p.title))),
      optional(p.proposed, (t) => make("p", { class: "proposed" }, text(t))),
      optional(p.context, (context) =>
        make("p", { class: "context" },
          optional(context.color, (fill) =>
            makeSVG("svg", { viewBox: "0 0 8 8", "aria-hidden": "true" },
              makeSVG("circle", { cx: 4, cy: 4, r: 3.5, fill }))),
          optional(context.name, (t) => make("span", {}, text(t))),
          optional(context.name, () => " "),
          text(context.value))),
      optional(p.values, facts),
      optional(p.description, (t) => make("p", { class: "description" }, text(t))),
      optional(p.actions, (actions) => make("ul", { class: "actions" }, actions.map(action))),
      optional(p.notes, notes)));
}

function section(s) {
  return make("section", { class: "category" },
    make("div", { class: "category-head" },
      optional(s.shape, (shape) => make("div", { class: "shape" }, icon(shape))),
      make("h" + s.level, {}, text(s.name)),
      optional(s.prompt, (t) => make("p", { class: "prompt" }, text(t)))),
    make("ul", { class: "placements" }, s.placements.map((p) => placement(p, s.level))));
}

function part(p) {
  if (!p.name) return p.strands.flatMap((strand) => strand.sections.map(section));
  return make("section", { class: "chain" },
    make("h2", {}, text(p.name)),
    make("div", { class: "strands" }, p.strands.map((strand) =>
      make("div", { class: "strand" }, make("h3", {}, text(strand.title)), strand.sections.map(section)))));
}

// draw replaces the contents of the page with a model.
function draw(model) {
  const title = text(model.title);
  const page = [
    make("header", { class: "head" },
      optional(model.kind, (t) => make("p", { class: "kind" }, text(t))),
      make("h1", {}, title),
      optional(model.lead, (t) => make("p", { class: "lead" }, text(t)))),
    ...model.parts.flatMap(part),
    make("footer", { class: "foot" }, optional(model.notes, notes), facts(model.facts)),
  ];
  root.lang = model.locale;
  root.dir = model.dir;
  document.title = title.textContent;
  main.replaceChildren(...page);
}

// ---- Host ----

const protocolVersion = "2026-01-26";
const host = window.parent;
const pending = new Map();
const context = {};
let lastID = 0;
let hostOpensLinks = false;

const send = (message) => host.postMessage({ jsonrpc: "2.0", ...message }, "*");

const notify = (method, params) => send({ method, params });

function request(method, params) {
  const id = ++lastID;
  send({ id, method, params });
  return new Promise((resolve) => pending.set(id, resolve));
}

// resultText returns the paragraphs of a result without a model.
function resultText(result) {
  const { errors, data } = result.structuredContent ?? {};
  if (Array.isArray(errors) && errors.length > 0) return errors.map((error) => error.message);
  const plain = data?.text ?? data?.summary;
  if (typeof plain === "string") return [plain];
  const block = (result.content ?? []).find(({ type }) => type === "text");
  if (block) return [block.text];
  if (data?.section_count !== undefined) return [`${count(data.section_count, "section")}, ${count(data.element_count, "element")}.`];
  return [];
}

function count(n, noun) {
  return n === 1 ? `1 ${noun}` : `${n} ${noun}s`;
}

function showResult(result) {
  const model = result?._meta?.["placard/view"];
  if (model) {
    draw(model);
    return;
  }
  const paragraphs = resultText(result ?? {});
  if (paragraphs.length === 0) return;
  document.title = "datachain";
  main.replaceChildren(...paragraphs.map((p) => make("p", { class: "plain" }, text({ text: String(p) }))));
}

// resolveLightDark returns the value of a light-dark() expression for a theme. The
// browser cannot evaluate it, because the page declares no color-scheme.
function resolveLightDark(value, theme) {
  const colors = /^\s*light-dark\((.*)\)\s*$/s.exec(value)?.[1];
  if (colors === undefined) return value;
  let depth = 0;
  for (let i = 0; i < colors.length; i++) {
    if (colors[i] === "(") depth++;
    if (colors[i] === ")") depth--;
    if (colors[i] === "," && depth === 0) return (theme === "dark" ? colors.slice(i + 1) : colors.slice(0, i)).trim();
  }
  return value;
}

// applyContext applies changes to the host context.
function applyContext(change) {
  Object.assign(context, change);
  const { theme, styles, safeAreaInsets } = context;
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (name.startsWith("--") && typeof value === "string") root.style.setProperty(name, resolveLightDark(value, theme));
  }
  for (const [side, inset] of Object.entries(safeAreaInsets ?? {})) {
    root.style.setProperty("--inset-" + side, Number(inset) + "px");
  }
}

// reportSize sends the size of the page to the host once it stops changing.
let timer;
let reportedSize = "";
function reportSize() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const size = { height: Math.ceil(main.getBoundingClientRect().height) };
    // A host that sets only a maximum width expects the page to report its width.
    const maxWidth = context.containerDimensions?.maxWidth;
    if (maxWidth) size.width = Math.min(maxWidth, 1152);
    if (size.height === 0 || reportedSize === JSON.stringify(size)) return;
    reportedSize = JSON.stringify(size);
    notify("ui/notifications/size-changed", size);
  }, 50);
}

const notifications = {
  "ui/notifications/tool-result": showResult,
  "ui/notifications/host-context-changed": applyContext,
};

function handleMessage({ source, data }) {
  if (source !== host || data?.jsonrpc !== "2.0") return;
  const { id, method, params, result, error } = data;
  if (method === undefined) {
    pending.get(id)?.({ result, error });
    pending.delete(id);
  } else if (id === undefined) {
    notifications[method]?.(params);
  } else if (method === "ping" || method === "ui/resource-teardown") {
    send({ id, result: {} });
  } else {
    send({ id, error: { code: -32601, message: "Method not found" } });
  }
}

async function connect() {
  window.addEventListener("message", handleMessage);
  const { result } = await request("ui/initialize", {
    protocolVersion,
    appInfo: { name: "placard-view", version: "1.0.0" },
    appCapabilities: {},
  });
  if (!result) return;
  hostOpensLinks = Boolean(result.hostCapabilities?.openLinks);
  applyContext(result.hostContext ?? {});
  notify("ui/notifications/initialized", {});
  new ResizeObserver(reportSize).observe(main);
}

// A sandboxed page cannot open links itself.
main.addEventListener("click", (event) => {
  const anchor = event.target.closest("a[href]");
  if (!anchor || !hostOpensLinks) return;
  event.preventDefault();
  request("ui/open-link", { url: anchor.href });
});

if (host !== window) connect();
