/**
 * A call to `echo-1` between its decision and its delivery.
 *
 * @module
 */

import type { Usage } from "../../domain/usage.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { Patience } from "./patience.ts";
import type { PlannedChoice } from "./plan_echo.ts";

/** A call whose answer is decided. */
export interface Begun {
  readonly choices: readonly PlannedChoice[];
  readonly usage: Usage;
  /** Fields of the answer, or of every chunk. */
  readonly head: JsonObject;
  readonly patience: Patience;
}
