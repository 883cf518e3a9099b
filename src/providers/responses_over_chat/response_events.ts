/**
 * A chat stream as a stream of events of the Responses API.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../domain/json_value.ts";
import type { ProviderCall } from "../provider.ts";
import type { AnswerEvent, AnswerRoom, AnswerStream } from "../../dialects/answer.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import { responseUsageBody } from "../../dialects/openai_responses/usage_body.ts";
import { MAX_ANSWER_BYTES } from "../transport/limits.ts";
import { EventWriter } from "./event_writer.ts";
import { OpenCall } from "./open_call.ts";
import { OpenMessage } from "./open_message.ts";
import { OpenReasoning } from "./open_reasoning.ts";
import { thoughtsOf } from "../thoughts.ts";
import { logprobsOf } from "./output_items.ts";
import { endResponse, type ResponseEnd, responseEnd } from "./response_end.ts";
import { responseHead, showServiceTier } from "./response_head.ts";
import type { ToResponseOptions } from "./to_response.ts";

/**
 * Converts the first choice of a stream, read by read.
 *
 * Reasoning and message items end when something else begins; tool calls stay
 * open until the finish reason, because an upstream may write several in turns.
 * The last event waits for the end of the chat stream, behind which is its usage.
 */
export class ResponseEvents implements AnswerStream {
  readonly #chat: AnswerStream;
  readonly #request: Readonly<JsonObject>;
  readonly #options: ToResponseOptions;
  readonly #room: AnswerRoom | undefined;
  readonly #events = new EventWriter();
  /** Made with the first chunk; the settings that are said back. */
  #head: JsonObject | undefined;
  /** Whole items, by output index. */
  readonly #output: JsonObject[] = [];
  #items = 0;
  #reasoning: OpenReasoning | undefined;
  #message: OpenMessage | undefined;
  #writingIndex = 0;
  /** By chat's number of the call. */
  readonly #calls = new Map<unknown, OpenCall>();
  #end: ResponseEnd = responseEnd(null);
  #usage: JsonObject | undefined;
  #serviceTier: unknown;
  /** UTF-16 units that are kept for the items' ends. */
  #kept = 0;
  #isDone = false;

  /** @param call The call in the form of the Responses API. */
  constructor(chat: AnswerStream, call: ProviderCall, options: ToResponseOptions) {
    this.#chat = chat;
    this.#request = call.body;
    this.#room = call.room;
    this.#options = options;
  }

  async next(): Promise<readonly AnswerEvent[] | undefined> {
    while (!this.#isDone) {
      const chatEvents = await this.#chat.next();
      if (chatEvents === undefined) this.#finish();
      else for (const event of chatEvents) this.#add(event);
      if (!this.#events.isEmpty) return this.#events.take();
    }
    return undefined;
  }

  cancel(): void {
    this.#chat.cancel();
  }

  cutShort(): readonly AnswerEvent[] {
    for (const event of this.#chat.cutShort?.() ?? []) this.#add(event);
    this.#finish();
    return this.#events.isEmpty ? [] : this.#events.take();
  }

  #add({ chunk, text, usage, usageBody }: AnswerEvent): void {
    if (this.#head === undefined) this.#begin(chunk);
    if (chunk.service_tier !== undefined) this.#serviceTier = chunk.service_tier;
    this.#kept += text.length;
    this.#room?.countAnswer(text.length);
    if (this.#kept > MAX_ANSWER_BYTES) {
      throw new UpstreamError("broken", "The upstream's stream is longer than any answer");
    }
    const choices = chunk.choices as readonly unknown[];
    for (const choice of choices) {
      if (isObject(choice) && choice.index === 0) this.#addChoice(choice);
    }
    if (usageBody !== undefined) {
      this.#usage = usage === undefined ? undefined : responseUsageBody(usage, usageBody);
      this.#events.report({ usage, usageBody: this.#usage });
    }
  }

  #begin(chunk: JsonObject): void {
    const head = this.#head = responseHead(this.#request, chunk);
    // Copies: who gets an event may change it.
    this.#events.add({ type: "response.created", response: { ...head } });
    this.#events.add({ type: "response.in_progress", response: { ...head } });
  }

  #addChoice({ delta, logprobs, finish_reason }: JsonObject): void {
    if (isObject(delta)) {
      const thoughts = thoughtsOf(delta);
      if (thoughts !== "") this.#openReasoning().write(thoughts);
      if (typeof delta.content === "string" && delta.content !== "") {
        this.#openMessage().writeText(delta.content, logprobsOf(logprobs));
      }
      if (typeof delta.refusal === "string" && delta.refusal !== "") {
        this.#openMessage().writeRefusal(delta.refusal);
      }
      if (Array.isArray(delta.tool_calls)) {
        for (const call of delta.tool_calls) if (isObject(call)) this.#addCall(call);
      }
    }
    if (finish_reason === null || finish_reason === undefined) return;
    this.#end = responseEnd(finish_reason);
    this.#closeAll();
  }

  #addCall(delta: JsonObject): void {
    let call = this.#calls.get(delta.index);
    if (call === undefined) {
      this.#closeWriting("completed");
      call = new OpenCall(delta, this.#items++, {
        ids: this.#options.ids,
        events: this.#events,
      });
      this.#calls.set(delta.index, call);
    }
    call.write(delta);
  }

  #openReasoning(): OpenReasoning {
    if (this.#reasoning !== undefined) return this.#reasoning;
    this.#closeWriting("completed");
    const id = this.#options.ids.item("rs");
    this.#writingIndex = this.#items++;
    return this.#reasoning = new OpenReasoning(id, this.#writingIndex, this.#events);
  }

  #openMessage(): OpenMessage {
    if (this.#message !== undefined) return this.#message;
    this.#closeWriting("completed");
    const id = this.#options.ids.item("msg");
    this.#writingIndex = this.#items++;
    return this.#message = new OpenMessage(id, this.#writingIndex, this.#events);
  }

  #closeWriting(status: "completed" | "incomplete"): void {
    const item = this.#reasoning?.close() ?? this.#message?.close(status);
    if (item !== undefined) this.#output[this.#writingIndex] = item;
    this.#reasoning = this.#message = undefined;
  }

  /** Ends every item; only the last one can have been cut. */
  #closeAll(): void {
    const last = this.#items - 1;
    const { status } = this.#end;
    const isWriting = this.#writingIndex === last;
    for (const call of this.#calls.values()) {
      this.#output[call.outputIndex] = call.close(call.outputIndex === last ? status : "completed");
    }
    this.#calls.clear();
    this.#closeWriting(isWriting ? status : "completed");
  }

  /** The end of the chat stream. */
  #finish(): void {
    this.#isDone = true;
    if (this.#head === undefined) return;
    this.#closeAll();
    const response: JsonObject = { ...this.#head, output: this.#output };
    endResponse(response, this.#end, Math.floor(this.#options.clock.now() / 1000));
    showServiceTier(response, this.#serviceTier);
    if (this.#usage !== undefined) response.usage = this.#usage;
    this.#events.addLast({ type: `response.${this.#end.status}`, response });
  }
}
