// The viewer of runs: a list, score against cost, one run task by task, two side by side, one task with all candidates.
import { $, announce, button, dialog, fill, h } from "./dom.js";
import { get } from "./api.js";
import * as G from "./grid.js";
import { pairPicture, picture } from "./draw.js";
import { open } from "./frame.js";

let runs = [],
  chosen = [];
const percent = (o) =>
  o ? `${(100 * o.value).toFixed(1)} % [${(100 * o.low).toFixed(0)}, ${(100 * o.high).toFixed(0)}]` : "—";
const usd = (o, priced = true) =>
  o === null || o === undefined || !priced ? "not known" : `${o.toFixed(4)} USD`;
const seconds = (o) => (o === null || o === undefined ? "—" : `${o.toFixed(1)} s`);

const NS = "http://www.w3.org/2000/svg";
function svg(tag, attributes, text) {
  const element = document.createElementNS(NS, tag);
  for (const [k, v] of Object.entries(attributes)) element.setAttribute(k, v);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Score against cost per task, or against seconds where nothing has a price. */
function chart() {
  const rows = runs.filter((o) => o.score && o.tasks),
    priced = rows.some((o) => o.priced && o.cost > 0);
  if (rows.length < 1) return null;
  const value = (o) => (priced ? (o.cost ?? 0) : (o.seconds ?? 0)) / o.tasks,
    most = Math.max(...rows.map(value)) * 1.15 || 1;
  const x = (v) => 50 + (v / most) * 330,
    y = (v) => 190 - v * 170;
  const name = `Tasks solved against ${priced ? "cost" : "seconds"} per task`;
  const picture = svg("svg", {
    viewBox: "0 0 480 235",
    class: "chart",
    role: "img",
    "aria-label": `${name}: ${rows.map((o) => `${o.name} ${(o.score.value * 100).toFixed(0)} %`).join(", ")}`,
  });
  for (const v of [0, 0.25, 0.5, 0.75, 1])
    picture.append(
      svg("line", { x1: 50, x2: 400, y1: y(v), y2: y(v), class: "faint-line" }),
      svg("text", { x: 44, y: y(v) + 4, "text-anchor": "end" }, `${v * 100} %`),
    );
  for (const o of rows) {
    picture.append(
      svg("line", { x1: x(value(o)), x2: x(value(o)), y1: y(o.score.low), y2: y(o.score.high) }),
      svg("circle", { cx: x(value(o)), cy: y(o.score.value), r: 5 }),
      svg("text", { x: x(value(o)) + 8, y: y(o.score.value) + 4 }, o.name),
    );
  }
  picture.append(
    svg("text", { x: 50, y: 208 }, "0"),
    svg("text", { x: 380, y: 208, "text-anchor": "end" }, most.toPrecision(2)),
    svg(
      "text",
      { x: 215, y: 226, "text-anchor": "middle" },
      priced ? "USD per task" : "seconds per task (no prices known)",
    ),
  );
  return h("section", { class: "panel" }, h("header", {}, h("h2", {}, name)), picture);
}

function runRow(o) {
  const pick = h("input", {
    type: "checkbox",
    "aria-label": `Compare ${o.name}`,
    checked: chosen.includes(o.name),
    onchange: (e) => {
      chosen = e.target.checked ? [...chosen, o.name].slice(-2) : chosen.filter((n) => n !== o.name);
      drawList();
    },
  });
  return h(
    "tr",
    {},
    h("td", {}, pick),
    h("td", {}, h("a", { href: `runs.html?run=${encodeURIComponent(o.name)}` }, o.name)),
    h("td", {}, o.kind),
    h("td", {}, o.model),
    h("td", {}, o.status),
    h("td", { class: "number" }, o.kind === "bench" ? `${o.solved}/${o.tasks}` : `—/${o.tasks || "?"}`),
    h("td", { class: "number" }, percent(o.score)),
    h("td", { class: "number" }, o.kind === "bench" ? usd(o.cost, o.priced) : "—"),
    h("td", { class: "number" }, seconds(o.seconds)),
  );
}

function table(label, heads, rows) {
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map(([text, cls]) => h("th", { class: cls, scope: "col" }, text)),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );
}

