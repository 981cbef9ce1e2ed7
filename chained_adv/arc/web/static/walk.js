// Going from task to task, and the bar that says which one is open.
import { announce, button, dialog, h } from "./dom.js";
import { get, keep, put } from "./api.js";
import { operationsText } from "./frame.js";

let cards;
async function allCards() {
  return (cards ??= await get("api/tasks"));
}

/** The versions in the order of the gallery, as it was filtered last. */
async function walk() {
  const all = (await allCards()).map((o) => o.version);
  try {
    const kept = JSON.parse(sessionStorage.getItem("arc-walk")) ?? [],
      known = new Set(all);
    const usable = kept.filter((o) => known.has(o));
    return usable.length ? usable : all;
  } catch {
    return all;
  }
}

const page = () => location.pathname.split("/").at(-1) || "solve.html";
const visit = (version) => location.assign(`${page()}?v=${version}`);

export async function pickFirst() {
  const list = await walk(),
    last = Number(keep.get("last"));
  if (!list.length) throw new Error("There are no tasks yet. Bring some in on the page Data.");
  return (await allCards()).some((o) => o.version === last) ? last : list[0];
}

async function original(version) {
  const found = (await allCards()).find((o) => o.version === version);
  return found
    ? version
    : await get(`api/versions/${version}`).then((o) =>
        allCards().then((all) => all.find((c) => c.id === o.task)?.version),
      );
}

export async function step(version, by) {
  const list = await walk(),
    at = list.indexOf(await original(version));
  visit(list[(at + by + list.length) % list.length]);
}

export async function random() {
  const list = await walk();
  visit(list[Math.floor(Math.random() * list.length)]);
}

export function goToDialog() {
  dialog("Go to a task", (close) => {
    const input = h("input", { type: "text", id: "go-to", class: "grow", autocomplete: "off" });
    const act = async (event) => {
      event.preventDefault();
      const text = input.value.trim(),
        all = await allCards(),
        list = await walk();
      const card = all.find((o) => o.task_id.toLowerCase() === text.toLowerCase());
      const number = /^#?\d{1,5}$/.test(text) ? list[Number(text.replace("#", "")) - 1] : undefined;
      if (!card && !number) return announce(`There is no task “${text}”`, "error");
      close();
      visit(card ? card.version : number);
    };
    return h(
      "form",
      { class: "row", onsubmit: act },
      h("label", { for: "go-to" }, "Id or number"),
      input,
      h("button", { class: "primary" }, "Go"),
    );
  });
}

function versionPicker(task, version) {
  const name = (o) =>
    o.number === 0 ? "original" : `${o.number}: ${operationsText(o.operations) || "other grids"}`;
  const at = task.versions.findIndex((o) => o.id === version.id),
    count = task.versions.length;
  const move = (by) => visit(task.versions[(at + by + count) % count].id);
  const list = h(
    "select",
    { id: "version", "aria-label": "Version", onchange: (e) => visit(e.target.value) },
    task.versions.map((o) =>
      h("option", { value: o.id, selected: o.id === version.id }, `Ver ${o.number}/${count - 1} ${name(o)}`),
    ),
  );
  return h(
    "span",
    { class: "row tight" },
    button("‹", () => move(-1), { id: "version-back", "aria-label": "Version before", disabled: count < 2 }),
    list,
    button("›", () => move(1), { id: "version-next", "aria-label": "Version after", disabled: count < 2 }),
  );
}

function tagRow(task) {
  const set = async (tag, on) => {
    try {
      await put(`api/tasks/${task.id}/tags`, { tag, on });
    } catch (error) {
      announce(error.message, "error");
    }
  };
  const input = h("input", {
    type: "text",
    id: "new-tag",
    size: 9,
    maxlength: 40,
    placeholder: "add a tag",
    "aria-label": "Add a tag",
  });
  const add = (event) => {
    event.preventDefault();
    if (input.value.trim()) set(input.value, true);
    input.value = "";
  };
  return h(
    "span",
    { class: "row tight side" },
    task.tags.map((o) =>
      h(
        "span",
        { class: "chip" },
        o,
        button("×", () => set(o, false), { "aria-label": `Remove the tag ${o}` }),
      ),
    ),
    h("form", { onsubmit: add }, input),
  );
}

/** Which task is open, and the ways to others. */
export function taskBar(task, version, { other, otherName }) {
  keep.set("last", task.versions[0].id);
  const place = h("span", { class: "faint", id: "place" });
  walk().then(async (list) => {
    const at = list.indexOf(await original(version.id));
    place.textContent = at < 0 ? "" : `task ${at + 1}/${list.length}`;
  });
  const signed = version.signed_by.length
    ? h("span", { class: "faint" }, `signed by ${version.signed_by.join(", ")}`)
    : null;
  return h(
    "div",
    { class: "task-bar" },
    h("h1", {}, task.task_id),
    task.name && version.test.every((o) => o.output) ? h("span", { class: "faint" }, task.name) : null,
    place,
    h(
      "span",
      { class: "row tight side" },
      button("‹ Previous", () => step(version.id, -1), { id: "previous" }),
      button("Next ›", () => step(version.id, 1), { id: "next" }),
      button("Random", random, { id: "random" }),
      button("Go to …", goToDialog, { id: "goto" }),
    ),
    versionPicker(task, version),
    signed,
    tagRow(task),
    h("a", { class: "button side", href: `${other}?v=${version.id}` }, otherName),
  );
}
