/**
 * The storage suite over PostgreSQL, directly and through a pooler in transaction mode.
 *
 * @module
 */

import { openPostgresStorage } from "../../src/storage/postgres/postgres_storage.ts";
import {
  NEEDS_PGBOUNCER,
  NEEDS_POSTGRES,
  type Pooler,
  type PostgresServer,
  startPgbouncer,
  startPostgres,
} from "../support/postgres_server.ts";
import { testStorageDriver } from "./storage_suite.ts";

/** A database that nobody uses, of the current schema: making others like it is sooner done. */
const EMPTY = "suite_empty";
let server: PostgresServer | undefined;
let pooler: Pooler | undefined;
let databases = 0;

Deno.test.beforeAll(async () => {
  if (NEEDS_POSTGRES.ignore) return;
  server = await startPostgres();
  await server.create(EMPTY);
  await (await openPostgresStorage({ url: server.url(EMPTY) })).close();
  if (!NEEDS_PGBOUNCER.ignore) pooler = await startPgbouncer(server);
});

Deno.test.afterAll(async () => {
  await pooler?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

const POSTGRES = {
  reusesItsFile: false,
  forgottenRows: 1_000,
  async withPlace(run: (place: string) => Promise<void>) {
    const database = `suite_${++databases}`;
    await server!.create(database, EMPTY);
    await run(database);
  },
};

testStorageDriver({
  name: "PostgreSQL",
  options: NEEDS_POSTGRES,
  open: (database) => openPostgresStorage({ url: server!.url(database) }),
  ...POSTGRES,
});

testStorageDriver({
  name: "PostgreSQL through pgbouncer",
  options: NEEDS_PGBOUNCER,
  open: (database) => openPostgresStorage({ url: pooler!.url(database) }),
  ...POSTGRES,
});
