// Functions that use SVG documents in all the ways a page can. Each returns the
// numbers of the scripts that ran and a list of unexpected findings.

const namespace = "http://www.w3.org/2000/svg";
const elements = new Set(("svg g defs path circle ellipse line polyline polygon rect use mask clipPath linearGradient radialGradient " +
  "stop").split(" "));

// audit lists the nodes and attributes at and below root that only hostile documents have.
function audit(name, root) {
  const found = [];
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_ALL);
  for (let node = root; node; node = walk.nextNode()) {
    if (node.nodeType !== Node.ELEMENT_NODE || node.namespaceURI !== namespace || !elements.has(node.localName)) {
      found.push(`${name}: node ${node.nodeName}`);
      continue;
    }
    for (const { name: attribute, value } of node.attributes) {
      const plain = !/^on|^style$|:/i.test(attribute) &&
        (attribute !== "id" || /^p[0-9a-z]+-[0-9]+$/.test(value)) &&
        (attribute !== "href" || /^#p[0-9a-z]+-[0-9]+$/.test(value));
      if (!plain) found.push(`${name}: attribute ${attribute}="${value}"`);
    }
  }
  return found;
}

// interact sends the events that handlers commonly wait for.
function interact(root) {
  for (const element of [root, ...root.querySelectorAll("*")]) {
    for (const type of ["mouseover", "mousemove", "focus", "click"]) {
      element.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true }));
    }
  }
}

// settle waits until all images of the page, and one requested after them, are
// loaded or have failed, and until several frames have been drawn.
async function settle() {
  const last = document.body.appendChild(new Image());
  last.src = "/missing?" + Math.random();
  await Promise.all([...document.images].map((image) => image.complete || new Promise((resolve) => {
    image.addEventListener("load", resolve);
    image.addEventListener("error", resolve);
  })));
  for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
}

const result = (found) => ({ ran: [...new Set(window.ran ?? [])].sort((a, b) => a - b), found });

async function inline(paths) {
  const found = [];
  for (const path of paths) {
    const box = document.body.appendChild(document.createElement("div"));
    box.innerHTML = await (await fetch(path)).text();
    interact(box);
    // A page may also serialize the markup and parse it again.
    const copy = document.body.appendChild(document.createElement("div"));
    copy.innerHTML = box.innerHTML;
    for (const { id } of box.querySelectorAll("[id]")) {
      const use = document.createElementNS(namespace, "use");
      use.setAttribute("href", "#" + id);
      document.body.appendChild(document.createElementNS(namespace, "svg")).append(use);
    }
    for (const child of [...box.childNodes, ...copy.childNodes]) found.push(...audit(path, child));
  }
  await settle();
  return result(found);
}

async function direct(path) {
  interact(document.documentElement);
  for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
  return result([...document.childNodes].flatMap((node) => audit(path, node)));
}

async function images(paths) {
  const found = [];
  await Promise.all(paths.map((path) => new Promise((resolve) => {
    const image = document.body.appendChild(new Image(36, 36));
    image.onload = resolve;
    image.onerror = () => resolve(found.push(`${path}: image not drawn`));
    image.src = path;
  })));
  await settle();
  return result(found);
}

async function uses(paths) {
  for (const path of paths) {
    const text = await (await fetch(path)).text();
    const ids = [...new DOMParser().parseFromString(text, "image/svg+xml").querySelectorAll("[id]")].map((e) => "#" + e.id);
    for (const id of ["", ...ids]) {
      const use = document.createElementNS(namespace, "use");
      const done = new Promise((resolve) => { use.onload = use.onerror = resolve; });
      use.setAttribute("href", path + id);
      document.body.appendChild(document.createElementNS(namespace, "svg")).append(use);
      await done;
    }
  }
  interact(document.body);
  await settle();
  return result([]);
}

// differences compares the pixels of each pair of documents as images.
async function differences(pairs) {
  const pixels = async (path) => {
    const image = new Image();
    image.src = path;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 144;
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.drawImage(image, 0, 0, 144, 144);
    return context.getImageData(0, 0, 144, 144).data;
  };
  const found = [];
  for (const [a, b] of pairs) {
    const [p, q] = [await pixels(a), await pixels(b)];
    if (!p.some((v) => v > 0)) found.push(`${a}: nothing is drawn`);
    if (p.some((v, i) => v !== q[i])) found.push(`${a} and ${b}: pixels differ`);
  }
  return result(found);
}
