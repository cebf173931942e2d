// Buttons that copy a text to the clipboard. The value of data-copy is the id of the
// element with the text; if it is empty, the text is that of the <pre> beside the
// button. With data-copy-from, the text is the file at that address. Buttons are
// hidden without script, because the texts can be selected.

export function enhanceCopy(): void {
  const buttons = document.querySelectorAll<HTMLButtonElement>("button[data-copy]");
  if (buttons.length === 0) {
    return;
  }
  const status = document.createElement("div");
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
  document.body.append(status);
  for (const button of buttons) {
    enhanceButton(button, status);
  }
}

function enhanceButton(button: HTMLButtonElement, status: HTMLElement): void {
  const label = button.textContent;
  let timer = 0;
  // The button keeps its width, so that nothing beside it moves.
  const show = (text: string, state: string) => {
    button.style.minWidth = `${button.offsetWidth}px`;
    button.textContent = text;
    button.dataset.state = state;
    status.textContent = text;
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = label;
      button.style.minWidth = "";
      delete button.dataset.state;
      status.textContent = "";
    }, 2500);
  };
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await copy(button);
      show(button.dataset.copied ?? "", "done");
    } catch {
      show(button.dataset.failed ?? "", "failed");
    }
  });
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const address = button.dataset.copyFrom;
  if (address) {
    const response = await fetch(address);
    if (!response.ok) {
      throw new Error(response.statusText);
    }
    return write(await response.text());
  }
  const id = button.dataset.copy;
  const source = id ? document.getElementById(id) : button.parentElement?.querySelector<HTMLElement>("pre");
  if (!source) {
    throw new Error("there is no text to copy");
  }
  // Of a session in a terminal, only the commands are copied.
  const commands = [...source.querySelectorAll(".command")];
  return write((commands.length > 0 ? commands : [source]).map((part) => part.textContent).join(""), source);
}

// write copies a text. Pages that are not served over HTTPS have no clipboard; there,
// the selected source of the text is copied.
async function write(text: string, source?: HTMLElement): Promise<void> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text);
  }
  if (source) {
    getSelection()?.selectAllChildren(source);
  }
  if (!source || !document.execCommand("copy")) {
    throw new Error("the clipboard is not available");
  }
}
