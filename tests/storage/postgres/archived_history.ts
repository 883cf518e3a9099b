/**
 * A sealed history on a server whose calls are old enough to be archived.
 *
 * @module
 */

import { archiveCalls } from "../../../src/admin/archives/archive_calls.ts";
import type { AdminDeps } from "../../../src/admin/base/deps.ts";
import { runOperation } from "../../../src/admin/base/run_operation.ts";
import { CATALOGUE, openTestAdmin } from "../../admin/test_admin.ts";
import type { PostgresServer } from "../../support/postgres_server.ts";
import { DAY_MS, type Place, withHistory } from "./sealed_history.ts";

/** A place with what archives are made with. */
export interface ArchivingPlace extends Place {
  readonly deps: AdminDeps;
  /** Up to when calls may be archived, a date. */
  readonly before: string;
}

/** Runs four months after a sealed history of calls. */
export function archivesOf(server: PostgresServer) {
  return (run: (place: ArchivingPlace) => Promise<void>): Promise<void> =>
    withHistory(server, true, async (place) => {
      await place.storage.beginSession();
      const storage = { ...place.storage, close: () => Promise.resolve() };
      await using admin = await openTestAdmin({ storage, catalogue: CATALOGUE });
      admin.clock.setWall(place.madeAt + 120 * DAY_MS);
      const before = new Date(place.madeAt + 40 * DAY_MS).toISOString().slice(0, 7) + "-01";
      await run({ ...place, deps: admin.deps, before });
    });
}

/** Archives as an operator does. */
export function archive(
  deps: AdminDeps,
  before: string,
  parts: { readonly dry_run?: boolean } = {},
) {
  return runOperation(archiveCalls, { deps, input: { before, ...parts } });
}

/** Archives up to the moment at which the file is noted, and nothing is dropped. */
export async function archiveUndropped({ deps, before }: ArchivingPlace): Promise<void> {
  const dropArchived = () => Promise.reject(new Error("killed"));
  const archives = changed(deps.archives, { dropArchived });
  const error = await archive({ ...deps, archives }, before).then(() => undefined, String);
  if (error !== "Error: killed") throw new Error(`${error}`);
}

/** The session of a node, which lives or has ended, and has begun or noted what is archived. */
export async function haveAnother(
  { hand }: Pick<Place, "hand">,
  state: "live" | "dead",
): Promise<void> {
  await hand.runEach(
    `INSERT INTO node_sessions (session_id, node, label, state, batch_no, slot)
     VALUES (77, 'other', 'the node on a1', '${state}', 0, 77)
     ON CONFLICT (session_id) DO UPDATE SET state = excluded.state`,
    "UPDATE run_archives SET session_id = 77",
  );
}

/** Of the calls that the database has. */
export async function callIds({ hand }: Pick<Place, "hand">): Promise<readonly number[]> {
  const [found] = await hand.askEach("SELECT call_id FROM calls ORDER BY call_id");
  return found!.rows.map(({ call_id }) => Number(call_id));
}

/** The same with some methods of a test's own. */
export function changed<Of extends object>(whole: Of, own: Partial<Of>): Of {
  return new Proxy(whole, {
    get(target, name) {
      const value = Reflect.get(name in own ? own : target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
