// The table of contents of a guide: it is open beside the text, folded above it, and
// marks the heading that the reader has reached.

import { markCurrent } from "./current";

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
    if (event.target instanceof Element && event.target.closest("a")) {
      fold();
    }
  });

  markCurrent([...contents.querySelectorAll<HTMLAnchorElement>("a[href^='#']")], contents);
}
