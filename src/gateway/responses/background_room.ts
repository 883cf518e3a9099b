/**
 * Room to keep an answer in the background, which nobody could be given otherwise: promised
 * before anyone is asked, so that no answer is made in vain that is no longer than usual.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { bytesOfResponse } from "../../accounts/kept_commits.ts";
import type { RoomPromise } from "../../accounts/kept_room.ts";
import type { NoRoom } from "../../domain/kept_bytes.ts";
import { ANSWER_NOT_KEPT } from "../../domain/call.ts";
import type { RequestIdentity } from "../../domain/ids.ts";
import { LIKELY_OUTPUT_TOKENS } from "../../domain/likely_output.ts";
import type { StoredResponse } from "../../domain/stored_response.ts";
import { GatewayError } from "../../errors.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { KeptResponse } from "../call_request.ts";
import { failedBody } from "./fail_unfinished.ts";
import { changedResponse, pendingBody, type ResponsePlan } from "./own_response.ts";

/** More is not looked for beforehand, however long an answer may become. */
const MOST_LIKELY_TOKENS = 8_192;
const BYTES_PER_TOKEN = 4;

/** The room of one answer, from before it is made until it is kept or given up. */
export class BackgroundRoom {
  readonly #plan: ResponsePlan;
  readonly #promise: RoomPromise;
  /** Bytes of the body that the answer's takes the place of. */
  #queuedBytes = 0;

  /**
   * @param queued The answer to come, as it is to be kept first.
   * @throws {GatewayError} `kept_quota_reached`, `storage_full` when the disk has no room.
   */
  constructor(plan: ResponsePlan, queued: StoredResponse) {
    const mostTokens = plan.call.body.max_output_tokens as number | null | undefined;
    const tokens = Math.min(mostTokens ?? LIKELY_OUTPUT_TOKENS, MOST_LIKELY_TOKENS);
    const promise = plan.promiseRoom(bytesOfResponse(queued) + tokens * BYTES_PER_TOKEN);
    if (typeof promise === "string") throw refused(promise);
    this.#plan = plan;
    this.#promise = promise;
  }

  /** Takes its part for the answer to come, which is given to the writer in this turn. */
  keepQueued(queued: StoredResponse): void {
    this.#promise.spend(Math.min(bytesOfResponse(queued), this.#promise.left));
    this.#queuedBytes = Buffer.byteLength(queued.body);
  }

  /** The answer as it is to be kept in this turn of the event loop, or why it is not. */
  keepFinished(body: JsonObject): KeptResponse {
    const response = changedResponse(this.#plan, body);
    const bytes = Math.max(0, Buffer.byteLength(response.body) - this.#queuedBytes);
    const beyond = bytes - this.#promise.left;
    // What was promised is there, whatever has become of the disk.
    const unkept = beyond > 0 ? this.#plan.takeRoom(beyond) : undefined;
    if (unkept === undefined) {
      this.#promise.spend(Math.min(bytes, this.#promise.left));
      return { response };
    }
    const failed = failedBody(pendingBody(this.#plan, { model: body.model, status: "failed" }), {
      code: ANSWER_NOT_KEPT,
      message: wordsFor(unkept, this.#plan.call.identity),
    });
    return { response: changedResponse(this.#plan, failed), unkept };
  }

  /** Gives back what is left. */
  end(): void {
    this.#promise.end();
  }
}

const MAKE_ROOM = "Delete kept answers (DELETE /v1/responses/{id})";

function refused(why: NoRoom): GatewayError {
  const [name, whose] = why === "quota"
    ? ["kept_quota_reached", "This project has"] as const
    : ["storage_full", "The gateway's disk has"] as const;
  return new GatewayError(
    name,
    `${whose} no room left to keep an answer, as 'background' needs; nothing was charged. ${MAKE_ROOM}, ask for an answer that needs less (a smaller 'max_output_tokens'), or send the request without 'background'`,
    { param: "background", retryAfterSeconds: 60 },
  );
}

/** What is told of an answer that was made and cannot be given. */
function wordsFor(why: NoRoom, { requestId }: RequestIdentity): string {
  return why === "quota"
    ? `This answer was made and charged, but this project has no room left to keep it: GET /v1/calls/${requestId} tells what it cost. ${MAKE_ROOM} before you ask for another one in the background`
    : "This answer was made, but the gateway's disk has no room left to keep it: it was not charged. Send the request again later, or without 'background'";
}
