/**
 * Several nodes over one database, as far as storage is concerned.
 *
 * @module
 */

import {
  openPostgresStorage,
  type PostgresStorage,
} from "../../src/storage/postgres/postgres_storage.ts";
import type { PostgresServer } from "./postgres_server.ts";

/** Nodes whose sessions live; `await using` ends them. */
export interface Nodes extends AsyncDisposable {
  readonly storages: readonly PostgresStorage[];
  /** The database's name. */
  readonly database: string;
}

/** How they are opened. */
export interface NodesOptions {
  readonly count: number;
  /** Whether the server tells them of changes. Default: it does. */
  readonly listens?: boolean | undefined;
  /** Where the last of them reaches the server. Default: where it is. */
  readonly lastThrough?: number | undefined;
}

let databases = 0;

/** Makes a database and opens it so many times. */
export async function openNodes(
  server: PostgresServer,
  { count, listens = true, lastThrough = server.port }: NodesOptions,
): Promise<Nodes> {
  const database = `nodes_${++databases}`;
  await server.create(database);
  const storages: PostgresStorage[] = [];
  for (let node = 1; node <= count; node++) {
    const storage = await openPostgresStorage({
      url: node < count
        ? server.url(database)
        : server.url(database).replace(`:${server.port}/`, `:${lastThrough}/`),
      identity: { node: "one", label: `node ${node}` },
      beatMs: 20,
      listens,
    });
    if (node === 1) await server.ask(database, LIVE_ON);
    await storage.beginSession();
    storages.push(storage);
  }
  return {
    storages,
    database,
    async [Symbol.asyncDispose]() {
      await Promise.all(storages.map((storage) => storage.close()));
    },
  };
}

/** Whoever begins a session ends no other. */
const LIVE_ON = `CREATE FUNCTION live_on() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN IF NEW.state = ''dead'' THEN NEW.state = ''live''; END IF; RETURN NEW; END';
  CREATE TRIGGER live_on BEFORE UPDATE ON node_sessions
  FOR EACH ROW EXECUTE FUNCTION live_on()`;
