// The button that switches between light and dark.

export function enhanceTheme(): void {
  const button = document.querySelector<HTMLButtonElement>("button.theme");
  if (!button) {
    return;
  }
  const root = document.documentElement;
  const isDark = () =>
    root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  button.hidden = false;
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    root.dataset.theme = theme;
    localStorage.setItem("theme", theme);
  });
}
