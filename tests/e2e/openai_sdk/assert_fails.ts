/**
 * What an error of the gateway must be for the users of the official clients.
 *
 * @module
 */

import assert from "node:assert/strict";
import type * as seven from "openai7";
import schemas from "../../fixtures/openai/chat_schemas.json" with { type: "json" };
import { assertSatisfies } from "../../support/schema_check.ts";
import type { Sdk } from "./scene.ts";

/** What an error must be for the SDK's user. */
export interface ExpectedError {
  /** Name of the class; `APIError` means that and no subclass. */
  readonly class: string;
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly param: string | null;
}

/** Asserts that a promise rejects with exactly this error, which satisfies OpenAI's schema and gives nothing away. */
export async function assertFails(
  { sdk }: { readonly sdk: Sdk },
  promise: Promise<unknown>,
  expected: ExpectedError,
): Promise<seven.APIError> {
  const error = await promise.then(
    () => assert.fail(`expected ${expected.code}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof sdk.APIError, String(error));
  assert.equal(error.constructor.name, expected.class);
  const { status, code, type, param } = error;
  assert.deepEqual({ class: expected.class, status, code, type, param }, expected);
  assert.match(error.requestID ?? "", /^req_/);
  assertSatisfies(schemas, "ErrorResponse", { error: error.error });
  assert.doesNotMatch(error.message, /127\.0\.0\.1|\bat \/|node_modules|\.ts\b/);
  return error;
}
