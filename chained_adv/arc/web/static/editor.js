// The grid editor: what stands in the grids, tools, undo, keyboard and pointer. It knows nothing of the server.
import { announce, fill, h, whisper } from "./dom.js";
import * as G from "./grid.js";
import { settings } from "./draw.js";

export const TOOLS = [
  ["pen", "Pen", "P"],
  ["line", "Line", "L"],
  ["rect", "Rectangle", "R"],
  ["box", "Box", "B"],
  ["fill", "Fill", "F"],
  ["select", "Select", "S"],
  ["pick", "Eyedropper", "E"],
];
const MOST_UNDO = 100;

/** The state of one test input's editor. */
export function freshPair(rows = 3, columns = 3) {
  return { grid: G.make(rows, columns), undo: [], redo: [] };
}

/** The cells that a step changes, or both whole grids when the size changes too. */
export function step(label, before, after) {
  if (G.height(before) !== G.height(after) || G.width(before) !== G.width(after))
    return { label, from: G.pack(before), to: G.pack(after) };
  return { label, cells: G.differences(before, after).map(([r, c]) => [r, c, before[r][c], after[r][c]]) };
}

export function forward(grid, o) {
  return o.to
    ? G.unpack(o.to)
    : G.paint(
        grid,
        o.cells.map(([r, c, , color]) => [r, c, color]),
      );
}
export function backward(grid, o) {
  return o.from
    ? G.unpack(o.from)
    : G.paint(
        grid,
        o.cells.map(([r, c, color]) => [r, c, color]),
      );
}

export class Editor {
  /** `changed(event)` is told of each change, with what the recording keeps of it. */
  constructor(board, { changed = () => {}, toolChanged = () => {} } = {}) {
    Object.assign(this, { board, changed, toolChanged, pairs: [freshPair()], at: 0, color: 1, tool: "pen" });
    this.cursor = { r: 0, c: 0 };
    this.selection = this.anchor = this.clipboard = this.dragging = null;
    this.inputs = [];
    board.addEventListener("pointerdown", (e) => this.down(e));
    board.addEventListener("pointermove", (e) => this.move(e));
    for (const name of ["pointerup", "pointercancel"]) board.addEventListener(name, (e) => this.up(e));
    // what stands beside the board may come later and take room: the cells follow
    new ResizeObserver(() => board.clientWidth !== this.drawnFor && this.draw()).observe(board);
  }

  get pair() {
    return this.pairs[this.at];
  }
  get grid() {
    return this.pair.grid;
  }
  get locked() {
    return Boolean(this.pair.locked);
  }

  /** Another test input. */
  show(at) {
    this.at = at;
    this.selection = this.anchor = this.dragging = null;
    this.cursor = {
      r: Math.min(this.cursor.r, G.height(this.grid) - 1),
      c: Math.min(this.cursor.c, G.width(this.grid) - 1),
    };
    this.draw();
  }

  load(pairs, inputs) {
    this.pairs = pairs;
    this.inputs = inputs;
    this.show(Math.min(this.at, pairs.length - 1));
  }

  // Changes

  /** Put another grid in place, as one step that can be undone. */
  put(label, after) {
    if (this.locked) return announce("This test input is finished");
    const before = this.grid;
    if (G.same(before, after)) return;
    const done = step(label, before, after);
    this.pair.undo.push(done);
    if (this.pair.undo.length > MOST_UNDO) this.pair.undo.shift();
    this.pair.redo = [];
    this.set(after, label, done);
  }

  set(after, label, done, back = false) {
    const resized = G.height(after) !== G.height(this.grid) || G.width(after) !== G.width(this.grid);
    this.pair.grid = after;
    if (resized) {
      this.selection = this.anchor = null;
      this.cursor = {
        r: Math.min(this.cursor.r, after.length - 1),
        c: Math.min(this.cursor.c, after[0].length - 1),
      };
    }
    this.draw();
    const kept = done.to
      ? { grid: back ? done.from : done.to }
      : { cells: done.cells.map(([r, c, old, now]) => [r, c, back ? old : now]) };
    this.changed({ kind: "edit", label, pair: this.at, ...kept });
  }

