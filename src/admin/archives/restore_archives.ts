/**
 * Puts what archives of a server's sealed runs have back into its database.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import { GatewayError } from "../../errors.ts";
import type { KnownArchive } from "../base/archive_report.ts";
import { commitChange } from "../base/commit_change.ts";
import { shownCount } from "../base/fields.ts";
import { defineOperation } from "../base/operation.ts";

const restoredArchive = z.object({
  number: z.int().min(1),
  file: z.string().describe("Where it is, as before"),
  calls: shownCount.describe("Calls that it has"),
  ledger_rows: shownCount.describe("Ledger rows of runs that had been dropped"),
});

const restoreAnswer = z.object({
  restored: z.array(restoredArchive).describe("Newest first, as they were restored"),
  milliseconds: shownCount,
});

/** What was restored. */
export type RestoreAnswer = Shown<typeof restoreAnswer>;

export const restoreArchives = defineOperation({
  name: "calls.restore_archives",
  changes: "archive",
  method: "POST",
  path: "/calls/archives/restore",
  role: "owner",
  isLong: true,
  isLocal: true,
  summary:
    "Put what an archive on a server and all later ones have back into the database, newest " +
    "first, from their files on the machine of the node that is asked.",
  input: z.strictObject({
    number: z.int().min(1).describe("the first archive to restore, see calls.archives"),
  }),
  output: restoreAnswer,
  errors: ["not_found"],
  async run(deps, { number }) {
    const { archives, clock } = deps;
    const started = clock.monotonic();
    return await archives.alone(async () => {
      const asked = (await archives.list()).filter((one) => one.number >= number).reverse();
      if (asked.at(-1)?.number !== number) {
        throw new GatewayError("not_found", `There is no archive ${number} of sealed runs`);
      }
      refuseUndropped(asked);
      // Nothing is begun that cannot be ended.
      for (const archive of asked) await archives.proveToRestore(archive);
      const restored: Shown<typeof restoredArchive>[] = [];
      for (const archive of asked) {
        const { file, calls } = archive;
        await commitChange(deps, {
          id: String(archive.number),
          entries: [{ kind: "restore_run_archive", number: archive.number }],
          before: { file, calls, sha256: archive.sha256 },
        });
        const rows = await archives.restore(archive);
        restored.push({ number: archive.number, file, calls, ledger_rows: rows });
      }
      return { restored, milliseconds: Math.round(clock.monotonic() - started) };
    }, deps.watcher);
  },
});

function refuseUndropped(asked: readonly KnownArchive[]): void {
  const undropped = asked.find(({ isDropped = true }) => !isDropped);
  if (undropped === undefined) return;
  throw new GatewayError(
    "conflict",
    `Archive ${undropped.number} is not done: archive again, which drops what it has, or give it up`,
  );
}
