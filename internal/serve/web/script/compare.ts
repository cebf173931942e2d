// The comparison of two versions: the list of the kinds of changes marks the one that is
// being read.

import { markCurrent } from "./current";

export function enhanceCompare(): void {
  const counts = document.querySelector<HTMLElement>(".compare-columns > .diff-counts");
  if (counts) {
    markCurrent([...counts.querySelectorAll<HTMLAnchorElement>("a[href^='#']")], counts);
  }
}
