/**
 * Archives of sealed runs, of which each node may have the files that it has made.
 *
 * @module
 */

import { awayOf, restoringOf } from "../../admin/archives/unfinished_archive.ts";
import type { NotedArchive, RunArchives } from "../../storage/ports/archived_runs.ts";
import { isInPlace } from "../archives/find_archived_call.ts";
import { knownNode } from "../database/node_identity.ts";
import { type Finding, listed, ok, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

const CHECK = "archives";

/** Looks for the files that this node had, and for one whose rows wait for their file. */
export async function examineRunArchives(
  { dataDir }: Pick<Patient, "dataDir">,
  runArchives: Pick<RunArchives, "list">,
): Promise<readonly Finding[]> {
  const archives = await runArchives.list();
  const own = knownNode(dataDir);
  const away: string[] = [];
  const findings: Finding[] = [];
  const others: string[] = [];
  for (const archive of archives) {
    const isHere = await isInPlace(archive);
    if (!archive.isDropped && archive.isAnothers) others.push(underWayText(archive));
    else if (!archive.isDropped) findings.push(unfinished(archive, isHere));
    else if (archive.isRestoring) findings.push(restoring(archive));
    else if (!isHere && archive.node?.id === own) away.push(archive.file);
  }
  const detail = [
    archives.length === 0 ? "none" : `${archives.length} of sealed runs`,
    ...(away.length === 0 ? [] : [`moved from where this node has written them: ${listed(away)}`]),
    ...others,
  ].join("; ");
  return [...findings, ok(CHECK, detail)];
}

function unfinished(archive: NotedArchive, isHere: boolean): Finding {
  if (isHere) {
    const detail = `Rows that archive ${archive.number} has are in the database too`;
    return warning(CHECK, detail, "A node that has its file goes on with dropping them");
  }
  const { detail, remedy } = awayOf(archive);
  return warning(CHECK, detail, remedy);
}

function restoring(archive: NotedArchive): Finding {
  const { detail, remedy } = restoringOf(archive);
  return warning(CHECK, detail, remedy);
}

function underWayText({ number, node }: NotedArchive): string {
  return `${node?.label ?? "another node"} drops what archive ${number} has`;
}
