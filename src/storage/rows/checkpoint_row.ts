/**
 * Checkpoints as rows.
 *
 * @module
 */

import type { Checkpoint } from "../../domain/checkpoint.ts";
import { integer, named, RowOf, text } from "./row_of.ts";

export const CHECKPOINT = new RowOf<Checkpoint>({
  number: integer(),
  lastSeq: integer(),
  firstCallId: integer(),
  lastCallId: integer(),
  calls: integer(),
  beforeMs: named("before_at", integer()),
  file: text(),
  sha256: text(),
});
