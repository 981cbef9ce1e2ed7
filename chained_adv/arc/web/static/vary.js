// Variations: build operations, look at what they make, sign, remove.
import { announce, button, confirmDialog, fill, h } from "./dom.js";
import { post, remove } from "./api.js";
import { COLORS } from "./grid.js";
import { operationsText } from "./frame.js";

const TURNS = [
  ["rotate_90", "Rotate right"],
  ["rotate_180", "Half turn"],
  ["rotate_270", "Rotate left"],
  ["flip_left_right", "Flip ↔"],
  ["flip_top_bottom", "Flip ↕"],
  ["transpose", "Transpose"],
  ["anti_transpose", "Anti-transpose"],
];

export function variationPanel({ task, version, preview }) {
  let operations = [];
  const steps = h("p", { class: "row", id: "operations", "aria-live": "polite" }),
    sign = button("Sign this variation", signIt, { id: "sign", class: "primary" });
  const list = h("div");

  let asked = 0;
  async function changed(next) {
    const before = operations,
      mine = ++asked;
    operations = next; // at once, so that quick clicks add up
    render();
    try {
      const pairs = next.length
        ? await post(`api/versions/${version.id}/preview`, { operations: next })
        : null;
      if (mine === asked) preview(pairs, operationsText(next));
    } catch (error) {
      announce(error.message, "error");
      if (mine === asked) {
        operations = before;
        render();
      }
    }
  }

  async function signIt() {
    if (
      !(await confirmDialog(
        "Sign this variation",
        `It is kept as a version of ${task.task_id}, made by ${operationsText(operations)}, under your name.`,
        "Sign",
      ))
    )
      return;
    try {
      const made = await post(`api/versions/${version.id}/sign`, { operations });
      announce(
        made.new
          ? `Signed as version ${made.number}`
          : `Version ${made.number} is the same; your signature was added`,
        "good",
      );
      await changed([]);
    } catch (error) {
      announce(error.message, "error");
    }
  }

  async function drop() {
    if (
      !(await confirmDialog("Remove this variation", "It is taken out of the list for everybody.", "Remove"))
    )
      return;
    try {
      await remove(`api/versions/${version.id}`);
    } catch (error) {
      announce(error.message, "error");
    }
  }

  function shuffled() {
    const map = [...Array(9).keys()].map((n) => n + 1);
    for (let n = map.length - 1; n > 0; n--) {
      const k = Math.floor(Math.random() * (n + 1));
      [map[n], map[k]] = [map[k], map[n]];
    }
    return [0, ...map];
  }

  const picker = (id, label, values) =>
    h(
      "label",
      {},
      label,
      h(
        "select",
        { id },
        values.map(([v, text]) => h("option", { value: v }, text)),
      ),
    );
  const chosen = (id) => Number(element.querySelector(`#${id}`).value);
  const exchange = () => {
    const a = chosen("color-a"),
      b = chosen("color-b"),
      map = COLORS.map((_, n) => (n === a ? b : n === b ? a : n));
    changed([...operations, { op: "permute_colors", map }]);
  };
  const swap = () =>
    changed([...operations, { op: "swap", train: chosen("swap-train"), test: chosen("swap-test") }]);
  const numbers = (count, name) => Array.from({ length: count }, (_, n) => [n, `${name} ${n + 1}`]);
  const colors = COLORS.map((name, n) => [n, name]);

  function render() {
    fill(
      steps,
      operations.length
        ? operations.map((o, n) =>
            h(
              "span",
              { class: "chip" },
              operationsText([o]),
              button("×", () => changed(operations.filter((_, k) => k !== n)), {
                "aria-label": `Take ${o.op} away`,
              }),
            ),
          )
        : h("span", { class: "faint" }, "Choose what to do; the demonstrations show it at once."),
    );
    sign.disabled = !operations.length;
    startOver.disabled = !operations.length;
    fill(
      list,
      version.removable
        ? button("Remove this variation", drop, { class: "danger", id: "remove-version" })
        : null,
    );
  }

  const startOver = button("Start over", () => changed([]), { id: "start-over", class: "quiet" });
  const element = h(
    "details",
    { class: "panel" },
    h("summary", {}, "Variations"),
    h(
      "div",
      { class: "tools", role: "group", "aria-label": "Turn and mirror" },
      TURNS.map(([op, name]) => button(name, () => changed([...operations, { op }]), { "data-op": op })),
    ),
    h(
      "div",
      { class: "row", style: { margin: ".5rem 0" } },
      picker("color-a", "Exchange", colors),
      picker("color-b", "and", colors.slice(1).concat(colors.slice(0, 1))),
      button("Exchange colours", exchange, { id: "exchange" }),
      button("Shuffle colours", () => changed([...operations, { op: "permute_colors", map: shuffled() }]), {
        id: "shuffle",
      }),
    ),
    h(
      "div",
      { class: "row" },
      picker("swap-train", "Swap", numbers(version.train.length, "pair")),
      picker("swap-test", "and", numbers(version.test.length, "test")),
      button("Swap pairs", swap, { id: "swap" }),
    ),
    steps,
    h("div", { class: "row" }, sign, startOver, list),
  );
  render();
  return {
    element,
    update(next) {
      task = next;
    },
  };
}
