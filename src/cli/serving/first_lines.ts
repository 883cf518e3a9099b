/**
 * What `serve` says once it listens: where, and, at first run, the key and a
 * call to paste.
 *
 * @module
 */

import type { RunningGateway } from "../../app/gateway.ts";
import { versionLine } from "../base/version_line.ts";
import { formatFacts } from "../base/table.ts";
import type { Terminal } from "../base/terminal.ts";

/** The part of a running gateway that is told of. */
type Told = Pick<RunningGateway, "baseUrl" | "dataDir" | "metricsUrl" | "admin" | "firstRun">;

/**
 * The lines, with a line break at their end. A service's output goes to a log
 * that others can read and that forgets nothing: there the first key is written
 * to `<data>/first-key` (0600) instead.
 */
export async function firstLines(gateway: Told, terminal: Terminal): Promise<string> {
  const { baseUrl, dataDir, firstRun } = gateway;
  const hasConsole = gateway.admin.console !== undefined;
  const consoleLine = ["Console", hasConsole ? "tollgate console prints a link" : null] as const;
  const head = `${versionLine()}\n\n`;
  if (firstRun === undefined) {
    return head + formatFacts([
      ["Base URL", `${baseUrl}/v1`],
      ["Data dir", dataDir],
      consoleLine,
      ["Metrics", gateway.metricsUrl ?? null],
      ["Models", modelsText(gateway.admin.catalogue.current.models.length)],
      ["New key", "tollgate keys create --project ID"],
    ]);
  }
  const keyFile = isService(terminal) ? `${dataDir}/first-key` : undefined;
  if (keyFile !== undefined) await writeKeyFile(keyFile, firstRun.key);
  const facts = formatFacts([
    ["Base URL", `${baseUrl}/v1`],
    ["Project key", keyFile === undefined ? firstRun.key : `in ${keyFile}`],
    [
      "",
      `of project ${firstRun.projectId}; ${keyFile === undefined ? "shown once" : "move it away"}`,
    ],
    ["Data dir", dataDir],
    consoleLine,
    ["Metrics", gateway.metricsUrl ?? null],
  ]);
  const key = keyFile === undefined ? firstRun.key : `$(cat ${quote(keyFile)})`;
  const call = curl(`${baseUrl}/v1/chat/completions`, {
    key,
    body: `{"model": "echo-1", "messages": [{"role": "user", "content": "Hello!"}]}`,
  });
  const film = curl(`${baseUrl}/v1/videos`, {
    key,
    body: `{"model": "video-2", "prompt": "A red fox runs through a snowy forest at night"}`,
  });
  return `${head}${facts}\nA first call:\n\n${call}\n\n` +
    `A first film, which GET /v1/videos/{id} then tells of:\n\n${film}\n\n`;
}

/** A call that works when it is pasted into a shell. */
function curl(
  url: string,
  { key, body }: { readonly key: string; readonly body: string },
): string {
  return [
    `curl ${quote(url)}`,
    `  -H "Authorization: Bearer ${key}"`,
    `  -H "Content-Type: application/json"`,
    `  -d '${body}'`,
  ].join(" \\\n");
}

function modelsText(count: number): string {
  if (count === 0) return "none yet: tollgate apply FILE";
  return count === 1 ? "1" : String(count);
}

/** systemd sets these for services; a shell on a desktop may inherit them, but it has a terminal. */
function isService({ around, outIsTerminal }: Terminal): boolean {
  const { INVOCATION_ID = "", JOURNAL_STREAM = "" } = around.env;
  return !outIsTerminal && (INVOCATION_ID !== "" || JOURNAL_STREAM !== "");
}

/** Never into a file that is there already: it may be open to others, or lead elsewhere. */
async function writeKeyFile(path: string, key: string): Promise<void> {
  await Deno.remove(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  const file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  try {
    await file.write(new TextEncoder().encode(`${key}\n`));
    await file.sync();
  } finally {
    file.close();
  }
}

/** As a shell reads it back. */
function quote(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
