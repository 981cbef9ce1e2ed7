// The page to solve a task: demonstrations, editor, tries, variations, traces, recording.
import { $, announce, button, confirmDialog, debounce, dialog, fill, h, inText, whisper } from "./dom.js";
import { get, keep, post, tab } from "./api.js";
import * as G from "./grid.js";
import { pairPicture, picture, settings } from "./draw.js";
import { change, keyTable, open, operationsText, setCurrent } from "./frame.js";
import { Editor, TOOLS, freshPair } from "./editor.js";
import { Draft, sendOthers } from "./drafts.js";
import { goToDialog, pickFirst, step, taskBar } from "./walk.js";
import { tracesPanel } from "./traces.js";
import { variationPanel } from "./vary.js";
import { recordingPanel } from "./replay.js";

let state, task, version, editor, draft, panels;
let wasLarge = false;
let shown = null; // pairs of a variation that is being looked at

const id = () => Number(new URL(location.href).searchParams.get("v")) || 0;

// Demonstrations

function drawPairs() {
  const pairs = (shown ?? version).train,
    area = $("#pairs").clientWidth || 600;
  const box = Math.min(230, Math.max(90, (area - 90) / (area < 520 ? 2 : 4)));
  fill(
    $("#pairs"),
    pairs.map((p, n) => pairPicture(`Pair ${n + 1}`, p.input, p.output, { box })),
  );
  const test = (shown ?? version).test[editor.at] ?? version.test[0];
  fill(
    $("#test-input"),
    picture(test.input, {
      box: $("#work").classList.contains("large") ? 330 : 190,
      name: `Test input ${editor.at + 1}`,
      most: 26,
    }),
  );
  fill($("#test-size"), `${G.height(test.input)}×${G.width(test.input)}`);
}

// The editor and its tools

function paletteRow() {
  const swatch = (n) =>
    h(
      "button",
      {
        type: "button",
        role: "radio",
        class: "swatch",
        "data-color": n,
        "aria-label": `${n} ${G.COLORS[n]}`,
        title: `${G.COLORS[n]} (${n})`,
        style: { "--fill": `var(--c${n})`, "--over": `var(--i${n})` },
        onclick: () => editor.setColor(n),
      },
      n,
    );
  return h(
    "div",
    { class: "palette", role: "radiogroup", "aria-label": "Colour" },
    G.COLORS.map((_, n) => swatch(n)),
  );
}

function toolRow() {
  return h(
    "div",
    { class: "tools", role: "group", "aria-label": "Tools" },
    TOOLS.map(([tool, name, key]) =>
      button([name, h("kbd", { "aria-hidden": "true" }, key)], () => editor.setTool(tool), {
        "data-tool": tool,
        "aria-keyshortcuts": key,
      }),
    ),
  );
}

const ACTIONS = [
  ["undo", "Undo", "U", () => editor.undo()],
  ["redo", "Redo", "Ctrl+Y", () => editor.redo()],
  ["copy-input", "Copy from input", "I", () => editor.copyInput()],
  ["reset", "Reset", "", () => editor.reset()],
  ["copy", "Copy", "C", () => editor.copy()],
  ["cut", "Cut", "X", () => editor.cut()],
  ["paste", "Paste", "V", () => editor.paste()],
  ["clear", "Clear", "Del", () => editor.clear()],
  ["crop", "Crop", "K", () => editor.crop()],
  ["left", "Rotate left", "[", () => editor.turn("rotate left", G.rotateLeft)],
  ["right", "Rotate right", "]", () => editor.turn("rotate right", G.rotateRight)],
  ["flip-h", "Flip ↔", "H", () => editor.turn("flip left-right", G.flipLeftRight)],
  ["flip-v", "Flip ↕", "J", () => editor.turn("flip top-bottom", G.flipTopBottom)],
  ["transpose", "Transpose", "T", () => editor.turn("transpose", G.transpose)],
];

function actionButtons(names) {
  return ACTIONS.filter(([name]) => names.includes(name)).map(([name, label, key, act]) =>
    button([label, key && h("kbd", { "aria-hidden": "true" }, key)], act, { "data-act": name }),
  );
}
const MAIN = ["undo", "redo", "copy-input", "reset"];

