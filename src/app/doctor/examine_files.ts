/**
 * The data dir and its files: whose they are, who else may read them, and what
 * was left over.
 *
 * @module
 */

import { ifThere } from "../../files/if_there.ts";
import { WORK_PREFIX } from "../backups/copy_for_work.ts";
import { type Finding, listed, ok, problem, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

const CHECK = "files";

interface FoundFile {
  /** Below the data dir; empty for itself. */
  readonly name: string;
  readonly info: Deno.FileInfo;
}

/** Looks at every file and folder, none of whose content is read. */
export async function examineFiles({ dataDir, server }: Patient): Promise<readonly Finding[]> {
  // A service's data dir is a link, which is root's.
  const root = { name: "", info: await Deno.stat(dataDir) };
  const found = [root, ...await Array.fromAsync(walk(dataDir, ""))];
  const findings = [
    ...openToOthers(found, dataDir),
    ...ofOthers(found, root.info, dataDir),
    ...(server === undefined ? leftOver(found) : []),
  ];
  if (findings.length > 0) return findings;
  return [ok(CHECK, `${found.length} in ${dataDir}, open to their owner alone`)];
}

async function* walk(dataDir: string, below: string): AsyncGenerator<FoundFile> {
  for await (const entry of Deno.readDir(`${dataDir}/${below}`)) {
    const name = below === "" ? entry.name : `${below}/${entry.name}`;
    // A running server makes files and removes them meanwhile.
    const info = await ifThere(Deno.lstat(`${dataDir}/${name}`));
    if (info === undefined) continue;
    yield { name, info };
    if (info.isDirectory) yield* walk(dataDir, name);
  }
}

function openToOthers(found: readonly FoundFile[], dataDir: string): Finding[] {
  const open = found.filter(({ info: { mode, isFile, isDirectory } }) =>
    (isFile || isDirectory) && mode !== null && (mode & 0o077) !== 0
  );
  if (open.length === 0) return [];
  const names = open.map(({ name, info }) =>
    `${name === "" ? dataDir : name} (${(info.mode! & 0o777).toString(8).padStart(4, "0")})`
  );
  return [
    problem(CHECK, `Other users may open ${listed(names)}`, `chmod -R go= ${dataDir}`),
  ];
}

/** What root made with a command cannot be opened by the server. */
function ofOthers(
  found: readonly FoundFile[],
  { uid, gid }: Deno.FileInfo,
  dataDir: string,
): Finding[] {
  const others = found.filter(({ info }) => info.uid !== uid).map(({ name }) => name);
  if (others.length === 0) return [];
  return [
    problem(
      CHECK,
      `${listed(others)} belong to another user than ${dataDir} does (${uid})`,
      `chown -R ${uid}:${gid} ${dataDir}`,
    ),
  ];
}

function leftOver(found: readonly FoundFile[]): Finding[] {
  const left = found.map(({ name }) => name).filter((name) =>
    /^backups\/[^/]+\.part(-\w+)?$/.test(name) ||
    (name.startsWith(WORK_PREFIX) && !name.includes("/"))
  );
  if (left.length === 0) return [];
  return [
    warning(CHECK, `A backup or restore was broken off: it left ${listed(left)}`, "Remove it"),
  ];
}
