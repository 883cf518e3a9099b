/**
 * Reads the events of a stream of Converse: each becomes a chunk under its name.
 *
 * @module
 */

import { readUsage, termsOf } from "../../dialects/bedrock_converse/usage.ts";
import type { AnswerEvent } from "../../dialects/base/answer.ts";
import { asObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import type { Terms } from "../../domain/terms.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { EventReader } from "../upstream/event_feed.ts";

/** How long the counts are waited for once the reason is told. */
const REST_MS = 10_000;

export class ConverseReader implements EventReader {
  readonly endMark = undefined;
  readonly #contextTokens: number | undefined;
  #hasBegun = false;
  #hasReason = false;
  #hasCounts = false;

  constructor(contextTokens: number | undefined) {
    this.#contextTokens = contextTokens;
  }

  get isOver(): boolean {
    return this.#hasReason && this.#hasCounts;
  }

  get restMs(): number | undefined {
    return this.#hasReason ? REST_MS : undefined;
  }

  read(value: JsonObject, name: string, events: AnswerEvent[]): void {
    this.#hasBegun = true;
    // Of any length, so that lengths give nothing away.
    delete value.p;
    const chunk = { [name]: value };
    switch (name) {
      case "contentBlockStart": {
        const call = asObject(asObject(value.start)?.toolUse);
        return this.#add(events, chunk, { text: nonEmptyString(call?.name) ?? "" });
      }
      case "contentBlockDelta":
        return this.#add(events, chunk, writtenIn(asObject(value.delta) ?? {}));
      case "messageStop":
        requireSound(value.stopReason);
        this.#hasReason = true;
        return this.#add(events, chunk, { finished: true });
      case "metadata": {
        const usage = asObject(value.usage);
        this.#hasCounts = true;
        return this.#add(events, chunk, {
          ...(usage && { usage: readUsage(usage, this.#contextTokens), usageBody: usage }),
          terms: termsOf(value),
        });
      }
      default:
        return this.#add(events, chunk, {});
    }
  }

  end(_by: "mark" | "body", _events: AnswerEvent[]): void {
    if (!this.#hasBegun) throw new UpstreamError("broken", "The upstream sent an empty stream");
    if (!this.#hasReason) {
      throw new UpstreamError("broken", "The upstream cut its stream before a stop reason");
    }
  }

  cutShort(events: AnswerEvent[]): void {
    this.#add(events, { messageStop: { stopReason: "max_tokens" } }, { finished: true });
  }

  #add(
    events: AnswerEvent[],
    chunk: JsonObject,
    told: Partial<AnswerEvent> & { readonly terms?: Terms | undefined },
  ): void {
    events.push({
      chunk,
      text: "",
      usage: undefined,
      usageBody: undefined,
      finished: false,
      empty: false,
      ...told,
    });
  }
}

/** @throws {UpstreamError} `broken` where the model has said something that is no answer. */
export function requireSound(reason: unknown): void {
  if (reason !== "malformed_model_output" && reason !== "malformed_tool_use") return;
  throw new UpstreamError("broken", `The upstream's model ended with ${reason}`, { status: 200 });
}

function writtenIn({ text, toolUse, reasoningContent }: JsonObject): Partial<AnswerEvent> {
  const thoughts = asObject(reasoningContent);
  if (thoughts !== undefined) {
    const thought = nonEmptyString(thoughts.text) ?? "";
    return { text: thought, thoughts: thought.length, ...(thought === "" && { isAtWork: true }) };
  }
  const written = [text, asObject(toolUse)?.input].find((one) => typeof one === "string");
  return { text: (written as string | undefined) ?? "" };
}
