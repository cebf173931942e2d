// The form of an operation in the API reference: it runs the request and shows the
// response, checks the JSON body as the reader types, and keeps the code in step.

import { checkJSON } from "./jsoncheck";

// Characters of a response that are shown.
const maxShown = 200_000;

// Errors and warnings that are listed. The body has all of them.
const maxFindings = 10;

const checkDelay = 250;

export function enhanceReference(): void {
  const form = document.querySelector<HTMLFormElement>("form.request");
  const result = document.querySelector<HTMLElement>(".result");
  if (form && result) {
    new Runner(form, result).start();
  }
}

interface Sent {
  path: string; // with parameters
  body: string | undefined;
}

class Runner {
  private readonly form: HTMLFormElement;
  private readonly result: HTMLElement;
  private readonly body: HTMLTextAreaElement | null;
  private readonly run: HTMLButtonElement;
  private readonly cancel: HTMLButtonElement;
  private running: AbortController | null = null;
  private checkTimer = 0;
  private download = ""; // address of the body of the last response

  constructor(form: HTMLFormElement, result: HTMLElement) {
    this.form = form;
    this.result = result;
    this.body = form.querySelector("textarea");
    this.run = find(document, "button.run");
    this.cancel = find(document, "button.cancel");
  }

  start(): void {
    this.run.disabled = false;
    for (const button of document.querySelectorAll<HTMLButtonElement>(".run, .reset")) {
      button.hidden = false;
    }
    const hint = document.querySelector<HTMLElement>(".buttons [data-script][hidden]");
    if (hint && matchMedia("(pointer: fine)").matches) {
      hint.hidden = false;
      if (navigator.platform.startsWith("Mac")) {
        find(hint, "kbd").textContent = "⌘";
      }
    }
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.send();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) {
        event.preventDefault();
        this.form.requestSubmit();
      }
    });
    this.form.addEventListener("input", () => this.changed());
    // The fields change after the event.
    this.form.addEventListener("reset", () => setTimeout(() => this.changed()));
    this.cancel.addEventListener("click", () => {
      this.run.focus();
      this.running?.abort();
    });
    // Browsers restore the fields of a page that is loaded again.
    const optional = this.form.querySelector<HTMLDetailsElement>(".optional");
    if (optional) {
      const fields = [...optional.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[data-in]")];
      optional.open = fields.some((field) => field.value !== "");
    }
    this.changed();
  }

  private text(name: string): string {
    return this.form.dataset[name] ?? "";
  }

  // changed updates everything that depends on the request.
  private changed(): void {
    const { path, body } = this.request();
    const url = this.text("server") + path;
    for (const part of document.querySelectorAll<HTMLElement>("[data-fill]")) {
      const text = fill(part.dataset.fill ?? "", url, body ?? "");
      if (part.textContent !== text) {
        part.textContent = text;
      }
    }
    clearTimeout(this.checkTimer);
    this.checkTimer = setTimeout(() => this.check(), checkDelay);
  }

  // check shows the first mistake in the body.
  private check(): void {
    if (!this.body) {
      return;
    }
    const mistake = checkJSON(this.body.value);
    this.body.setAttribute("aria-invalid", String(mistake !== null));
    const names = { value: "jsonValue", name: "jsonName", colon: "jsonColon", comma: "jsonComma", end: "jsonEnd" };
    let text = "";
    if (mistake) {
      text = this.text("jsonPlace")
        .replace("{line}", String(mistake.line))
        .replace("{column}", String(mistake.column))
        .replace("{what}", this.text(names[mistake.expected]));
    }
    const problem = find(this.form, ".problem");
    if (problem.textContent !== text) {
      problem.textContent = text;
    }
  }

  // request returns the request as the fields describe it. Empty parameters are
  // omitted.
  private request(): Sent {
    let path = this.text("path");
    const query: string[] = [];
    for (const field of this.form.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[data-in]")) {
      if (field.dataset.in === "path") {
        path = path.replace(`{${field.name}}`, () => encode(field.value));
      } else if (field.value !== "") {
        query.push(`${field.name}=${encode(field.value)}`);
      }
    }
    if (query.length > 0) {
      path += `?${query.join("&")}`;
    }
    return { path, body: this.body?.value };
  }

  private async send(): Promise<void> {
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    this.cancel.hidden = false;
    this.result.hidden = false;
    this.result.setAttribute("aria-busy", "true");
    this.announce(this.text("running"));
    const sent = this.request();
    const started = performance.now();
    try {
      // The request goes to the server of this page, whatever its public address is.
      const response = await fetch(sent.path, {
        method: this.text("method"),
        signal: running.signal,
        cache: "no-cache",
        credentials: "omit",
        ...(sent.body !== undefined && { body: sent.body, headers: { "Content-Type": "application/json" } }),
      });
      const data = await response.blob();
      const text = isText(data.type) ? await data.text() : null;
      if (this.running === running) {
        this.show(response, data, text, performance.now() - started, sent);
      }
    } catch {
      if (this.running === running) {
        this.clear();
        this.status(this.text(running.signal.aborted ? "cancelled" : "offline"));
      }
    }
    if (this.running === running) {
      this.running = null;
      this.cancel.hidden = true;
      this.result.removeAttribute("aria-busy");
    }
  }

  // clear removes the last response.
  private clear(): void {
    URL.revokeObjectURL(this.download);
    this.download = "";
    for (const name of [".result-about", ".result-findings", ".result-pictures", "pre", ".result-note", "dl"]) {
      find(this.result, name).replaceChildren();
    }
    find(this.result, ".result-headers").hidden = true;
    find(this.result, ".snippet").hidden = true;
  }

  private status(text: string): void {
    find(this.result, ".result-status").textContent = text;
    this.announce(text);
  }

  private announce(text: string): void {
    find(document, "[data-announce]").textContent = text;
  }

  private show(response: Response, data: Blob, text: string | null, milliseconds: number, sent: Sent): void {
    this.clear();
    const described = document.querySelector<HTMLElement>(`[data-status="${response.status}"]`);
    const name = described?.dataset.text ?? response.statusText;
    const isSmall = data.size < 1000;
    const size = new Intl.NumberFormat(document.documentElement.lang, {
      style: "unit",
      unit: isSmall ? "byte" : "kilobyte",
      maximumFractionDigits: 1,
    });
    const facts = [
      `${response.status} ${name}`.trim(),
      `${Math.max(1, Math.round(milliseconds))} ms`,
      size.format(isSmall ? data.size : data.size / 1000),
    ];
    this.status(facts.join(" · "));
    if (!response.ok) {
      this.explain(response, described);
    }

    const list = find(this.result, "dl");
    for (const [header, value] of response.headers) {
      const row = document.createElement("div");
      const term = document.createElement("dt");
      const detail = document.createElement("dd");
      term.append(header);
      detail.append(value);
      row.append(term, detail);
      list.append(row);
    }
    find(this.result, ".result-headers").hidden = false;

    if (data.type.startsWith("image/svg+xml") && text) {
      this.drawPicture(text, sent.path);
    }
    if (data.type.startsWith("text/html") && text) {
      this.drawPage(text);
    }
    const note = find(this.result, ".result-note");
    if (text === null) {
      note.append(this.text("binary"), " ", this.link(data, sent));
      return;
    }
    const value = data.type.includes("json") ? parse(text) : undefined;
    this.listFindings(value);
    const pretty = value === undefined ? text : JSON.stringify(value, null, 2);
    if (pretty !== "") {
      find(this.result, "pre").textContent = pretty.slice(0, maxShown);
      find(this.result, ".snippet").hidden = false;
    }
    if (pretty.length > maxShown) {
      note.append(this.text("clipped"), " ");
    }
    if (pretty.length > maxShown || data.type.startsWith("text/html")) {
      note.append(this.link(data, sent));
    }
  }

  // explain says what the status of a failed request means, and when to retry.
  private explain(response: Response, described: HTMLElement | null): void {
    const about = find(this.result, ".result-about");
    const meaning = document.createElement("span");
    meaning.lang = "en";
    meaning.append(described?.querySelector("[data-meaning]")?.textContent ?? "");
    about.append(meaning);
    const seconds = Number(response.headers.get("Retry-After"));
    if (seconds > 0) {
      about.append(" ", this.text("retry").replace("{n}", String(seconds)));
    }
  }

  // listFindings shows the first errors and warnings, with links to their codes.
  private listFindings(body: unknown): void {
    for (const finding of findingsIn(body).slice(0, maxFindings)) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = this.text("code").replace("CODE", () => encodeURIComponent(finding.code));
      link.append(finding.code);
      item.append(link, ` ${finding.message} ${finding.fix_hint ?? ""}`);
      find(this.result, ".result-findings").append(item);
    }
  }

  // drawPicture shows an image on the ground that it is made for. Images from data
  // addresses run no scripts and load nothing.
  private drawPicture(svg: string, path: string): void {
    const picture = document.createElement("img");
    picture.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    picture.alt = this.text("picture");
    picture.dataset.ground = path.endsWith(".dark.svg") ? "dark" : "light";
    find(this.result, ".result-pictures").append(picture);
  }

  // drawPage shows a page in a frame without permissions.
  private drawPage(html: string): void {
    const parsed = new DOMParser().parseFromString(html, "text/html");
    for (const script of parsed.querySelectorAll("script")) {
      script.remove();
    }
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "");
    frame.title = this.text("page");
    frame.srcdoc = `<!doctype html>${parsed.documentElement.outerHTML}`;
    find(this.result, ".result-pictures").append(frame);
  }

  // link returns a link to the whole response.
  private link(data: Blob, sent: Sent): HTMLAnchorElement {
    const link = document.createElement("a");
    if (sent.body === undefined) {
      link.href = sent.path;
      link.append(this.text("open"));
    } else {
      this.download = URL.createObjectURL(data);
      link.href = this.download;
      link.download = `response.${/html|json|pdf|svg/.exec(data.type)?.[0] ?? "txt"}`;
      link.append(this.text("download"));
    }
    return link;
  }
}

