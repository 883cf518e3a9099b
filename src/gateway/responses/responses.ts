/**
 * The Responses API as a use case: plans an answer in its conversation, has the
 * engine make it, at once, as a stream or in the background, and keeps it.
 *
 * @module
 */

import type { KeptRoom } from "../../accounts/kept_room.ts";
import type { Clock } from "../../domain/clock.ts";
import { randomName } from "../../domain/ids.ts";
import type { StoredResponse } from "../../domain/stored_response.ts";
import { GatewayError } from "../../errors.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { CommitQueue } from "../../storage/ports/commit_queue.ts";
import type { ResponseStore } from "../../storage/ports/storage.ts";
import type { CallEngine, StreamAnswer } from "../call_engine.ts";
import type { CallRequest } from "../call_request.ts";
import { callForSummary, compaction } from "./compaction.ts";
import { asksForCompaction, withSummaries } from "../../dialects/openai_responses/compaction.ts";
import { ForgedSummary, type SummarySeals } from "../../dialects/openai_responses/summary_seals.ts";
import { type AnswersAmongNodes, BackgroundResponses } from "./background_responses.ts";
import { loadConversation } from "./conversation.ts";
import { inputItems, requireCalls, resolveReferences } from "./input_items.ts";
import { responseAnswer, responseStream } from "./response_kinds.ts";
import type { ResponsePlan } from "./own_response.ts";

/** A checked request. */
export interface ResponseRequest {
  /** Its body is the caller's without the gateway's own fields, `input` as it came. */
  readonly call: CallRequest;
  readonly previousId: string | undefined;
  readonly isStored: boolean;
  readonly isBackground: boolean;
  /**
   * Counts what it brings into memory besides its body, for as long as the call's stay lasts.
   *
   * @throws {GatewayError} When too much is held already.
   */
  readonly reserve: (bytes: number) => void;
  /**
   * Waits until the project's turn to have so many bytes of kept answers read.
   *
   * @throws {GatewayError} When it would be waited for too long.
   */
  readonly awaitTurn: (bytes: number) => Promise<void> | undefined;
}

/** What it works with. */
export interface ResponsesDeps {
  readonly engine: CallEngine;
  readonly responses: ResponseStore;
  readonly commits: CommitQueue;
  readonly clock: Clock;
  readonly summaries: SummarySeals;
  /** Where projects take room for what is kept. */
  readonly room: Pick<KeptRoom, "take" | "promise">;
  /** Bytes that a whole conversation may have. */
  readonly maxConversationBytes: number;
  /** Where others make answers too. */
  readonly shared?: AnswersAmongNodes | undefined;
  /** Told of what went wrong when no caller was waiting. */
  readonly onError: (error: unknown) => void;
}

const ID_CHARACTERS = 40;
const ID = /^resp_[a-z2-7]{40}$/;

export class Responses {
  readonly #deps: ResponsesDeps;
  readonly #background: BackgroundResponses;

  constructor(deps: ResponsesDeps) {
    this.#deps = deps;
    this.#background = new BackgroundResponses(deps);
  }

  /**
   * Answers in one piece, as JSON text.
   *
   * @throws {GatewayError}
   */
  async answer(request: ResponseRequest): Promise<string> {
    const plan = await this.#plan(request);
    return plan.isBackground
      ? await this.#background.start(plan)
      : await this.#deps.engine.answer(plan.call, responseAnswer(plan));
  }

  /**
   * Answers with a stream of events.
   *
   * @throws {GatewayError}
   */
  async stream(request: ResponseRequest): Promise<StreamAnswer> {
    const plan = await this.#plan(request);
    return await this.#deps.engine.stream(plan.call, responseStream(plan));
  }

  /**
   * A call whose input is the whole conversation of a request.
   *
   * @throws {GatewayError}
   */
  async conversationOf(request: ResponseRequest): Promise<CallRequest> {
    return (await this.#plan(request)).call;
  }

  /**
   * A conversation as a shorter one, as JSON text. Nothing of it is kept here.
   *
   * @throws {GatewayError}
   */
  async compact(request: ResponseRequest): Promise<string> {
    const plan = await this.#plan({ ...request, isStored: false });
    return await this.#deps.engine.answer(callForSummary(plan), compaction(plan));
  }

  /** How many bytes an answer takes that the project keeps; `undefined` when there is none. */
  async size(projectId: string, responseId: string): Promise<number | undefined> {
    return ID.test(responseId)
      ? await this.#deps.responses.size({ projectId, responseId })
      : undefined;
  }

  /** An answer that the project keeps; `undefined` when there is none, or no longer. */
  async find(projectId: string, responseId: string): Promise<StoredResponse | undefined> {
    if (!ID.test(responseId)) return undefined;
    const kept = await this.#deps.responses.find({ projectId, responseId });
    if (kept === undefined || kept.expiresAt <= this.#deps.clock.now()) return undefined;
    return await this.#background.look(kept);
  }

  /**
   * Deletes a kept answer; one that is being made is given up.
   *
   * @returns Whether there was one.
   * @throws {GatewayError} `storage_full`
   */
  async remove(projectId: string, responseId: string): Promise<boolean> {
    if (await this.size(projectId, responseId) === undefined) return false;
    const result = await this.#deps.commits.commit({
      kind: "delete_response",
      responseId,
      projectId,
    });
    if (!result.ok && result.reason !== "missing") throw notWritten(result.message);
    await this.#background.abandon(responseId);
    return result.ok;
  }