function actionRow() {
  const arrow = (name, label, down, right) =>
    button(label, () => editor.shift(down, right), {
      "data-act": `shift-${name}`,
      "aria-label": `Shift ${name}`,
      title: `Shift ${name} (Ctrl+arrow)`,
    });
  return h(
    "div",
    { class: "tools", role: "group", "aria-label": "Actions" },
    actionButtons(ACTIONS.map(([name]) => name).filter((name) => !MAIN.includes(name))),
    arrow("left", "←", 0, -1),
    arrow("right", "→", 0, 1),
    arrow("up", "↑", -1, 0),
    arrow("down", "↓", 1, 0),
    button("As text", textDialog, { "data-act": "text" }),
  );
}

function textDialog() {
  dialog("The grid as text", (close) => {
    const box = h("textarea", { rows: 12, class: "mono", "aria-label": "Rows of digits, or JSON" });
    box.value = editor.grid.map((row) => row.join(" ")).join("\n");
    const take = () => {
      try {
        editor.put("paste text", G.parse(box.value));
        close();
      } catch (error) {
        announce(error.message, "error");
      }
    };
    return h(
      "div",
      { class: "stack" },
      box,
      h("p", { class: "row end" }, button("Put into the grid", take, { class: "primary" })),
    );
  });
}

function sizeForm() {
  const input = h("input", { type: "text", id: "size", size: 6, autocomplete: "off", inputmode: "text" });
  const act = (event) => {
    event.preventDefault();
    const found = /^\s*(\d+)\s*[x×, ]\s*(\d+)\s*$/i.exec(input.value),
      [rows, columns] = found ? found.slice(1).map(Number) : [0, 0];
    if (rows < 1 || columns < 1 || rows > 30 || columns > 30) {
      announce("Write the size as rows×columns, like 3x4; 1 to 30 each", "error");
      input.value = sizeText();
      return;
    }
    editor.resize(rows, columns);
    editor.table.focus();
  };
  return h(
    "form",
    { class: "row", onsubmit: act },
    h("label", { for: "size" }, "Size"),
    input,
    h("button", {}, "Resize"),
  );
}
const sizeText = () => `${G.height(editor.grid)}x${G.width(editor.grid)}`;

function tabRow() {
  const one = (n) => {
    const tries = version.attempts[n],
      done = tries.some((o) => o.correct) ? " ✓" : version.test[n].output ? " ✗" : "";
    return h(
      "button",
      {
        type: "button",
        role: "tab",
        "aria-selected": String(n === editor.at),
        "aria-controls": "board",
        "data-test": n,
        onclick: () => showTest(n),
      },
      `Test ${n + 1}${done}`,
    );
  };
  fill($("#tabs"), version.test.length > 1 ? version.test.map((_, n) => one(n)) : []);
}

function showTest(n) {
  editor.show((n + version.test.length) % version.test.length);
  refresh();
  whisper(`Test input ${editor.at + 1} of ${version.test.length}`);
}

/** Everything beside the cells that depends on the state. */
function refresh() {
  const large = G.width(editor.grid) > 14 || G.width(version.test[editor.at].input) > 14;
  if ($("#work").classList.toggle("large", large) !== wasLarge) {
    wasLarge = large;
    editor.draw();
  }
  tabRow();
  drawPairs();
  for (const o of document.querySelectorAll("[data-tool]"))
    o.setAttribute("aria-pressed", o.dataset.tool === editor.tool);
  for (const o of document.querySelectorAll(".palette [data-color]")) {
    o.setAttribute("aria-checked", Number(o.dataset.color) === editor.color);
    o.tabIndex = Number(o.dataset.color) === editor.color ? 0 : -1;
  }
  if (document.activeElement !== $("#size")) $("#size").value = sizeText();
  for (const [name, list] of [
    ["undo", editor.pair.undo],
    ["redo", editor.pair.redo],
  ])
    $(`[data-act="${name}"]`).disabled = !list.length;
  drawVerdict();
  drawDistance();
}

// Tries

function drawVerdict() {
  const n = editor.at,
    tries = version.attempts[n],
    pair = version.test[n],
    solved = tries.some((o) => o.correct);
  const left = state.tries - tries.length;
  editor.pair.locked = false;
  $("#submit").disabled = solved || left <= 0 || Boolean(pair.output);
  const lines = [];
  if (solved)
    lines.push(
      h(
        "p",
        { class: "callout good verdict" },
        `Correct, in ${tries.length === 1 ? "the first try" : "two tries"}.`,
      ),
    );
  else if (tries.length && tries.at(-1).correct === null)
    lines.push(h("p", { class: "callout" }, "Kept. The right answer of this test input is not known."));
  else if (tries.length)
    lines.push(
      h(
        "p",
        { class: "callout bad verdict" },
        `Not right${left <= 0 ? ", and both tries are used up" : pair.output ? "" : `: ${left} ${left === 1 ? "try" : "tries"} left`}.`,
      ),
    );
  else if (!pair.output) lines.push(h("p", { class: "faint" }, `${state.tries} tries for each test input.`));
  if (pair.output && !solved && left > 0)
    lines.push(h("p", { class: "callout" }, "The answers were shown, so no further try counts."));
  if (pair.output) lines.push(difference(pair.output, tries.at(-1)?.grid ?? editor.grid));
  fill($("#verdict"), lines);
  $("#reveal").hidden = version.test.every((o) => o.output || !o.known);
}

