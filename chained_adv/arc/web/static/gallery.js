// The gallery: all tasks as cards, filtered in the page.
import { $, announce, button, debounce, dialog, fill, h, inText } from "./dom.js";
import { get } from "./api.js";
import { COLORS, unpack } from "./grid.js";
import { drawInto, settings } from "./draw.js";
import { keyTable, open } from "./frame.js";

let cards = [],
  mine = { solved: new Set(), tried: new Set() },
  shown = [];
const started = performance.now();
const TRI = ["any", "yes", "no"];
const wanted = {
  text: "",
  set: "",
  size: "",
  status: "",
  same: "any",
  tag: "",
  shared: "",
  colors: Array(10).fill("any"),
  sort: "set",
};

/** What the address says about the filters, and back. */
function readAddress() {
  const query = new URLSearchParams(location.search);
  for (const name of Object.keys(wanted)) {
    if (name !== "colors" && query.has(name)) wanted[name] = query.get(name);
  }
  const colors = query.get("colors") ?? "";
  for (const [n, sign] of [...colors].entries())
    if (n < 10) wanted.colors[n] = { y: "yes", n: "no" }[sign] ?? "any";
}

function writeAddress() {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(wanted)) {
    if (name === "colors") {
      if (value.some((o) => o !== "any"))
        query.set(name, value.map((o) => ({ yes: "y", no: "n" })[o] ?? "-").join(""));
    } else if (value && value !== "any" && !(name === "sort" && value === "set")) query.set(name, value);
  }
  history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
}

const setName = (card) => card.dataset + (card.revision ? `@${card.revision}` : "");

const SIZES = { small: [1, 5], medium: [6, 12], large: [13, 20], huge: [21, 30] };

function fits(card, others) {
  const text = wanted.text.toLowerCase(),
    status = mine.solved.has(card.id) ? "solved" : mine.tried.has(card.id) ? "tried" : "new";
  const [low, high] = SIZES[wanted.size] ?? [0, 99];
  return (
    (!text ||
      `${card.task_id} ${status === "solved" ? card.name : ""} ${card.tags.join(" ")}`
        .toLowerCase()
        .includes(text)) &&
    (!wanted.set || setName(card) === wanted.set) &&
    card.side >= low &&
    card.side <= high &&
    (!wanted.status || status === wanted.status) &&
    (wanted.same === "any" || card.same === (wanted.same === "yes")) &&
    (!wanted.tag || card.tags.includes(wanted.tag)) &&
    (!wanted.shared || (setName(card) !== wanted.shared && others.has(card.hash))) &&
    wanted.colors.every((wish, n) => wish === "any" || card.colors.includes(n) === (wish === "yes"))
  );
}

const ORDERS = {
  set: () => 0,
  id: (a, b) => a.task_id.localeCompare(b.task_id),
  size: (a, b) => a.side - b.side,
  traces: (a, b) => b.traces - a.traces,
};

const watcher = new IntersectionObserver(
  (entries) => {
    for (const entry of entries)
      if (entry.isIntersecting) {
        watcher.unobserve(entry.target);
        drawCard(entry.target);
      }
  },
  { rootMargin: "400px" },
);

function drawCard(item) {
  const card = cards.find((o) => o.id === Number(item.dataset.id));
  for (const canvas of item.querySelectorAll("canvas")) {
    const grid = unpack(card[canvas.dataset.part]);
    drawInto(canvas, grid, Math.max(2, Math.floor(66 / Math.max(grid.length, grid[0].length))));
  }
}

