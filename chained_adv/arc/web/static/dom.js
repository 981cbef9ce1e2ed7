// Elements, dialogs and messages. Nothing here, or anywhere, makes elements from strings of markup.

/** An element: attributes by name, `on...` for listeners, `class`, `style` as an object; then its children. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [k, v] of Object.entries(value)) element.style.setProperty(k, v);
    else if (name in PROPERTIES) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  append(element, children);
  return element;
}
const PROPERTIES = { value: 1, checked: 1, disabled: 1, selected: 1, hidden: 1, open: 1, indeterminate: 1 };

function append(element, children) {
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Put new children in the place of the old ones. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

export const $ = (selector, root = document) => root.querySelector(selector);

/** A button with a text and what it does. */
export function button(label, onclick, attributes = {}) {
  return h("button", { type: "button", onclick, ...attributes }, label);
}

/** Say something in the live region, and show it for a moment. */
export function announce(text, kind = "") {
  const line = $("#messages");
  if (!line) return;
  const note = h("p", { class: `note ${kind}` }, text);
  line.append(note);
  while (line.children.length > 3) line.firstChild.remove();
  setTimeout(() => note.remove(), kind === "error" ? 9000 : 3500);
}

/** Say something to a screen reader only. */
export function whisper(text) {
  const line = $("#whisper");
  if (line) line.textContent = text;
}

/** A modal dialog; `build(close)` gives its content. Resolves to what `close` was given. */
export function dialog(title, build) {
  return new Promise((resolve) => {
    let answer;
    const box = h("dialog", {
      "aria-label": title,
      onclose: () => {
        box.remove();
        resolve(answer);
      },
    });
    const close = (value) => {
      answer = value;
      box.close();
    };
    const head = h(
      "header",
      {},
      h("h2", {}, title),
      button("Close", () => close(), { class: "quiet" }),
    );
    append(box, [head, build(close)].flat());
    document.body.append(box);
    box.showModal();
  });
}

/** Ask yes or no. */
export async function confirmDialog(title, text, yes) {
  return Boolean(
    await dialog(title, (close) =>
      h(
        "div",
        { class: "dialog-body" },
        h("p", {}, text),
        h(
          "p",
          { class: "row end" },
          button("Cancel", () => close(false), { class: "quiet" }),
          button(yes, () => close(true), { class: "primary", autofocus: true }),
        ),
      ),
    ),
  );
}

/** Offer some text as a file. */
export function saveFile(name, content, type = "application/json") {
  const link = h("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Call `act` once things have been quiet for some milliseconds. */
export function debounce(act, wait) {
  let timer;
  const later = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...values), wait);
  };
  later.now = (...values) => {
    clearTimeout(timer);
    return act(...values);
  };
  return later;
}

/** Is the focus in something that takes text? */
export function inText(event) {
  const element = event.target;
  return (
    element instanceof HTMLElement &&
    (element.isContentEditable ||
      /^(TEXTAREA|SELECT)$/.test(element.tagName) ||
      (element.tagName === "INPUT" && !/^(checkbox|radio|button|range)$/.test(element.type)))
  );
}
