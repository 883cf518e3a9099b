/**
 * `postgres://user:password@host:port/database`, as operators write it and as vendors show it.
 *
 * @module
 */

import { percentDecoded } from "./percent_decoded.ts";

/** Where a database is on a server, and as whom it is asked. */
export interface PostgresAddress {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  /** Whether the line is encrypted, and the server proves that it is the one that was meant. */
  readonly isVerified: boolean;
  /** What a server's pooler wants to be told, such as `endpoint=…`. */
  readonly options: string | undefined;
}

/** The address, or what is wrong with it: without a word of what was written, which may be a password. */
export type ReadPostgresAddress =
  | { readonly ok: true; readonly address: PostgresAddress }
  | { readonly ok: false; readonly message: string };

const DEFAULT_PORT = 5432;
const HINT = "such as postgres://tollgate:PASSWORD@db.example.com:5432/tollgate";

/** What other programs put there, and nothing here has to know. */
const READ_OVER: ReadonlySet<string> = new Set([
  "application_name",
  "channel_binding",
  "connect_timeout",
  "target_session_attrs",
]);

/** Reads an address. Of `sslmode`, `require` asks for what `verify-full` does. */
export function readPostgresAddress(text: string): ReadPostgresAddress {
  const rest = /^postgres(?:ql)?:\/\/(.*)$/s.exec(text.trim())?.[1];
  if (rest === undefined) return refuse(`Expected an address ${HINT}`);
  // The host may be left out, where a socket's folder is named behind it.
  const hostless = /^(?:[^/?#@]*@)?(?=\/)/.exec(rest)?.[0];
  const whole = hostless === undefined ? rest : `${hostless}socket${rest.slice(hostless.length)}`;
  const url = URL.parse(`postgres://${whole}`);
  if (url === null || url.hostname.includes(",")) {
    return refuse(
      `Expected an address ${HINT}, with one host, and %-signs for what is no letter in a password (%40 for @, %2F for /)`,
    );
  }
  const parameters = new Map(url.searchParams);
  const unknown = [...parameters.keys()].find((name) =>
    !READ_OVER.has(name) && !["host", "options", "sslmode"].includes(name)
  );
  if (unknown !== undefined) {
    return refuse(
      unknown === "sslrootcert"
        ? "Name the certificate of the server's authority with database_ca, and leave sslrootcert out"
        : `Its parameter ${unknown} is not known here: leave it out`,
    );
  }
  const folder = parameters.get("host");
  const host = folder ?? url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (folder === undefined && hostless !== undefined) return refuse(`It names no host: ${HINT}`);
  if (folder !== undefined && !folder.startsWith("/")) {
    return refuse(
      "Its parameter host is no folder of a socket: write the host before the database",
    );
  }
  const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(
    percentDecoded,
  );
  if (user === undefined || password === undefined || database === undefined) {
    return refuse("It has a %-sign that stands for nothing: write %25 for the sign itself");
  }
  if (user === "") return refuse(`It names no user: ${HINT}`);
  if (database === "" || database.includes("/")) return refuse(`It names no database: ${HINT}`);
  const mode = parameters.get("sslmode") ?? (isOwnMachine(host) ? "disable" : "verify-full");
  if (!["disable", "require", "verify-full"].includes(mode)) {
    return refuse(
      "Its sslmode is none of verify-full (or require, which is the same here: who answers is verified) and disable",
    );
  }
  return {
    ok: true,
    address: {
      host,
      port: url.port === "" ? DEFAULT_PORT : Number(url.port),
      user,
      password: password === "" ? undefined : password,
      database,
      isVerified: mode !== "disable",
      options: parameters.get("options"),
    },
  };
}

/** What is shown of it: no user, no password. */
export function formatPostgresAddress({ host, port, database }: PostgresAddress): string {
  return host.startsWith("/")
    ? `${database} at ${host}`
    : `${database} on ${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Whether what is said does not leave this machine. */
export function isOwnMachine(host: string): boolean {
  return host.startsWith("/") || host === "localhost" || host === "::1" ||
    /^127\.\d+\.\d+\.\d+$/.test(host);
}

function refuse(message: string): ReadPostgresAddress {
  return { ok: false, message };
}
