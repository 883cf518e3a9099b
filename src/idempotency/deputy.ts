/**
 * One who waits for an answer in the place of those who wait for it in other processes: work that is
 * done for them goes on when the last client here has left.
 *
 * @module
 */

import type { TextParts } from "../domain/text_parts.ts";
import type { Audience, Listener } from "./audience.ts";

/** What a deputy asks, and how long it waits before it asks again. */
export interface DeputyOptions {
  /** Whether somebody waits elsewhere. */
  readonly isWanted: () => Promise<boolean>;
  readonly pause: (signal: AbortSignal) => Promise<void>;
}

/** Joins an audience when it is made, and stays as long as it is alone there only while it is wanted. */
export class Deputy {
  readonly #audience: Audience;
  readonly #options: DeputyOptions;
  readonly #listener: Listener;
  #isAsking = false;
  #reading: (() => TextParts) | undefined;

  constructor(audience: Audience, options: DeputyOptions) {
    this.#audience = audience;
    this.#options = options;
    this.#listener = audience.join(new AbortController().signal);
  }

  /** The answer is a stream, which comes as fast as somebody reads it: this one, once it is alone. */
  reads(join: (listener: Listener) => TextParts): void {
    this.#reading = () => join(this.#listener);
    if (this.#audience.size === 1) this.alone();
  }

  /** Nobody else is there. */
  alone(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    void this.#stayWhileWanted().finally(() => this.#isAsking = false);
  }

  /** Waits no longer. */
  leave(): void {
    this.#listener.leave();
  }

  async #stayWhileWanted(): Promise<void> {
    while (!this.#audience.isOver && this.#audience.size === 1) {
      if (!await this.#isWanted()) {
        // Somebody may have come while it was asked.
        if (this.#audience.size === 1) this.leave();
        continue;
      }
      this.#read();
      await this.#options.pause(this.#audience.signal);
    }
  }

  /** Where nobody can tell, nobody can be told the answer either. */
  async #isWanted(): Promise<boolean> {
    try {
      return await this.#options.isWanted();
    } catch {
      return false;
    }
  }

  #read(): void {
    const reading = this.#reading?.();
    this.#reading = undefined;
    if (reading !== undefined) void readToEnd(reading);
  }
}

async function readToEnd(parts: TextParts): Promise<void> {
  try {
    while (await parts.next() !== undefined);
  } catch {
    // Whoever leads it hears of that: here nobody reads it.
  }
}
