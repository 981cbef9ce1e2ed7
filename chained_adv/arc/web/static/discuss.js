// The page to discuss a task: demonstrations, chat, code.
import {
  $,
  announce,
  button,
  confirmDialog,
  debounce,
  dialog,
  fill,
  h,
  inText,
  saveFile,
  whisper,
} from "./dom.js";
import { download, get, keep, post, remove, stream, tab } from "./api.js";
import * as G from "./grid.js";
import { pairPicture, picture } from "./draw.js";
import { keyTable, open, setCurrent } from "./frame.js";
import { markdown } from "./markdown.js";
import { pickFirst, step, taskBar } from "./walk.js";

let state,
  task,
  version,
  chat = null,
  lastRun = null;
const talks = new Map(); // number of a chat -> the answer under way in it
const live = () => talks.get(chat?.id);
const id = () => Number(new URL(location.href).searchParams.get("v")) || 0;
const wish = (name, otherwise) => keep.get(name) ?? otherwise;

// Demonstrations

function drawPairs() {
  const width = $("#pairs").clientWidth || 300,
    box = Math.min(150, Math.max(70, (width - 60) / 2));
  fill(
    $("#pairs"),
    version.train.map((p, n) => pairPicture(`Pair ${n + 1}`, p.input, p.output, { box, most: 22 })),
    version.test.map((p, n) => pairPicture(`Test ${n + 1}`, p.input, p.output, { box, most: 22 })),
  );
}

// Messages

function money(usd) {
  return usd === null || usd === undefined
    ? "price not known"
    : usd === 0
      ? "free"
      : `${usd < 0.01 ? usd.toFixed(5) : usd.toFixed(3)} USD`;
}

function statusChip(meta) {
  if (meta.status === "stopped") return h("span", { class: "chip warn" }, "stopped");
  if (meta.status === "error")
    return h("span", { class: "chip bad" }, meta.label?.replaceAll("_", " ") ?? "failed");
  return null;
}

function codeTools(code) {
  if (!code.includes("def ")) return null;
  const take = () => {
    setCode(code);
    announce("The program is in the code box");
  };
  return h(
    "div",
    { class: "row" },
    button("To the code box", take, { class: "take-code" }),
    button(
      "Run it",
      () => {
        setCode(code);
        run();
      },
      { class: "run-code" },
    ),
  );
}

function messageItem(o) {
  const meta = o.meta ?? {};
  const usage = meta.usage ? `${meta.usage.prompt + meta.usage.completion} tokens, ${money(meta.cost)}` : "";
  const head =
    o.role === "user"
      ? h("span", {}, state.user.name)
      : [
          h("strong", {}, meta.model ?? "model"),
          statusChip(meta),
          h("span", {}, usage),
          meta.seconds ? h("span", {}, `${meta.seconds.toFixed(1)} s`) : null,
        ];
  const thoughts = meta.thoughts
    ? h("details", {}, h("summary", {}, "Reasoning"), markdown(meta.thoughts))
    : null;
  const trouble = meta.status === "error" ? h("p", { class: "bad-text" }, meta.message) : null;
  const body =
    o.role === "user"
      ? h("div", { class: "text" }, o.content)
      : o.content
        ? markdown(o.content, codeTools)
        : meta.status === "stopped"
          ? h("p", { class: "faint" }, "Stopped before there was any text.")
          : null;
  const tools =
    o.role === "assistant" && o.content && !o.live
      ? h(
          "div",
          { class: "row" },
          button("Save as a trace", () => saveTrace(o.content), { class: "quiet save-trace" }),
          button("Save as training data", () => saveLine(o), { class: "quiet save-line" }),
        )
      : null;
  return h(
    "article",
    { class: `message ${o.role}`, "data-status": meta.status ?? "" },
    h("header", {}, head),
    thoughts,
    body,
    trouble,
    tools,
  );
}

