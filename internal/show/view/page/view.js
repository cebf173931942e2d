// The page is complete without this script. The script selects the reader's language and
// opens the folded parts that links lead to. Inside an MCP Apps host, it connects to the
// host, adopts its theme and shows the page of the tool result, which the server has
// rendered.

const root = document.documentElement;

// ---- Languages ----

const languages = () => [...document.querySelectorAll("body > main[lang]")];

// describe sets the language and the title of the document to those of the shown one.
function describe() {
  const shown = languages().find((main) => getComputedStyle(main).display !== "none");
  if (!shown) return;
  root.lang = shown.lang;
  root.dir = shown.dir;
  document.title = shown.querySelector("h1").textContent;
}

const primary = (tag) => tag.toLowerCase().split("-")[0];

// script returns the script of a language tag, which may be implied, such as Hant of zh-TW.
function script(tag) {
  try {
    return new Intl.Locale(tag).maximize().script;
  } catch {
    return undefined; // the tag has no standard meaning
  }
}

// showPreferred moves the language that the reader prefers to the front, where it is shown.
function showPreferred() {
  if (!("followsReader" in document.body.dataset) || location.hash) return;
  for (const wanted of navigator.languages) {
    const found = languages().filter(({ lang }) => primary(lang) === primary(wanted));
    const main = found.find(({ lang }) => script(lang) === script(wanted)) ?? found[0];
    if (!main) continue;
    languages()[0].before(main);
    break;
  }
}

// ---- Folded parts ----

// openTarget opens the folded parts around the target of a link, for browsers that do not.
function openTarget(hash) {
  const target = document.getElementById(hash.slice(1));
  let folded = target?.closest("details:not([open])");
  if (!folded) return;
  for (; folded; folded = target.closest("details:not([open])")) folded.open = true;
  target.scrollIntoView();
}

// Without ::details-content, the style sheet cannot open folded parts in print.
function printOpen() {
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const details of opened) details.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });
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

// replaceContents replaces everything but the script.
function replaceContents(...nodes) {
  const script = document.querySelector("body > script");
  document.body.replaceChildren(...nodes, script);
}

// draw shows a page that the server has rendered. The content security policy forbids
// any script in it.
function draw({ html, follows_reader: followsReader }) {
  const page = new DOMParser().parseFromString(html, "text/html");
  replaceContents(...page.body.childNodes);
  document.body.toggleAttribute("data-follows-reader", followsReader);
  showPreferred();
  describe();
}

// resultText returns the paragraphs of a result without a page.
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
  const page = result?._meta?.["placard/view"];
  if (page) {
    draw(page);
    return;
  }
  const paragraphs = resultText(result ?? {});
  if (paragraphs.length === 0) return;
  document.title = "datachain";
  const main = document.createElement("main");
  for (const text of paragraphs) {
    const paragraph = document.createElement("p");
    paragraph.className = "plain";
    paragraph.textContent = String(text);
    main.append(paragraph);
  }
  replaceContents(main);
}

// tokens are the custom properties of the page by the style variables of the host.
const tokens = {
  "--color-background-primary": "--paper",
  "--color-text-primary": "--ink",
  "--color-text-secondary": "--soft",
  "--color-border-primary": "--rule",
  "--font-sans": "--font",
};

// applyContext applies changes to the host context.
function applyContext(change) {
  Object.assign(context, change);
  const { theme, styles, safeAreaInsets } = context;
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (tokens[name] && typeof value === "string") root.style.setProperty(tokens[name], value);
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
    const size = { height: Math.ceil(document.body.getBoundingClientRect().height) };
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
  root.dataset.embedded = "";
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
  new ResizeObserver(reportSize).observe(document.body);
}

document.addEventListener("click", (event) => {
  const anchor = event.target.closest("a[href]");
  if (anchor?.getAttribute("href").startsWith("#")) {
    // The address does not change if the link is followed again.
    openTarget(anchor.hash);
  } else if (anchor && hostOpensLinks) {
    // A sandboxed page cannot open links itself.
    event.preventDefault();
    request("ui/open-link", { url: anchor.href });
  }
});

window.addEventListener("hashchange", () => {
  describe();
  openTarget(location.hash);
});

showPreferred();
describe();
openTarget(location.hash);
if (!CSS.supports("selector(::details-content)")) printOpen();
if (host !== window) connect();
