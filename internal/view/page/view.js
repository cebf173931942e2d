// The page is complete as it was sent: without this script it shows what it
// shows. Inside an MCP Apps host the script introduces the page, follows the
// host's look, and draws what the host's tool call returned. What it draws is,
// node for node, what the server writes from page.html.

const root = document.documentElement;
const main = document.getElementById("view");

// ---- Drawing ----

// make returns an element. Strings become text, never markup; attributes and
// children that are undefined are left out.
function make(tag, attributes, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

function makeSVG(tag, attributes, ...children) {
  return furnish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined));
  return element;
}

// given draws a thing where there is one.
const given = (thing, draw) => (thing ? draw(thing) : undefined);

function text(t) {
  const parts = (t.parts ?? []).map((part) => (part.kind ? text(part) : part.text));
  return make("bdi", { lang: t.lang, dir: t.dir, class: t.kind }, t.text ?? "", parts);
}

// escape writes a drawing into an address as the server does, which leaves fewer
// characters alone than JavaScript.
const escape = (drawing) =>
  encodeURIComponent(drawing).replace(/[!'()*]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());

function icon({ svg, dark }) {
  const image = (kind, drawing) =>
    make("img", { class: kind, src: "data:image/svg+xml," + escape(drawing), alt: "", width: 36, height: 36 });
  return dark ? [image("light", svg), image("dark", dark)] : [image("both", svg)];
}

function facts(list) {
  return make("dl", { class: "facts" }, list.map((fact) =>
    make("div", {}, make("dt", {}, text(fact.label)), make("dd", {}, text(fact.value)))));
}

// link leads only where the server's own links may lead.
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
    given(n.facts, facts),
    (n.quotes ?? []).map((quote) =>
      make("figure", {},
        make("blockquote", {}, text(quote.text)),
        given(quote.context, (t) => make("figcaption", {}, text(t))))),
    given(n.sources, (sources) =>
      make("ul", { class: "sources" }, sources.map((source) =>
        make("li", {},
          source.href ? link(source.href, text(source.title)) : text(source.title),
          given(source.address, (t) => make("span", {}, text(t))),
          given(source.citation, (t) => make("span", {}, text(t))))))));
}

function action(a) {
  const words = [
    given(a.label, (t) => make("span", { class: "does" }, text(t))),
    given(a.label, () => " "),
    make("span", { class: "target" }, text(a.target)),
  ];
  return make("li", {}, a.href ? link(a.href, words) : make("div", {}, words));
}

function placement(p, level) {
  return make("li", { class: "placement" },
    make("div", { class: "icon" }, icon(p.icon)),
    make("div", { class: "words" },
      make("h" + (level + 1), {},
        given(p.label, (t) => make("span", { class: "label" }, text(t))),
        given(p.label, () => " "),
        make("span", { class: "title" }, text(p.title))),
      given(p.proposed, (t) => make("p", { class: "proposed" }, text(t))),
      given(p.context, (context) =>
        make("p", { class: "context" },
          given(context.color, (fill) =>
            makeSVG("svg", { viewBox: "0 0 8 8", "aria-hidden": "true" },
              makeSVG("circle", { cx: 4, cy: 4, r: 3.5, fill }))),
          given(context.name, (t) => make("span", {}, text(t))),
          given(context.name, () => " "),
          text(context.value))),
      given(p.values, facts),
      given(p.description, (t) => make("p", { class: "description" }, text(t))),
      given(p.actions, (actions) => make("ul", { class: "actions" }, actions.map(action))),
      given(p.notes, notes)));
}

function section(s) {
  return make("section", { class: "category" },
    make("div", { class: "rubric" },
      given(s.shape, (shape) => make("div", { class: "shape" }, icon(shape))),
      make("h" + s.level, {}, text(s.name)),
      given(s.prompt, (t) => make("p", { class: "prompt" }, text(t)))),
    make("ul", { class: "placements" }, s.placements.map((p) => placement(p, s.level))));
}

function part(p) {
  if (!p.name) return p.strands.flatMap((strand) => strand.sections.map(section));
  return make("section", { class: "chain" },
    make("h2", {}, text(p.name)),
    make("div", { class: "strands" }, p.strands.map((strand) =>
      make("div", { class: "strand" }, make("h3", {}, text(strand.title)), strand.sections.map(section)))));
}