function drawChat() {
  const log = $("#log"),
    messages = chat?.messages ?? [],
    atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  const talk = live();
  const coming = talk && {
    role: "assistant",
    live: true,
    content: talk.text || "…",
    meta: { model: talk.model, thoughts: talk.thoughts },
  };
  fill(
    log,
    messages.length || coming
      ? [messages.map(messageItem), coming ? messageItem(coming) : null]
      : h(
          "p",
          { class: "empty" },
          "Ask about the rule, or for a program. The model sees the demonstrations and the test inputs, never a test output.",
        ),
  );
  if (atEnd) log.scrollTop = log.scrollHeight;
  $("#send").disabled = Boolean(talk);
  $("#stop").hidden = !talk;
  const last = messages.at(-1);
  $("#retry").hidden =
    Boolean(talk) || !messages.length || (last.role === "assistant" && last.meta.status === "done");
  $("#again").hidden = Boolean(talk) || !(last?.role === "assistant" && last.meta.status === "done");
}

const asked = (text) => ({
  text,
  model: $("#model").value,
  source: $("#source").value,
  temperature: $("#use-temperature").checked ? Number($("#temperature").value) : null,
});

const estimate = debounce(async () => {
  if (!version || live()) return;
  const place = chat ? `chats/${chat.id}` : `versions/${version.id}`;
  try {
    const o = await post(`api/${place}/estimate`, asked($("#text").value));
    const budget = o.budget ? `; ${(o.budget - o.spent).toFixed(3)} of ${o.budget} USD left` : "";
    fill(
      $("#cost"),
      o.cost === 0
        ? "free"
        : `at most ${o.prompt.toLocaleString("en")} + ${o.completion.toLocaleString("en")} tokens, ${o.cost === null ? "price not known" : `up to ${money(o.cost)}`}${budget}`,
    );
  } catch (error) {
    fill($("#cost"), error.message);
  }
}, 300);

async function openChat(number) {
  chat = await get(`api/chats/${number}`);
  keep.set(`chat-${version.task}`, number);
  drawChat();
  $("#log").scrollTop = $("#log").scrollHeight;
  estimate();
  if (chat.busy && !live()) follow(chat.id, stream("GET", `api/chats/${chat.id}/follow`), "model");
}

async function newChat() {
  const made = await post(`api/versions/${version.id}/chats`);
  await openChat(made.id);
  await drawChats();
}

async function drawChats() {
  const { chats } = await get(`api/tasks/${version.task}/chats`);
  const name = (o) =>
    `${new Date(o.created * 1000).toLocaleString()} · ${o.title ?? "empty"}${o.number ? ` (version ${o.number})` : ""}`;
  fill(
    $("#chats"),
    chats.map((o) => h("option", { value: o.id, selected: o.id === chat?.id }, name(o))),
  );
  $("#forget").disabled = !chats.length;
  return chats;
}

/** Show a message that is under way; whatever happens, what the server kept is shown in the end. Another chat may be open meanwhile. */
async function follow(number, events, model) {
  const talk = { text: "", thoughts: "", model };
  talks.set(number, talk);
  drawChat();
  let problem = null;
  try {
    for await (const o of events) {
      if (o.kind === "start") talk.text = talk.thoughts = "";
      if (o.kind === "piece") {
        talk.text += o.text;
        talk.thoughts += o.thoughts;
        drawSoon();
      }
      if (o.kind === "end" && o.meta.status === "error") problem = o.meta.message;
    }
  } catch (error) {
    problem = error.message;
  }
  talks.delete(number);
  if (problem) announce(problem, "error");
  await reload(number, model);
}

/** Take a chat from the server again, when it is the one that is open. */
async function reload(number, model) {
  if (chat?.id === number)
    try {
      const found = await get(`api/chats/${number}`);
      if (chat?.id === number) chat = found;
      if (found.busy) return follow(number, stream("GET", `api/chats/${number}/follow`), model);
      whisper("The answer is there");
    } catch (error) {
      announce(error.message, "error");
    }
  drawChat();
  drawChats();
  estimate();
}
let frame = 0;
function drawSoon() {
  if (!frame)
    frame = requestAnimationFrame(() => {
      frame = 0;
      if (live()) drawChat();
    });
}

/** Send a message, or with an empty text ask the last question again. A message that was refused goes back into the box. */
async function say(text) {
  if (live()) return announce("The model is still answering; stop it first");
  try {
    if (!chat) await newChat();
    const body = asked(text),
      number = chat.id,
      last = chat.messages.at(-1)?.id ?? 0;
    chat.messages = text
      ? [...chat.messages, { role: "user", content: text }]
      : chat.messages.slice(0, chat.messages.findLastIndex((o) => o.role === "user") + 1);
    $("#text").value = "";
    await follow(number, stream("POST", `api/chats/${number}/send`, body), body.model);
    if (!text || chat?.id !== number || chat.messages.some((o) => o.role === "user" && o.id > last)) return;
    chat.messages = chat.messages.filter((o) => o.id);
    $("#text").value ||= text;
    drawChat();
  } catch (error) {
    $("#text").value ||= text;
    announce(error.message, "error");
  }
}

