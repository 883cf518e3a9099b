/**
 * What is used of `pg`, as its documentation says it. The types that others publish for it bring
 * Node's own along, which differ from the runtime's.
 *
 * @module
 */

/** How values of the server's types are read, by their numbers. */
export interface CustomTypesConfig {
  getTypeParser(type: number): (text: string) => unknown;
}

interface Result {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: Record<string, unknown>[];
}

/** A plain connection. */
declare class Client {
  constructor(options: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly password: string | undefined;
    readonly database: string;
    readonly options: string | undefined;
    /** `false` for a line that anybody on the way can read. */
    readonly ssl: false | { readonly ca?: string };
    readonly application_name: string;
    readonly connectionTimeoutMillis: number;
    readonly query_timeout: number;
    readonly keepAlive: boolean;
    /** Whether statements are sent without waiting for the answers to those before them. */
    readonly pipeline: boolean;
  });
  connect(): Promise<void>;
  /** Several statements in one text have a result each. */
  query(text: string): Promise<Result | Result[]>;
  query(query: {
    /** The server keeps the statement by it, for as long as the connection lasts. */
    readonly name?: string;
    readonly text: string;
    readonly values: unknown[];
    readonly types?: CustomTypesConfig;
  }): Promise<Result>;
  end(): Promise<void>;
  /** What it speaks over; `destroy` ends that at once. */
  readonly connection: { readonly stream: { destroy(): unknown } };
  on(event: "error", listener: (error: Error) => void): this;
  on(event: "end", listener: () => void): this;
  on(event: "notification", listener: (message: { readonly payload?: string }) => void): this;
}

/** What the server has said; `code` is its SQLSTATE. */
declare class DatabaseError extends Error {
  readonly code: string | undefined;
}

declare const pg: {
  readonly Client: typeof Client;
  readonly DatabaseError: typeof DatabaseError;
};

export default pg;
export type { Client };
