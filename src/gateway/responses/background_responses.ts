/**
 * Answers that are made in the background: asked for, looked at, cancelled while
 * nobody waits for them.
 *
 * @module
 */

import { oneLook } from "../../domain/one_look.ts";
import type { ResponseStatus, StoredResponse } from "../../domain/stored_response.ts";
import { GatewayError } from "../../errors.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Sessions } from "../../domain/session.ts";
import type { CommitQueue } from "../../storage/ports/commit_queue.ts";
import type { SharedAnswers } from "../../storage/ports/shared_work.ts";
import type { ResponseStore } from "../../storage/ports/storage.ts";
import type { CallEngine } from "../call_engine.ts";
import type { AnswerKind } from "../call_request.ts";
import { BackgroundRoom } from "./background_room.ts";
import {
  changeResponse,
  failedBody,
  failedResponse,
  isUnfinished,
  STOPPED,
} from "./fail_unfinished.ts";
import { changedResponse, pendingBody, type ResponsePlan, storedResponse } from "./own_response.ts";
import { responseAnswer } from "./response_kinds.ts";

/** What it works with. */
export interface BackgroundDeps {
  readonly engine: CallEngine;
  readonly responses: ResponseStore;
  readonly commits: CommitQueue;
  /** Where others make answers too; default: nobody does. */
  readonly shared?: AnswersAmongNodes | undefined;
  readonly onError: (error: unknown) => void;
}

/** Answers of several processes. */
export interface AnswersAmongNodes {
  readonly answers: SharedAnswers;
  readonly sessions: Sessions;
}

/** What is told of an answer whose end storage did not take. */
const UNWRITTEN = "The gateway could not write this answer when it was made: nothing was charged";

/** How often, and how long, one that another process makes is waited for when it was cancelled. */
const LOOK_MS = 200;
const MOST_LOOKS = 20;

/** Why an answer is given up. */
type Ending = "cancelled" | "deleted" | "stopped";

interface Making {
  readonly abort: AbortController;
  ending: Ending | undefined;
  /** Whether it has a row. */
  isKept: boolean;
  /** Resolves when its end is written. */
  readonly over: Promise<void>;
}

export class BackgroundResponses {
  readonly #deps: BackgroundDeps;
  readonly #making = new Map<string, Making>();

  constructor(deps: BackgroundDeps) {
    this.#deps = deps;
  }

