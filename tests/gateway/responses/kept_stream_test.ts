import assert from "node:assert/strict";
import { GatewayError } from "../../../src/errors.ts";
import type { AnswerEvent, AnswerFacts } from "../../../src/dialects/base/answer.ts";
import type { CallRequest } from "../../../src/gateway/call_request.ts";
import { KeptStream } from "../../../src/gateway/responses/response_kinds.ts";
import type { ResponsePlan } from "../../../src/gateway/responses/own_response.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { eventsOf } from "../../support/responses_gateway.ts";

const FACTS: AnswerFacts = {
  provider: "acme",
  route: "acme/m",
  usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
  pricing: { currency: "USD", cost_amount: "0.00000001", sale_amount: "0.00000002" },
};

function plan(changes: Partial<ResponsePlan> = {}): ResponsePlan {
  return {
    id: "resp_own",
    call: {
      identity: { requestId: "req_1", callId: 7 },
      caller: { project: { id: "acme" } },
    } as unknown as CallRequest,
    own: { store: true, background: false, previous_response_id: "resp_before" },
    input: [{ id: "msg_1", type: "message" }],
    sealSummary: (summary) => summary,
    conversation: [],
    earlierItems: 0,
    previousId: "resp_before",
    isStored: true,
    takeRoom: () => undefined,
    promiseRoom: () => ({ left: 0, spend() {}, end() {} }),
    isBackground: false,
    createdAt: 1_700_000_000_900,
    ...changes,
  };
}

function event(chunk: JsonObject, finished = false): AnswerEvent {
  return { chunk, text: "", usage: undefined, usageBody: undefined, finished, empty: false };
}

const begun = () =>
  event({
    type: "response.created",
    response: { id: "upstream", status: "in_progress", output: [], model: "upstream-model" },
  });
const ended = () =>
  event({
    type: "response.completed",
    response: { id: "upstream", status: "completed", output: [{ id: "msg_9" }] },
  }, true);

Deno.test("KeptStream holds the last event back until what it says of itself is known", () => {
  const dialect = new KeptStream(plan(), "m");
  const [created] = eventsOf(dialect.frame(begun()));
  assert.deepEqual(created, {
    type: "response.created",
    sequence_number: 0,
    response: {
      id: "resp_own",
      created_at: 1_700_000_000,
      status: "in_progress",
      output: [],
      model: "m",
      store: true,
      background: false,
      previous_response_id: "resp_before",
    },
  });
  assert.equal(dialect.frame(ended()), "");
  const tail = dialect.tail(FACTS);
  assert.match(tail, /^: tollgate \{"provider":"acme"/);
  const [completed] = eventsOf(tail);
  assert.equal(completed!.sequence_number, 1);
  const { response } = completed as { response: JsonObject };
  assert.deepEqual([response.id, response.model, response.status], ["resp_own", "m", "completed"]);
  for (const [name, fact] of Object.entries(FACTS)) assert.deepEqual(response[name], fact);
});

Deno.test("KeptStream tells a failure in the place of a tail that was made and not sent", () => {
  const dialect = new KeptStream(plan(), "m");
  dialect.frame(begun());
  dialect.frame(ended());
  assert.equal(dialect.tail(FACTS), dialect.tail(FACTS));
  const [failed, error] = eventsOf(
    dialect.errorFrame(new GatewayError("storage_full", "full")),
  ) as [JsonObject, JsonObject];
  assert.deepEqual([failed.sequence_number, error.sequence_number], [1, 2]);
  const response = failed.response as JsonObject;
  assert.equal("pricing" in response || "usage" in response, false, "nothing was charged");
});

Deno.test("KeptStream keeps what its caller sees, and nothing when told so", () => {
  const dialect = new KeptStream(plan(), "m");
  dialect.frame(begun());
  dialect.frame(ended());
  const kept = dialect.keep(FACTS)!;
  const [completed] = eventsOf(dialect.tail(FACTS)) as [{ response: JsonObject }];
  const { body, input, ...row } = kept;
  assert.deepEqual(JSON.parse(body), completed.response);
  assert.deepEqual(JSON.parse(input), plan().input);
  assert.deepEqual(row, {
    id: "resp_own",
    callId: 7,
    projectId: "acme",
    status: "completed",
    isBackground: false,
    previousId: "resp_before",
    createdAt: 1_700_000_000_900,
    expiresAt: 1_700_000_000_900 + 30 * 24 * 3_600_000,
  });
  const unstored = new KeptStream(plan({ isStored: false }), "m");
  unstored.frame(ended());
  assert.equal(unstored.keep(FACTS), undefined);
});

Deno.test("KeptStream tells a failure as an event and as an error, in OpenAI's words", () => {
  const tell = (error: GatewayError) => {
    const dialect = new KeptStream(plan(), "m");
    dialect.frame(begun());
    return eventsOf(dialect.errorFrame(error)) as [JsonObject, JsonObject];
  };
  for (
    const [name, code, shown, type] of [
      ["upstream_error", "upstream_error", "server_error", "server_error"],
      ["storage_full", "storage_full", "server_error", "server_error"],
      ["pool_limit_exceeded", "POOL_LIMIT_EXCEEDED", "rate_limit_exceeded", "rate_limit_error"],
    ] as const
  ) {
    const [failed, error] = tell(new GatewayError(name, "It broke", { cause: "gpu-7" }));
    assert.deepEqual([failed.type, failed.sequence_number], ["response.failed", 1]);
    const { status, error: told, id } = failed.response as JsonObject;
    assert.deepEqual([id, status], ["resp_own", "failed"]);
    assert.deepEqual(told, { code: shown, message: "It broke", type });
    const flat = { code, message: "It broke", param: null };
    assert.deepEqual(error, {
      type: "error",
      sequence_number: 2,
      ...flat,
      error: { type, ...flat },
    });
    assert.doesNotMatch(JSON.stringify([failed, error]), /gpu-7/);
  }
});