function difference(wanted, got) {
  const wrong = G.differences(wanted, got);
  const told =
    wrong === null
      ? `Another size: ${G.height(got)}×${G.width(got)}, wanted ${G.height(wanted)}×${G.width(wanted)}.`
      : wrong.length
        ? `${wrong.length} of ${wanted.length * wanted[0].length} cells differ; they are framed.`
        : "No cell differs.";
  return h(
    "div",
    { class: "stack", id: "difference" },
    h("p", {}, told),
    h(
      "div",
      { class: "pairs" },
      h(
        "figure",
        { class: "pair" },
        h("figcaption", {}, "The answer"),
        picture(wanted, { name: "The answer", marks: wrong ?? [] }),
      ),
      h(
        "figure",
        { class: "pair" },
        h("figcaption", {}, "Yours"),
        picture(got, { name: "Yours", marks: wrong ?? [] }),
      ),
    ),
  );
}

async function submit() {
  const n = editor.at;
  if ($("#submit").disabled) return;
  $("#submit").disabled = true;
  try {
    const told = await post(`api/versions/${version.id}/attempts`, { pair: n, grid: editor.grid });
    draft.note({ kind: "submit", pair: n, correct: told.correct });
    const text = told.correct
      ? "Correct!"
      : told.correct === null
        ? "Kept; the answer is not known"
        : told.size
          ? "Wrong solution"
          : "Wrong: the answer has another size";
    announce(
      text + (told.left ? `, ${told.left} ${told.left === 1 ? "try" : "tries"} left` : ""),
      told.correct ? "good" : told.correct === false ? "error" : "",
    );
  } catch (error) {
    announce(error.message, "error");
  }
  await reloadTries();
}

async function reloadTries() {
  const found = await get(`api/versions/${version.id}`);
  Object.assign(version, { attempts: found.attempts, test: found.test });
  refresh();
}

async function reveal() {
  if (
    !(await confirmDialog(
      "Show the answers",
      "The answers of this task are shown to you. That is kept with your recording.",
      "Show them",
    ))
  )
    return;
  await post(`api/versions/${version.id}/reveal`);
  draft.note({ kind: "reveal", pair: editor.at });
  await reloadTries();
}

const askDistance = debounce(async () => {
  const n = editor.at,
    told = await post(`api/versions/${version.id}/hint`, { pair: n, grid: editor.grid }).catch((error) => ({
      error,
    }));
  if (n !== editor.at) return;
  fill(
    $("#distance"),
    told.error
      ? told.error.message
      : told.distance === null
        ? "Another size than the answer"
        : `Distance ${told.distance.toFixed(2)}`,
  );
}, 300);

function drawDistance() {
  if ($("#hint").checked) askDistance();
  else fill($("#distance"));
}

// The page

