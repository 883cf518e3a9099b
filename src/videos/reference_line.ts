/**
 * The line of reference images that wait to be looked at: one at a time, the
 * projects in turn, so that nobody waits for more than one image of each other
 * project.
 *
 * @module
 */

import { ImageError } from "@tollgate/render";
import { GatewayError } from "../errors.ts";
import { TurnRing } from "./task/turn_ring.ts";

/** Images of one project that wait; each is in memory, and a second's work. */
export const MOST_WAITING_REFERENCES = 16;
const RETRY_SECONDS = 5;

/** Looks at an image without trusting it: in a Worker, within bounds. */
export interface ReferenceChecker {
  /** @throws {ImageError} */
  check(bytes: Uint8Array<ArrayBuffer>): Promise<{ readonly type: string }>;
}

interface ProjectLine {
  readonly projectId: string;
  /** Each begins a check when it is called. */
  readonly waiting: (() => void)[];
}

export class ReferenceLine {
  readonly #checker: ReferenceChecker;
  readonly #lines = new Map<string, ProjectLine>();
  /** Those with images that wait. */
  readonly #turns = new TurnRing<ProjectLine>();
  #isBusy = false;

  constructor(checker: ReferenceChecker) {
    this.#checker = checker;
  }

  /**
   * The image's media type, when it is its turn: by what it is, not by what it is called.
   *
   * @throws {GatewayError} `invalid_value` or `request_too_large`, with `param`;
   * `pool_limit_exceeded` when too many images of the project wait already.
   */
  async check(projectId: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    if (this.#isBusy) await this.#wait(projectId);
    this.#isBusy = true;
    try {
      return await checkReference(this.#checker, bytes);
    } finally {
      this.#next();
    }
  }

  #wait(projectId: string): Promise<void> {
    let line = this.#lines.get(projectId);
    if (line !== undefined && line.waiting.length >= MOST_WAITING_REFERENCES) throw tooMany();
    if (line === undefined) {
      line = { projectId, waiting: [] };
      this.#lines.set(projectId, line);
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    line.waiting.push(resolve);
    this.#turns.add(line);
    return promise;
  }

  /** The place goes to the project whose turn it is, and is never free in between. */
  #next(): void {
    const line = this.#turns.turn();
    if (line === undefined) {
      this.#isBusy = false;
      return;
    }
    const begin = line.waiting.shift()!;
    if (line.waiting.length === 0) {
      this.#turns.remove(line);
      this.#lines.delete(line.projectId);
    }
    begin();
  }
}

function tooMany(): GatewayError {
  return new GatewayError(
    "pool_limit_exceeded",
    `This project has ${MOST_WAITING_REFERENCES} reference images that wait to be looked at: ` +
      `try again in ${RETRY_SECONDS} s, or send fewer at one time`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

async function checkReference(
  checker: ReferenceChecker,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<string> {
  try {
    return (await checker.check(bytes)).type;
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    throw new GatewayError(
      error.kind === "too_large" ? "request_too_large" : "invalid_value",
      `Invalid value for 'input_reference': ${error.message}`,
      { param: "input_reference" },
    );
  }
}
