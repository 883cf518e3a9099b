/**
 * A spool in a folder of its own, with stays whose memory is counted.
 *
 * @module
 */

import { createSharedBudget } from "../../src/http/bodies/body_budget.ts";
import { loneSession } from "../../src/domain/session.ts";
import { Spool } from "../../src/files/spool.ts";
import { UNLIMITED_PERMIT } from "../../src/limits/permit.ts";
import { Stay } from "../../src/limits/stay.ts";

/** Makes it. */
export async function spoolWorld({ room = 1e12, maxBytes = 1e9, leastShareBytes = 1e9 } = {}) {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-spool-" });
  const budget = createSharedBudget({ maxBytes, leastShareBytes });
  const errors: unknown[] = [];
  const spool = new Spool({
    folder: `${folder}/uploads`,
    sessions: loneSession(3),
    budget,
    hasRoomFor: (bytes) => bytes <= room,
    onError: (error) => errors.push(error),
  });
  await spool.prepare();
  let reserved = 0;
  let most = 0;
  return {
    spool,
    budget,
    errors,
    files: () => [...Deno.readDirSync(`${folder}/uploads`)].map(({ name }) => name),
    memory: () => ({ reserved, most }),
    stay: () =>
      new Stay(UNLIMITED_PERMIT, {
        reserve(bytes) {
          most = Math.max(most, reserved += bytes);
        },
        release(bytes) {
          reserved -= bytes;
        },
      }),
    folder,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