function cardItem(card) {
  const solved = mine.solved.has(card.id);
  const about = [
    `${card.train}+${card.test} pairs`,
    card.versions > 1 && `${card.versions} versions`,
    card.traces > 0 && `${card.traces} ${card.traces === 1 ? "trace" : "traces"}`,
  ];
  const item = h(
    "li",
    { class: "card", "data-id": card.id, "data-solved": solved ? 1 : 0 },
    h(
      "a",
      { href: `solve.html?v=${card.version}`, title: card.task_id },
      h(
        "span",
        { class: "thumb", "aria-hidden": "true" },
        h("canvas", { "data-part": "input" }),
        h("span", { class: "arrow" }, "→"),
        h("canvas", { "data-part": "output" }),
      ),
      h(
        "span",
        { class: "id" },
        card.task_id,
        solved && h("span", { class: "good-text" }, " ✓", h("span", { class: "sr" }, " solved")),
      ),
      h(
        "span",
        { class: "about" },
        about.filter(Boolean).map((o) => h("span", {}, o)),
      ),
      card.tags.length
        ? h(
            "span",
            { class: "about" },
            card.tags.map((o) => h("span", { class: "chip" }, o)),
          )
        : null,
    ),
  );
  watcher.observe(item);
  return item;
}

function render() {
  const others = new Set(cards.filter((o) => setName(o) === wanted.shared).map((o) => o.hash));
  shown = cards.filter((card) => fits(card, others));
  if (wanted.sort !== "set") shown = [...shown].sort(ORDERS[wanted.sort] ?? ORDERS.set);
  fill(
    $("#count"),
    `${shown.length.toLocaleString("en")} of ${cards.length.toLocaleString("en")} tasks, ${mine.solved.size} solved`,
  );
  fill($("#cards"), shown.map(cardItem));
  $("#none").hidden = shown.length > 0;
  try {
    sessionStorage.setItem("arc-walk", JSON.stringify(shown.map((o) => o.version)));
  } catch {
    /* only for walking */
  }
  writeAddress();
  requestAnimationFrame(() => {
    document.body.dataset.drawn = Math.round(performance.now() - started);
  });
}

function options(values, chosen) {
  return values.map(([value, text]) => h("option", { value, selected: value === chosen }, text));
}

function choose(name, label, values) {
  return h(
    "label",
    {},
    label,
    h(
      "select",
      {
        id: `filter-${name}`,
        onchange: (e) => {
          wanted[name] = e.target.value;
          render();
        },
      },
      options(values, wanted[name]),
    ),
  );
}

function colorButton(n) {
  const words = () => `${COLORS[n]}: ${wanted.colors[n]}`;
  const state = () => ({ any: "false", yes: "true", no: "mixed" })[wanted.colors[n]];
  const act = (event) => {
    wanted.colors[n] = TRI[(TRI.indexOf(wanted.colors[n]) + 1) % 3];
    event.target.setAttribute("aria-pressed", state());
    event.target.setAttribute("aria-label", words());
    render();
  };
  return button(n, act, {
    class: "swatch",
    "aria-pressed": state(),
    "aria-label": words(),
    title: `${COLORS[n]}: click for yes, again for no`,
    style: { "--fill": `var(--c${n})`, "--over": `var(--i${n})` },
  });
}

