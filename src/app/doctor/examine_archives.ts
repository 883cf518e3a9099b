/**
 * Archives of calls: what there is, what was broken off, and what could be archived.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { firstOpenMonth, startOfMonth } from "../../admin/archives/closed_months.ts";
import type { StorageReads } from "../../storage/ports/storage.ts";
import { type Finding, listed, ok, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

const CHECK = "archives";
/** From so many months of old calls on, somebody should think of archiving them. */
const MANY_MONTHS = 12;

/** An archive that is not where it was written is no trouble: the gateway needs none. */
export async function examineArchives(
  { clock, server }: Pick<Patient, "clock" | "server">,
  { checkpoints, ledger }: Pick<StorageReads, "checkpoints" | "ledger">,
): Promise<readonly Finding[]> {
  const archives = await checkpoints.list();
  if (await checkpoints.hasLeftovers() && server === undefined) {
    const detail = `Rows that archive ${archives.length} has, or their hourly sums, are in the ` +
      "database too";
    return [warning(CHECK, detail, "The next start goes on with dropping and compacting them")];
  }
  const [oldest] = await ledger.slice(archives.at(-1)?.lastSeq ?? 0, 1);
  const open = firstOpenMonth(clock.now());
  const months = oldest === undefined ? 0 : monthsBetween(oldest.at, open);
  const away = archives.filter(({ file }) => !existsSync(file)).map(({ file }) => file);
  const detail = [
    archives.length === 0 ? "none" : `${archives.length}, which the ledger goes on from`,
    ...(away.length === 0 ? [] : [`moved from where they were written: ${listed(away)}`]),
    ...(months === 0
      ? []
      : [`calls of ${months} closed month${months === 1 ? "" : "s"} could be archived`]),
  ].join("; ");
  if (months < MANY_MONTHS) return [ok(CHECK, detail)];
  const before = new Date(open).toISOString().slice(0, 10);
  return [
    warning(CHECK, detail, `tollgate calls archive --before ${before}, or archive_after_months`),
  ];
}

function monthsBetween(fromMs: number, untilMs: number): number {
  let months = 0;
  while (startOfMonth(fromMs, months + 1) <= untilMs) months++;
  return months;
}
