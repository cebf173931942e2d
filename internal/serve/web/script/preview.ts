// Pages of a preview reload when the authoring tree changes. They keep their place and
// announce the findings.

const interval = 1000; // milliseconds between two requests
const storageKey = "preview";

interface Place {
  path: string;
  scroll: number;
  summary: string; // of the findings before
}

export function enhancePreview(): void {
  const banner = document.querySelector<HTMLElement>(".preview-banner");
  if (!banner) {
    return;
  }
  const summary = banner.querySelector(".summary")?.textContent ?? "";
  const path = location.pathname + location.search;
  const before = takePlace();
  if (before && before.path === path) {
    scrollTo({ top: before.scroll, behavior: "instant" });
    if (before.summary !== summary) {
      // A screen reader announces only changes after it has read the page.
      setTimeout(() => {
        const status = banner.querySelector("[role=status]");
        if (status) {
          status.textContent = summary;
        }
      }, interval);
    }
  }

  // Disclosures set the title of the document themselves.
  const problems = document.querySelector(".preview-problems")?.textContent?.match(/\d+/)?.[0];
  const mark = () => {
    if (problems && !document.title.startsWith(`(${problems}) `)) {
      document.title = `(${problems}) ${document.title}`;
    }
  };
  addEventListener("load", mark);

  const offline = banner.querySelector<HTMLElement>(".offline");
  const reload = () => {
    sessionStorage.setItem(storageKey, JSON.stringify({ path, scroll: scrollY, summary } satisfies Place));
    location.reload();
  };
  const poll = async () => {
    mark();
    let failed = false;
    if (document.visibilityState === "visible") {
      try {
        const response = await fetch("/preview", { cache: "no-store" });
        if (!response.ok) {
          throw new Error(response.statusText);
        }
        const state: { revision: string } = await response.json();
        if (state.revision !== banner.dataset.revision) {
          reload();
          return;
        }
      } catch {
        failed = true;
      }
      if (offline) {
        offline.textContent = failed ? (banner.dataset.offline ?? "") : "";
        offline.hidden = !failed;
      }
    }
    setTimeout(poll, interval);
  };
  setTimeout(poll, interval);
}

// takePlace returns the place that the page had before it reloaded itself, and forgets
// it.
function takePlace(): Place | undefined {
  const text = sessionStorage.getItem(storageKey);
  sessionStorage.removeItem(storageKey);
  return text ? (JSON.parse(text) as Place) : undefined;
}
