// One's own recorded edits: replay and export.
import { announce, button, dialog, fill, h, saveFile } from "./dom.js";
import { get } from "./api.js";
import * as G from "./grid.js";
import { picture } from "./draw.js";

/** The grids that a recording goes through, per test input, each with a label and a time. */
export function frames(events, starts) {
  const grids = starts.map((grid) => G.copy(grid)),
    found = [];
  for (const o of events) {
    if (o.kind === "edit" && grids[o.pair]) {
      if (o.grid) grids[o.pair] = G.unpack(o.grid);
      else grids[o.pair] = G.paint(grids[o.pair], o.cells);
    }
    found.push({ pair: o.pair ?? 0, grid: grids[o.pair ?? 0] ?? grids[0], label: words(o), t: o.t });
  }
  return found;
}

function words(o) {
  if (o.kind === "submit")
    return o.correct ? "submitted: correct" : o.correct === null ? "submitted" : "submitted: wrong";
  if (o.kind === "hint") return `asked for the distance: ${o.distance ?? "another size"}`;
  if (o.kind === "reveal") return "had the answers shown";
  return o.label ?? o.kind;
}

export function recordingPanel({ version }) {
  const alike = version.train.every(
    (p) => G.height(p.input) === G.height(p.output) && G.width(p.input) === G.width(p.output),
  );
  const starts = version.test.map((p) =>
    alike ? G.make(G.height(p.input), G.width(p.input)) : G.make(3, 3),
  );
  const fetchIt = () => get(`api/versions/${version.id}/recording`);

  async function replay() {
    const { events } = await fetchIt(),
      all = frames(events, starts);
    if (!all.length) return announce("Nothing is recorded yet");
    let timer;
    await dialog("Replay", () => {
      const board = h("div"),
        text = h("p", { role: "status" }),
        slider = h("input", {
          type: "range",
          min: 0,
          max: all.length - 1,
          value: 0,
          "aria-label": "Step",
          style: { width: "100%" },
        });
      const show = () => {
        const o = all[slider.value];
        fill(board, picture(o.grid, { box: 320, name: `Step ${Number(slider.value) + 1}` }));
        fill(text, `${Number(slider.value) + 1} of ${all.length}, test input ${o.pair + 1}: ${o.label}`);
      };
      const play = button(
        "Play",
        () => {
          if (timer) {
            clearInterval(timer);
            timer = null;
            return fill(play, "Play");
          }
          if (Number(slider.value) >= all.length - 1) slider.value = 0;
          fill(play, "Pause");
          timer = setInterval(() => {
            if (Number(slider.value) >= all.length - 1) {
              clearInterval(timer);
              timer = null;
              fill(play, "Play");
              return;
            }
            slider.value = Number(slider.value) + 1;
            show();
          }, 250);
        },
        { id: "play" },
      );
      slider.addEventListener("input", show);
      show();
      return h("div", { class: "stack" }, board, slider, text, play);
    });
    clearInterval(timer);
  }

  const save = async () => {
    const found = await fetchIt();
    saveFile(
      `recording-${version.task_id}.json`,
      JSON.stringify({ ...found, starts: starts.map(G.pack) }, null, 1),
    );
  };
  const element = h(
    "details",
    { class: "panel" },
    h("summary", {}, "Recording"),
    h(
      "p",
      { class: "faint" },
      "Each edit, try and hint of yours is kept with its time; nobody else sees it here.",
    ),
    h(
      "p",
      { class: "row" },
      button("Replay", replay, { id: "replay" }),
      button("Save as a file", save, { id: "save-recording" }),
    ),
  );
  return { element };
}