  /**
   * Begins an answer, which goes on when this resolves with it as `queued`, as JSON text.
   *
   * @throws {GatewayError} When the engine refuses it at once, or it cannot be written.
   */
  async start(plan: ResponsePlan): Promise<string> {
    const queued = storedResponse(
      plan,
      pendingBody(plan, { model: plan.call.model, status: "queued" }),
    );
    const room = new BackgroundRoom(plan, queued);
    const abort = new AbortController();
    // What a repeated request gets is this beginning, not the end.
    const { remember } = plan.call;
    const call = { ...plan.call, signal: abort.signal, remember: undefined };
    const admitted = Promise.withResolvers<string>();
    const stored = Promise.withResolvers<void>();
    // Nobody is asked before the answer to come is written: its end has a row to go to.
    const kind = afterwards({ ...plan, call }, {
      room,
      admitted: admitted.resolve,
      stored: stored.promise,
    });
    const answering = this.#deps.engine.answer(call, kind).finally(() => room.end());
    // What is refused before anyone is asked leaves nothing behind.
    const model = await Promise.race([answering.then(() => plan.call.model), admitted.promise]);
    const known = { ...plan, call: { ...plan.call, model } };
    const making: Making = {
      abort,
      ending: undefined,
      isKept: false,
      over: this.#watch(known, answering).catch(this.#deps.onError).finally(() => {
        this.#making.delete(plan.id);
      }),
    };
    this.#making.set(plan.id, making);
    try {
      const body = await this.#keepQueued(known, { room, queued, remember });
      making.isKept = true;
      return body;
    } catch (error) {
      making.ending = "deleted";
      abort.abort();
      throw error;
    } finally {
      stored.resolve();
      if (abort.signal.aborted) await making.over;
    }
  }

  /** Gives an answer up and keeps it as cancelled; nothing happens to one that has ended. */
  async cancel(kept: StoredResponse): Promise<void> {
    if (this.#making.has(kept.id)) return await this.#end(kept.id, "cancelled");
    const { shared, responses } = this.#deps;
    if (shared === undefined || !isUnfinished(kept)) return;
    if (!await this.#isMadeElsewhere(kept)) return;
    const name = { projectId: kept.projectId, responseId: kept.id };
    await shared.answers.wishCancelled(name);
    // Whoever makes it looks every moment; one that does not is stopped, or about to be found dead.
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      const now = await responses.find(name);
      if (now === undefined || !isUnfinished(now)) return;
    }
  }

  /** Gives up what is made here and was cancelled or deleted elsewhere. Never throws: it is asked for again. */
  readonly hearOthers: () => Promise<void> = oneLook(
    () => this.#hear(),
    (error) => this.#deps.onError(error),
  );

  async #hear(): Promise<void> {
    const { shared } = this.#deps;
    if (shared === undefined) return;
    const begun = [...this.#making].filter(([, { isKept }]) => isKept).map(([id]) => id);
    if (begun.length === 0) return;
    const { cancelled, deleted } = await shared.answers.givenUp(begun);
    await Promise.all([
      ...cancelled.map((id) => this.#end(id, "cancelled")),
      ...deleted.map((id) => this.#end(id, "deleted")),
    ]);
  }

  /** Gives an answer up that was deleted. */
  abandon(responseId: string): Promise<void> {
    return this.#end(responseId, "deleted");
  }

  /**
   * A kept answer as it is now. One whose end could not be written is failed by whoever
   * looks at it: it is never waited for in vain.
   */
  async look(kept: StoredResponse): Promise<StoredResponse | undefined> {
    if (!isUnfinished(kept) || this.#making.has(kept.id)) return kept;
    const { responses, commits, onError } = this.#deps;
    // Its end may have been written after it was read.
    const now = await responses.find({ projectId: kept.projectId, responseId: kept.id });
    if (now === undefined || !isUnfinished(now) || await this.#isMadeElsewhere(now)) return now;
    const failed = failedResponse(now, UNWRITTEN);
    await changeResponse(commits, failed).catch(onError);
    return failed;
  }

  /** Gives up all answers, and keeps them as failed. */
  async stop(): Promise<void> {
    await Promise.all([...this.#making.keys()].map((id) => this.#end(id, "stopped")));
  }

  /** Whether another process is making it. */
  async #isMadeElsewhere({ projectId, id }: StoredResponse): Promise<boolean> {
    const { shared } = this.#deps;
    if (shared === undefined) return false;
    const { answers, sessions } = shared;
    const session = await answers.sessionOf({ projectId, responseId: id });
    return session !== undefined && session !== sessions.own && !sessions.hasEnded(session);
  }

  async #end(responseId: string, ending: Ending): Promise<void> {
    const making = this.#making.get(responseId);
    if (making === undefined) return;
    making.ending ??= ending;
    making.abort.abort();
    await making.over;
  }

  /** @throws {GatewayError} `storage_full` */
  async #keepQueued(
    plan: ResponsePlan,
    { room, queued, remember }: {
      readonly room: BackgroundRoom;
      /** By the model's name as the caller wrote it. */
      readonly queued: StoredResponse;
      readonly remember: ResponsePlan["call"]["remember"];
    },
  ): Promise<string> {
    const pending = pendingBody(plan, { model: plan.call.model, status: "queued" });
    const response = { ...queued, body: JSON.stringify(pending) };
    room.keepQueued(response);
    const idempotency = remember?.(response.body);
    const result = await this.#deps.commits.commit({ kind: "put_response", response, idempotency });
    if (result.ok) return response.body;
    throw new GatewayError(
      "storage_full",
      "The gateway cannot keep an answer at the moment: nothing was charged, try again later",
      { retryAfterSeconds: 10, cause: result.message },
    );
  }

  /** A finished answer is kept by the engine, with the end of its call. */
  async #watch(plan: ResponsePlan, answering: Promise<string>): Promise<void> {
    try {
      await answering;
    } catch (error) {
      const ending = this.#making.get(plan.id)?.ending;
      if (ending === "deleted") return;
      const pending = (status: ResponseStatus) =>
        pendingBody(plan, { model: plan.call.model, status });
      const body = ending === "cancelled"
        ? pending("cancelled")
        : failedBody(pending("failed"), { message: messageOf(error, ending) });
      await changeResponse(this.#deps.commits, changedResponse(plan, body));
      if (!(error instanceof GatewayError)) throw error;
    }
  }
}

/** The answer of a plan, whose provider is asked when the answer to come is stored. */
function afterwards(
  plan: ResponsePlan,
  { room, admitted, stored }: {
    readonly room: BackgroundRoom;
    /** Told the logical model, which the caller may have named by an alias. */
    readonly admitted: (model: string) => void;
    readonly stored: Promise<void>;
  },
): AnswerKind {
  const kind = responseAnswer(plan);
  return {
    ...kind,
    async invoke(provider, call, signal) {
      admitted(call.route.modelId);
      await stored;
      if (signal.aborted) {
        throw new UpstreamError("aborted", "The answer was given up", { isUnsent: true });
      }
      return await kind.invoke(provider, call, signal);
    },
    keep: (body) => room.keepFinished(body),
  };
}

function messageOf(error: unknown, ending: Ending | undefined): string {
  if (ending === "stopped") return STOPPED;
  return error instanceof GatewayError ? error.message : "The answer could not be made";
}