  undo() {
    const last = this.pair.undo.pop();
    if (!last || this.locked) return announce("Nothing to undo");
    this.pair.redo.push(last);
    this.set(backward(this.grid, last), `undo ${last.label}`, last, true);
    whisper(`Undone: ${last.label}`);
  }

  redo() {
    const next = this.pair.redo.pop();
    if (!next || this.locked) return announce("Nothing to redo");
    this.pair.undo.push(next);
    this.set(forward(this.grid, next), `redo ${next.label}`, next);
    whisper(`Redone: ${next.label}`);
  }

  setTool(tool) {
    this.tool = tool;
    this.anchor = null;
    if (tool !== "select") this.selection = null;
    this.draw();
    this.toolChanged();
  }

  /** Choose a color; a selection is filled with it. */
  setColor(color) {
    this.color = color;
    if (this.selection) this.put("fill selection", G.paint(this.grid, G.areaCells(this.selection, color)));
    whisper(`${G.COLORS[color]}`);
    this.toolChanged();
  }

  /** What the tool would do from one cell to another. */
  planned(a, b) {
    if (this.tool === "line") return G.lineCells(a, b, this.color);
    if (this.tool === "rect") return G.frameCells(G.area(a, b), this.color);
    if (this.tool === "box") return G.areaCells(G.area(a, b), this.color);
    return [];
  }

  /** Use the tool at a cell: pen, fill and eyedropper at once; the others from their first to their second corner. */
  apply(at) {
    if (this.tool === "pen") return this.put("paint", G.paint(this.grid, [[at.r, at.c, this.color]]));
    if (this.tool === "fill")
      return this.put("fill", G.paint(this.grid, G.floodCells(this.grid, at.r, at.c, this.color)));
    if (this.tool === "pick") {
      this.color = this.grid[at.r][at.c];
      this.setTool("pen");
      return whisper(G.COLORS[this.color]);
    }
    if (!this.anchor) {
      this.anchor = at;
      this.draw();
      return whisper("First corner; go to the other one");
    }
    const from = this.anchor;
    this.anchor = null;
    if (this.tool === "select") {
      this.selection = G.area(from, at);
      this.draw();
      return whisper("Selected");
    }
    this.put(
      this.tool === "line" ? "line" : this.tool === "rect" ? "rectangle" : "box",
      G.paint(this.grid, this.planned(from, at)),
    );
  }

  // Selection, clipboard and whole-grid actions

  get part() {
    return (
      this.selection ?? { top: 0, left: 0, bottom: G.height(this.grid) - 1, right: G.width(this.grid) - 1 }
    );
  }

  copy() {
    this.clipboard = G.crop(this.grid, this.part);
    announce(`Copied ${G.height(this.clipboard)}×${G.width(this.clipboard)} cells`);
    navigator.clipboard?.writeText(JSON.stringify(this.clipboard)).catch(() => {});
  }

  cut() {
    this.copy();
    this.clear("cut");
  }

  clear(label = "clear") {
    this.put(label, G.paint(this.grid, G.areaCells(this.part, 0)));
  }

  paste(piece = this.clipboard) {
    if (!piece) return announce("Nothing was copied yet");
    const { r, c } = this.selection ? { r: this.selection.top, c: this.selection.left } : this.cursor;
    this.put("paste", G.paste(this.grid, piece, r, c));
    this.selection = {
      top: r,
      left: c,
      bottom: Math.min(r + piece.length, G.height(this.grid)) - 1,
      right: Math.min(c + piece[0].length, G.width(this.grid)) - 1,
    };
    this.draw();
  }