function drawList(folder) {
  const heads = [
    [h("span", { class: "sr" }, "Compare")],
    ["Run"],
    ["Kind"],
    ["Model"],
    ["Status"],
    ["Solved", "number"],
    ["Tasks solved, 95 % interval", "number"],
    ["Cost", "number"],
    ["Time", "number"],
  ];
  const compare = button(
    "Compare the two",
    () =>
      location.assign(`runs.html?run=${encodeURIComponent(chosen[0])}&with=${encodeURIComponent(chosen[1])}`),
    { id: "compare", disabled: chosen.length !== 2 },
  );
  if (!runs.length)
    return fill(
      $("#main"),
      h("h1", {}, "Runs"),
      h(
        "div",
        { class: "panel empty" },
        h("p", {}, "There are no runs in the folder ", h("code", {}, folder ?? "runs"), " yet."),
        h("p", {}, "Make one: ", h("code", {}, "chained-adv arc bench code --model search")),
      ),
    );
  fill(
    $("#main"),
    h(
      "div",
      { class: "stack" },
      h("h1", {}, "Runs"),
      h(
        "section",
        { class: "panel" },
        h("header", {}, h("h2", {}, "All runs"), compare),
        table("Runs", heads, runs.map(runRow)),
      ),
      chart(),
    ),
  );
}

// One run

function counts(o) {
  return Object.entries(o ?? {}).map(([k, n]) =>
    h(
      "span",
      { class: `chip ${k === "right" || k === "passed" || k === "ok" ? "good" : ""}` },
      `${n} ${k.replaceAll("_", " ")}`,
    ),
  );
}

function solvedChip(o) {
  return o === undefined
    ? h("span", { class: "faint" }, "—")
    : o.solved === null || o.solved === undefined
      ? h("span", { class: "faint" }, "not scored")
      : h("span", { class: `chip ${o.solved ? "good" : "bad"}` }, o.solved ? "solved" : "not solved");
}

function failures(found) {
  const rows = Object.entries(found).sort((a, b) => b[1][0] - a[1][0]);
  return rows.length
    ? h(
        "section",
        { class: "panel" },
        h("header", {}, h("h2", {}, "Failures")),
        table(
          "Failures",
          [["Label"], ["How often", "number"], ["For example"]],
          rows.map(([label, [n, text]]) =>
            h(
              "tr",
              {},
              h("td", {}, label.replaceAll("_", " ")),
              h("td", { class: "number" }, n),
              h("td", {}, text),
            ),
          ),
        ),
      )
    : null;
}

function summary(o) {
  const scores = o.scores
    ? [
        ["Tasks solved", percent(o.scores.all_pairs)],
        ["Mean over pairs", percent(o.scores.mean_over_pairs)],
        ["Pairs right", percent(o.scores.pair_accuracy)],
        ...Object.entries(o.oracle ?? {}).map(([k, v]) => [`Oracle ${k}`, percent(v)]),
      ]
    : [];
  const rest = o.spent
    ? [
        ["Cost", usd(o.spent.cost, o.spent.priced)],
        ["Time of calls", seconds(o.spent.seconds)],
        ["Tokens", ((o.spent.tokens?.prompt ?? 0) + (o.spent.tokens?.completion ?? 0)).toLocaleString("en")],
      ]
    : [];
  const verified = Object.keys(o.verified ?? {}).length
    ? h("p", { class: "row" }, "Verified: ", counts(o.verified))
    : null;
  return h(
    "section",
    { class: "panel" },
    h(
      "header",
      {},
      h("h2", {}, o.run.name),
      h("span", { class: "faint" }, `${o.run.kind}, ${o.run.model || "?"}, ${o.run.status || "?"}`),
    ),
    h(
      "div",
      { class: "row" },
      [...scores, ...rest].map(([k, v]) => h("span", { class: "chip" }, `${k}: ${v}`)),
    ),
    verified,
  );
}

