/**
 * Checks the whole file of a batch before any of it is asked.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { BatchFault } from "../domain/batch.ts";
import type { JsonObject } from "../domain/json_value.ts";
import { inputLines } from "./input_lines.ts";
import { type LineBounds, readRequest } from "./read_request.ts";

/** Lines of one batch at most, as OpenAI has it. */
export const MOST_LINES = 50_000;
/** Texts that one batch has embedded at most, as OpenAI has it. */
const MOST_EMBEDDED = 50_000;
/** Faults that are told of; whoever has more begins with these. */
const MOST_FAULTS = 100;

/** A file that can be asked. */
export interface CheckedInput {
  readonly total: number;
  /** Of the first line. */
  readonly model: string | undefined;
  readonly faults: readonly BatchFault[];
}

/** Which file, and what its lines have to be. */
export interface CheckOptions {
  readonly path: string;
  readonly endpoint: string;
  readonly bounds: LineBounds;
  /** Fires when nobody wants to know any more. */
  readonly signal: AbortSignal;
}

/** Reads every line once; what is wrong is told with its line. */
export async function checkInput(
  { path, endpoint, bounds, signal }: CheckOptions,
): Promise<CheckedInput> {
  const faults: BatchFault[] = [];
  /** By a short hash of the id: ids may be long, and are many. */
  const lines = new Map<string, number>();
  let total = 0;
  let embedded = 0;
  let model: string | undefined;
  for await (const input of inputLines(path, bounds.mostBytes)) {
    if (signal.aborted || faults.length >= MOST_FAULTS) break;
    if (++total > MOST_LINES) {
      faults.push(faultOf(`The file has more than ${MOST_LINES} lines: make several batches`, {
        code: "too_many_lines",
        line: input.line,
      }));
      break;
    }
    const request = readRequest(input, { endpoint, bounds });
    if ("fault" in request) {
      faults.push(request.fault);
      continue;
    }
    embedded += embeddedBy(endpoint, request.body);
    if (embedded > MOST_EMBEDDED) {
      faults.push(faultOf(
        `The lines have more than ${MOST_EMBEDDED} inputs together: make several batches`,
        { code: "too_many_inputs", line: input.line, param: "body.input" },
      ));
      break;
    }
    const id = createHash("sha256").update(request.customId).digest("base64").slice(0, 24);
    const first = lines.get(id);
    if (first === undefined) lines.set(id, input.line);
    else {
      faults.push(faultOf(`This 'custom_id' is that of line ${first} too: each needs its own`, {
        code: "duplicate_custom_id",
        line: input.line,
        param: "custom_id",
      }));
    }
    if (total === 1 && typeof request.body.model === "string") {
      model = request.body.model.slice(0, 200);
    }
  }
  if (total === 0) {
    faults.push(faultOf("The file has no requests: each line is one", { code: "empty_file" }));
  }
  return { total, model, faults };
}

/** Inputs of a line: a list of texts or of token lists is several, of numbers it is one. */
function embeddedBy(endpoint: string, { input }: JsonObject): number {
  if (endpoint !== "/v1/embeddings") return 0;
  return Array.isArray(input) && typeof input[0] !== "number" ? input.length : 1;
}

function faultOf(
  message: string,
  { code, line = null, param = null }: Pick<BatchFault, "code"> & Partial<BatchFault>,
): BatchFault {
  return { code, message, param, line };
}
