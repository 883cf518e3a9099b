/**
 * Runs a row in a process group of its own, so that a row that hangs or dies ends with everything
 * that it has started.
 *
 * @module
 */

import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import process from "node:process";
import { ROOT } from "../../build/paths.ts";
import { carrierOf, type TestedSettings } from "../../build/tested_settings.ts";
import type { WrittenFinding } from "./row_finding.ts";
import type { TortureSize } from "./size.ts";

/** What a row is run with. */
export interface RowOrder {
  readonly id: string;
  readonly seed: number;
  readonly size: TortureSize["name"];
  /** What the program is set to. */
  readonly settings: TestedSettings;
  /** The program it drives; `undefined` for the source. */
  readonly executable: string | undefined;
  /** A later version of it, where the row has one. */
  readonly later: string | undefined;
  readonly withinMs: number;
}

/** How it went. */
export interface RowEnd {
  /** `undefined` when the row ended without one. */
  readonly finding: WrittenFinding | undefined;
  /** Why there is none. */
  readonly error: string | undefined;
  readonly milliseconds: number;
}

/** Rows under way, which must not outlive us. */
const running = new Set<ChildProcess>();

/** Runs the row to its end; what it notes goes to our stderr. */
export async function runRowProcess(order: RowOrder): Promise<RowEnd> {
  const folder = await Deno.makeTempDir({ prefix: `tollgate-torture-${order.id.toLowerCase()}-` });
  const startedAt = performance.now();
  const entry = fileURLToPath(new URL("./run_row.ts", import.meta.url));
  const args = [
    "run",
    "--quiet",
    `--config=${ROOT}/tests/deno.json`,
    "-P=test",
    "--no-prompt",
    entry,
  ];
  const { TOLLGATE_BINARY: _, ...env } = Deno.env.toObject();
  Object.assign(env, carrierOf(order.settings), {
    ...(order.executable !== undefined && { TOLLGATE_BINARY: order.executable }),
    ...(order.later !== undefined && { TOLLGATE_LATER_BINARY: order.later }),
  });
  const child = spawn(
    Deno.execPath(),
    [...args, order.id, String(order.seed), order.size, folder],
    {
      cwd: ROOT,
      detached: true,
      stdio: ["ignore", "inherit", "pipe"],
      env,
    },
  );
  running.add(child);
  let said = "";
  child.stderr!.setEncoding("utf8");
  child.stderr!.on("data", (text: string) => {
    said = (said + text).slice(-4_000);
    Deno.stderr.writeSync(new TextEncoder().encode(text));
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(child);
  }, order.withinMs);
  const code = await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(timer);
  endGroup(child);
  running.delete(child);
  const milliseconds = performance.now() - startedAt;
  const finding = await readFinding(folder);
  await Deno.remove(folder, { recursive: true });
  if (finding !== undefined) return { finding, error: undefined, milliseconds };
  const error = isLate
    ? `it was ended as it took longer than ${order.withinMs / 1_000} s`
    : `it ended with code ${code}: ${lastWords(said)}`;
  return { finding: undefined, error, milliseconds };
}

/** Ends what is under way, when this process is told to end. */
export function endRunningRows(): void {
  for (const child of running) endGroup(child);
}

function endGroup(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, "SIGKILL");
  } catch (error) {
    // Nobody of the group is left.
    if ((error as { code?: string }).code !== "ESRCH") throw error;
  }
}

async function readFinding(folder: string): Promise<WrittenFinding | undefined> {
  try {
    return JSON.parse(await Deno.readTextFile(`${folder}/finding.json`));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** The message of an error that nobody caught, as far as there is one. */
function lastWords(text: string): string {
  // deno-lint-ignore no-control-regex -- colours
  const plain = text.replace(/\u001b\[\d+m/g, "");
  const at = plain.lastIndexOf("error: ");
  return (at < 0 ? plain : plain.slice(at)).trim().slice(0, 1_500);
}
