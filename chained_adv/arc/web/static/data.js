// Files in and out: import with what was refused, export in the founding formats, backups.
import { $, announce, button, dialog, fill, h, saveFile } from "./dom.js";
import { call, download, get, post } from "./api.js";
import { open } from "./frame.js";

let state;

async function importFiles(files) {
  for (const file of files) {
    const line = h("div", { class: "callout" }, `${file.name}: reading …`);
    $("#reports").prepend(line);
    try {
      const dataset = $("#dataset-name").value.trim();
      const told = await call(
        "POST",
        `api/import?name=${encodeURIComponent(file.name)}${dataset ? `&dataset=${encodeURIComponent(dataset)}` : ""}`,
        file,
      );
      line.replaceWith(report(told));
    } catch (error) {
      line.className = "callout bad";
      fill(line, `${file.name}: ${error.message}`);
    }
  }
  state = await get("api/state");
  drawSets();
}

function report(o) {
  const kind = o.left_out ? "warn" : "good";
  const counts =
    [
      o.tasks && `${o.tasks} versions of tasks`,
      o.traces && `${o.traces} traces`,
      o.known && `${o.known} known already`,
    ]
      .filter(Boolean)
      .join(", ") || "nothing new";
  const list = o.refused.length
    ? h(
        "details",
        { open: o.refused.length < 6 },
        h("summary", {}, `${o.left_out} left out`),
        h(
          "ul",
          { class: "refused" },
          o.refused.map((text) => h("li", {}, text)),
          o.left_out > o.refused.length ? h("li", {}, `and ${o.left_out - o.refused.length} more`) : null,
        ),
      )
    : null;
  return h("div", { class: `callout ${kind}` }, h("p", {}, h("strong", {}, o.file), `: ${counts}`), list);
}

async function save(path, name) {
  try {
    saveFile(name, await download(path));
  } catch (error) {
    announce(error.message, "error");
  }
}

function drawSets() {
  const rows = state.datasets.map((o) =>
    h(
      "tr",
      {},
      h("td", {}, o.dataset),
      h("td", {}, o.revision),
      h("td", { class: "number" }, o.tasks),
      h(
        "td",
        {},
        button("dataset.json", () =>
          save(`api/export/dataset.json?dataset=${encodeURIComponent(o.dataset)}`, `${o.dataset}.json`),
        ),
      ),
    ),
  );
  fill(
    $("#sets"),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Data sets" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Data set", "Revision", "Tasks", "Export"].map((o) => h("th", {}, o)),
          ),
        ),
        h("tbody", {}, rows),
      ),
    ),
  );
}

async function drawBackups() {
  const { backups, folder } = await get("api/backups");
  fill(
    $("#backups"),
    backups.length
      ? h(
          "ul",
          {},
          backups.map((o) =>
            h(
              "li",
              {},
              h("code", {}, o.name),
              ` ${(o.size / 1e6).toFixed(1)} MB, ${new Date(o.at * 1000).toLocaleString()}`,
            ),
          ),
        )
      : h("p", { class: "faint" }, "None yet."),
    h(
      "p",
      { class: "faint" },
      "They lie in ",
      h("code", {}, folder),
      ". To go back to one, stop the server and start it with ",
      h("code", {}, "--restore FILE"),
      ".",
    ),
  );
}

function layout() {
  const input = h("input", {
    type: "file",
    id: "files",
    multiple: true,
    accept: ".json,.jsonl,.ndjson",
    onchange: (e) => importFiles([...e.target.files]),
  });
  const box = h(
    "section",
    { class: "panel", "aria-labelledby": "in" },
    h("header", {}, h("h2", { id: "in" }, "Bring in")),
    h(
      "p",
      {},
      "Tasks in any known form (official files, dataset.json, Kaggle challenges, sets) or a store of traces. What is sound is taken; what is not is listed with its place.",
    ),
    h(
      "p",
      { class: "row" },
      h("label", { for: "dataset-name" }, "Data set"),
      h("input", { type: "text", id: "dataset-name", placeholder: "as in the file", size: 16 }),
    ),
    h("p", {}, h("label", { for: "files" }, "Files "), input),
    h("div", { id: "reports", role: "status" }),
  );
  box.addEventListener("dragover", (e) => e.preventDefault());
  box.addEventListener("drop", (e) => {
    e.preventDefault();
    importFiles([...e.dataTransfer.files]);
  });
  return h(
    "div",
    { class: "stack" },
    h("h1", {}, "Data"),
    box,
    h(
      "section",
      { class: "panel", "aria-labelledby": "out" },
      h(
        "header",
        {},
        h("h2", { id: "out" }, "Take out"),
        h(
          "span",
          { class: "row" },
          button("Everything (dataset.json)", () => save("api/export/dataset.json", "dataset.json"), {
            id: "export-all",
          }),
          button(
            "All traces (traces_store.json)",
            () => save("api/export/traces_store.json", "traces_store.json"),
            { id: "export-traces" },
          ),
          button("Training lines (.jsonl)", () => save("api/lines.jsonl", "arc-lines.jsonl"), {
            id: "export-lines",
          }),
        ),
      ),
      h("div", { id: "sets" }),
    ),
    h(
      "section",
      { class: "panel", "aria-labelledby": "safe" },
      h(
        "header",
        {},
        h("h2", { id: "safe" }, "Backups"),
        button(
          "Make a backup now",
          async () => {
            try {
              announce(`Made ${(await post("api/backups")).name}`, "good");
              await drawBackups();
            } catch (error) {
              announce(error.message, "error");
            }
          },
          { id: "backup" },
        ),
      ),
      h("div", { id: "backups" }),
    ),
  );
}

document.addEventListener("arc-help", () =>
  dialog("Help", () =>
    h(
      "p",
      {},
      "dataset.json is a list of tasks with task_id and version; traces_store.json maps a task's id to its traces. Both come out as they went in; variations also carry their parent and operations.",
    ),
  ),
);

async function main() {
  state = await open("data.html", {
    hear: async (event) => {
      if (["tasks", "all"].includes(event.kind)) {
        state = await get("api/state");
        drawSets();
      }
    },
  });
  fill($("#main"), layout());
  drawSets();
  drawBackups();
}
main();
