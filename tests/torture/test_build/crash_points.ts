/**
 * Thirteen named points in the life of a call and of a task at which a test build can be killed. It
 * writes down that it has come to a point and stops there, so that the kill hits exactly that point,
 * in whichever thread it is.
 *
 * @module
 */

import type { SourceEdit, SourcePatch } from "./source_patch.ts";

interface CrashPoint {
  readonly name: string;
  readonly file: string;
  /** Code that is there once. */
  readonly code: string;
  /** The point is before or after that code; default "before". */
  readonly at?: "after";
}

const POINTS = [
  {
    // The hold is decided, and in no database.
    name: "hold_taken",
    file: "src/gateway/call_engine.ts",
    code: "this.#calls++;",
    at: "after",
  },
  {
    // The upstream has answered in full; nothing is settled.
    name: "call_answered",
    file: "src/accounts/ledger.ts",
    code: "this.#write(owned, closed, kept, (result) => {",
  },
  {
    // A batch is written and not committed.
    name: "batch_written",
    file: "src/storage/sqlite/batch_writer.ts",
    code: `this.#database.exec("COMMIT");`,
  },
  {
    // A batch is committed and synced; nobody has heard of it.
    name: "batch_committed",
    file: "src/storage/sqlite/batch_writer.ts",
    code: `this.#database.exec("COMMIT");`,
    at: "after",
  },
  {
    // A call is settled; its caller has no answer.
    name: "call_settled",
    file: "src/gateway/metered_call.ts",
    code: "this.#tell(call, ending.status);",
  },
  {
    // A task is stored; its caller has no answer.
    name: "task_stored",
    file: "src/videos/create_video.ts",
    code: "return { task, body: answer.write(task) };",
  },
  {
    name: "task_claimed",
    file: "src/videos/work/runner.ts",
    code: "const attempt = new Attempt(this.#deps, claimed);",
  },
  {
    // It is stored that an upstream is asked for a job; nobody has been asked.
    name: "start_noted",
    file: "src/videos/make/start_job.ts",
    code: "job = await upstream.start(order, attempt.hardSignal);",
  },
  {
    // An upstream has taken the job; it is not stored.
    name: "job_taken",
    file: "src/videos/make/start_job.ts",
    code: "return await storeJob(options, attempt, job);",
  },
  {
    name: "film_begun",
    file: "src/videos/files/content_files.ts",
    code: "this.#parts.set(taskId, part);",
    at: "after",
  },
  {
    // The whole film is in its part.
    name: "film_written",
    file: "src/videos/files/content_files.ts",
    code: "const sha256 = await part.finish();",
    at: "after",
  },
  {
    // The film has its name; its task is in progress.
    name: "film_renamed",
    file: "src/videos/files/content_files.ts",
    code: "renameSync(part.path, this.contentPath(id));",
    at: "after",
  },
  {
    // The task is completed and charged; nothing is cleaned up.
    name: "task_completed",
    file: "src/videos/work/finish_task.ts",
    code:
      `if (completed.referenceType !== undefined) await films.removeReference(id); onEvent({ kind: "completed"`,
  },
] as const satisfies readonly CrashPoint[];

/** A point's name. */
export type CrashPointName = typeof POINTS[number]["name"];

/** All of them, calls first. */
export const CRASH_POINTS: readonly CrashPointName[] = POINTS.map(({ name }) => name);

/** `CRASH_AT=name:2` stops at the second pass of a point, after writing its name to `CRASH_FILE`. */
const FUNCTION = `
function crashPoint(name: string): void {
  const [at, pass = "1"] = (Deno.env.get("CRASH_AT") ?? "").split(":");
  if (at !== name) return;
  const passes = (globalThis as unknown as { crashPasses?: number });
  passes.crashPasses = (passes.crashPasses ?? 0) + 1;
  if (passes.crashPasses !== Number(pass)) return;
  Deno.writeTextFileSync(Deno.env.get("CRASH_FILE")!, name);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
`;

/** The patch. */
export const crashPoints: SourcePatch = {
  name: "crash_points",
  says: "stops where CRASH_AT says",
  edits: [...editsOf(POINTS), ...functionsOf(POINTS)],
};

/** Points at the same code are one edit, as it is there only once. */
function editsOf(points: readonly CrashPoint[]): readonly SourceEdit[] {
  const places = Map.groupBy(points, ({ file, code }) => `${file}\n${code}`);
  return [...places.values()].map((same) => {
    const { file, code } = same[0]!;
    const calls = (where: CrashPoint["at"]) =>
      same.filter(({ at }) => at === where).map(({ name }) => `crashPoint("${name}");\n`).join("");
    return { file, find: code, replace: `${calls(undefined)}${code}\n${calls("after")}` };
  });
}

function functionsOf(points: readonly CrashPoint[]): readonly SourceEdit[] {
  return [...new Set(points.map(({ file }) => file))].map((file) => ({ file, add: FUNCTION }));
}
