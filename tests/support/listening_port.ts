/**
 * Ports of servers beside a test.
 *
 * @module
 */

import assert from "node:assert/strict";

/** A port that nobody listens on. */
export function freePort(): number {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  return listener.addr.port;
}

/** Waits until somebody listens on a port; `ended` is the end of whoever is to. */
export async function untilItListens(
  port: number,
  ended: Promise<Deno.CommandStatus>,
): Promise<void> {
  let isOver = false;
  ended.then(() => isOver = true);
  for (;;) {
    assert.ok(!isOver, "the server has ended at once");
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return;
    } catch (error) {
      if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