function isVerified(o) {
  return Object.keys(o.verified ?? {}).length > 0;
}

function taskTable(list) {
  const keys = [...new Set(list.flatMap((o) => Object.keys(o.tasks)))];
  const cells = (o, key) => {
    const t = o.tasks[key];
    return [
      h(
        "td",
        {},
        h(
          "span",
          { class: "row tight" },
          solvedChip(t),
          t
            ? button("answers", () => showTask(list, key), {
                class: "quiet",
                "data-key": key,
                "data-run": o.run.name,
                "aria-label": `Answers of ${o.run.name} to ${key}`,
              })
            : null,
        ),
      ),
      h("td", {}, t ? h("span", { class: "row tight" }, counts(t.attempts)) : null),
      isVerified(o) ? h("td", {}, h("span", { class: "row tight" }, counts(t?.verified))) : null,
      h("td", { class: "number" }, t?.train_fit !== undefined ? `${(100 * t.train_fit).toFixed(0)} %` : "—"),
      h("td", { class: "number" }, t ? usd(t.cost, o.run.priced || t.cost > 0) : "—"),
      h("td", { class: "number" }, seconds(t?.seconds)),
    ];
  };
  const heads = (o) => [
    [list.length > 1 ? o.run.name : "Result"],
    ["Attempts"],
    ...(isVerified(o) ? [["Verified"]] : []),
    ["Training fit", "number"],
    ["Cost", "number"],
    ["Time", "number"],
  ];
  const row = (key) =>
    h(
      "tr",
      {
        class: list.length > 1 && list[0].tasks[key]?.solved !== list[1].tasks[key]?.solved ? "differs" : "",
      },
      h("th", { scope: "row" }, key.split("/").at(-1)),
      list.map((o) => cells(o, key)),
    );
  return h(
    "section",
    { class: "panel" },
    h("header", {}, h("h2", {}, "Tasks")),
    table("Tasks", [["Task"], ...list.flatMap(heads)], keys.map(row)),
  );
}

function candidate(o, answers, pair) {
  const grid = o.outputs[pair],
    at = (answers?.[pair] ?? []).findIndex((a) => grid && G.same(a, grid));
  const about = [
    at >= 0
      ? h("span", { class: "chip good" }, `chosen as answer ${at + 1}`)
      : answers
        ? h("span", { class: "chip" }, "rejected")
        : null, // of a run of generate, nothing is chosen
    o.passed[pair] ? h("span", { class: "good-text" }, "✓ right") : null,
  ];
  const fit = o.train.length
    ? `${o.train.filter((t) => t === "passed").length} of ${o.train.length} training pairs`
    : o.status.replaceAll("_", " ");
  return h(
    "div",
    { class: `candidate ${at >= 0 ? "chosen" : ""}` },
    h(
      "p",
      { class: "row" },
      h("strong", {}, `Attempt ${o.attempt + 1}${o.round ? `, round ${o.round}` : ""}`),
      about,
    ),
    h("p", { class: "faint" }, [fit, o.view, o.reason].filter(Boolean).join("; ")),
    grid
      ? picture(grid, { box: 140, name: `Attempt ${o.attempt + 1}` })
      : h("p", { class: "faint" }, "no grid"),
    o.code ? h("details", {}, h("summary", {}, "Program"), h("pre", { tabindex: 0 }, o.code)) : null,
  );
}

