// The way to the server: the token, the person, calls, streams and news.

const root = new URL(".", document.baseURI);
const memory = new Map();

/** Small values that outlive the page; kept in memory where the browser allows nothing else. */
export const keep = {
  get(name) {
    try {
      return localStorage.getItem(`arc:${root.pathname}:${name}`);
    } catch {
      return memory.get(name) ?? null;
    }
  },
  set(name, value) {
    memory.set(name, value);
    try {
      localStorage.setItem(`arc:${root.pathname}:${name}`, value);
    } catch {
      /* private window or full */
    }
  },
  names(start) {
    const whole = `arc:${root.pathname}:`;
    try {
      return Object.keys(localStorage)
        .filter((o) => o.startsWith(whole + start))
        .map((o) => o.slice(whole.length));
    } catch {
      return [];
    }
  },
  drop(name) {
    memory.delete(name);
    try {
      localStorage.removeItem(`arc:${root.pathname}:${name}`);
    } catch {
      /* as above */
    }
  },
};

export const tab = Math.random().toString(36).slice(2, 10);

export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Take the token out of the address bar, where others could read it. */
function takeToken() {
  const here = new URL(location.href);
  const token = here.searchParams.get("token");
  if (!token) return;
  keep.set("token", token);
  here.searchParams.delete("token");
  history.replaceState(null, "", here);
}
takeToken();

export function address(path) {
  return new URL(path.replace(/^\//, ""), root);
}

function headers(more = {}) {
  const found = { "x-arc-token": keep.get("token") ?? "", "x-arc-tab": tab, ...more };
  const secret = keep.get("secret");
  if (secret) found["x-arc-user"] = secret;
  return found;
}

async function request(method, path, body, more = {}) {
  const raw = body instanceof Blob,
    { accept = "application/json", ...rest } = more;
  const kind = { "content-type": raw ? "application/octet-stream" : "application/json" };
  const options = { method, headers: headers({ accept, ...(body === undefined ? {} : kind) }), ...rest };
  if (body !== undefined) options.body = raw ? body : JSON.stringify(body);
  if (method === "PUT" && options.body.length < 60000) options.keepalive = true; // goes on when the page is left
  let answer;
  try {
    answer = await fetch(address(path), options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("the server cannot be reached", 0);
  }
  if (answer.ok) return answer;
  let told = `the server answered ${answer.status}`;
  try {
    told = (await answer.json()).error ?? told;
  } catch {
    /* no JSON */
  }
  if (answer.status === 401) document.dispatchEvent(new CustomEvent("arc-refused", { detail: told }));
  throw new ApiError(told, answer.status);
}

/** Call the server; gives what it answers. */
export async function call(method, path, body, more) {
  return (await request(method, path, body, more)).json();
}
export const get = (path) => call("GET", path);
export const post = (path, body) => call("POST", path, body);
export const put = (path, body) => call("PUT", path, body);
export const remove = (path) => call("DELETE", path);

/** The text of a download. */
export async function download(path) {
  return (await request("GET", path)).text();
}

/** Call the server and give each event that it streams. Jupyter's proxy holds an answer back unless events are asked for. */
export async function* stream(method, path, body, signal) {
  const answer = await request(method, path, body, { signal, accept: "text/event-stream" });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) if (part.startsWith("data: ")) yield JSON.parse(part.slice(6));
  }
}

/** Who one is; a person is made at the first visit. */
export async function person() {
  const make = async () => {
    if (keep.get("secret")) return;
    const made = await post("api/people", {});
    keep.set("secret", made.secret);
    keep.set("code", made.code);
  };
  try {
    await (navigator.locks ? navigator.locks.request("arc-person", make) : make());
  } catch (error) {
    if (error instanceof ApiError) throw error;
    await make(); // a frame in a page of another site, to which the browser gives neither locks nor storage
  }
  try {
    return await get("api/state");
  } catch (error) {
    if (error.status !== 401 || !error.message.includes("no name")) throw error;
    keep.drop("secret");
    await make();
    return get("api/state");
  }
}

/** Hear what others change, for as long as the page is open; `all` means that news may have been missed. */
export async function listen(hear, online) {
  let first = true;
  for (let wait = 500; ; wait = Math.min(wait * 2, 8000)) {
    try {
      for await (const event of stream("GET", "api/events")) {
        wait = 500;
        if (event.kind === "hello") {
          online(true);
          if (!first) hear({ kind: "all" });
          first = false;
        } else if (event.kind !== "bye") hear(event);
      }
    } catch {
      /* tried again below */
    }
    online(false);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
