/**
 * Alerts, kept from one run to the next in a file of the data dir: what was told is not told again,
 * and what has not arrived is sent.
 *
 * @module
 */

import { join } from "node:path";
import * as z from "zod";
import { ALERT_CAUSES } from "../../domain/alert.ts";
import { latestWrites } from "../../domain/work_loop.ts";
import type { AlertsState } from "./alerts_state.ts";

const FILE = "alerts.json";

const trouble = z.lazy(() =>
  z.object({
    cause: z.enum(ALERT_CAUSES),
    id: z.string(),
    severity: z.enum(["warning", "grave"]),
    text: z.string(),
    help: z.string(),
    path: z.string(),
    project: z.string().optional(),
    route: z.string().optional(),
    afterMs: z.number().optional(),
    onceUntil: z.number().optional(),
    mark: z.string().optional(),
    isCovered: z.literal(true).optional(),
  })
);
const notice = z.lazy(() =>
  z.object({
    type: z.enum(["raised", "resolved"]),
    trouble,
    since: z.number(),
    until: z.number().optional(),
  })
);
const state = z.lazy(() =>
  z.object({
    standing: z.array(z.object({
      trouble,
      since: z.number(),
      toldAt: z.number().optional(),
      goneAt: z.number().optional(),
    })),
    past: z.array(z.object({
      trouble,
      since: z.number(),
      toldAt: z.number(),
      until: z.number(),
    })),
    latched: z.array(trouble),
    held: z.array(notice),
    heldMore: z.number(),
    waiting: z.array(z.object({
      message: z.object({
        id: z.string(),
        type: z.enum(["alert.raised", "alert.resolved", "alert.summary", "alert.test"]),
        createdAt: z.number(),
        notices: z.array(notice),
        more: z.number(),
      }),
      to: z.record(z.string(), z.object({ tries: z.number(), nextAt: z.number() })),
    })),
  })
);

/** Where alerts are kept. */
export interface AlertFile {
  /** What an earlier run has kept; `undefined` for nothing. */
  read(): AlertsState | undefined;
  /** Writes the state as it is when it is written: what changes meanwhile is written once more. */
  write(state: () => AlertsState): Promise<void>;
}

/** @param onTrouble Told why it could not be read or written: alerts go on without it. */
export function openAlertFile(
  dataDir: string,
  onTrouble: (what: "alerts_not_read" | "alerts_not_kept", error: unknown) => void,
): AlertFile {
  const file = join(dataDir, FILE);
  let isThere = false;

  async function writeNow(stateNow: () => AlertsState): Promise<void> {
    try {
      const now = stateNow();
      if (!isThere && isEmpty(now)) return;
      await writeSynced(`${file}.part`, JSON.stringify(now));
      await Deno.rename(`${file}.part`, file);
      isThere = true;
    } catch (error) {
      onTrouble("alerts_not_kept", error);
    }
  }
  return {
    read() {
      try {
        const text = Deno.readTextFileSync(file);
        isThere = true;
        return state.parse(JSON.parse(text));
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) onTrouble("alerts_not_read", error);
        return undefined;
      }
    },
    write: latestWrites(writeNow),
  };
}

/** Whether there never was anything to tell. */
function isEmpty({ standing, past, latched, held, waiting }: AlertsState): boolean {
  return [standing, past, latched, held, waiting].every(({ length }) => length === 0);
}

async function writeSynced(path: string, text: string): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true, mode: 0o600 });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  await file.syncData();
}