  /**
   * Gives up an answer that is being made in the background, and gives it as it is
   * kept then.
   *
   * @param remember What is stored for the same request again, from the body.
   * @throws {GatewayError} `invalid_value` when it was not asked for in the background,
   * `storage_full`.
   */
  async cancel(
    projectId: string,
    responseId: string,
    remember?: CallRequest["remember"],
  ): Promise<StoredResponse | undefined> {
    const kept = await this.find(projectId, responseId);
    if (kept === undefined) return undefined;
    if (!kept.isBackground) {
      throw new GatewayError(
        "invalid_value",
        "Only a response that was created with 'background: true' can be cancelled",
      );
    }
    await this.#background.cancel(kept);
    const cancelled = await this.find(projectId, responseId);
    if (cancelled === undefined || remember === undefined) return cancelled;
    const record = remember(cancelled.body);
    // To cancel again changes nothing: a row that only says what is not kept would be in vain.
    if (record.body === undefined) return cancelled;
    const result = await this.#deps.commits.commit({ kind: "store_answer", record, responseId });
    if (result.ok) return cancelled;
    if (result.reason === "missing") return undefined;
    throw notWritten(result.message);
  }

  /** Gives up what is made here and was cancelled or deleted on another node; asked for again and again. */
  hearOthers(): Promise<void> {
    return this.#background.hearOthers();
  }

  /** Gives up what is being made in the background: the gateway stops and waits no longer. */
  stop(): Promise<void> {
    return this.#background.stop();
  }

  async #plan(request: ResponseRequest): Promise<ResponsePlan> {
    const { call, previousId, isStored, isBackground, reserve, awaitTurn } = request;
    const { responses, clock, maxConversationBytes, room, summaries } = this.#deps;
    const now = clock.now();
    const projectId = call.caller.project.id;
    const earlier = await loadConversation(responses, {
      projectId,
      previousId,
      now,
      maxBytes: maxConversationBytes,
      reserve,
      awaitTurn,
    });
    const { items: input, bytes } = await resolveReferences(
      responses,
      inputItems(call.body.input as string | readonly JsonObject[]),
      {
        projectId,
        earlier: earlier.items,
        now,
        maxBytes: maxConversationBytes - earlier.bytes,
        reserve,
        awaitTurn,
      },
    );
    const conversation = [...earlier.items, ...input];
    const items = withSummaries(conversation, (wrapped, index) => {
      try {
        return summaries.unwrap(projectId, wrapped);
      } catch (error) {
        if (!(error instanceof ForgedSummary)) throw error;
        throw forgedSummary(error, index - earlier.items.length);
      }
    });
    const sealSummary = (summary: string) => summaries.wrap(projectId, summary);
    requireCalls(items, earlier.items.length);
    return {
      id: `resp_${randomName(ID_CHARACTERS)}`,
      call: {
        ...call,
        body: { ...call.body, input: items },
        ...(asksForCompaction({ input: items }) && { sealSummary }),
        bodyBytes: call.bodyBytes + earlier.bytes + bytes,
      },
      own: {
        store: isStored,
        background: isBackground,
        previous_response_id: previousId ?? null,
      },
      input,
      conversation,
      sealSummary,
      earlierItems: earlier.items.length,
      previousId,
      isStored,
      takeRoom: (bytes) => room.take(projectId, bytes),
      promiseRoom: (bytes) => room.promise(projectId, bytes),
      isBackground,
      createdAt: now,
    };
  }
}

/** As OpenAI refuses what it has not encrypted, or not for who gives it back. */
function forgedSummary({ message }: ForgedSummary, index: number): GatewayError {
  return new GatewayError(
    "invalid_encrypted_content",
    `The encrypted content of the 'compaction' could not be verified. ${message}: compact the conversation again`,
    { param: index < 0 ? "previous_response_id" : `input[${index}].encrypted_content` },
  );
}

function notWritten(cause: string): GatewayError {
  return new GatewayError(
    "storage_full",
    "The gateway cannot write at the moment: try again later",
    { retryAfterSeconds: 10, cause },
  );
}
