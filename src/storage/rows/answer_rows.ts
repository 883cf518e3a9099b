/**
 * Answers for repeated and for equal requests as rows.
 *
 * @module
 */

import type { IdempotencyRecord, StreamSource } from "../../domain/idempotency.ts";
import { group, integer, orNone, RowOf, text } from "./row_of.ts";

export const ANSWER = new RowOf<Omit<IdempotencyRecord, "cacheBytes">>({
  projectId: text(),
  path: text(),
  key: text(),
  fingerprint: text(),
  requestId: text(),
  status: integer(),
  body: orNone(text()),
  stream: orNone(group<StreamSource>({ provider: text(), route: text() })),
  createdAt: integer(),
  expiresAt: integer(),
});

export type CachedRow = Omit<IdempotencyRecord, "cacheBytes" | "body"> & { readonly body: string };

export const CACHED_ANSWER = new RowOf<CachedRow>({
  projectId: text(),
  path: text(),
  key: text(),
  fingerprint: text(),
  requestId: text(),
  status: integer(),
  body: text(),
  stream: orNone(group<StreamSource>({ provider: text(), route: text() })),
  createdAt: integer(),
  expiresAt: integer(),
});

/** Bytes of a row beside its body, indices included; roughly. */
export const CACHED_ROW_BYTES = 512;