function sendForm(event) {
  event.preventDefault();
  const text = $("#text").value.trim();
  if (text) say(text);
}
/** Stop the answer. The question may still be on its way to the server, so this is asked until there is no answer under way. */
async function stop() {
  const number = chat.id,
    talk = live();
  try {
    while (talks.get(number) === talk && !(await post(`api/chats/${number}/stop`)).stopped)
      await new Promise((done) => setTimeout(done, 100));
  } catch (error) {
    announce(error.message, "error");
  }
}

async function forget() {
  if (!chat || !(await confirmDialog("Remove this chat", "Its messages are removed.", "Remove"))) return;
  const number = chat.id;
  chat = null; // what still comes of an answer is nobody's
  try {
    await remove(`api/chats/${number}`);
  } catch (error) {
    announce(error.message, "error");
  }
  await heardOfChat();
}

async function saveTrace(text) {
  try {
    await post("api/traces", { task_id: version.task_id, text: text.slice(0, 50000), version: version.id });
    announce("Saved as a trace; it stands on the page Solve", "good");
  } catch (error) {
    announce(error.message, "error");
  }
}

async function saveLine(o) {
  const block = [...o.content.matchAll(/```(?:python)?\s*\n([\s\S]*?)```/g)]
    .map((m) => m[1])
    .filter((code) => code.includes("def solve_task"))
    .at(-1);
  const code = block ?? $("#code").value,
    reasoning = o.content.replace(/```(?:python)?\s*\n[\s\S]*?```/g, "").trim();
  if (!code.trim()) return announce("There is no program in this answer, nor in the code box", "error");
  try {
    const made = await post(`api/versions/${version.id}/line`, {
      code,
      reasoning,
      model: o.meta.model ?? "",
    });
    announce(
      `Verified on all pairs and kept: ${made.lines} training ${made.lines === 1 ? "line" : "lines"}`,
      "good",
    );
  } catch (error) {
    announce(error.message, "error");
  }
}

// Code

const FIRST = "def solve_task(input_grid):\n    return input_grid\n";
function setCode(code) {
  $("#code").value = code.trimEnd() + "\n";
  keep.set(`code-${version.id}`, $("#code").value);
}

async function run() {
  const code = $("#code").value;
  $("#run").disabled = true;
  fill($("#run-status"), "Running …");
  try {
    lastRun = await post(`api/versions/${version.id}/run`, { code });
    drawRun();
  } catch (error) {
    fill($("#run-status"), h("span", { class: "bad-text" }, error.message));
  }
  $("#run").disabled = false;
}

function drawRun() {
  const train = lastRun.pairs.filter((o) => o.part === "train"),
    passed = train.filter((o) => o.outcome === "passed").length;
  const all = passed === train.length;
  fill(
    $("#run-status"),
    h("span", { class: all ? "chip good" : "chip bad" }, `${passed} of ${train.length} pairs reproduced`),
    lastRun.lookup
      ? h("span", { class: "chip warn" }, `looks like a table of answers: ${lastRun.lookup}`)
      : null,
  );
  const failure = lastRun.pairs.find(
    (o) => o.reason && o.outcome !== "wrong_value" && o.outcome !== "passed",
  );
  fill($("#traceback"), failure ? traceback(failure) : null);
  fill($("#run-pairs"), lastRun.pairs.map(runPair));
}

function traceback(o) {
  const line = /line (\d+)/.exec(o.reason),
    source = $("#code").value.split("\n");
  const where = line
    ? `\n\n${[-1, 0, 1]
        .map((k) => Number(line[1]) + k)
        .filter((n) => n >= 1 && n <= source.length)
        .map((n) => `${n === Number(line[1]) ? ">" : " "} ${String(n).padStart(3)}  ${source[n - 1]}`)
        .join("\n")}`
    : "";
  return h(
    "div",
    {},
    h("h3", {}, "What went wrong"),
    h("pre", { class: "traceback", tabindex: 0 }, `${o.outcome}: ${o.reason}${where}`),
  );
}

