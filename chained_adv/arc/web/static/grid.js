// Grids as values: arrays of rows. No function here changes what it is given.

export const COLORS = [
  "black",
  "blue",
  "red",
  "green",
  "yellow",
  "grey",
  "fuchsia",
  "orange",
  "teal",
  "brown",
];
export const MAX = 30;

export const height = (grid) => grid.length;
export const width = (grid) => grid[0].length;
export const make = (rows, columns, color = 0) =>
  Array.from({ length: rows }, () => Array(columns).fill(color));
export const copy = (grid) => grid.map((row) => row.slice());
export const same = (a, b) =>
  a.length === b.length &&
  a.every((row, r) => row.length === b[r].length && row.every((cell, c) => cell === b[r][c]));
export const inside = (grid, r, c) => r >= 0 && c >= 0 && r < height(grid) && c < width(grid);
export const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/** Short text, like `012/340`, and back. */
export const pack = (grid) => grid.map((row) => row.join("")).join("/");
export const unpack = (text) => text.split("/").map((row) => Array.from(row, Number));

export const transpose = (grid) => grid[0].map((_, c) => grid.map((row) => row[c]));
export const flipLeftRight = (grid) => grid.map((row) => row.slice().reverse());
export const flipTopBottom = (grid) => copy(grid).reverse();
export const rotateRight = (grid) => flipLeftRight(transpose(grid));
export const rotateLeft = (grid) => flipTopBottom(transpose(grid));

/** All cells moved, what leaves on one side comes in on the other. */
export function shift(grid, down, right) {
  const rows = height(grid),
    columns = width(grid),
    turn = (n, size) => ((n % size) + size) % size;
  return grid.map((row, r) => row.map((_, c) => grid[turn(r - down, rows)][turn(c - right, columns)]));
}

/** Another size; what fits is kept, new cells are black. */
export function resize(grid, rows, columns) {
  return make(rows, columns).map((row, r) => row.map((cell, c) => grid[r]?.[c] ?? cell));
}

/** The part between two corners. */
export function crop(grid, area) {
  return grid.slice(area.top, area.bottom + 1).map((row) => row.slice(area.left, area.right + 1));
}

/** Cells written over; `cells` are [row, column, color], those outside are ignored. */
export function paint(grid, cells) {
  const changed = copy(grid);
  for (const [r, c, color] of cells) if (inside(grid, r, c)) changed[r][c] = color;
  return changed;
}

export function paste(grid, piece, top, left) {
  return paint(
    grid,
    piece.flatMap((row, r) => row.map((color, c) => [top + r, left + c, color])),
  );
}

/** The area that two cells span. */
export const area = (a, b) => ({
  top: Math.min(a.r, b.r),
  bottom: Math.max(a.r, b.r),
  left: Math.min(a.c, b.c),
  right: Math.max(a.c, b.c),
});

export function areaCells({ top, bottom, left, right }, color) {
  const cells = [];
  for (let r = top; r <= bottom; r++) for (let c = left; c <= right; c++) cells.push([r, c, color]);
  return cells;
}

export function frameCells(o, color) {
  return areaCells(o, color).filter(
    ([r, c]) => r === o.top || r === o.bottom || c === o.left || c === o.right,
  );
}

/** A straight line of cells (Bresenham). */
export function lineCells(a, b, color) {
  const cells = [],
    dr = Math.abs(b.r - a.r),
    dc = Math.abs(b.c - a.c);
  const stepR = a.r < b.r ? 1 : -1,
    stepC = a.c < b.c ? 1 : -1;
  let { r, c } = a,
    error = dc - dr;
  for (;;) {
    cells.push([r, c, color]);
    if (r === b.r && c === b.c) return cells;
    const twice = 2 * error;
    if (twice > -dr) {
      error -= dr;
      c += stepC;
    }
    if (twice < dc) {
      error += dc;
      r += stepR;
    }
  }
}

/** The connected cells of one colour around a cell. */
export function floodCells(grid, r, c, color) {
  const from = grid[r][c],
    seen = new Set(),
    open = [[r, c]],
    cells = [];
  while (open.length) {
    const [y, x] = open.pop();
    if (!inside(grid, y, x) || grid[y][x] !== from || seen.has(y * MAX + x)) continue;
    seen.add(y * MAX + x);
    cells.push([y, x, color]);
    open.push([y + 1, x], [y - 1, x], [y, x + 1], [y, x - 1]);
  }
  return cells;
}

/** [row, column] of the cells in which two grids of one size differ; null for another size. */
export function differences(a, b) {
  if (height(a) !== height(b) || width(a) !== width(b)) return null;
  return a.flatMap((row, r) => row.flatMap((cell, c) => (cell === b[r][c] ? [] : [[r, c]])));
}

/** A grid from text: JSON, or rows of digits. Throws with a reason. */
export function parse(text) {
  let rows;
  try {
    rows = JSON.parse(text);
  } catch {
    rows = text
      .trim()
      .split(/[\n/]+/)
      .map((row) => Array.from(row.replace(/[^0-9]/g, ""), Number));
  }
  const good =
    Array.isArray(rows) &&
    rows.length >= 1 &&
    rows.length <= MAX &&
    rows.every(
      (row) =>
        Array.isArray(row) &&
        row.length >= 1 &&
        row.length <= MAX &&
        row.length === rows[0].length &&
        row.every((cell) => Number.isInteger(cell) && cell >= 0 && cell <= 9),
    );
  if (!good) throw new Error("a grid is 1 to 30 rows of equally many digits from 0 to 9");
  return rows;
}

/** A grid in words, for those who cannot see it. */
export function inWords(grid) {
  return `${height(grid)} rows of ${width(grid)}: ${grid.map((row) => row.join(" ")).join("; ")}`;
}
