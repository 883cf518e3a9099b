/**
 * Holds every answer of an operation, and every refusal, against what the operation says of itself.
 * Imported for its effect by whatever runs operations in tests.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  CHANGE_ERRORS,
  COMMON_ERRORS,
  type OperationShape,
} from "../../src/admin/base/operation.ts";
import { watchAnswers } from "../../src/admin/base/run_operation.ts";
import { GatewayError } from "../../src/errors.ts";

watchAnswers(async (operation, answer) => {
  const value = await answer.catch((error: unknown) => {
    if (error instanceof GatewayError) assertDeclared(operation, error);
    throw error;
  });
  const told = JSON.parse(JSON.stringify(value));
  // What the schema does not name would be left out, and so differ.
  const read = operation.output.parse(told);
  assert.deepEqual(read, told, `${operation.name} answers as it says`);
  // Whoever asks through a server reads it in the schema's order: nobody else should see another.
  assert.equal(JSON.stringify(read), JSON.stringify(told), `${operation.name} answers in order`);
  return value;
});

function assertDeclared({ name, changes, errors }: OperationShape, error: GatewayError): void {
  const changing = changes !== undefined ? CHANGE_ERRORS : [];
  const declared = [...COMMON_ERRORS, ...changing, ...errors];
  assert.ok(declared.includes(error.error), `${name} is refused with ${error.error}: ${error}`);
}
