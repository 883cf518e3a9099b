/**
 * What must be true of tasks, files and money when nothing is under way any more,
 * whatever happened before.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { until } from "../until.ts";
import { CREDIT, PRICE_PER_SECOND } from "./film_catalogue.ts";
import type { CreatedFilm, FilmGateway, Project } from "./film_gateway.ts";

/** A task as `videos list --json` shows it, as far as it is looked at here. */
export interface TaskRow {
  readonly id: string;
  readonly project: Project;
  readonly request_id: string;
  readonly model: string;
  readonly status: string;
  readonly prompt: string;
  readonly seconds: number;
  readonly attempts: number;
  readonly failures: number;
  readonly restarts: number;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly sale: string | null;
  readonly file: {
    readonly path: string | null;
    readonly bytes: number;
    readonly sha256: string;
    readonly removed_at: string | null;
  } | null;
}

/** An amount in units of 1e-8. */
export function units(amount: string): bigint {
  return BigInt(amount.replace(".", ""));
}

/** Whether a task failed because nobody knows whether its upstream makes the film. */
export function isUnanswered({ status, model, error }: TaskRow): boolean {
  return status === "failed" && model === "remote" &&
    /nobody knows whether it makes it/.test(error?.message ?? "");
}

/** Every task of every project. */
export async function taskRows(films: FilmGateway): Promise<readonly TaskRow[]> {
  return (await films.admin("GET", "/videos?limit=1000")).data;
}

/** Every task once none is open. */
export async function untilAllEnded(
  films: FilmGateway,
  { withinMs = 120_000 }: { readonly withinMs?: number } = {},
): Promise<readonly TaskRow[]> {
  return await until("every task to end", async () => {
    const rows = await taskRows(films);
    return rows.every(({ status }) => status === "completed" || status === "failed") && rows;
  }, { withinMs, everyMs: 200 });
}

/**
 * Asserts, when no task is open: files are those of completed tasks and match what
 * is stored of them, each call was charged once if its task is completed and
 * not at all otherwise, nothing is held, and every balance adds up.
 *
 * @param deleted Tasks that are no more but had been bought.
 */
export async function assertBooksClosed(
  films: FilmGateway,
  deleted: readonly CreatedFilm[] = [],
): Promise<void> {
  const rows = await taskRows(films);
  await assertFiles(films, rows);
  const spent = new Map<Project, bigint>();
  const spend = (project: Project, amount: bigint) =>
    spent.set(project, (spent.get(project) ?? 0n) + amount);
  for (const row of rows) {
    const call = await films.call({ ...row, requestId: row.request_id });
    assertClosed(call, row);
    spend(row.project, units(call.pricing.charged_amount));
  }
  for (const film of deleted) {
    const call = await films.call(film);
    assert.notEqual(call.state, "open", film.id);
    spend(film.project, units(call.pricing.charged_amount));
  }
  for (
    const { id, balance, held, unlimited } of (await films.admin("GET", "/projects?limit=1000"))
      .data
  ) {
    if (unlimited || films.keys[id as Project] === undefined) continue;
    assert.equal(held, "0.00000000", `${id} has something held`);
    assert.equal(
      units(balance),
      units(`${CREDIT}.00000000`) - (spent.get(id) ?? 0n),
      `the balance of ${id}`,
    );
  }
  const { differences } = await films.admin("POST", "/ledger/verify");
  assert.deepEqual(differences, []);
}

/** The folder has the files of the completed tasks, and nothing else. */
async function assertFiles(films: FilmGateway, rows: readonly TaskRow[]): Promise<void> {
  const kept = rows.filter(({ file }) => file !== null && file.removed_at === null);
  const names = films.folder();
  const mayBeThere = new Set(kept.flatMap(({ id }) => [`${id}.mp4`, `${id}.webp`]));
  assert.deepEqual(names.filter((name) => !mayBeThere.has(name)), [], "files of nobody");
  for (const { id, project, status, file } of kept) {
    assert.equal(status, "completed");
    const path = file!.path!;
    const bytes = path.startsWith("s3://")
      ? await (await films.fetch(`/videos/${id}/content`, { project })).bytes()
      : await Deno.readFile(path);
    assert.equal(bytes.length, file!.bytes, id);
    assert.equal(createHash("sha256").update(bytes).digest("hex"), file!.sha256, id);
  }
}

// deno-lint-ignore no-explicit-any -- the answer of another program
function assertClosed(call: any, row: TaskRow): void {
  const isCompleted = row.status === "completed";
  assert.equal(call.state, isCompleted ? "settled" : "released", row.id);
  const pays = isCompleted && row.project !== "staff";
  const price = pays ? units(PRICE_PER_SECOND) * BigInt(row.seconds) : 0n;
  assert.equal(units(call.pricing.charged_amount), price, row.id);
}
