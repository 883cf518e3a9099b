/**
 * One request of the Responses API, ready to be asked.
 *
 * @module
 */

import type { RoomPromise } from "../../accounts/kept_room.ts";
import type { NoRoom } from "../../domain/kept_bytes.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { CallRequest } from "../call_request.ts";

/** What is known of a response before anyone is asked. */
export interface ResponsePlan {
  /** `resp_` and 40 characters of base32. */
  readonly id: string;
  /** Its `body` carries the whole conversation in `input`. */
  readonly call: CallRequest;
  /** Fields of the Response object that are the gateway's to say: `store`, `previous_response_id` … */
  readonly own: Readonly<JsonObject>;
  /** The request's own input items, with ids, without those of earlier answers. */
  readonly input: readonly JsonObject[];
  /** How many items of the call's `input` are from earlier answers. */
  readonly earlierItems: number;
  readonly previousId: string | undefined;
  readonly isStored: boolean;
  /** Takes room to keep so many bytes, for this turn: see `KeptRoom`. */
  readonly takeRoom: (bytes: number) => NoRoom | undefined;
  /** Has room promised to keep so many bytes, for what is still to be made. */
  readonly promiseRoom: (bytes: number) => RoomPromise | NoRoom;
  readonly isBackground: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}
