// Grids as pictures.
import { h } from "./dom.js";
import { height, width, inWords } from "./grid.js";
import { keep } from "./api.js";

// The usual colours, and ten that stay apart with every kind of colour vision (after Okabe and Ito, and Tol).
export const PALETTES = {
  usual: [
    "#000000",
    "#0074d9",
    "#ff4136",
    "#2ecc40",
    "#ffdc00",
    "#aaaaaa",
    "#f012be",
    "#ff851b",
    "#7fdbff",
    "#870c25",
  ],
  apart: [
    "#000000",
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#f0e442",
    "#9a9a9a",
    "#cc79a7",
    "#e69f00",
    "#88ccee",
    "#661100",
  ],
};
export const settings = {
  get palette() {
    return PALETTES[keep.get("palette") ?? "usual"] ?? PALETTES.usual;
  },
  get numbers() {
    return keep.get("numbers") === "1";
  },
};

/** Black or white, whichever is easier to read on a colour. */
export function inkOn(color) {
  const [r, g, b] = [1, 3, 5]
    .map((n) => parseInt(color.slice(n, n + 2), 16) / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000000" : "#ffffff";
}

/** Set the colours as properties, for everything that is styled. */
export function applyPalette(element = document.documentElement) {
  settings.palette.forEach((color, n) => {
    element.style.setProperty(`--c${n}`, color);
    element.style.setProperty(`--i${n}`, inkOn(color));
  });
}

/** Draw a grid into a canvas, `cell` pixels a cell; `marks` are [row, column] with a frame. */
export function drawInto(canvas, grid, cell, { numbers = false, marks = [] } = {}) {
  const scale = Math.min(3, window.devicePixelRatio || 1),
    size = Math.max(1, Math.round(cell * scale));
  canvas.width = width(grid) * size;
  canvas.height = height(grid) * size;
  canvas.style.setProperty("--w", `${width(grid) * cell}px`);
  canvas.style.setProperty("--ratio", `${width(grid)} / ${height(grid)}`);
  const pen = canvas.getContext("2d"),
    colors = settings.palette;
  const line = cell >= 4 ? Math.max(1, Math.round(scale * (cell >= 12 ? 1 : 0.5))) : 0;
  pen.fillStyle = "#555";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  grid.forEach((row, r) =>
    row.forEach((color, c) => {
      pen.fillStyle = colors[color];
      pen.fillRect(
        c * size + (c ? line : 0),
        r * size + (r ? line : 0),
        size - (c ? line : 0),
        size - (r ? line : 0),
      );
    }),
  );
  if (numbers && cell >= 9) drawNumbers(pen, grid, size, colors);
  for (const [r, c] of marks) drawMark(pen, r, c, size, scale);
  return canvas;
}

function drawNumbers(pen, grid, size, colors) {
  pen.font = `${Math.round(size * 0.6)}px system-ui, sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  grid.forEach((row, r) =>
    row.forEach((color, c) => {
      pen.fillStyle = inkOn(colors[color]);
      pen.fillText(color, (c + 0.5) * size, (r + 0.53) * size);
    }),
  );
}

function drawMark(pen, r, c, size, scale) {
  for (const [color, inset] of [
    ["#ffffff", 1],
    ["#000000", 2.5],
  ]) {
    pen.strokeStyle = color;
    pen.lineWidth = 1.5 * scale;
    pen.strokeRect(
      c * size + inset * scale,
      r * size + inset * scale,
      size - 2 * inset * scale,
      size - 2 * inset * scale,
    );
  }
}

/** How many pixels a cell may have, so that a grid fits into a box. */
export function cellFor(grid, box, most = 28) {
  return Math.max(2, Math.min(most, Math.floor(box / Math.max(height(grid), width(grid)))));
}

/** A picture of a grid, with its content in words. */
export function picture(grid, { box = 170, name = "grid", marks = [], most = 28 } = {}) {
  const canvas = h("canvas", {
    role: "img",
    class: "grid-picture",
    "aria-label": `${name}, ${inWords(grid)}`,
  });
  return drawInto(canvas, grid, cellFor(grid, box, most), { numbers: settings.numbers, marks });
}

/** Input, arrow and output under a title. `output` may be null: then a question mark stands there. */
export function pairPicture(title, input, output, options = {}) {
  const unknown = h("span", { class: "unknown", role: "img", "aria-label": "output not known" }, "?");
  const size = (grid) => (grid ? `${height(grid)}×${width(grid)}` : "?");
  return h(
    "figure",
    { class: "pair" },
    h("figcaption", {}, title, h("span", { class: "faint" }, ` ${size(input)} → ${size(output)}`)),
    h(
      "div",
      { class: "pair-grids" },
      picture(input, { ...options, name: `${title}, input` }),
      h("span", { class: "arrow", "aria-hidden": "true" }, "→"),
      output ? picture(output, { ...options, name: `${title}, output` }) : unknown,
    ),
  );
}
