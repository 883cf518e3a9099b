/**
 * What must be true of films, their files and their money when nothing is under way.
 *
 * @module
 */

import {
  assertBooksClosed,
  isUnanswered,
  type TaskRow,
  untilAllEnded,
} from "../../support/films/film_books.ts";
import type { CreatedFilm, FilmGateway } from "../../support/films/film_gateway.ts";
import { checkBooks } from "../books/check_books.ts";
import type { RowFinding } from "../row_finding.ts";

/** What was done to the films before. */
export interface FilmsBefore {
  /** Those whose creation was answered and that nobody deleted. */
  readonly acknowledged: readonly CreatedFilm[];
  /** Tasks that are no more but had been bought. */
  readonly deleted?: readonly CreatedFilm[];
  /** Tasks must end within this. Default: 30 s. */
  readonly withinMs?: number;
  /** Whether the process died while upstreams were asked for films: those may have failed. */
  readonly mayBeLost?: boolean;
}

/**
 * Waits until every task has ended, and notes what is wrong: a film that is lost or not completed,
 * files of nobody or other than stored, and books that do not add up. Gives the tasks.
 */
export async function checkFilms(
  found: RowFinding,
  films: FilmGateway,
  { acknowledged, deleted = [], withinMs = 30_000, mayBeLost = false }: FilmsBefore,
): Promise<readonly TaskRow[]> {
  let rows: readonly TaskRow[] = [];
  await found.during("the tasks", async () => {
    rows = await untilAllEnded(films, { withinMs });
  });
  for (const { id } of lostOf(acknowledged, rows)) {
    found.require(false, `${id} was acknowledged and is lost`);
  }
  for (const row of rows) {
    const { id, status, error } = row;
    const isFine = status === "completed" || (mayBeLost && isUnanswered(row));
    found.require(isFine, () => `${id} is ${status}: ${JSON.stringify(error)}`);
  }
  await found.during("files and books", () => assertBooksClosed(films, deleted));
  found.requireNone(checkBooks(films.dataDir));
  const trouble = films.log.match(/^.*(?:video_trouble|internal_error|unhandled_error).*$/gm) ?? [];
  found.requireNone(trouble.slice(0, 3).map((line) => `logged: ${line}`));
  return rows;
}

/** Films whose creation was answered and that no task tells of any more. */
export function lostOf(
  acknowledged: readonly CreatedFilm[],
  rows: readonly TaskRow[],
): readonly CreatedFilm[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return acknowledged.filter(({ id, requestId, project }) => {
    const row = byId.get(id);
    return row?.request_id !== requestId || row.project !== project;
  });
}
