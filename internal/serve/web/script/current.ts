// Lists of links beside a page, which mark the part that the reader has reached.

// markCurrent marks the link to the part of the page that is being read, and scrolls the
// menu so that it is visible. It returns a function that ends this.
export function markCurrent(all: HTMLAnchorElement[], menu: HTMLElement): () => void {
  const links: HTMLAnchorElement[] = [];
  const sections: HTMLElement[] = [];
  for (const link of all) {
    const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (section) {
      links.push(link);
      sections.push(section);
    }
  }
  if (links.length === 0) {
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
export function reveal(menu: HTMLElement, link: HTMLElement | null): void {
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
