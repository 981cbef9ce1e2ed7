// Keeping a draft: first in this browser, then on the server, in step with other tabs.
import { debounce } from "./dom.js";
import { get, keep, put, tab } from "./api.js";
import { paint, same, unpack } from "./grid.js";
import { step } from "./editor.js";

/** A state with edits on top of it that it has not got yet: those of two tabs, put together. */
export function merged(state, events) {
  const pairs = state.pairs.map((o) => ({ ...o }));
  for (const o of events) {
    const pair = pairs[o.pair];
    if (o.kind !== "edit" || !pair) continue;
    const after = o.grid ? unpack(o.grid) : paint(pair.grid, o.cells);
    if (same(pair.grid, after)) continue;
    Object.assign(pair, { undo: [...pair.undo, step(o.label, pair.grid, after)], redo: [], grid: after });
  }
  return { ...state, pairs };
}

/** What this browser kept, on top of what the server has now. */
function onTop(found, local) {
  const stale = found.state?.pairs && local.rev !== found.rev;
  return stale ? merged(found.state, local.events ?? []) : local.state;
}

export class Draft {
  /** `read()` gives the state, `adopt(state)` takes one over, `told(text, kind)` says how saving goes. */
  constructor(version, { read, adopt, told }) {
    Object.assign(this, {
      version,
      read,
      adopt,
      told,
      rev: 0,
      heard: 0,
      events: [],
      busy: false,
      dirty: false,
      wait: 500,
    });
    this.save = debounce(() => this.send(), 350);
    this.counter = 0;
  }

  get name() {
    return `draft-${this.version}`;
  }

  /** Start from what the server has, or from what this browser has not yet sent. */
  start(found) {
    this.rev = found.rev;
    let local = null;
    try {
      local = JSON.parse(keep.get(this.name));
    } catch {
      /* damaged: the server's is taken */
    }
    if (found.state) this.adopt(found.state);
    if (local?.dirty) {
      this.adopt(onTop(found, local));
      this.events = local.events ?? [];
      this.dirty = true;
      this.save();
    } else this.told(found.state ? "Saved" : "");
  }

  /** Something changed; `event` goes into the recording. */
  note(event) {
    if (event)
      this.events.push({
        stamp: `${tab}-${Date.now().toString(36)}-${this.counter++}`,
        t: Date.now(),
        ...event,
      });
    this.dirty = true;
    this.keepHere();
    this.told("Saving …");
    this.save();
  }

  keepHere() {
    keep.set(
      this.name,
      JSON.stringify({
        dirty: this.dirty,
        rev: this.rev,
        state: this.read(),
        events: this.events.slice(-1500),
      }),
    );
  }

  async send() {
    if (this.busy || !this.dirty) return;
    this.busy = true;
    const events = this.events.slice(0, 1500),
      state = this.read();
    this.dirty = false;
    try {
      const made = await put(`api/versions/${this.version}/draft`, { rev: this.rev, state, events });
      this.rev = made.rev;
      this.events = this.events.slice(events.length);
      this.wait = 500;
      if (!this.dirty) {
        keep.drop(this.name);
        this.told("Saved");
      }
    } catch (error) {
      this.dirty = true;
      this.keepHere();
      if (error.status === 409) await this.resolve();
      else
        this.told(
          error.status
            ? `${error.message}. It is kept in this browser.`
            : "Not saved yet: kept in this browser until the server answers",
          "warn",
        );
      setTimeout(() => this.send(), error.status === 409 ? 0 : this.wait);
      this.wait = Math.min(this.wait * 2, 5000);
    }
    this.busy = false;
    if (this.dirty && this.wait === 500) this.save();
    this.catchUp();
  }

  /** Another tab was first: the edits that are not sent yet go on top of what it saved. */
  async resolve() {
    try {
      const found = await get(`api/versions/${this.version}/draft`);
      this.rev = found.rev;
      const alike = JSON.stringify(found.state?.pairs) === JSON.stringify(this.read().pairs);
      if (found.state?.pairs && !alike) this.adopt(merged(found.state, this.events));
    } catch {
      /* tried again */
    }
  }

  /** News: another tab saved. */
  async changed(event) {
    if (event.version !== this.version || event.tab === tab) return;
    this.heard = Math.max(this.heard, event.rev);
    await this.catchUp();
  }

  /** Take over what another tab saved; news that come while this one is sending wait until it has sent. */
  async catchUp() {
    if (this.heard <= this.rev || this.dirty || this.busy) return;
    let found;
    try {
      found = await get(`api/versions/${this.version}/draft`);
    } catch {
      return; /* tried again after the next news or the next save */
    }
    if (this.dirty || this.busy) return;
    this.heard = Math.min(this.heard, found.rev);
    if (found.rev <= this.rev) return;
    this.rev = found.rev;
    this.adopt(found.state);
    this.told("Taken over from another tab");
  }
}

/** Drafts of other tasks that this browser still holds, because the server was away: sent when it is back. */
export async function sendOthers(current) {
  for (const name of keep.names("draft-")) {
    const version = Number(name.slice("draft-".length));
    if (version === current) continue;
    try {
      const local = JSON.parse(keep.get(name)),
        found = await get(`api/versions/${version}/draft`),
        kept = { rev: found.rev, state: onTop(found, local), events: local.events };
      if (local.dirty) await put(`api/versions/${version}/draft`, kept);
      keep.drop(name);
    } catch {
      /* open in another tab, or the server is away again: next time */
    }
  }
}
