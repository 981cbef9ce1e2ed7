// What all pages share: head, theme, name, news, and what to do when the token is missing.
import { $, announce, button, dialog, fill, h } from "./dom.js";
import { ApiError, get, keep, listen, person, post, put } from "./api.js";
import { applyPalette } from "./draw.js";

const PAGES = [
  ["index.html", "Gallery"],
  ["solve.html", "Solve"],
  ["discuss.html", "Discuss"],
  ["runs.html", "Runs"],
  ["data.html", "Data"],
];

function applyTheme() {
  const wish = keep.get("theme") ?? "auto";
  const dark = wish === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : wish === "dark";
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyTheme);
applyTheme();
applyPalette();

function mark() {
  const cells = [
    [0, 0, 1],
    [1, 0, 3],
    [2, 0, 1],
    [0, 1, 3],
    [1, 1, 4],
    [2, 1, 3],
    [0, 2, 1],
    [1, 2, 3],
    [2, 2, 2],
  ];
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 3 3");
  svg.setAttribute("aria-hidden", "true");
  for (const [x, y, color] of cells) {
    const rect = document.createElementNS(svg.namespaceURI, "rect");
    for (const [k, v] of Object.entries({ x, y, width: 1, height: 1, fill: `var(--c${color})` }))
      rect.setAttribute(k, v);
    svg.append(rect);
  }
  return svg;
}

function head(page, current) {
  const here = (name) => (page === name ? { "aria-current": "page" } : {});
  const withTask = (file) => (current && /solve|discuss/.test(file) ? `${file}?v=${current}` : file);
  return h(
    "header",
    { class: "top" },
    h("a", { class: "brand", href: "index.html" }, mark(), "ARC workbench"),
    h(
      "nav",
      { "aria-label": "Pages" },
      PAGES.map(([file, name]) => h("a", { href: withTask(file), ...here(file) }, name)),
    ),
    h(
      "div",
      { class: "right" },
      h("span", { id: "online", class: "chip warn", hidden: true }, "No connection, trying again"),
      button("", nameDialog, { id: "name", class: "quiet", "aria-label": "Your name" }),
      button("View", viewDialog, { id: "view", class: "quiet", title: "Theme, colours and numbers" }),
      button("Help", () => document.dispatchEvent(new CustomEvent("arc-help")), {
        id: "help",
        class: "quiet",
        title: "Help (?)",
      }),
    ),
  );
}

/** Build the frame around `main`, and get a person. Gives the state that the server tells. */
export async function open(page, { current, hear = () => {} } = {}) {
  document.body.prepend(h("a", { class: "skip", href: "#main" }, "To the content"), head(page, current));
  document.body.append(
    h("div", { id: "messages", role: "status", "aria-live": "polite" }),
    h("div", { id: "whisper", class: "sr", "aria-live": "polite" }),
  );
  if (new URL(location.href).searchParams.get("embed")) document.body.classList.add("embedded");
  let state;
  try {
    state = await person();
  } catch (error) {
    failed(error);
    throw error;
  }
  showName(state.user.name);
  listen(hear, (online) => {
    $("#online").hidden = online;
  });
  return state;
}

export function setCurrent(version) {
  for (const link of document.querySelectorAll(".top nav a")) {
    const file = link.getAttribute("href").split("?")[0];
    if (/solve|discuss/.test(file)) link.setAttribute("href", `${file}?v=${version}`);
  }
}

function showName(name) {
  fill($("#name"), name);
}

function failed(error) {
  if (error instanceof ApiError && error.status === 401) return askToken();
  fill(
    $("#main"),
    h(
      "div",
      { class: "callout bad" },
      h("h1", {}, "This page cannot go on"),
      h("p", {}, error.message),
      button("Try again", () => location.reload()),
    ),
  );
}

