/**
 * Connections to PostgreSQL. Each is a plain one of the driver's: who connects again, and what becomes
 * of what was under way, is for those to decide who use it.
 *
 * @module
 */

// @ts-types="./pg.d.ts"
import pg from "pg";
import { readPostgresAddress } from "../../domain/postgres_address.ts";
import { waitAtMost } from "../../domain/wait_at_most.ts";
import { type Answer, Ask, type AskedValue } from "./ask.ts";
import type { Client, CustomTypesConfig } from "./pg.d.ts";

/** Where a database is, and how long it may take to answer. */
export interface PostgresPlace {
  /** As {@linkcode readPostgresAddress} reads it. */
  readonly url: string;
  /** Certificates of the authorities that a server's may be signed by (PEM). Default: those of the runtime. */
  readonly ca?: string | undefined;
  /** Milliseconds that connecting may take, and any statement. Default 15,000. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 15_000;

/** What a server may take to close its end of a connection. */
const GOODBYE_MS = 1_000;

/** Nothing is known of what was asked for last: the way to the server is cut, or it is silent. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** What was asked for has not been sent: the server is known to be silent, and nothing of it is done there. */
export class NothingSent extends ConnectionLost {}

/** A connection; once it is lost, it stays so. */
export class Connection {
  readonly #client: Client;
  /** Milliseconds that any statement may take, for whoever has asked. */
  readonly deadlineMs: number;
  #lost: ConnectionLost | undefined;
  /** Hears what others tell by the channels that are listened to. */
  onNotice: (payload: string) => void = () => {};

  private constructor(client: Client, deadlineMs: number) {
    this.#client = client;
    this.deadlineMs = deadlineMs;
    client.on("error", (error) => this.#lose(error));
    client.on("end", () => this.#lose("it was closed"));
    client.on("notification", ({ payload = "" }) => this.onNotice(payload));
  }

  /**
   * @param options `isPipelined`: a statement is sent before those before it are answered, and what is
   * asked for in one turn costs one round trip together. They run in their order. `connectMs`: what
   * connecting may take, where that is less than what a statement may. `signal` gives up connecting.
   * @throws {ConnectionLost} If nobody answers there.
   * @throws {Error} The server's, when it lets nobody in.
   */
  static async open(
    { url, ca, deadlineMs = DEADLINE_MS }: PostgresPlace,
    { isPipelined = false, connectMs = deadlineMs, signal }: {
      readonly isPipelined?: boolean;
      readonly connectMs?: number;
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<Connection> {
    const read = readPostgresAddress(url);
    if (!read.ok) throw new Error(read.message);
    const { host, port, user, password, database, isVerified, options } = read.address;
    const client = new pg.Client({
      ...{ host, port, user, password, database, options },
      ssl: isVerified && { ...(ca !== undefined && { ca }) },
      application_name: "tollgate",
      connectionTimeoutMillis: Math.min(connectMs, deadlineMs),
      query_timeout: deadlineMs,
      keepAlive: true,
      pipeline: isPipelined,
    });
    const connection = new Connection(client, deadlineMs);
    const giveUp = () => void client.connection.stream.destroy();
    signal?.addEventListener("abort", giveUp);
    try {
      await client.connect();
    } catch (error) {
      await waitAtMost(GOODBYE_MS, client.end()).catch(() => {});
      throw isFromServer(error) ? error : connection.#lose(error);
    } finally {
      signal?.removeEventListener("abort", giveUp);
    }
    return connection;
  }

  /** Whether nothing can be asked any more. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /**
   * Runs a statement with its values. After an error without a code of the server's the connection is lost.
   *
   * @param options `name`: the server keeps the statement by it, and its plan, as long as the connection lasts.
   */
  async run(
    text: string,
    values: readonly AskedValue[],
    { types, name }: { readonly types?: CustomTypesConfig; readonly name?: string } = {},
  ): Promise<Answer> {
    const { rows, rowCount } = await this.#asked(() =>
      this.#client.query({
        text,
        values: [...values],
        ...(types !== undefined && { types }),
        ...(name !== undefined && { name }),
      })
    );
    return { rows, count: rowCount ?? 0 };
  }

  /** Runs several statements of the program's own at once; gives the rows that each has changed. */
  async runEach(...texts: readonly string[]): Promise<readonly number[]> {
    return (await this.askEach(...texts)).map(({ count }) => count);
  }

  /** Likewise with the rows that each has found, whose values are texts. */
  async askEach(...texts: readonly string[]): Promise<readonly Answer[]> {
    const results = await this.#asked(() => this.#client.query(texts.join("; ")));
    return [results].flat().map(({ rows, rowCount }) => ({ rows, count: rowCount ?? 0 }));
  }

  /** Ends the transaction; `false` where the server has rolled it back. */
  async commit(): Promise<boolean> {
    const result = await this.#asked(() => this.#client.query("COMMIT"));
    return [result].flat()[0]!.command === "COMMIT";
  }

  /** Rolls back what is under way; where the connection is lost, the server does. */
  async rollBack(): Promise<void> {
    if (this.isLost) return;
    try {
      await this.runEach("ROLLBACK");
    } catch (error) {
      // Whoever rolls back has another error to tell of.
      if (!(error instanceof ConnectionLost)) throw error;
    }
  }

  /** Closes it, whatever is under way; a server that says nothing to that has a moment. */
  async close(): Promise<void> {
    this.#lose("it was closed");
    await waitAtMost(GOODBYE_MS, this.#client.end());
    // Nobody closes what is open to a server that stands still.
    this.#client.connection.stream.destroy();
  }

  async #asked<Result>(ask: () => Promise<Result>): Promise<Result> {
    if (this.#lost !== undefined) throw this.#lost;
    try {
      return await ask();
    } catch (error) {
      if (isFromServer(error) && !endsConnection(error)) throw error;
      // What comes late would be taken for the answer to something else. Whoever waits has the error.
      this.#client.end().catch(() => {});
      throw this.#lose(error);
    }
  }

  #lose(cause: unknown): ConnectionLost {
    const why = cause instanceof Error ? cause.message : String(cause);
    return this.#lost ??= new ConnectionLost(`The connection to the database is lost: ${why}`, {
      cause,
    });
  }
}

/** Statements over a connection. */
export function askOver(connection: Connection): Ask {
  return new Ask((text, values, types) => connection.run(text, values, { types }));
}

/** Whether the server has said it, and not the way to it. */
export function isFromServer(error: unknown): error is Error & { readonly code: string } {
  return error instanceof pg.DatabaseError && typeof error.code === "string";
}

/** The server ends the connection with these: shut down, crashed, terminated, idle for too long. */
function endsConnection({ code }: { readonly code: string }): boolean {
  return code.startsWith("57P") || code.startsWith("08") || code === IDLE_IN_TRANSACTION;
}

const IDLE_IN_TRANSACTION = "25P03";
