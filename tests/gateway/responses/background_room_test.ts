import assert from "node:assert/strict";
import type { RoomPromise } from "../../../src/accounts/kept_room.ts";
import { BackgroundRoom } from "../../../src/gateway/responses/background_room.ts";
import {
  pendingBody,
  type ResponsePlan,
  storedResponse,
} from "../../../src/gateway/responses/own_response.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";

/** A plan of which one thing is looked at: what is kept. */
function planOf(input: readonly JsonObject[], takeRoom: ResponsePlan["takeRoom"]): ResponsePlan {
  let left = 0;
  const promise: RoomPromise = {
    get left() {
      return left;
    },
    spend: (bytes) => void (left -= bytes),
    end: () => void (left = 0),
  };
  const call = {
    identity: { callId: 1, requestId: "req_1" },
    caller: { project: { id: "p" } },
    model: "m",
    body: { input, max_output_tokens: 16 },
  };
  return {
    id: "resp_1",
    call: call as unknown as ResponsePlan["call"],
    own: { store: true, background: true },
    input,
    sealSummary: (summary) => summary,
    conversation: [],
    earlierItems: 0,
    previousId: undefined,
    isStored: true,
    takeRoom,
    promiseRoom(bytes) {
      left = bytes;
      return promise;
    },
    isBackground: true,
    createdAt: 0,
  };
}

for (const refusal of [undefined, "quota"] as const) {
  Deno.test(`the end of an answer in the background carries no input again (no room: ${refusal})`, () => {
    const input = [{ role: "user", content: "x".repeat(10_000) }];
    const plan = planOf(input, () => refusal);
    const queued = storedResponse(plan, pendingBody(plan, { model: "m", status: "queued" }));
    assert.equal(queued.input, JSON.stringify(input));
    const room = new BackgroundRoom(plan, queued);
    room.keepQueued(queued);
    const long = { id: "resp_1", status: "completed", output: ["y".repeat(1_000)] };
    const { response, unkept } = room.keepFinished(long);
    assert.equal(unkept, refusal);
    assert.equal(response!.input, "");
    assert.equal(response!.status, refusal === undefined ? "completed" : "failed");
  });
}