  /** Move what is selected, or without a selection the whole picture, by some cells. */
  shift(down, right) {
    if (!this.selection) return this.put("shift", G.shift(this.grid, down, right));
    const o = this.selection,
      piece = G.crop(this.grid, o),
      top = o.top + down,
      left = o.left + right;
    if (
      top < 0 ||
      left < 0 ||
      top + piece.length > G.height(this.grid) ||
      left + piece[0].length > G.width(this.grid)
    )
      return whisper("At the edge");
    this.put("move", G.paste(G.paint(this.grid, G.areaCells(o, 0)), piece, top, left));
    this.selection = { top, left, bottom: top + piece.length - 1, right: left + piece[0].length - 1 };
    this.draw();
  }

  /** Turn or mirror the selection when it is square or keeps its size, else the whole grid. */
  turn(label, how) {
    if (!this.selection) return this.put(label, how(this.grid));
    const o = this.selection,
      piece = how(G.crop(this.grid, o));
    if (piece.length !== o.bottom - o.top + 1) return announce("Only a square selection can be turned");
    this.put(label, G.paste(this.grid, piece, o.top, o.left));
  }

  crop() {
    if (!this.selection) return announce("Select a part first");
    this.put("crop", G.crop(this.grid, this.selection));
  }

  resize(rows, columns) {
    this.put("resize", G.resize(this.grid, rows, columns));
  }

  copyInput() {
    this.put("copy from input", G.copy(this.inputs[this.at]));
  }

  reset() {
    this.put("reset", G.make(G.height(this.grid), G.width(this.grid)));
  }

  selectAll() {
    this.tool = "select";
    this.selection = null;
    this.selection = this.part;
    this.toolChanged();
    this.draw();
  }

  // Cursor

  goTo(r, c, extend) {
    const next = { r: G.clamp(r, 0, G.height(this.grid) - 1), c: G.clamp(c, 0, G.width(this.grid) - 1) };
    if (extend && this.tool === "select") {
      this.corner ??= this.cursor;
      this.selection = G.area(this.corner, next);
    } else if (extend && this.tool === "pen") {
      this.cursor = next;
      return this.apply(next);
    } else {
      this.corner = null;
      if (this.tool === "select" && !this.anchor && !extend) this.selection = null;
    }
    this.cursor = next;
    this.draw();
  }

  // Pointer

