// The explorer: the menu of categories marks the one that is being read, and a button
// prints the page.

import { markCurrent, reveal } from "./current";

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
  return markCurrent([...menu.querySelectorAll<HTMLAnchorElement>("a[href^='#']")], menu);
}
