/**
 * Lets the faults of a film happen, before one of its frames.
 *
 * @module
 */

import { setTimeout } from "node:timers/promises";
import type { FilmFaults } from "./faults.ts";
import { RenderError } from "./render_error.ts";

/** A slow frame looks this often whether the film is to stop. */
const LOOK_EVERY_MS = 100;

/**
 * Waits, fails, crashes or stalls as `faults` say; a wait ends early once `stopped` says so.
 *
 * @throws {RenderError} `failed` for the fault of that name.
 * @throws {Error} For a crash: what the renderer does not know ends its Worker.
 */
export async function befall(
  faults: FilmFaults,
  moment: { readonly isHalfWay: boolean; stopped(): boolean },
): Promise<void> {
  for (let left = faults.frameMs; left > 0 && !moment.stopped(); left -= LOOK_EVERY_MS) {
    await setTimeout(Math.min(left, LOOK_EVERY_MS));
  }
  if (!moment.isHalfWay) return;
  if (faults.ending === "fail") {
    throw new RenderError("failed", "The film failed, as it was told to");
  }
  if (faults.ending === "crash") throw new Error("The film crashed, as it was told to");
  if (faults.ending === "stall") stall();
}

/** Never comes back to the event loop, yet leaves the processor to others. */
function stall(): never {
  const never = new Int32Array(new SharedArrayBuffer(4));
  while (true) Atomics.wait(never, 0, 0, 1000);
}