  cellOf(event) {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".cell");
    if (found && this.board.contains(found))
      return { r: Number(found.dataset.r), c: Number(found.dataset.c) };
    const box = this.table?.getBoundingClientRect(),
      first = this.cells?.[0]?.[0]?.getBoundingClientRect();
    if (!box || !first) return null;
    const size = first.width + 1;
    return {
      r: G.clamp(Math.floor((event.clientY - first.top) / size), 0, G.height(this.grid) - 1),
      c: G.clamp(Math.floor((event.clientX - first.left) / size), 0, G.width(this.grid) - 1),
    };
  }

  down(event) {
    if (!event.target.closest(".cell") || event.button > 0) return;
    const at = this.cellOf(event);
    event.preventDefault();
    this.table.focus({ preventScroll: true });
    this.board.setPointerCapture(event.pointerId);
    this.cursor = at;
    const inSelection =
      this.selection &&
      at.r >= this.selection.top &&
      at.r <= this.selection.bottom &&
      at.c >= this.selection.left &&
      at.c <= this.selection.right;
    if (this.tool === "fill" || this.tool === "pick") return this.apply(at);
    if (this.tool === "pen")
      this.dragging = { cells: new Map([[`${at.r},${at.c}`, [at.r, at.c, this.color]]]), last: at };
    else if (this.tool === "select" && inSelection) this.dragging = { move: at };
    else {
      this.anchor = null;
      this.dragging = { from: this.anchorOf(at) };
      if (this.tool === "select") this.selection = G.area(at, at);
    }
    this.draw();
  }

  anchorOf(at) {
    return at;
  }

  move(event) {
    if (!this.dragging) return;
    const at = this.cellOf(event);
    if (!at || (at.r === this.cursor.r && at.c === this.cursor.c)) return;
    this.cursor = at;
    if (this.dragging.cells) {
      for (const cell of G.lineCells(this.dragging.last, at, this.color))
        this.dragging.cells.set(`${cell[0]},${cell[1]}`, cell);
      this.dragging.last = at;
    } else if (this.tool === "select" && this.dragging.from) this.selection = G.area(this.dragging.from, at);
    this.draw();
  }

  up(event) {
    const drag = this.dragging;
    if (!drag) return;
    this.dragging = null;
    if (event.type === "pointercancel") return this.draw();
    if (drag.cells) this.put("paint", G.paint(this.grid, [...drag.cells.values()]));
    else if (drag.move) this.shift(this.cursor.r - drag.move.r, this.cursor.c - drag.move.c);
    else if (this.tool !== "select")
      this.put(
        this.tool === "line" ? "line" : this.tool === "rect" ? "rectangle" : "box",
        G.paint(this.grid, this.planned(drag.from, this.cursor)),
      );
    this.draw();
  }

  // Drawing

  /** The cells that would change if the button were let go now. */
  preview() {
    if (this.dragging?.cells) return [...this.dragging.cells.values()];
    if (this.dragging?.from && this.tool !== "select") return this.planned(this.dragging.from, this.cursor);
    if (this.anchor && this.tool !== "select") return this.planned(this.anchor, this.cursor);
    return [];
  }

  build() {
    const rows = G.height(this.grid),
      columns = G.width(this.grid);
    const ruler = (role, n) => h("span", { role, class: "ruler" }, n);
    this.cells = this.grid.map((row, r) =>
      row.map((_, c) =>
        h("div", {
          role: "gridcell",
          class: "cell",
          id: `cell-${r}-${c}`,
          "data-r": r,
          "data-c": c,
          "aria-rowindex": r + 2,
          "aria-colindex": c + 2,
        }),
      ),
    );
    const heads = h(
      "div",
      { role: "row", class: "editor-row", "aria-rowindex": 1 },
      h("span", { role: "columnheader", class: "ruler" }, h("span", { class: "sr" }, "row")),
      this.grid[0].map((_, c) => ruler("columnheader", c + 1)),
    );
    const lines = this.cells.map((cells, r) =>
      h(
        "div",
        { role: "row", class: "editor-row", "aria-rowindex": r + 2 },
        ruler("rowheader", r + 1),
        cells,
      ),
    );
    this.table = h(
      "div",
      {
        role: "grid",
        tabindex: 0,
        class: "editor-grid",
        "aria-rowcount": rows + 1,
        "aria-colcount": columns + 1,
        "aria-describedby": "editor-hint",
        onfocus: () => this.table.classList.add("active"),
        onblur: () => this.table.classList.remove("active"),
      },
      heads,
      lines,
    );
    this.table.style.setProperty("grid-template-columns", `auto repeat(${columns}, var(--cell))`);
    this.table.style.setProperty("grid-template-rows", `auto repeat(${rows}, var(--cell))`);
    const focused = this.board.contains(document.activeElement);
    fill(this.board, this.table);
    this.built = `${rows}x${columns}`;
    if (focused) this.table.focus({ preventScroll: true });
  }

  draw() {
    const rows = G.height(this.grid),
      columns = G.width(this.grid);
    if (this.built !== `${rows}x${columns}`) this.build();
    this.drawnFor = this.board.clientWidth;
    const room = Math.max(150, this.drawnFor - 34),
      most = columns > 20 ? 24 : 38;
    this.table.style.setProperty(
      "--cell",
      `${G.clamp(Math.floor(room / columns) - 1, 6, Math.min(most, Math.floor(600 / rows)))}px`,
    );
    this.table.setAttribute(
      "aria-label",
      `Your output for test input ${this.at + 1}, ${rows} rows, ${columns} columns`,
    );
    this.table.setAttribute("aria-activedescendant", `cell-${this.cursor.r}-${this.cursor.c}`);
    const planned = new Map(
      this.preview()
        .filter(([r, c]) => G.inside(this.grid, r, c))
        .map(([r, c, color]) => [r * G.MAX + c, color]),
    );
    const o = this.selection,
      numbers = settings.numbers;
    this.cells.forEach((line, r) =>
      line.forEach((cell, c) => {
        const color = planned.get(r * G.MAX + c) ?? this.grid[r][c];
        const state = `${color}${numbers}${planned.has(r * G.MAX + c)}${o && r >= o.top && r <= o.bottom && c >= o.left && c <= o.right}${r === this.cursor.r && c === this.cursor.c}`;
        if (cell.dataset.state !== state)
          this.drawCell(cell, r, c, color, { numbers, planned: planned.has(r * G.MAX + c), state });
      }),
    );
  }

  drawCell(cell, r, c, color, { numbers, planned, state }) {
    const o = this.selection;
    cell.dataset.state = state;
    cell.dataset.color = color;
    cell.style.setProperty("--fill", `var(--c${color})`);
    cell.style.setProperty("--over", `var(--i${color})`);
    cell.textContent = numbers ? color : "";
    const selected = Boolean(o && r >= o.top && r <= o.bottom && c >= o.left && c <= o.right);
    cell.classList.toggle("selected", selected);
    cell.classList.toggle("planned", planned && !this.dragging);
    cell.classList.toggle("cursor", r === this.cursor.r && c === this.cursor.c);
    cell.setAttribute("aria-selected", selected);
    cell.setAttribute("aria-label", `row ${r + 1}, column ${c + 1}, ${G.COLORS[color]}`);
  }

  /** A key, where no text is being typed. True when it meant something. */
  key(event) {
    const key = event.key,
      lower = key.toLowerCase(),
      command = event.ctrlKey || event.metaKey;
    const arrows = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
    if (command) return this.commandKey(lower, event.shiftKey, arrows);
    if (arrows && event.altKey) return false;
    if (arrows) {
      if (!this.board.contains(document.activeElement)) this.table.focus({ preventScroll: true });
      this.goTo(this.cursor.r + arrows[0], this.cursor.c + arrows[1], event.shiftKey);
      return true;
    }
    if (event.altKey) return false;
    if (/^[0-9]$/.test(key)) {
      this.setColor(Number(key));
      return true;
    }
    const tool = TOOLS.find(([, , letter]) => letter.toLowerCase() === lower);
    if (tool) {
      this.setTool(tool[0]);
      return true;
    }
    const act = {
      " ": () => this.apply(this.cursor),
      enter: () => this.apply(this.cursor),
      escape: () => {
        this.selection = this.anchor = this.dragging = this.corner = null;
        this.draw();
      },
      delete: () => this.clear(),
      backspace: () => this.clear(),
      c: () => this.copy(),
      x: () => this.cut(),
      v: () => this.paste(),
      k: () => this.crop(),
      t: () => this.turn("transpose", G.transpose),
      h: () => this.turn("flip left-right", G.flipLeftRight),
      j: () => this.turn("flip top-bottom", G.flipTopBottom),
      "]": () => this.turn("rotate right", G.rotateRight),
      "[": () => this.turn("rotate left", G.rotateLeft),
      i: () => this.copyInput(),
      u: () => this.undo(),
      home: () => this.goTo(this.cursor.r, 0),
      end: () => this.goTo(this.cursor.r, G.MAX),
    }[lower];
    if (
      (lower === " " || lower === "enter" || lower === "home" || lower === "end" || lower === "backspace") &&
      !this.board.contains(document.activeElement)
    )
      return false;
    if (!act) return false;
    act();
    return true;
  }

  commandKey(lower, shifted, arrows) {
    const act = arrows
      ? () => this.shift(...arrows)
      : lower === "z"
        ? () => (shifted ? this.redo() : this.undo())
        : {
            y: () => this.redo(),
            home: () => this.goTo(0, 0),
            end: () => this.goTo(G.MAX, G.MAX),
            c: () => this.copy(),
            x: () => this.cut(),
            v: () => this.paste(),
            a: () => this.selectAll(),
          }[lower];
    if (
      !act ||
      ("cxva".includes(lower) && (!this.board.contains(document.activeElement) || String(getSelection())))
    )
      return false;
    act();
    return true;
  }
}
