// Menus are <details>: they close on Escape, and when anything else is used. Links
// that change the language or the version keep the place on the page, and the search,
// which may have changed since the page was loaded.

export function enhanceMenus(): void {
  const menus = [...document.querySelectorAll<HTMLDetailsElement>("details.menu")];
  document.addEventListener("click", (event) => {
    for (const menu of menus) {
      if (event.target instanceof Node && !menu.contains(event.target)) {
        menu.open = false;
      }
    }
  });
  for (const menu of menus) {
    menu.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && menu.open) {
        menu.open = false;
        menu.querySelector("summary")?.focus();
      }
    });
  }
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-keep-place]")) {
    const address = link.href; // a link that opens another tab can be used again
    link.addEventListener("click", () => {
      const target = new URL(address);
      const query = new URLSearchParams(location.search).get("q");
      if (query) {
        target.searchParams.set("q", query);
      } else {
        target.searchParams.delete("q");
        target.hash ||= place();
      }
      link.href = target.href;
    });
  }
}

// place returns the fragment of the section at the top of the window.
function place(): string {
  let current = "";
  for (const section of document.querySelectorAll<HTMLElement>("[data-place][id]")) {
    if (section.getBoundingClientRect().top > window.innerHeight / 3) {
      break;
    }
    current = section.id;
  }
  return current;
}
