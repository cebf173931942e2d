// Search forms. "/" moves to the first one on the page, and Escape empties it.
//
// A form with data-live shows results as the reader types: the value is the id of the
// element with the results. Its content comes from the address that submitting the
// form leads to, with part=results added. An element with data-status in it contains
// the text to announce, and data-title the new title of the page. Whenever the results
// have changed, the element gets the event "results".

// Milliseconds without input after which the results are requested, and after which
// their number is announced.
const requestDelay = 180;
const announceDelay = 700;

// Milliseconds without a response after which the reader is told to wait.
const progressDelay = 300;

const maxKept = 40;
const maxRetryDelay = 60;

export function enhanceSearch(): void {
  const forms = [...document.querySelectorAll<HTMLFormElement>("form.search")];
  for (const form of forms) {
    const input = form.querySelector<HTMLInputElement>("input[type=search]");
    const results = document.getElementById(form.dataset.live ?? "");
    if (input && results) {
      enhanceForm(form, input, results);
    }
  }
  const first = forms[0]?.querySelector<HTMLInputElement>("input[type=search]");
  if (first) {
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !isEditable(event.target)) {
        event.preventDefault();
        first.focus();
        first.select();
      }
    });
  }
}

function isEditable(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
}

function queryOf(address: string): string {
  return (new URL(address).searchParams.get("q") ?? "").trim();
}

function enhanceForm(form: HTMLFormElement, input: HTMLInputElement, results: HTMLElement): void {
  const status = form.querySelector<HTMLElement>("[role=status]");
  const message = form.querySelector<HTMLElement>("[role=alert]");
  const progress = form.querySelector<HTMLElement>(".search-progress");
  const kept = new Map<string, string>(); // results by query, oldest first
  let shown = queryOf(location.href);
  let pending: string | undefined; // the query whose results are requested
  let request = new AbortController();
  let requestTimer = 0;
  let announceTimer = 0;
  let retryTimer = 0;
  let progressTimer = 0;
  let scrollBefore = scrollY; // when the first letter was typed

  const keep = (query: string, content: string) => {
    kept.set(query, content);
    for (const oldest of kept.keys()) {
      if (kept.size <= maxKept) {
        break;
      }
      kept.delete(oldest);
    }
  };
  if (!new URL(location.href).searchParams.has("cursor")) {
    keep(shown, results.innerHTML);
  }

  // address returns the address that submitting the form with a query leads to.
  const address = (query: string) => {
    const url = new URL(form.action);
    for (const [name, value] of new FormData(form)) {
      if (typeof value === "string" && value !== "") {
        url.searchParams.set(name, value);
      }
    }
    url.searchParams.delete("q");
    if (query !== "") {
      url.searchParams.set("q", query);
    }
    return url;
  };

  const complain = (text = "") => {
    if (message) {
      message.textContent = text;
      message.hidden = text === "";
    }
  };

  const show = (query: string, content: string) => {
    if (shown === "") {
      scrollBefore = scrollY;
    }
    const wasSearch = shown !== "";
    const isSearch = query !== "";
    shown = query;
    results.innerHTML = content;
    // Back leads from the first results to the page before the search.
    if (isSearch && !wasSearch && queryOf(location.href) === "") {
      history.pushState(null, "", address(query));
    } else {
      history.replaceState(history.state, "", address(query));
    }
    const title = results.querySelector<HTMLElement>("[data-title]")?.dataset.title;
    if (title) {
      document.title = title;
    }
    if (isSearch !== wasSearch) {
      scrollTo({ top: isSearch ? 0 : scrollBefore, behavior: "instant" });
    }
    clearTimeout(announceTimer);
    announceTimer = setTimeout(() => {
      if (status) {
        status.textContent = results.querySelector<HTMLElement>("[data-status]")?.dataset.status ?? "";
      }
    }, announceDelay);
    results.dispatchEvent(new Event("results"));
  };

  const wait = (isWaiting: boolean) => {
    const report = (isShown: boolean) => {
      if (progress && status && progress.hidden === isShown) {
        progress.hidden = !isShown;
        status.textContent = isShown ? progress.textContent : "";
      }
    };
    clearTimeout(progressTimer);
    if (isWaiting) {
      results.setAttribute("aria-busy", "true");
      progressTimer = setTimeout(() => report(true), progressDelay);
    } else {
      results.removeAttribute("aria-busy");
      report(false);
    }
  };

  const load = async (query: string) => {
    clearTimeout(requestTimer);
    if (query === pending) {
      return;
    }
    pending = undefined;
    clearTimeout(retryTimer);
    request.abort();
    complain();
    wait(false);
    if (query === shown) {
      return;
    }
    const content = kept.get(query);
    if (content !== undefined) {
      show(query, content);
      return;
    }
    request = new AbortController();
    const { signal } = request;
    pending = query;
    wait(true);
    const part = address(query);
    part.searchParams.set("part", "results");
    try {
      const response = await fetch(part, { signal });
      const text = await response.text();
      if (response.ok) {
        keep(query, text);
        show(query, text);
      } else if (response.status === 429 || response.status === 503) {
        complain(form.dataset.limited);
        const seconds = Math.min(Math.max(Number(response.headers.get("Retry-After")) || 1, 1), maxRetryDelay);
        retryTimer = setTimeout(() => load(input.value.trim()), seconds * 1000);
      } else {
        complain(form.dataset.failed);
      }
    } catch {
      if (!signal.aborted) {
        complain(form.dataset.offline);
      }
    }
    if (!signal.aborted) {
      pending = undefined;
      wait(false);
    }
  };

  const loadSoon = () => {
    clearTimeout(requestTimer);
    requestTimer = setTimeout(() => load(input.value.trim()), requestDelay);
  };
  // Input methods report incomplete words, which are not searched for.
  input.addEventListener("input", (event) => {
    if (!(event instanceof InputEvent && event.isComposing)) {
      loadSoon();
    }
  });
  input.addEventListener("compositionend", loadSoon);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) {
      return;
    }
    if (event.key === "Escape" && input.value !== "") {
      event.preventDefault();
      input.value = "";
      load("");
    } else if (event.key === "ArrowDown") {
      const first = results.querySelector<HTMLElement>("a[data-result]");
      if (first) {
        event.preventDefault();
        first.focus();
      }
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    load(input.value.trim());
    if (matchMedia("(pointer: coarse)").matches) {
      input.blur(); // hides the keyboard
    }
  });
  addEventListener("online", () => {
    pending = undefined;
    load(input.value.trim());
  });
  addEventListener("popstate", () => {
    if (queryOf(location.href) !== shown) {
      input.value = queryOf(location.href);
      load(input.value);
    }
  });
  // The reader may have typed before this script was loaded.
  if (input.value.trim() !== shown) {
    load(input.value.trim());
  }
}
