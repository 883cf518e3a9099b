/**
 * Calls operations: of this process, or of another one by HTTP. What comes back from there is held
 * against the operation's schema, so its type is no promise of the one that answers.
 *
 * @module
 */

import type * as z from "zod";
import { readShown, type Shown } from "../../documents/shown.ts";
import type { AdminDeps, ChangeOrigin } from "./deps.ts";
import type { Operation, OperationMethod } from "./operation.ts";
import { runOperation } from "./run_operation.ts";

/** Runs operations, wherever that is. */
export interface AdminClient {
  /** @throws {UnreadableAnswer} And whatever the operation throws. */
  call<Input extends z.ZodType, Output extends z.ZodType>(
    operation: Operation<Input, Output>,
    input: z.input<Input>,
  ): Promise<Shown<Output>>;
}

/** An operation as a request. */
export interface AdminRequest {
  readonly method: OperationMethod;
  /** With its query, from `/admin/v1` on. */
  readonly path: string;
  readonly body: string | undefined;
}

/** An answer in another shape than its operation's: that of another version. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
  /** Whether the operation may have changed something. */
  readonly hasEffect: boolean;

  constructor({ name, changes }: Operation, cause: unknown) {
    super(`What ${name} answered has another shape than it should`, { cause });
    this.hasEffect = changes !== undefined;
  }
}

/** Makes a client of whatever carries requests: `send` gives the JSON of an answer, or throws. */
export function createAdminClient(
  send: (request: AdminRequest) => Promise<unknown>,
): AdminClient {
  return {
    async call(operation, input) {
      return readAnswer(operation, await send(requestOf(operation, input as object)));
    },
  };
}

/**
 * What an operation has answered.
 *
 * @throws {UnreadableAnswer}
 */
export function readAnswer<Input extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
  given: unknown,
): Shown<Output> {
  const answer = readShown(operation.output, given);
  if (!answer.ok) throw new UnreadableAnswer(operation, answer.error);
  return answer.value;
}

/** Makes a client of this process's own operations, for whoever asks here. */
export function createLocalClient(deps: AdminDeps, origin: ChangeOrigin): AdminClient {
  return { call: (operation, input) => runOperation(operation, { deps, input, origin }) };
}

/** An operation's request: the input's parts are in the path; what is left is the query or the body. */
export function requestOf({ method, path: template }: Operation, input: object): AdminRequest {
  const rest = new Map<string, unknown>(Object.entries(input));
  const path = "/admin/v1" + template.replaceAll(/\{(\w+)\}/g, (_part, name: string) => {
    const value = String(rest.get(name));
    rest.delete(name);
    return encodeURIComponent(value);
  });
  if (method === "POST") {
    return { method, path, body: JSON.stringify(Object.fromEntries(rest)) };
  }
  const query = new URLSearchParams();
  for (const [name, value] of rest) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) query.append(name, String(one));
    }
  }
  return { method, path: query.size === 0 ? path : `${path}?${query}`, body: undefined };
}
