// Tables that are wider than their box say that they scroll.

export function enhanceTables(): void {
  const prose = document.querySelector<HTMLElement>("[data-scroll]");
  if (!prose) {
    return;
  }
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const note = target.previousElementSibling as HTMLElement;
      note.hidden = target.scrollWidth <= target.clientWidth;
    }
  });
  for (const table of prose.querySelectorAll<HTMLElement>(":scope .table")) {
    const note = document.createElement("p");
    note.className = "table-note";
    note.dataset.script = "";
    note.lang = document.documentElement.lang;
    note.dataset.text = prose.dataset.scroll;
    note.hidden = true;
    note.ariaHidden = "true";
    table.before(note);
    observer.observe(table);
  }
}
