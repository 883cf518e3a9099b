/**
 * What every refusal has in common.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ERROR_TABLE } from "../../../src/errors.ts";

/** The refusal that is expected. */
export interface ExpectedRefusal {
  readonly status: number;
  readonly code: string;
  readonly param: string | null;
  /** Whether it says of each route why it was left out; default: by the code. */
  readonly hasRoutes?: boolean;
}

/** Statuses and codes come in pairs, and each pair has one type. */
const TYPES = new Map(
  Object.values(ERROR_TABLE).map(({ status, code, type }) => [`${status} ${code}`, type]),
);

/** Asserts the status and OpenAI's four keys; a routing refusal has `routes` too. */
export function assertErrorBody(
  answer: { readonly status: number; readonly body: string },
  expected: ExpectedRefusal,
): void {
  const { error, ...rest } = JSON.parse(answer.body);
  assert.deepEqual(rest, {});
  const { message, type, param, code, routes, ...more } = error;
  assert.deepEqual(more, {});
  assert.deepEqual(
    { status: answer.status, code, param },
    { status: expected.status, code: expected.code, param: expected.param },
    message,
  );
  assert.equal(type, TYPES.get(`${expected.status} ${expected.code}`));
  assert.ok(typeof message === "string" && message.length > 10 && message.length < 600, message);
  const isRouting = /^(NO_AVAILABLE_ROUTE|ROUTE_NOT_SELECTABLE|INSUFFICIENT_BALANCE|PROVIDER_)/
    .test(code);
  assert.equal(Array.isArray(routes), expected.hasRoutes ?? isRouting);
}

/** Asserts that an answer has no key, upstream address, path or stack trace. */
export function assertTellsNothing(
  text: string,
  { key, port, upstreamKey }: {
    readonly key: string;
    readonly port: number;
    readonly upstreamKey: string;
  },
): void {
  for (const hidden of [key, upstreamKey, `:${port}`, "127.0.0.1", "10.1.2.3"]) {
    assert.equal(text.includes(hidden), false, `it tells ${hidden}: ${text}`);
  }
  assert.doesNotMatch(text, /\.ts\b|\bat \S+ \(|node:|os error|ECONN|\/(?:home|root|tmp|work)\//);
}