function askToken() {
  const input = h("input", { type: "text", id: "token", autocomplete: "off", class: "grow" });
  const enter = (event) => {
    event.preventDefault();
    const text = input.value.trim(),
      found = /[?&]token=([^&\s]+)/.exec(text);
    keep.set("token", found ? found[1] : text);
    location.reload();
  };
  fill(
    $("#main"),
    h(
      "section",
      { class: "panel" },
      h("h1", {}, "The token is missing"),
      h(
        "p",
        {},
        "Open the address that ",
        h("code", {}, "chained-adv arc serve"),
        " printed when it started, or paste it here. ",
        "What you were working on is kept in this browser.",
      ),
      h(
        "form",
        { class: "row", onsubmit: enter },
        h("label", { for: "token" }, "Address or token"),
        input,
        h("button", { class: "primary" }, "Continue"),
      ),
    ),
  );
}
document.addEventListener("arc-refused", (event) => {
  if (event.detail.startsWith("the token") && !$("#token"))
    announce("The server has another token now: open the address that it printed.", "error");
});

async function nameDialog() {
  const state = await get("api/state");
  await dialog("Your name", (close) => {
    const name = h("input", { type: "text", value: state.user.name, maxlength: 60, id: "new-name" });
    const other = h("input", { type: "text", id: "other-name" }),
      code = h("input", { type: "text", id: "other-code", autocomplete: "off" });
    const act = (what) => async (event) => {
      event.preventDefault();
      try {
        await what();
      } catch (error) {
        announce(error.message, "error");
      }
    };
    const rename = act(async () => {
      const made = await put("api/me", { name: name.value });
      showName(made.name);
      close();
      announce(`You are ${made.name} now`, "good");
    });
    const signIn = act(async () => {
      const made = await post("api/people/sign-in", { name: other.value, code: code.value });
      keep.set("secret", made.secret);
      keep.set("code", code.value);
      location.reload();
    });
    return h(
      "div",
      { class: "stack" },
      h(
        "form",
        { class: "row", onsubmit: rename },
        h("label", { for: "new-name" }, "Name"),
        name,
        h("button", { class: "primary" }, "Use this name"),
      ),
      h(
        "p",
        { class: "faint" },
        "Your name stands by what you sign and write. With this code you are the same person in another browser: ",
        h("code", {}, keep.get("code") ?? "unknown here"),
      ),
      h(
        "details",
        {},
        h("summary", {}, "I have a name and a code"),
        h(
          "form",
          { class: "row", onsubmit: signIn },
          h("label", { for: "other-name" }, "Name"),
          other,
          h("label", { for: "other-code" }, "Code"),
          code,
          h("button", {}, "Sign in"),
        ),
      ),
    );
  });
}

async function viewDialog() {
  await dialog("View", () => {
    const choice = (name, label, values, first) =>
      h(
        "label",
        {},
        label,
        h(
          "select",
          { "data-name": name, onchange: (e) => change(name, e.target.value) },
          values.map(([value, text]) =>
            h("option", { value, selected: (keep.get(name) ?? first) === value }, text),
          ),
        ),
      );
    return h(
      "div",
      { class: "stack" },
      h(
        "p",
        {},
        choice(
          "theme",
          "Theme",
          [
            ["auto", "As the system"],
            ["light", "Light"],
            ["dark", "Dark"],
          ],
          "auto",
        ),
      ),
      h(
        "p",
        {},
        choice(
          "palette",
          "Colours",
          [
            ["usual", "Usual"],
            ["apart", "Easy to tell apart (colour-blind)"],
          ],
          "usual",
        ),
      ),
      h(
        "p",
        {},
        choice(
          "numbers",
          "Numbers in cells",
          [
            ["0", "No"],
            ["1", "Yes"],
          ],
          "0",
        ),
      ),
    );
  });
}

export function change(name, value) {
  keep.set(name, value);
  applyTheme();
  applyPalette();
  document.dispatchEvent(new CustomEvent("arc-view"));
}

/** A table of keys for a help dialog. */
export function keyTable(title, rows) {
  return h(
    "table",
    {},
    h("caption", { class: "sr" }, title),
    h("thead", {}, h("tr", {}, h("th", { colspan: 2 }, title))),
    h(
      "tbody",
      {},
      rows.map(([keys, what]) =>
        h(
          "tr",
          {},
          h(
            "td",
            {},
            keys.split(" ").map((k) => [h("kbd", {}, k), " "]),
          ),
          h("td", {}, what),
        ),
      ),
    ),
  );
}

/** Operations as short text, as the command line writes them. */
export function operationsText(operations) {
  const short = (v) => (Array.isArray(v) ? v.join("") : String(v));
  return operations.map(({ op, ...more }) => [op, ...Object.values(more).map(short)].join(":")).join(", ");
}