function find(parent: ParentNode, selector: "button.run" | "button.cancel"): HTMLButtonElement;
function find(parent: ParentNode, selector: string): HTMLElement;
function find(parent: ParentNode, selector: string): HTMLElement {
  const found = parent.querySelector<HTMLElement>(selector);
  if (!found) {
    throw new Error(`there is no ${selector}`);
  }
  return found;
}

// encode returns a value for an address. Characters that need no encoding, such as
// the @ in versions, stay readable.
function encode(value: string): string {
  return encodeURIComponent(value).replace(/%(40|3A|2C|24)/g, decodeURIComponent);
}

function isText(type: string): boolean {
  return /^text\/|^image\/svg|json/.test(type);
}

// parse returns the value of a JSON text, or undefined if it is not valid.
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Finding {
  code: string;
  message: string;
  fix_hint?: string;
}

// findingsIn returns the errors and warnings in the body of a response.
function findingsIn(body: unknown): Finding[] {
  const { errors, warnings } = (body ?? {}) as { errors?: unknown; warnings?: unknown };
  return [errors, warnings].flatMap((list) => (Array.isArray(list) ? (list as Finding[]) : []));
}

// fill returns the changing parts of code, as snippet.go does.
function fill(kind: string, url: string, body: string): string {
  switch (kind) {
    case "url-shell":
      return shellQuote(url);
    case "url-string":
      return JSON.stringify(url);
    case "body-shell":
      return shellQuote(body);
    case "body-python":
      return body.includes("'''") || /['\\]$/.test(body) ? JSON.stringify(body) : `r'''${body}'''`;
    default:
      return body;
  }
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
