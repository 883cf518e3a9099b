/**
 * Chromium without a window, driven by the DevTools protocol over a WebSocket.
 *
 * @module
 */

import assert from "node:assert/strict";
import { within } from "../../support/within.ts";
import { pollUntil } from "./poll_until.ts";

/** Names under which distributions install it. */
const PROGRAMS = ["chromium", "chromium-browser", "google-chrome"];
/** Starting is slow on a busy machine; nothing is measured by it. */
const STARTS_WITHIN_MS = 60_000;
const ANSWERS_WITHIN_MS = 60_000;
const LOADS_WITHIN_MS = 60_000;
/** Addresses that are named when a page does not load. */
const LAST_REQUESTS = 5;

const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-extensions",
  "--disable-sync",
  "--no-first-run",
  "--no-default-browser-check",
  "--no-proxy-server",
  // As if the gateway were on another machine: browsers trust neither its address nor its `localhost`.
  "--host-resolver-rules=MAP gateway.test 127.0.0.1",
  "--mute-audio",
  "--autoplay-policy=no-user-gesture-required",
  "--remote-debugging-port=0",
];

/** Where the browser is; `undefined` when there is none. */
export const chromiumPath: string | undefined = await findChromium();

/** A page of a browser of its own. `await using` ends both. */
export interface BrowserPage extends AsyncDisposable {
  /** Opens an address and waits until it is loaded. */
  open(url: string): Promise<void>;
  /** The value of an expression in the page, awaited. Throws what it throws. */
  // deno-lint-ignore no-explicit-any -- each expression has its own value
  evaluate(expression: string): Promise<any>;
  /** Runs what leads to another page, and waits until that is loaded. */
  follow(expression: string): Promise<void>;
  /** Presses a key and lets it go, as a keyboard does. */
  press(key: Key): Promise<void>;
  /** Writes into what has the focus. */
  type(text: string): Promise<void>;
  /** From now on as large as this, in CSS pixels. */
  resize(width: number, height: number): Promise<void>;
  /** What is seen, as PNG. */
  screenshot(): Promise<Uint8Array>;
  /** From now on what is saved goes into this folder. */
  saveTo(folder: string): Promise<void>;
  /** What went wrong in pages so far: errors of scripts, of the policy, of what could not be loaded. */
  readonly faults: readonly string[];
  /** Every address that was asked for so far. */
  readonly requested: readonly string[];
}

/** Keys without a shift, with what they write and their codes of old. */
const KEYS = {
  Tab: { code: "Tab", windowsVirtualKeyCode: 9 },
  Enter: { code: "Enter", windowsVirtualKeyCode: 13, text: "\r" },
  ArrowDown: { code: "ArrowDown", windowsVirtualKeyCode: 40 },
} as const;

/** A key that pages know by this name. */
export type Key = keyof typeof KEYS;