function runPair(o) {
  const pair = version[o.part][o.index],
    passed = o.outcome === "passed",
    train = o.part === "train";
  const wanted = train ? pair.output : null,
    marks = o.output && wanted ? (G.differences(wanted, o.output) ?? []) : [];
  const mark = train
    ? h(
        "span",
        { class: passed ? "good-text" : "bad-text" },
        passed ? "✓ passed" : `✗ ${o.outcome.replaceAll("_", " ")}`,
      )
    : h("span", { class: "faint" }, o.output ? "output" : `✗ ${o.outcome.replaceAll("_", " ")}`);
  const back =
    train && !passed
      ? button("Send back", () => sendBack(o), {
          class: "send-back",
          title: "Tell the model about this pair",
        })
      : null;
  const use =
    !train && o.output ? button("Use as my answer", () => useAnswer(o), { class: "use-answer" }) : null;
  return h(
    "div",
    { class: `run-pair ${train ? (passed ? "passed" : "failed") : ""}`, "data-part": o.part },
    h("div", { class: "row" }, h("strong", {}, `${train ? "Pair" : "Test"} ${o.index + 1}`), mark, back, use),
    o.output ? picture(o.output, { box: 130, name: `Output for ${o.part} ${o.index + 1}`, marks }) : null,
    o.reason ? h("p", { class: "faint" }, o.reason) : null,
  );
}

async function sendBack(o) {
  try {
    const body = { index: o.index, reason: o.reason || o.outcome, ...(o.output ? { output: o.output } : {}) };
    const told = await post(`api/versions/${version.id}/failing`, body);
    await say(`${told.text}\n\nThe program:\n\n\`\`\`python\n${$("#code").value.trimEnd()}\n\`\`\``);
  } catch (error) {
    announce(error.message, "error");
  }
}

async function useAnswer(o) {
  try {
    const found = await get(`api/versions/${version.id}/draft`),
      pairs = found.state?.pairs ?? version.test.map((p) => ({ grid: G.make(3, 3), undo: [], redo: [] }));
    const { put } = await import("./api.js");
    const old = pairs[o.index].grid;
    pairs[o.index] = {
      grid: o.output,
      undo: [...pairs[o.index].undo, { label: "from a program", from: G.pack(old), to: G.pack(o.output) }],
      redo: [],
    };
    await put(`api/versions/${version.id}/draft`, {
      rev: found.rev,
      state: { pairs, at: o.index },
      events: [
        {
          stamp: `program-${Date.now()}`,
          t: Date.now(),
          kind: "edit",
          label: "from a program",
          pair: o.index,
          grid: G.pack(o.output),
        },
      ],
    });
    announce(`It is in the editor of test input ${o.index + 1} on the page Solve`, "good");
  } catch (error) {
    announce(error.message, "error");
  }
}

async function runOne() {
  let grid;
  try {
    grid = G.parse($("#own-grid").value);
  } catch (error) {
    return announce(error.message, "error");
  }
  try {
    const told = await post("arc2/execute_code", { code: $("#code").value, input_grid: grid });
    fill(
      $("#own-result"),
      pairPicture("Your grid", grid, told.output_grid, { box: 130 }),
      told.error ? h("pre", { class: "traceback", tabindex: 0 }, told.error) : null,
    );
  } catch (error) {
    announce(error.message, "error");
  }
}

async function showPrompt() {
  const told = await get(`api/versions/${version.id}/prompt?source=${$("#source").value}`);
  dialog("What the model is told", () =>
    h(
      "div",
      { class: "stack" },
      h("h3", {}, "System prompt"),
      h("pre", { tabindex: 0 }, told.system),
      button("Copy the system prompt", () =>
        navigator.clipboard.writeText(told.system).then(
          () => announce("Copied"),
          () => announce("The browser does not allow it", "error"),
        ),
      ),
      h("h3", {}, "The task"),
      h("pre", { tabindex: 0 }, told.shown),
    ),
  );
}

// The page

