/**
 * A call to `echo-1` between its decision and its delivery.
 *
 * @module
 */

import type { Work } from "../../domain/work.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { Patience } from "./patience.ts";
import type { PlannedChoice } from "./plan_echo.ts";

/** A call whose answer is decided. */
export interface Begun {
  readonly choices: readonly PlannedChoice[];
  readonly usage: Work;
  /** Fields of the answer, or of every chunk. */
  readonly head: JsonObject;
  readonly patience: Patience;
}
