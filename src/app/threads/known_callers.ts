/**
 * The callers that a serving thread knows: asked for once, and anew after every change of keys and
 * projects.
 *
 * @module
 */

import { type Caller, type Resolution, stateOf } from "../../accounts/key_directory.ts";
import type { SharedMemory } from "./shared_memory.ts";
import type { ThreadCaller } from "./thread_protocol.ts";

/** Known at one time; then all are forgotten and asked for again. */
const MOST_KNOWN = 10_000;

/** To a question: who it is, and in which state of keys and projects. */
interface Answer {
  readonly version: number;
  readonly found: ThreadCaller | undefined;
}

const UNKNOWN: Resolution = { kind: "unknown" };

export class KnownCallers {
  readonly #shared: Pick<SharedMemory, "callersVersion">;
  readonly #ask: (id: number, key: string) => void;
  readonly #onLearnt: (found: ThreadCaller) => void;
  /** By the presented key. Those of keys that are not served here are not in it. */
  readonly #known = new Map<string, ThreadCaller>();
  readonly #slots = new Map<string, number>();
  readonly #asked = new Map<number, PromiseWithResolvers<Answer>>();
  #version: number;
  #lastAsk = 0;

  constructor(
    shared: Pick<SharedMemory, "callersVersion">,
    { ask, onLearnt }: {
      /** Asks the main thread for whose a key is. */
      readonly ask: (id: number, key: string) => void;
      /** Told of each before its first request. */
      readonly onLearnt: (found: ThreadCaller) => void;
    },
  ) {
    this.#shared = shared;
    this.#ask = ask;
    this.#onLearnt = onLearnt;
    this.#version = shared.callersVersion;
  }

  /** Whether the first of these keys that is known is a such caller's; asks where it is not. */
  serves(keys: readonly string[]): boolean | Promise<boolean> {
    const [first] = keys;
    if (first === undefined) return false;
    this.#forgetOld();
    return this.#known.has(first) || this.#learn(first);
  }

  /** As the directory of the main thread. */
  resolve(presented: string, nowMs: number): Resolution {
    const caller: Caller | undefined = this.#known.get(presented)?.caller;
    return caller === undefined ? UNKNOWN : stateOf(caller, nowMs);
  }

  /** The slot of a project that one of them is of. */
  slotOf(projectId: string): number {
    return this.#slots.get(projectId)!;
  }

  /** Takes the answer to a question in. */
  learnt(ask: number, version: number, found: ThreadCaller | undefined): void {
    const asked = this.#asked.get(ask);
    this.#asked.delete(ask);
    asked?.resolve({ version, found });
  }

  async #learn(key: string): Promise<boolean> {
    const asked = Promise.withResolvers<Answer>();
    const id = ++this.#lastAsk;
    this.#asked.set(id, asked);
    this.#ask(id, key);
    const { version, found } = await asked.promise;
    this.#forgetOld();
    // What has changed in the meantime is asked for with the next request.
    if (found === undefined || version !== this.#version) return false;
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#onLearnt(found);
    this.#known.set(key, found);
    this.#slots.set(found.caller.project.id, found.slot);
    return true;
  }

  #forgetOld(): void {
    const version = this.#shared.callersVersion;
    if (version === this.#version) return;
    this.#version = version;
    this.#known.clear();
  }
}