function controls() {
  const models = state.models.map((o) =>
    h(
      "option",
      { value: o.name, disabled: !o.ready, selected: o.name === wish("model", "search"), title: o.why },
      o.label + (o.ready ? "" : " (no key)"),
    ),
  );
  const sources = [
    ["variation", "this version"],
    ["original", "the original"],
    ["both", "both"],
  ];
  const slider = h("input", {
    type: "range",
    id: "temperature",
    min: 0,
    max: 1,
    step: 0.1,
    value: wish("temperature", "0.7"),
    "aria-label": "Temperature",
    oninput: () => {
      $("#temperature-value").textContent = $("#temperature").value;
      keep.set("temperature", $("#temperature").value);
    },
  });
  return h(
    "div",
    { class: "row" },
    h(
      "label",
      {},
      "Model",
      h(
        "select",
        {
          id: "model",
          onchange: (e) => {
            keep.set("model", e.target.value);
            estimate();
          },
        },
        models,
      ),
    ),
    h(
      "label",
      {},
      "sees",
      h(
        "select",
        {
          id: "source",
          onchange: (e) => {
            keep.set("source", e.target.value);
            estimate();
          },
        },
        sources.map(([v, text]) =>
          h("option", { value: v, selected: v === wish("source", "variation") }, text),
        ),
      ),
    ),
    h(
      "label",
      {},
      h("input", {
        type: "checkbox",
        id: "use-temperature",
        checked: wish("use-temperature", "0") === "1",
        onchange: (e) => {
          keep.set("use-temperature", e.target.checked ? "1" : "0");
          slider.disabled = !e.target.checked;
        },
      }),
      "Temperature",
    ),
    slider,
    h("span", { id: "temperature-value", class: "faint" }, wish("temperature", "0.7")),
    button("Prompt", showPrompt, { class: "quiet", id: "prompt" }),
  );
}

function layout() {
  const text = h("textarea", {
    id: "text",
    rows: 3,
    "aria-label": "Your message",
    placeholder: "Enter sends, Shift+Enter makes a new line",
    oninput: estimate,
    onkeydown: (e) => {
      if (e.key === "Enter" && !e.shiftKey && !e.isComposing) {
        e.preventDefault();
        sendForm(e);
      }
    },
  });
  const code = h("textarea", {
    id: "code",
    class: "mono code-box",
    spellcheck: false,
    "aria-label": "Program",
    oninput: () => keep.set(`code-${version.id}`, $("#code").value),
    onkeydown: codeKey,
  });
  return h(
    "div",
    { class: "discuss" },
    h(
      "section",
      { class: "panel", "aria-labelledby": "task-title" },
      h("header", {}, h("h2", { id: "task-title" }, "The task")),
      h("div", { id: "pairs", class: "pairs" }),
    ),
    h(
      "section",
      { class: "panel stack", "aria-labelledby": "chat-title" },
      h(
        "header",
        {},
        h("h2", { id: "chat-title" }, "Chat"),
        h(
          "span",
          { class: "row tight" },
          h("select", {
            id: "chats",
            "aria-label": "Chats about this task",
            onchange: (e) => openChat(Number(e.target.value)).catch((o) => announce(o.message, "error")),
            style: { "max-width": "14rem" },
          }),
          button("New chat", () => newChat().catch((o) => announce(o.message, "error")), { id: "new-chat" }),
          button("Remove", forget, { id: "forget", class: "quiet danger" }),
        ),
      ),
      controls(),
      h("div", { id: "log", class: "chat-log", tabindex: 0, role: "log", "aria-label": "Messages" }),
      h(
        "form",
        { class: "stack", onsubmit: sendForm },
        text,
        h(
          "div",
          { class: "row" },
          h("button", { id: "send", class: "primary" }, "Send"),
          button("Stop", stop, { id: "stop", class: "danger", hidden: true }),
          button("Try again", () => say(""), { id: "retry", hidden: true }),
          button("Another answer", () => say(""), { id: "again", class: "quiet", hidden: true }),
          h("span", { id: "cost", class: "faint", role: "status" }),
        ),
      ),
    ),
    h(
      "section",
      { class: "panel stack", "aria-labelledby": "code-title" },
      h(
        "header",
        {},
        h("h2", { id: "code-title" }, "Code"),
        h(
          "span",
          { class: "row tight" },
          button("Run on all pairs", run, { id: "run", class: "primary", title: "Ctrl+Enter" }),
          button("Save as a trace", () => saveTrace(`\`\`\`python\n${$("#code").value.trimEnd()}\n\`\`\``), {
            class: "quiet",
            id: "code-trace",
          }),
        ),
      ),
      code,
      h("p", { id: "run-status", class: "row", role: "status" }),
      h("div", { id: "traceback" }),
      h("div", { id: "run-pairs", class: "run-pairs" }),
      h(
        "details",
        {},
        h("summary", {}, "A grid of your own"),
        h("textarea", { id: "own-grid", rows: 5, class: "mono", "aria-label": "Input grid" }),
        h("p", {}, button("Run on this grid", runOne, { id: "run-one" })),
        h("div", { id: "own-result" }),
      ),
      h(
        "details",
        {},
        h("summary", {}, "Training data"),
        h(
          "p",
          { class: "faint" },
          "Answers that were saved as training data have passed all pairs of their task.",
        ),
        button(
          "Download the lines",
          async () => saveFile("arc-lines.jsonl", await download("api/lines.jsonl"), "application/jsonl"),
          { id: "lines" },
        ),
      ),
    ),
  );
}