function controls(state) {
  const sets = state.datasets
    .map((o) => [o.dataset + (o.revision ? `@${o.revision}` : ""), o])
    .map(([name, o]) => [name, `${name} (${o.tasks})`]);
  const tags = [...new Set(cards.flatMap((o) => o.tags))].sort().map((o) => [o, o]);
  const search = h("input", {
    type: "search",
    id: "filter-text",
    value: wanted.text,
    placeholder: "id or tag",
    oninput: debounce((e) => {
      wanted.text = e.target.value.trim();
      render();
    }, 120),
  });
  return h(
    "section",
    { class: "panel", "aria-label": "Filters" },
    h(
      "details",
      { open: innerWidth > 600 },
      h("summary", {}, "Filters"),
      h(
        "div",
        { class: "filters" },
        h("label", {}, "Search", search),
        choose("set", "Data set", [["", "All"], ...sets]),
        choose("status", "Mine", [
          ["", "All"],
          ["new", "Not tried"],
          ["tried", "Tried"],
          ["solved", "Solved"],
        ]),
        choose("size", "Largest side", [
          ["", "Any"],
          ["small", "up to 5"],
          ["medium", "6 to 12"],
          ["large", "13 to 20"],
          ["huge", "over 20"],
        ]),
        choose("same", "Output size", [
          ["any", "Any"],
          ["yes", "Same as input"],
          ["no", "Another size"],
        ]),
        choose("tag", "Tag", [["", "Any"], ...tags]),
        choose("shared", "Also in", [["", "—"], ...sets]),
        choose("sort", "Order", [
          ["set", "As in the set"],
          ["id", "By id"],
          ["size", "Small first"],
          ["traces", "Most traces"],
        ]),
        h(
          "fieldset",
          { style: { border: 0, padding: 0, margin: 0 } },
          h("legend", { class: "faint" }, "Colours"),
          h(
            "span",
            { class: "colors" },
            COLORS.map((_, n) => colorButton(n)),
          ),
        ),
        h(
          "form",
          { class: "row", onsubmit: goTo },
          h(
            "label",
            {},
            "Go to id or number",
            h("input", { type: "text", id: "go", size: 14, autocomplete: "off" }),
          ),
          h("button", {}, "Go"),
        ),
        h(
          "span",
          { class: "row" },
          button("Random task", randomTask, { id: "random" }),
          button("Clear filters", clear, { class: "quiet" }),
        ),
      ),
    ),
    h("p", { id: "count", role: "status", class: "faint", style: { margin: ".5rem 0 0" } }),
  );
}

function clear() {
  location.assign(location.pathname);
}

function visit(card) {
  location.assign(`solve.html?v=${card.version}`);
}

function randomTask() {
  if (!shown.length) return announce("No task fits the filters", "error");
  visit(shown[Math.floor(Math.random() * shown.length)]);
}

function goTo(event) {
  event.preventDefault();
  const text = $("#go").value.trim(),
    number = /^#?\d{1,5}$/.test(text) ? Number(text.replace("#", "")) : 0;
  const card =
    cards.find((o) => o.task_id === text) ??
    cards.find((o) => o.task_id.toLowerCase() === text.toLowerCase()) ??
    (number ? shown[number - 1] : null);
  if (card) return visit(card);
  announce(number ? `There are ${shown.length} tasks in the list` : `There is no task “${text}”`, "error");
}

async function load() {
  const [all, own] = await Promise.all([get("api/tasks"), get("api/mine")]);
  cards = all;
  mine = { solved: new Set(own.solved), tried: new Set(own.tried) };
}

function help() {
  dialog("Help", () =>
    h(
      "div",
      {},
      h(
        "p",
        {},
        "Each card shows the first demonstration of a task. Choose one to solve it; the filters stay, and “next” on the task walks through what is shown here.",
      ),
      keyTable("Keys", [
        ["/", "search"],
        ["R", "random task"],
        ["G", "go to an id or number"],
        ["?", "this help"],
      ]),
    ),
  );
}
document.addEventListener("arc-help", help);
document.addEventListener("keydown", (event) => {
  if (inText(event) || event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
  const act = { "/": () => $("#filter-text").focus(), r: randomTask, g: () => $("#go").focus(), "?": help }[
    event.key.toLowerCase()
  ];
  if (act && $("#cards")) {
    event.preventDefault();
    act();
  }
});
document.addEventListener("arc-view", () => {
  if ($("#cards")) render();
});

async function main() {
  readAddress();
  const state = await open("index.html", {
    hear: debounce(async (event) => {
      if (["tasks", "versions", "tags", "attempts", "traces", "all"].includes(event.kind)) {
        await load();
        render();
      }
    }, 400),
  });
  await load();
  fill(
    $("#main"),
    h("h1", { class: "sr" }, "Gallery of tasks"),
    controls(state),
    h("ul", { id: "cards", class: "cards" }),
    h("p", { id: "none", class: "empty", hidden: true }, "No task fits these filters."),
  );
  render();
}
main();
