// Written explanations of a task: read, vote, write, change, remove.
import { $, announce, button, confirmDialog, fill, h } from "./dom.js";
import { get, post, put, remove } from "./api.js";
import { markdown } from "./markdown.js";

export function tracesPanel({ task, version }) {
  let traces = [],
    editing = null;
  const list = h("div", { id: "traces" }),
    count = h("span", { class: "faint" });
  const attempt = async (what) => {
    try {
      await what();
      await load();
    } catch (error) {
      announce(error.message, "error");
    }
  };

  async function load() {
    traces = (await get(`api/traces?task_id=${encodeURIComponent(version.task_id)}`)).traces;
    if (editing === null) render();
  }

  function voteButtons(o) {
    const one = (value, sign, name) =>
      button(
        sign,
        () => attempt(() => put(`api/traces/${o.id}/vote`, { value: o.mine === value ? 0 : value })),
        {
          class: "quiet",
          "aria-pressed": o.mine === value,
          "aria-label": `${name} (${o.score})`,
          "data-vote": value,
        },
      );
    return h(
      "span",
      { class: "row tight" },
      one(1, "▲", "Vote up"),
      h("span", { class: "score" }, o.score),
      one(-1, "▼", "Vote down"),
    );
  }

  function item(o) {
    if (editing === o.id) return form(o);
    const at = task.versions.find((v) => v.id === o.version);
    const about = at
      ? h(
          "a",
          { href: `solve.html?v=${at.id}`, class: "chip" },
          at.number ? `version ${at.number}` : "original",
        )
      : null;
    const own = o.own
      ? [
          button(
            "Edit",
            () => {
              editing = o.id;
              render();
            },
            { class: "quiet" },
          ),
          button(
            "Remove",
            async () => {
              if (await confirmDialog("Remove this trace", "It is removed with its votes.", "Remove"))
                attempt(() => remove(`api/traces/${o.id}`));
            },
            { class: "quiet danger" },
          ),
        ]
      : [];
    return h(
      "article",
      { class: "trace", "data-trace": o.id },
      h(
        "header",
        {},
        voteButtons(o),
        h("strong", {}, o.author),
        about,
        o.edited ? h("span", { class: "faint" }, "edited") : null,
        own,
      ),
      markdown(o.text),
    );
  }

  function form(o) {
    const box = h("textarea", {
      rows: 6,
      maxlength: 50000,
      "aria-label": "Your explanation, in Markdown",
      placeholder: "How does it work? Markdown is fine.",
    });
    box.value = o?.text ?? "";
    const link = h("input", { type: "checkbox", checked: version.number > 0 });
    const save = (event) => {
      event.preventDefault();
      attempt(async () => {
        if (o) await put(`api/traces/${o.id}`, { text: box.value });
        else
          await post("api/traces", {
            task_id: version.task_id,
            text: box.value,
            ...(link.checked ? { version: version.id } : {}),
          });
        editing = null;
      });
    };
    return h(
      "form",
      { class: "stack trace-form", onsubmit: save },
      box,
      h(
        "div",
        { class: "row end" },
        o ? null : h("label", {}, link, "about this version only"),
        button(
          "Cancel",
          () => {
            editing = null;
            render();
          },
          { class: "quiet" },
        ),
        h("button", { class: "primary" }, o ? "Save" : "Add trace"),
      ),
    );
  }

  function render() {
    fill(count, traces.length ? `${traces.length}` : "none yet");
    fill(list, traces.map(item), editing === "new" ? form(null) : null);
    $("textarea", list)?.focus();
  }

  load();
  const element = h(
    "details",
    { class: "panel", open: true },
    h("summary", {}, "Traces ", count),
    list,
    h(
      "p",
      { class: "row", style: { "margin-top": ".6rem" } },
      button(
        "Write a trace",
        () => {
          editing = "new";
          render();
        },
        { id: "write-trace" },
      ),
    ),
  );
  return { element, load };
}
