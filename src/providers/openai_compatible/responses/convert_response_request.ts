/**
 * The caller's body of the Responses API as an upstream that has it gets it.
 *
 * @module
 */

import { RESPONSE_LIMIT_FIELD } from "../../../dialects/openai_responses/schemas.ts";
import { isObject, type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";
import { isOwnSeal } from "../../../dialects/turns/own_seal.ts";
import { applyRules, dropFields } from "../../contract/body_rules.ts";
import type { ProviderCall } from "../../contract/provider.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";

/**
 * Items that say everything themselves, so that OpenAI's schema lets them come
 * without an id. Others (`web_search_call`, `mcp_call` …) need theirs and keep it.
 */
const WITHOUT_ID: ReadonlySet<unknown> = new Set([
  undefined,
  "message",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "computer_call_output",
  "shell_call_output",
  "apply_patch_call_output",
]);

/**
 * A conversation as any upstream understands it: without what only the upstream that wrote it could
 * look up. Nothing is kept at an upstream (`store: false`), and each turn may be served by another one.
 * So an id in the input is a reference to nothing: OpenAI answers 404 to a reasoning item that it would
 * have to look up, 400 to ids that it did not make, and 400 to a call whose reasoning it remembers but
 * does not get.
 *
 * Takes ids away where they are not needed, and reasoning that came without its
 * encrypted content, or was wrapped here because another upstream had it. Items are
 * copied where they change.
 *
 * @throws {UpstreamError} `caller` for an `item_reference`, which names an item
 * that no upstream keeps.
 */
function portableInput(input: readonly unknown[]): unknown[] {
  const portable: unknown[] = [];
  for (const [index, item] of input.entries()) {
    if (!isObject(item)) portable.push(item);
    else if (item.type === "item_reference") throw noSuchItem(index);
    else if (item.type === "reasoning") {
      if (isSealed(item) && !isOwnSeal(item.encrypted_content)) portable.push(item);
    } else portable.push(WITHOUT_ID.has(item.type) ? withoutId(item) : item);
  }
  return portable;
}

/** Whether an item is reasoning that only the account which sealed it can read. */
export function isSealed(item: unknown): boolean {
  return isObject(item) && item.type === "reasoning" &&
    nonEmptyString(item.encrypted_content) !== undefined;
}

function withoutId(item: JsonObject): JsonObject {
  if (!("id" in item)) return item;
  const { id: _id, ...rest } = item;
  return rest;
}

function noSuchItem(index: number): UpstreamError {
  const param = `input[${index}]`;
  return new UpstreamError("caller", "The request refers to an item that no upstream keeps", {
    status: 400,
    code: "invalid_value",
    param,
    publicMessage:
      `Cannot look up the item that '${param}' refers to: send the item itself, or name the response it is from as 'previous_response_id'`,
  });
}

const SEALED = "reasoning.encrypted_content";

/**
 * Builds the upstream body. Order: the caller's fields, `default` where there is
 * none, `set`, the output limit, `drop` last; `model` and `stream` are
 * always the gateway's, and the upstream keeps nothing.
 *
 * A request with `reasoning` also asks for the reasoning sealed, which is the only
 * form in which the next turn can bring it back. Not others: OpenAI's models that
 * do not reason refuse to be asked for it.
 *
 * @throws {UpstreamError} `caller` for input that refers to what no upstream keeps.
 */
export function convertResponseRequest(
  call: ProviderCall,
  { stream }: { readonly stream: boolean },
): JsonObject {
  const { route, outputTokensCap } = call;
  const rules = route.body;
  const body: JsonObject = { ...call.body };
  applyRules(body, rules);
  body.model = route.upstreamModel;
  if (Array.isArray(body.input)) body.input = portableInput(body.input);
  if (outputTokensCap !== undefined) body[RESPONSE_LIMIT_FIELD] = outputTokensCap;
  if (isObject(body.reasoning)) body.include = withSealed(body.include);
  body.store = false;
  body.stream = stream;
  if (!stream) delete body.stream_options;
  dropFields(body, rules);
  return body;
}

function withSealed(include: unknown): unknown[] {
  const asked = Array.isArray(include) ? include : [];
  return asked.includes(SEALED) ? asked : [...asked, SEALED];
}