/** What one run made of a task: truth, answers and candidates for each test input. */
function runPart(o, key, told) {
  const answers = o.tasks[key].answers;
  const test = (p, n) =>
    h(
      "section",
      { class: "stack" },
      h("h3", {}, `Test input ${n + 1}`),
      h(
        "div",
        { class: "pairs" },
        pairPicture("Truth", p.input, p.output ?? null, { box: 150 }),
        (answers?.[n] ?? []).map((a, k) => answer(a, p.output, k)),
      ),
      h("h3", {}, "Candidates"),
      h(
        "div",
        { class: "candidates" },
        told.candidates
          .filter((c) => n in c.outputs || !Object.keys(c.outputs).length)
          .map((c) => candidate(c, answers, n)),
      ),
    );
  return h(
    "section",
    { class: "stack", "data-part-of": o.run.name },
    h(
      "p",
      { class: "row" },
      h("strong", {}, o.run.name),
      solvedChip(o.tasks[key]),
      counts(o.tasks[key].attempts),
      isVerified(o) ? ["Verified: ", counts(o.tasks[key].verified)] : null,
    ),
    failures(o.tasks[key].failures ?? {}),
    told.task.test.map(test),
  );
}

/** A task as all the runs that are open answered it, side by side. */
async function showTask(list, key) {
  const asked = list.filter((o) => o.tasks[key]);
  const path = (o) =>
    `api/runs/${encodeURIComponent(o.run.name)}/task?key=${encodeURIComponent(key)}`;
  try {
    const told = await Promise.all(asked.map((o) => get(path(o))));
    dialog(key, () =>
      h(
        "div",
        { class: asked.length > 1 ? "side-by-side" : "stack" },
        asked.map((o, n) => runPart(o, key, told[n])),
      ),
    );
  } catch (error) {
    announce(error.message, "error");
  }
}

function answer(grid, truth, n) {
  const wrong = truth ? G.differences(truth, grid) : [],
    right = truth && wrong && !wrong.length;
  const note = !truth
    ? ""
    : right
      ? "right"
      : wrong === null
        ? "another size"
        : `${wrong.length} cells differ`;
  return h(
    "figure",
    { class: "pair" },
    h("figcaption", {}, `Answer ${n + 1} `, h("span", { class: right ? "good-text" : "bad-text" }, note)),
    picture(grid, { box: 150, name: `Answer ${n + 1}`, marks: wrong ?? [] }),
  );
}

async function showRuns(names) {
  const list = await Promise.all(names.map((name) => get(`api/runs/${encodeURIComponent(name)}`)));
  const both = list.length === 2 ? h("p", { class: "callout" }, compareText(...list)) : null;
  fill(
    $("#main"),
    h(
      "div",
      { class: "stack" },
      h("p", {}, h("a", { href: "runs.html" }, "‹ All runs")),
      h("h1", {}, names.join(" and ")),
      list.map(summary),
      both,
      taskTable(list),
      list.map((o) => failures(o.failures)),
    ),
  );
}

function compareText(a, b) {
  const solved = (o) =>
      new Set(
        Object.entries(o.tasks)
          .filter(([, t]) => t.solved)
          .map(([k]) => k),
      ),
    x = solved(a),
    y = solved(b);
  const both = [...x].filter((k) => y.has(k)).length;
  return `Both solve ${both}; only ${a.run.name} ${x.size - both}; only ${b.run.name} ${y.size - both}.`;
}

document.addEventListener("arc-help", () =>
  dialog("Help", () =>
    h(
      "p",
      {},
      "Runs of chained-adv arc generate, verify and bench in the folder that the server was started with (--runs). Choose a run for its tasks, a task for all its answers; tick two runs to put them side by side.",
    ),
  ),
);

async function main() {
  await open("runs.html");
  const query = new URLSearchParams(location.search),
    names = [query.get("run"), query.get("with")].filter(Boolean);
  try {
    if (names.length) return await showRuns(names);
    const told = await get("api/runs");
    runs = told.runs;
    drawList(told.folder);
  } catch (error) {
    fill(
      $("#main"),
      h(
        "div",
        { class: "callout bad" },
        h("p", {}, error.message),
        h("a", { href: "runs.html" }, "To the runs"),
      ),
    );
  }
}
main();
