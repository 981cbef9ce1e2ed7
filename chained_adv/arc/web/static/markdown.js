// Markdown as elements. Text stays text: there is no way from a message to markup that runs.
import { h } from "./dom.js";

const INLINE =
  /(`+)(.+?)\1|\*\*(.+?)\*\*|__(.+?)__|\*([^*\s][^*]*?)\*|\b_([^_\s][^_]*?)_\b|\[([^\]]+)\]\(([^)\s]+)\)|(https?:\/\/[^\s<>()]+)/;

function safeLink(href) {
  try {
    return ["http:", "https:"].includes(new URL(href).protocol);
  } catch {
    return false;
  }
}

function link(href, label) {
  if (!safeLink(href)) return label;
  return h("a", { href, target: "_blank", rel: "noopener noreferrer nofollow" }, label);
}

/** Emphasis, code and links in one piece of text. */
function inline(text, depth = 0) {
  const nodes = [];
  let rest = text,
    found;
  while (rest && depth < 5 && (found = INLINE.exec(rest))) {
    if (found.index) nodes.push(rest.slice(0, found.index));
    const [whole, , code, strong, strong2, soft, soft2, label, href, bare] = found;
    if (code !== undefined) nodes.push(h("code", {}, code));
    else if (strong ?? strong2) nodes.push(h("strong", {}, inline(strong ?? strong2, depth + 1)));
    else if (soft ?? soft2) nodes.push(h("em", {}, inline(soft ?? soft2, depth + 1)));
    else if (label) nodes.push(link(href, label));
    else nodes.push(link(bare, bare));
    rest = rest.slice(found.index + whole.length);
  }
  if (rest) nodes.push(rest);
  return nodes;
}

function codeBlock(lines, language, extras) {
  const text = lines.join("\n");
  return h(
    "div",
    { class: "code-block" },
    h("pre", { tabindex: "0" }, h("code", {}, text)),
    extras ? extras(text, language) : null,
  );
}

function list(items, ordered) {
  return h(
    ordered ? "ol" : "ul",
    {},
    items.map((item) => h("li", {}, inline(item))),
  );
}

/** Blocks of a text. `extras(code, language)` may add something to a code block. */
export function markdown(text, extras) {
  const lines = text.replace(/\r/g, "").split("\n"),
    blocks = [];
  for (let n = 0; n < lines.length;) {
    const line = lines[n],
      fence = /^\s*(`{3,}|~{3,})\s*([\w+-]*)/.exec(line);
    const start = n;
    if (fence) {
      for (n++; n < lines.length && !lines[n].trim().startsWith(fence[1]);) n++;
      blocks.push(codeBlock(lines.slice(start + 1, n), fence[2], extras));
      n++;
    } else if (/^#{1,6}\s/.test(line)) {
      blocks.push(h("p", { class: "md-title" }, h("strong", {}, inline(line.replace(/^#+\s*/, "")))));
      n++;
    } else if (/^\s*([-*+]|\d+[.)])\s+/.test(line)) {
      const item = /^\s*([-*+]|\d+[.)])\s+/;
      while (n < lines.length && item.test(lines[n])) n++;
      blocks.push(
        list(
          lines.slice(start, n).map((o) => o.replace(item, "")),
          /^\s*\d/.test(line),
        ),
      );
    } else if (/^\s*>/.test(line)) {
      while (n < lines.length && /^\s*>/.test(lines[n])) n++;
      blocks.push(
        h(
          "blockquote",
          {},
          inline(
            lines
              .slice(start, n)
              .map((o) => o.replace(/^\s*>\s?/, ""))
              .join(" "),
          ),
        ),
      );
    } else if (!line.trim()) n++;
    else {
      while (
        n < lines.length &&
        lines[n].trim() &&
        !/^\s*(`{3,}|~{3,}|>|[-*+]\s|\d+[.)]\s|#{1,6}\s)/.test(lines[n])
      )
        n++;
      if (n === start) n++;
      blocks.push(
        h(
          "p",
          {},
          lines.slice(start, n).flatMap((o, i) => (i ? [h("br"), ...inline(o)] : inline(o))),
        ),
      );
    }
  }
  return h("div", { class: "markdown" }, blocks);
}
