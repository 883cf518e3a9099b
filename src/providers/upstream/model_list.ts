/**
 * The free question of most upstreams: which models they have.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";

/** Where an upstream lists its models. */
export interface ModelList {
  readonly path: string;
  /** Where all of it is, if that is another place. */
  readonly wholePath?: string;
  /** Whether it is only its beginning, which says nothing of how many there are. */
  readonly isPart?: true;
  /** The models in its body; `undefined` when it is no such list. */
  modelsIn(body: JsonObject): readonly unknown[] | undefined;
  /** What it says that a model can, as a catalogue file has it in `supports`; absent: nothing. */
  readonly supportsIn?: (model: JsonObject) => Readonly<JsonObject>;
}
