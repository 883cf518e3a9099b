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

function nodeOf(dataDir: string): string {
  const file = `${dataDir}/${FILE}`;
  try {
    const known = Deno.readTextFileSync(file).trim();
    if (known !== "") return known;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const node = randomName(CHARACTERS);
  Deno.writeTextFileSync(file, `${node}\n`, { mode: 0o600 });
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
