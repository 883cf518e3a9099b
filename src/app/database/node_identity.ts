/**
 * Who a process is to the others that use a server's database: its data dir, which one process has at a
 * time.
 *
 * @module
 */

import { randomName } from "../../domain/ids.ts";
import type { NodeIdentity } from "../../domain/session.ts";
import { VERSION } from "../../version.ts";

const FILE = "node_id";
const CHARACTERS = 20;

/** Reads the data dir's name, which is made where there is none; its lock is held. */
export function readNodeIdentity(
  dataDir: string,
  { isServed }: { readonly isServed: boolean },
): NodeIdentity {
  const what = isServed ? "the server" : "a command";
  const host = hostName();
  return {
    program: VERSION,
    node: nodeOf(dataDir),
    isCommand: !isServed,
    label: `${what} with process id ${Deno.pid}${
      host === "" ? "" : ` on ${host}`
    } (Tollgate ${VERSION}, data dir ${dataDir})`,
  };
}

/** The name that a data dir has; `undefined` where no process has used a server's database from it. */
export function knownNode(dataDir: string): string | undefined {
  try {
    const known = Deno.readTextFileSync(`${dataDir}/${FILE}`).trim();
    return known === "" ? undefined : known;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return undefined;
  }
}

function nodeOf(dataDir: string): string {
  const known = knownNode(dataDir);
  if (known !== undefined) return known;
  const node = randomName(CHARACTERS);
  Deno.writeTextFileSync(`${dataDir}/${FILE}`, `${node}\n`, { mode: 0o600 });
  return node;
}

/** "" where the system tells none without being asked for more than files. */
function hostName(): string {
  try {
    return Deno.readTextFileSync("/etc/hostname").trim();
  } catch (error) {
    if (error instanceof Error) return "";
    throw error;
  }
}