/** Starts a browser with a new profile and opens an empty page. */
export async function startBrowser(): Promise<BrowserPage> {
  assert.ok(chromiumPath !== undefined, "There is no chromium on this machine");
  const profile = await Deno.makeTempDir({ prefix: "tollgate-browser-" });
  const process = new Deno.Command(chromiumPath, {
    args: [...FLAGS, `--user-data-dir=${profile}`, "about:blank"],
    // Whatever it keeps beside the profile goes there too.
    env: { HOME: profile, XDG_CONFIG_HOME: profile, XDG_CACHE_HOME: profile },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let socket: WebSocket | undefined;

  async function dispose(): Promise<void> {
    socket?.close();
    process.kill("SIGKILL");
    await process.status;
    await removeProfile(profile);
  }

  try {
    const page = new DevToolsPage(socket = await connect(profile));
    for (const domain of ["Page", "Runtime", "Log", "Network", "Inspector"]) {
      await page.ask(`${domain}.enable`);
    }
    return {
      open: (url) => page.open(url),
      follow: (expression) => page.follow(expression),
      resize: (width, height) =>
        page.ask("Emulation.setDeviceMetricsOverride", {
          width,
          height,
          deviceScaleFactor: 1,
          mobile: false,
        }),
      async press(key) {
        await page.ask("Input.dispatchKeyEvent", { type: "keyDown", key, ...KEYS[key] });
        const { text: _text, ...released } = { text: "", ...KEYS[key] };
        await page.ask("Input.dispatchKeyEvent", { type: "keyUp", key, ...released });
      },
      type: (text) => page.ask("Input.insertText", { text }),
      saveTo: (downloadPath) =>
        page.ask("Browser.setDownloadBehavior", { behavior: "allow", downloadPath }),
      async screenshot() {
        const { data } = await page.ask("Page.captureScreenshot", { format: "png" });
        return Uint8Array.fromBase64(data);
      },
      faults: page.faults,
      requested: page.requested,
      evaluate: (expression) => page.evaluate(expression),
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

interface Answer {
  readonly id?: number;
  readonly method?: string;
  // deno-lint-ignore no-explicit-any -- as the protocol has it
  readonly params?: any;
  // deno-lint-ignore no-explicit-any -- as the protocol has it
  readonly result?: any;
  readonly error?: { readonly message: string };
}

class DevToolsPage {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly faults: string[] = [];
  readonly requested: string[] = [];
  #asked = 0;
  #loaded = Promise.withResolvers<void>();

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
  }

  // deno-lint-ignore no-explicit-any -- each method has its own result
  async ask(method: string, params: object = {}): Promise<any> {
    const id = ++this.#asked;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#waiting.set(id, resolve);
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await within(
      ANSWERS_WITHIN_MS,
      promise,
      () => `The browser did not answer ${method} ${JSON.stringify(params)}`,
    );
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  async open(url: string): Promise<void> {
    this.#loaded = Promise.withResolvers();
    const { errorText } = await this.ask("Page.navigate", { url });
    if (errorText !== undefined) throw new Error(`Cannot open ${url}: ${errorText}`);
    await this.#untilLoaded(url);
  }

  async follow(expression: string): Promise<void> {
    this.#loaded = Promise.withResolvers();
    await this.evaluate(`void (${expression})`);
    await this.#untilLoaded(expression);
  }

  #untilLoaded(what: string): Promise<void> {
    return within(LOADS_WITHIN_MS, this.#loaded.promise, () => {
      const last = this.requested.slice(-LAST_REQUESTS).join(" ");
      return `No page was loaded by ${what}; asked for last: ${last}; ${this.faults.join("; ")}`;
    });
  }

  // deno-lint-ignore no-explicit-any -- each expression has its own value
  async evaluate(expression: string): Promise<any> {
    const { result, exceptionDetails } = await this.ask("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) {
      const { exception, text } = exceptionDetails;
      throw new Error(`In the page: ${exception?.description ?? exception?.value ?? text}`);
    }
    return result.value;
  }

  #receive({ id, method, ...answer }: Answer): void {
    if (id !== undefined) {
      this.#waiting.get(id)?.(answer);
      this.#waiting.delete(id);
      return;
    }
    const { params } = answer;
    switch (method) {
      case "Page.loadEventFired":
        return this.#loaded.resolve();
      case "Inspector.targetCrashed":
        return this.#loaded.reject(new Error("The page's process has crashed"));
      case "Network.requestWillBeSent":
        return void this.requested.push(params.request.url);
      case "Runtime.exceptionThrown":
        return void this.faults.push(params.exceptionDetails.text);
      case "Log.entryAdded":
        if (params.entry.level !== "error") return;
        return void this.faults.push(`${params.entry.text} ${params.entry.url ?? ""}`);
    }
  }
}

/** The browser writes the port that it took into its profile. */
async function connect(profile: string): Promise<WebSocket> {
  const port = await pollUntil({
    what: "the browser's port",
    withinMs: STARTS_WITHIN_MS,
    read: async () => {
      try {
        const [line] = (await Deno.readTextFile(`${profile}/DevToolsActivePort`)).split("\n");
        return Number(line);
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return 0;
        throw error;
      }
    },
    isThere: (found) => found > 0,
  });
  return await within(STARTS_WITHIN_MS, talkTo(port), () => "The browser says nothing at its port");
}

async function talkTo(port: number): Promise<WebSocket> {
  const pages = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json() as {
    type: string;
    webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(pages.find(({ type }) => type === "page")!.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error("Cannot talk to the browser"));
  });
  return socket;
}

/** Its processes end one after the other, and write until then. */
async function removeProfile(profile: string): Promise<void> {
  await pollUntil({
    what: `the removal of ${profile}`,
    async read() {
      try {
        await Deno.remove(profile, { recursive: true });
        return true;
      } catch (error) {
        return error instanceof Deno.errors.NotFound;
      }
    },
    isThere: (isGone) => isGone,
  });
}

async function findChromium(): Promise<string | undefined> {
  for (const program of PROGRAMS) {
    try {
      const { success } = await new Deno.Command(program, {
        args: ["--version"],
        stdout: "null",
        stderr: "null",
      }).output();
      if (success) return program;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return undefined;
}