function layout() {
  const hint = h("input", { type: "checkbox", id: "hint", onchange: drawDistance });
  return h(
    "div",
    { class: "solve" },
    h(
      "div",
      { class: "stack side-main" },
      h(
        "section",
        { class: "panel", "aria-labelledby": "demo-title" },
        h("header", {}, h("h2", { id: "demo-title" }, "Demonstrations"), h("span", { id: "vary-note" })),
        h("div", { id: "pairs", class: "pairs" }),
      ),
      h("div", { id: "panels", class: "side stack" }),
    ),
    h(
      "section",
      { class: "panel stack", "aria-labelledby": "edit-title" },
      h(
        "header",
        {},
        h("h2", { id: "edit-title" }, "Your output"),
        h("span", { class: "row" }, h("span", { id: "saved", class: "faint", role: "status" })),
      ),
      h("div", { id: "tabs", class: "tabs", role: "tablist", "aria-label": "Test inputs" }),
      paletteRow(),
      toolRow(),
      h("div", { class: "tools", role: "group", "aria-label": "Undo and start" }, actionButtons(MAIN)),
      h(
        "div",
        { id: "work", class: "work" },
        h(
          "div",
          {},
          h("h3", {}, "Test input ", h("span", { id: "test-size", class: "faint" })),
          h("div", { id: "test-input" }),
        ),
        h("div", { class: "drawn" }, h("h3", {}, "Output"), h("div", { id: "board", class: "board" })),
      ),
      h(
        "p",
        { id: "editor-hint", class: "sr" },
        "Arrow keys move, a digit chooses a colour, space uses the tool, question mark shows all keys.",
      ),
      h(
        "div",
        { class: "row" },
        sizeForm(),
        button("Submit", submit, { id: "submit", class: "primary", title: "Ctrl+Enter" }),
        button("Show the answers", reveal, { id: "reveal", class: "quiet" }),
      ),
      h("div", { id: "verdict", "aria-live": "polite" }),
      h("details", { id: "more", open: innerWidth > 600 }, h("summary", {}, "More actions"), actionRow()),
      h(
        "div",
        { class: "row" },
        h("label", { title: "A hint; its use is recorded" }, hint, "Show the distance to the answer"),
        h("span", { id: "distance", class: "chip", role: "status" }),
        h(
          "label",
          {},
          h("input", {
            type: "checkbox",
            id: "numbers",
            checked: settings.numbers,
            onchange: (e) => change("numbers", e.target.checked ? "1" : "0"),
          }),
          "Numbers in cells",
        ),
      ),
    ),
  );
}

const KEYS = {
  Drawing: [
    ["0 … 9", "colour; fills a selection"],
    ["↑ ↓ ← →", "move the cursor"],
    ["Space Enter", "use the tool; lines and boxes: first, then second corner"],
    ["Home End", "start and end of the row; with Ctrl of the grid"],
    ["Shift+arrow", "pen: paint on; select: extend"],
    ["Esc", "let go of selection or first corner"],
  ],
  Tools: TOOLS.map(([, name, key]) => [key, name]),
  "Parts and whole": [
    ["C X V", "copy, cut, paste (also with Ctrl)"],
    ["Ctrl+A", "select all"],
    ["Ctrl+arrow", "shift the grid, or move the selection"],
    ["Del", "clear"],
    ["K", "crop to the selection"],
    ["[ ]", "rotate"],
    ["H J T", "flip left-right, top-bottom, transpose"],
  ],
  "Going on": [
    ["I", "copy from input"],
    ["U Ctrl+Z", "undo"],
    ["Ctrl+Y", "redo"],
    ["Ctrl+Enter", "submit"],
    ["G", "set the size"],
    ["N", "numbers in cells"],
    [", .", "test input before, after"],
    ["PgUp PgDn", "task before, after"],
    ["?", "this help"],
  ],
};

function help() {
  dialog("Keys", () => {
    const on = h("input", {
      type: "checkbox",
      checked: keep.get("keys") !== "0",
      onchange: (e) => keep.set("keys", e.target.checked ? "1" : "0"),
    });
    return h(
      "div",
      { class: "stack" },
      h(
        "div",
        { class: "help-columns" },
        Object.entries(KEYS).map(([title, rows]) => keyTable(title, rows)),
      ),
      h("p", {}, h("label", {}, on, "Single keys do something")),
      h(
        "p",
        { class: "faint" },
        "With the mouse or a finger: drag to paint, to draw a line or box, or to select; drag a selection to move it.",
      ),
    );
  });
}
document.addEventListener("arc-help", help);

document.addEventListener("keydown", (event) => {
  if (
    !editor ||
    inText(event) ||
    $("dialog[open]") ||
    (keep.get("keys") === "0" &&
      !event.ctrlKey &&
      !event.metaKey &&
      event.key.length === 1 &&
      event.key !== "?")
  )
    return;
  if (
    /^(BUTTON|SUMMARY|A|INPUT)$/.test(event.target.tagName) &&
    [" ", "Enter"].includes(event.key) &&
    !event.ctrlKey
  )
    return;
  if (event.target.getAttribute?.("role") === "radio" && event.key.startsWith("Arrow")) return;
  const own = {
    "?": help,
    ",": () => showTest(editor.at - 1),
    ".": () => showTest(editor.at + 1),
    PageDown: () => step(version.id, 1),
    PageUp: () => step(version.id, -1),
    g: () => $("#size").select(),
    n: () => $("#numbers").click(),
  }[event.key];
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") submit();
  else if (own && !event.ctrlKey && !event.metaKey && !event.altKey) own();
  else if (!editor.key(event)) return;
  event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  const radio = event.target.closest?.(".palette [role=radio]"),
    turn = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!radio || !turn) return;
  event.preventDefault();
  editor.setColor((Number(radio.dataset.color) + turn + 10) % 10);
  $(`.palette [data-color="${editor.color}"]`).focus();
});

