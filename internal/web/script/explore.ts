// The explorer: the menu of categories marks the one that is being read, and a button
// prints the page.

export function enhanceExplore(): void {
  const results = document.getElementById("results");
  if (!results?.querySelector(".explore")) {
    return;
  }
  let stop = enhanceContent(results);
  results.addEventListener("results", () => {
    stop();
    stop = enhanceContent(results);
  });
}

// enhanceContent enhances the current content. It returns a function that ends this.
function enhanceContent(results: HTMLElement): () => void {
  for (const item of results.querySelectorAll<HTMLElement>("[data-print]")) {
    item.hidden = false;
    item.querySelector("button")?.addEventListener("click", () => print());
  }
  const menu = results.querySelector<HTMLElement>(".categories ul");
  if (!menu) {
    return () => {};
  }
  reveal(menu, menu.querySelector<HTMLElement>("[aria-current]"));
  return markCurrent(results, menu);
}

function markCurrent(results: HTMLElement, menu: HTMLElement): () => void {
  const links = [...results.querySelectorAll<HTMLAnchorElement>(".categories a[href^='#']")];
  const sections = links.flatMap((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))) ?? []);
  if (links.length === 0 || sections.length !== links.length) {
    return () => {};
  }
  let current = -1;
  let frame = 0;
  const update = () => {
    frame = 0;
    // The current section is the last one that starts in the upper third of the window.
    // At the end of the page, it is the last one in view.
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const limit = atEnd ? innerHeight : innerHeight / 3;
    const next = sections.findLastIndex((section) => section.getBoundingClientRect().top < limit);
    if (next === current) {
      return;
    }
    links[current]?.removeAttribute("aria-current");
    links[next]?.setAttribute("aria-current", "true");
    current = next;
    reveal(menu, links[next] ?? null);
  };
  const updateSoon = () => {
    frame ||= requestAnimationFrame(update);
  };
  addEventListener("scroll", updateSoon, { passive: true });
  addEventListener("resize", updateSoon);
  updateSoon();
  return () => {
    cancelAnimationFrame(frame);
    removeEventListener("scroll", updateSoon);
    removeEventListener("resize", updateSoon);
  };
}

// reveal scrolls the menu, but not the page, so that a link is visible.
function reveal(menu: HTMLElement, link: HTMLElement | null): void {
  if (!link) {
    return;
  }
  const outer = menu.getBoundingClientRect();
  const inner = link.getBoundingClientRect();
  if (inner.left < outer.left || inner.right > outer.right || inner.top < outer.top || inner.bottom > outer.bottom) {
    menu.scrollBy({
      left: (inner.left + inner.right - outer.left - outer.right) / 2,
      top: (inner.top + inner.bottom - outer.top - outer.bottom) / 2,
      behavior: "instant",
    });
  }
}
