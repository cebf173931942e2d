// Applies the colour scheme that the reader has chosen, before the page is drawn.

const chosen = localStorage.getItem("theme");
if (chosen === "light" || chosen === "dark") {
  document.documentElement.dataset.theme = chosen;
}