document.addEventListener("arc-view", () => {
  if (!editor) return;
  $("#numbers").checked = settings.numbers;
  editor.draw();
  refresh();
});
addEventListener(
  "resize",
  debounce(() => {
    if (editor) {
      editor.draw();
      drawPairs();
    }
  }, 150),
);
addEventListener("pagehide", () => draft?.save.now());

// Loading

function adopt(kept) {
  const fresh = version.test.map((p) => freshPair(...startSize(p)));
  const usable = (o) => o && Array.isArray(o.grid) && Array.isArray(o.undo) && Array.isArray(o.redo);
  editor.load(
    fresh.map((o, n) => (usable(kept?.pairs?.[n]) ? kept.pairs[n] : o)),
    version.test.map((p) => p.input),
  );
  refresh();
}
/** Where outputs are as large as inputs, so is the first empty grid. */
function startSize(test) {
  const alike = version.train.every(
    (p) => G.height(p.input) === G.height(p.output) && G.width(p.input) === G.width(p.output),
  );
  return alike ? [G.height(test.input), G.width(test.input)] : [3, 3];
}

async function load(number) {
  version = await get(`api/versions/${number}`);
  task = await get(`api/tasks/${version.task}`);
  history.replaceState(
    null,
    "",
    `?v=${version.id}${document.body.classList.contains("embedded") ? "&embed=1" : ""}`,
  );
  document.title = `${version.task_id} · ARC workbench`;
  setCurrent(version.id);
  shown = null;
  fill($("#main"), taskBar(task, version, { other: "discuss.html", otherName: "Discuss", state }), layout());
  editor = new Editor($("#board"), {
    changed: (event) => {
      draft.note(event);
      refresh();
    },
    toolChanged: refresh,
  });
  draft = new Draft(version.id, {
    read: () => ({
      pairs: editor.pairs.map(({ grid, undo, redo }) => ({ grid, undo, redo })),
      at: editor.at,
    }),
    adopt,
    told: (text, kind) => {
      const line = $("#saved");
      if (line) {
        fill(line, text);
        line.className = kind === "warn" ? "chip warn" : "faint";
      }
    },
  });
  const room = {
    task,
    version,
    state,
    preview: (pairs, text) => {
      shown = pairs;
      fill($("#vary-note"), text ? h("span", { class: "chip warn" }, `Preview: ${text}`) : "");
      drawPairs();
    },
  };
  panels = { variations: variationPanel(room), traces: tracesPanel(room), recording: recordingPanel(room) };
  fill($("#panels"), panels.traces.element, panels.variations.element, panels.recording.element);
  adopt(null);
  draft.start(version.draft);
  sendOthers(version.id);
}

async function hear(event) {
  if (!version) return;
  if (event.kind === "draft") return draft.changed(event);
  if (event.kind === "all") draft.changed({ version: version.id, rev: Infinity });
  if (
    ["attempts", "all"].includes(event.kind) && event.version !== undefined
      ? event.version === version.id
      : event.kind === "all"
  )
    await reloadTries();
  if ((event.kind === "traces" && event.task_id === version.task_id) || event.kind === "all")
    panels.traces.load();
  if (["versions", "tags", "all"].includes(event.kind) && (event.task ?? version.task) === version.task) {
    task = await get(`api/tasks/${version.task}`);
    if (!task.versions.some((o) => o.id === version.id)) {
      announce("This variation was removed");
      return load(task.versions[0].id);
    }
    $(".task-bar").replaceWith(
      taskBar(task, version, { other: "discuss.html", otherName: "Discuss", state }),
    );
    panels.variations.update(task);
  }
}

async function main() {
  state = await open("solve.html", { current: id(), hear });
  try {
    await load(id() || (await pickFirst()));
  } catch (error) {
    fill(
      $("#main"),
      h(
        "div",
        { class: "callout bad" },
        h("p", {}, error.message),
        h("a", { href: "index.html" }, "To the gallery"),
      ),
    );
    throw error;
  }
}
main();
export { goToDialog, tab };
