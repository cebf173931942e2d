// The table of contents of a guide: it is open beside the text, folded above it, and
// marks the heading that the reader has reached.

export function enhanceContents(): void {
  const contents = document.querySelector<HTMLDetailsElement>("details[data-contents]");
  if (!contents) {
    return;
  }
  const isBeside = matchMedia("(min-width: 64rem)");
  const fold = () => {
    contents.open = isBeside.matches;
  };
  fold();
  isBeside.addEventListener("change", fold);
  contents.addEventListener("click", (event) => {
    if (event.target instanceof HTMLAnchorElement) {
      fold();
    }
  });

  const links = new Map<string, HTMLAnchorElement>();
  for (const link of contents.querySelectorAll<HTMLAnchorElement>("a[href^='#']")) {
    links.set(decodeURIComponent(link.hash.slice(1)), link);
  }
  const headings = [...document.querySelectorAll<HTMLElement>("article [data-place][id]")].filter((h) => links.has(h.id));
  let current: HTMLAnchorElement | undefined;
  const mark = () => {
    const reached = headings.findLast((h) => h.getBoundingClientRect().top < window.innerHeight / 4);
    const link = reached && links.get(reached.id);
    if (link === current) {
      return;
    }
    current?.removeAttribute("aria-current");
    link?.setAttribute("aria-current", "location");
    current = link;
    if (link && isBeside.matches) {
      contents.scrollTop = link.offsetTop - contents.clientHeight / 2;
    }
  };
  let waiting = false;
  addEventListener(
    "scroll",
    () => {
      if (!waiting) {
        waiting = true;
        requestAnimationFrame(() => {
          waiting = false;
          mark();
        });
      }
    },
    { passive: true },
  );
  mark();
}
