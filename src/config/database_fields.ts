/**
 * The settings of a database that is on a server.
 *
 * @module
 */

import * as z from "zod";

/** Less is less than between two looks at the database. */
const LEAST_STALE_MS = 500;
/** A server that has not heard from its database for longer takes no calls anyway. */
const MOST_STALE_MS = 3_000;
/** A hundred years. */
const MOST_MONTHS = 1_200;

export const DATABASE_FIELDS = {
  database_url: z.string().regex(/^[\x20-\x7e]{1,4096}$/, "Expected printable ASCII").optional()
    .meta({
      secret: true,
      description:
        "PostgreSQL server that has the database, as postgres://USER:PASSWORD@HOST:PORT/DATABASE, or " +
        "env:NAME, file:/path or credential:NAME of that. The line is encrypted and the server verified " +
        "unless it is this machine or ?sslmode=disable says otherwise. Default: a file in the data dir.",
    }),
  database_ca: z.string().min(1).refine((text) => !text.includes("\0"), "Expected a path")
    .optional()
    .meta({
      placeholder: "FILE",
      description:
        "Certificates (PEM) of the authorities that may have signed the database server's. " +
        "Default: those that browsers trust.",
    }),
  stale_keys_ms: z.int().min(LEAST_STALE_MS).max(MOST_STALE_MS).optional().meta({
    placeholder: "MS",
    description:
      "Of several servers with one database_url: for how long, after a server has heard from the " +
      "database last, it goes on with the keys, prices and limits that it knows. After that, requests " +
      "wait 2 seconds at most, then get 503. Default: 1000.",
  }),
  drop_calls_after_months: z.int().min(1).max(MOST_MONTHS).optional().meta({
    placeholder: "N",
    description:
      "With database_url: the calls of a month are deleted for good once it has ended N months ago. " +
      "Sums, balances, films and a few calls that prove balances stay. Default: never.",
  }),
};