// draw shows a model in place of what is there.
function draw(model) {
  const title = text(model.title);
  const page = [
    make("header", { class: "head" },
      given(model.kind, (t) => make("p", { class: "kind" }, text(t))),
      make("h1", {}, title),
      given(model.lead, (t) => make("p", { class: "lead" }, text(t)))),
    ...model.parts.flatMap(part),
    make("footer", { class: "foot" }, given(model.notes, notes), facts(model.facts)),
  ];
  root.lang = model.locale;
  root.dir = model.dir;
  document.title = title.textContent;
  main.replaceChildren(...page);
}

// ---- The host ----

const version = "2026-01-26";
const host = window.parent;
const pending = new Map();
const context = {};
let asked = 0;
let opensLinks = false;

const send = (message) => host.postMessage({ jsonrpc: "2.0", ...message }, "*");

const notify = (method, params) => send({ method, params });

function request(method, params) {
  const id = ++asked;
  send({ id, method, params });
  return new Promise((resolve) => pending.set(id, resolve));
}

// words are what a result says where it has nothing to draw.
function words(result) {
  const { errors, data } = result.structuredContent ?? {};
  if (Array.isArray(errors) && errors.length > 0) return errors.map((error) => error.message);
  if (typeof data?.summary === "string") return [data.summary];
  const said = (result.content ?? []).find((block) => block.type === "text");
  if (said) return [said.text];
  if (data?.section_count !== undefined) return [`${data.section_count} sections, ${data.element_count} elements.`];
  return [];
}

function show(result) {
  const model = result?._meta?.["placard/view"];
  if (model) {
    draw(model);
    return;
  }
  const paragraphs = words(result ?? {});
  if (paragraphs.length === 0) return;
  document.title = "datachain";
  main.replaceChildren(...paragraphs.map((words) => make("p", { class: "plain" }, text({ text: String(words) }))));
}

// sided returns what a value is on a light or on a dark page. Hosts write
// light-dark(), which asks the color-scheme; this page has none.
function sided(value, theme) {
  const inside = /^\s*light-dark\((.*)\)\s*$/s.exec(value)?.[1];
  if (inside === undefined) return value;
  let depth = 0;
  for (let i = 0; i < inside.length; i++) {
    if (inside[i] === "(") depth++;
    if (inside[i] === ")") depth--;
    if (inside[i] === "," && depth === 0) return (theme === "dark" ? inside.slice(i + 1) : inside.slice(0, i)).trim();
  }
  return value;
}

function follow(change) {
  Object.assign(context, change);
  const { theme, styles, safeAreaInsets } = context;
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (name.startsWith("--") && typeof value === "string") root.style.setProperty(name, sided(value, theme));
  }
  for (const [side, inset] of Object.entries(safeAreaInsets ?? {})) {
    root.style.setProperty("--inset-" + side, Number(inset) + "px");
  }
}

// measure tells the host how large the page is, once it has come to rest.
let timer;
let told = "";
function measure() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const size = { height: Math.ceil(main.getBoundingClientRect().height) };
    // A host that gives a width wants it filled; one that gives only a maximum asks.
    const most = context.containerDimensions?.maxWidth;
    if (most) size.width = Math.min(most, 1152);
    if (size.height === 0 || told === JSON.stringify(size)) return;
    told = JSON.stringify(size);
    notify("ui/notifications/size-changed", size);
  }, 50);
}

const notifications = {
  "ui/notifications/tool-result": show,
  "ui/notifications/host-context-changed": follow,
};

function hear({ source, data }) {
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

async function introduce() {
  window.addEventListener("message", hear);
  const { result } = await request("ui/initialize", {
    protocolVersion: version,
    appInfo: { name: "placard-view", version: "1.0.0" },
    appCapabilities: {},
  });
  if (!result) return;
  opensLinks = Boolean(result.hostCapabilities?.openLinks);
  follow(result.hostContext ?? {});
  notify("ui/notifications/initialized", {});
  new ResizeObserver(measure).observe(main);
}

// A sandboxed page cannot follow links itself; its host can.
main.addEventListener("click", (event) => {
  const anchor = event.target.closest("a[href]");
  if (!anchor || !opensLinks) return;
  event.preventDefault();
  request("ui/open-link", { url: anchor.href });
});

if (host !== window) introduce();