function codeKey(event) {
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
    event.preventDefault();
    run();
  }
}

function help() {
  dialog("Help", () =>
    h(
      "div",
      { class: "stack" },
      h(
        "p",
        {},
        "The chat stays on the server, per person and task. Keys of model services stay there too. Code runs in a sandbox without network or files.",
      ),
      keyTable("Keys", [
        ["Enter", "send the message"],
        ["Shift+Enter", "new line"],
        ["Ctrl+Enter", "in the code box: run on all pairs"],
        ["PgUp PgDn", "task before, after"],
        ["?", "this help"],
      ]),
    ),
  );
}
document.addEventListener("arc-help", help);
document.addEventListener("keydown", (event) => {
  if (!version || inText(event) || $("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey)
    return;
  const act = { "?": help, PageDown: () => step(version.id, 1), PageUp: () => step(version.id, -1) }[
    event.key
  ];
  if (act && event.target.id !== "log") {
    event.preventDefault();
    act();
  }
});
document.addEventListener("arc-view", () => {
  if (version) {
    drawPairs();
    if (lastRun) drawRun();
  }
});
addEventListener(
  "resize",
  debounce(() => version && drawPairs(), 150),
);

/** News of chats: another tab started one, wrote in one, or removed one. */
async function heardOfChat(number) {
  const chats = await drawChats();
  if (!chats.some((o) => o.id === chat?.id)) {
    chat = null;
    if (chats.length) return openChat(chats[0].id);
    drawChat();
    return estimate();
  }
  if ((number ?? chat.id) === chat.id && !live()) await openChat(chat.id);
}

async function hear(event) {
  if (!version || !$("#log")) return;
  if (event.kind === "all" || (event.kind === "chat" && event.tab !== tab)) await heardOfChat(event.chat);
  if (["tags", "versions", "all"].includes(event.kind) && (event.task ?? version.task) === version.task) {
    task = await get(`api/tasks/${version.task}`);
    $(".task-bar").replaceWith(taskBar(task, version, { other: "solve.html", otherName: "Solve" }));
  }
  if (event.kind === "attempts" && event.version === version.id) {
    version = await get(`api/versions/${version.id}`);
    drawPairs();
  }
}

async function main() {
  state = await open("discuss.html", { current: id(), hear });
  version = await get(`api/versions/${id() || (await pickFirst())}`);
  task = await get(`api/tasks/${version.task}`);
  history.replaceState(null, "", `?v=${version.id}`);
  document.title = `Discuss ${version.task_id} · ARC workbench`;
  setCurrent(version.id);
  fill($("#main"), taskBar(task, version, { other: "solve.html", otherName: "Solve" }), layout());
  $("#temperature").disabled = !$("#use-temperature").checked;
  $("#code").value = keep.get(`code-${version.id}`) ?? FIRST;
  $("#own-grid").value = version.test[0].input.map((row) => row.join(" ")).join("\n");
  drawPairs();
  drawChat();
  const chats = await drawChats(),
    last = Number(keep.get(`chat-${version.task}`)),
    known = chats.find((o) => o.id === last) ?? chats[0];
  if (known) await openChat(known.id);
  else estimate();
}
main();
