/**
 * An answer as a message, and as the events that write it: one block at a time, so that what comes
 * beside a call waits for that call's end.
 *
 * @module
 */

import { asObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import type { Work } from "../../domain/work.ts";
import type { EventQueue } from "../base/event_queue.ts";
import type { AnswerParts, AnswerWriter } from "../base/turns_format.ts";
import type { AnswerHead, BlockEnd, FinishReason, OpenBlock } from "../turns/answer_sink.ts";
import type { Seal } from "../turns/blocks.ts";
import { longNames, wrapId } from "./tool_names.ts";
import { usageBody } from "./usage.ts";

const REASONS: { readonly [reason in FinishReason]: string } = {
  done: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
  filter: "refusal",
};

type Kind = "text" | "thinking" | "tool_use";

interface Draft {
  readonly kind: Kind;
  /** As it begins. */
  readonly head: JsonObject;
  text: string;
  /** What of the text is told. */
  told: number;
  isClosed: boolean;
  /** Of thoughts, once they are closed. */
  signature?: string;
}

export class MessageAnswerWriter implements AnswerWriter {
  readonly #parts: AnswerParts;
  readonly #events: EventQueue | undefined;
  readonly #longNames: ReadonlyMap<string, string>;
  whole: JsonObject = {};
  #head: JsonObject = {};
  /** By the number that its teller has for it. */
  readonly #drafts = new Map<number, Draft>();
  /** In the order in which they are told. */
  readonly #all: Draft[] = [];
  /** The one that is told now, and whether it has begun. */
  #at = 0;
  #hasBegun = false;
  #reason: FinishReason = "done";
  #hasRefused = false;
  #usage: JsonObject | undefined;

  constructor(request: Readonly<JsonObject>, parts: AnswerParts, events?: EventQueue) {
    this.#parts = parts;
    this.#events = events;
    this.#longNames = longNames(request);
  }

  begin({ model }: AnswerHead): void {
    this.#head = {
      id: this.#parts.ids.item("msg"),
      type: "message",
      role: "assistant",
      model,
    };
    const usage = { input_tokens: 0, output_tokens: 0 };
    const message = { ...this.#head, content: [], ...endOf(null), usage };
    this.#events?.add({ type: "message_start", message });
  }

  open(block: number, content: OpenBlock): void {
    if (content.type === "refusal") this.#hasRefused = true;
    const draft = {
      ...this.#headOf(content),
      text: "",
      told: 0,
      isClosed: false,
    };
    this.#drafts.set(block, draft);
    this.#all.push(draft);
    this.#tell();
  }

  write(block: number, text: string): void {
    this.#drafts.get(block)!.text += text;
    this.#tell();
  }

  close(block: number, { seal }: BlockEnd): void {
    this.#closeDraft(this.#drafts.get(block)!, seal);
    this.#drafts.delete(block);
    this.#tell();
  }

  finish(reason: FinishReason): void {
    this.#reason = reason;
  }

  usage(work: Work | undefined): void {
    this.#usage = work && usageBody(work);
    this.#events?.report({ usage: work, usageBody: this.#usage });
  }

  /** Named in the usage, where the price depends on it: a caller of this dialect knows other ones. */
  tier(): void {}

  end(): void {
    for (const draft of this.#all) if (!draft.isClosed) this.#closeDraft(draft);
    this.#tell();
    const end = endOf(this.#stopReason());
    const { stop_reason, stop_sequence, stop_details } = end;
    this.#events?.addLast({
      type: "message_delta",
      delta: { stop_reason, stop_sequence, stop_details },
    });
    this.whole = {
      ...this.#head,
      content: this.#all.map(wholeBlock),
      ...end,
      ...(this.#usage !== undefined && { usage: this.#usage }),
    };
  }

  /** Clients drop thoughts that have no signature. */
  #closeDraft(draft: Draft, seal?: Seal): void {
    draft.isClosed = true;
    if (draft.kind === "thinking") draft.signature = this.#parts.seal(seal);
  }

  #stopReason(): string {
    if (this.#hasRefused && this.#reason === "done") return REASONS.filter;
    // Some upstreams call their end the usual one although they wait for tools.
    const isCalling = this.#all.some(({ kind }) => kind === "tool_use");
    return REASONS[this.#reason === "done" && isCalling ? "calls" : this.#reason];
  }

  #headOf(content: OpenBlock): { readonly kind: Kind; readonly head: JsonObject } {
    switch (content.type) {
      case "text":
      case "refusal":
        return { kind: "text", head: { type: "text", text: "", citations: null } };
      case "reasoning":
        return { kind: "thinking", head: { type: "thinking", thinking: "", signature: "" } };
      case "call": {
        const id = wrapId(content.id ?? this.#parts.ids.toolCall());
        const name = this.#longNames.get(content.name) ?? content.name;
        return {
          kind: "tool_use",
          head: { type: "tool_use", id, name, input: {}, caller: { type: "direct" } },
        };
      }
    }
  }

  /** Tells what can be told: of the block in turn what is new, and of those after it once it is closed. */
  #tell(): void {
    const events = this.#events;
    if (events === undefined) return;
    for (;;) {
      const draft = this.#all[this.#at];
      if (draft === undefined) return;
      const index = this.#at;
      if (!this.#hasBegun) {
        this.#hasBegun = true;
        const text = draft.kind === "tool_use" ? String(draft.head.name) : "";
        events.add({ type: "content_block_start", index, content_block: { ...draft.head } }, text);
      }
      const text = draft.text.slice(draft.told);
      draft.told = draft.text.length;
      if (text !== "") {
        const delta = deltaOf(draft.kind, text);
        const chunk = { type: "content_block_delta", index, delta };
        events.add(chunk, text, draft.kind === "thinking");
      }
      if (!draft.isClosed) return;
      if (draft.kind === "thinking") {
        const delta = { type: "signature_delta", signature: draft.signature };
        events.add({ type: "content_block_delta", index, delta });
      }
      events.add({ type: "content_block_stop", index });
      this.#at++;
      this.#hasBegun = false;
    }
  }
}

function deltaOf(kind: Kind, text: string): JsonObject {
  switch (kind) {
    case "text":
      return { type: "text_delta", text };
    case "thinking":
      return { type: "thinking_delta", thinking: text };
    case "tool_use":
      return { type: "input_json_delta", partial_json: text };
  }
}

function wholeBlock({ kind, head, text, signature }: Draft): JsonObject {
  switch (kind) {
    case "text":
      return { ...head, text };
    case "thinking":
      return { ...head, thinking: text, signature };
    case "tool_use":
      return { ...head, input: inputOf(text) };
  }
}

/** Arguments that were cut are no object: none of them are to be run. */
function inputOf(text: string): JsonObject {
  if (nonEmptyString(text.trim()) === undefined) return {};
  try {
    return asObject(JSON.parse(text)) ?? {};
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {};
  }
}

/** What an answer says of its end; SDKs know all of these, if only as null. */
function endOf(reason: string | null) {
  return {
    stop_reason: reason,
    stop_sequence: null,
    stop_details: reason === REASONS.filter
      ? { type: "refusal", category: null, explanation: null }
      : null,
    container: null,
  };
}
