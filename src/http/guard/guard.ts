/**
 * The operator's guard: one address that is asked about each request for a model before anything is
 * spent on it, and, where that is set, about each answer before it is delivered. Asked as webhooks are
 * sent: signed with the project's secret where it has one and with the guard's own, and on the open
 * internet alone unless private addresses are allowed.
 *
 * @module
 */

import * as z from "zod";
import type { Clock } from "../../domain/clock.ts";
import { randomName } from "../../domain/ids.ts";
import { asObject, isObject, type JsonObject } from "../../domain/json_value.ts";
import type { Stay } from "../../limits/stay.ts";
import { failureWords, UpstreamError } from "../../domain/upstream_error.ts";
import type { SummarySeals } from "../../dialects/openai_responses/summary_seals.ts";
import { GatewayError } from "../../errors.ts";
import { SpooledFile } from "../../files/spooled_file.ts";
import type { Transport } from "../../providers/transport/contract.ts";
import { collectText } from "../../providers/transport/collect_text.ts";
import { postSigned, type SignedPost } from "../../providers/transport/post_signed.ts";
import type { WebhookStore } from "../../storage/ports/storage.ts";
import { opaqueTexts } from "./opaque_texts.ts";
import { parsedJson } from "./parsed_json.ts";

/** What it is asked with. */
export interface GuardOptions {
  readonly url: string;
  /** Whether it looks at answers, too. */
  readonly answers: boolean;
  /** What happens while it is absent: nobody can be reached there in time, or 5xx is answered. */
  readonly policy: "fail_closed" | "fail_open";
  readonly timeoutMs: number;
  readonly transport: Transport;
  readonly webhooks: Pick<WebhookStore, "secret">;
  /** Opens the summaries that are shown to it. */
  readonly summaries: SummarySeals;
  /** Signs besides the project's own; gives `undefined` where there is none. */
  readonly secret: () => string | undefined;
  readonly clock: Clock;
  /** Whether it may be at a loopback or private address. */
  readonly allowsPrivate: boolean;
  /** Bytes of what it says at most. */
  readonly maxBytes: number;
  /** Told each time that it does not answer as it should. */
  readonly onFault: (requestId: string, fault: string) => void;
}

/** Whose request it is. */
export interface GuardedRequest {
  readonly requestId: string;
  readonly projectId: string;
  readonly keyId: string;
  /** Without its prefix. */
  readonly path: string;
  readonly model: string | undefined;
  readonly stream: boolean;
  /** Fires when its client goes away. */
  readonly signal: AbortSignal;
  /** Where the memory is reserved of what the guard is told. */
  readonly stay: Pick<Stay, "reserve">;
}

const ID_CHARACTERS = 26;
const MAX_REASON_CHARACTERS = 500;
const MAX_CONNECT_MS = 5_000;
const RETRY_SECONDS = 5;
const PEER = "The guard";

const verdict = z.lazy(() =>
  z.discriminatedUnion("action", [
    z.object({ action: z.literal("allow") }),
    // Whatever the reason is: who says no has answered.
    z.object({ action: z.literal("refuse"), reason: z.string().nullish().catch(undefined) }),
    z.object({ action: z.literal("redact"), body: z.union([z.looseObject({}), z.string()]) }),
  ])
);

type Verdict = z.output<typeof verdict>;

export class Guard {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Whether answers are looked at. */
  get looksAtAnswers(): boolean {
    return this.#options.answers;
  }

  /**
   * The body to go on with: the same, or a redacted one.
   *
   * @throws {GatewayError} `refused_by_guard`, `guard_unavailable` by the policy where it is absent, and
   * whatever the policy is where it says what cannot be done: something may have to be hidden.
   */
  async lookAtRequest(asked: GuardedRequest, body: unknown): Promise<unknown> {
    const texts = opaqueTexts(this.#options.summaries, asked.projectId);
    const said = await this.#ask("request", asked, { body: withoutFiles(texts.shown(body)) });
    if (said.action === "refuse") {
      throw new GatewayError(
        "refused_by_guard",
        `The operator's guard refuses this request${why(said)}`,
      );
    }
    if (said.action === "allow") return body;
    if (!isObject(said.body)) {
      throw this.#unusable(asked, "redacts a request to what is no object");
    }
    return { ...asObject(texts.taken(said.body)), ...filesOf(body) };
  }

  /**
   * The answer to deliver: the same, or a redacted one. It was made, and is charged, whatever is said
   * of it.
   *
   * @param body Of a stream all of its text.
   * @throws {GatewayError} See {@linkcode lookAtRequest}.
   */
  async lookAtAnswer<Body extends JsonObject | string>(
    asked: GuardedRequest,
    body: Body,
  ): Promise<Body> {
    const texts = opaqueTexts(this.#options.summaries, asked.projectId);
    const said = await this.#ask("answer", asked, { body: texts.shown(body) });
    if (said.action === "refuse") {
      throw new GatewayError(
        "refused_by_guard",
        `The operator's guard holds this answer back${
          why(said)
        }: it was made, and is charged; GET /v1/calls/${asked.requestId} tells what it cost`,
      );
    }
    if (said.action === "allow") return body;
    if (typeof said.body === typeof body) return texts.taken(said.body) as Body;
    throw this.#unusable(asked, "redacts an answer to another type of body");
  }

  /**
   * Asks about an answer that is no text: of what kind it is, and how large. It cannot be redacted.
   *
   * @throws {GatewayError} See {@linkcode lookAtRequest}.
   */
  async lookAtFile(
    asked: GuardedRequest,
    { contentType, bytes }: { readonly contentType: string; readonly bytes: number },
  ): Promise<void> {
    const described = { object: "file", filename: null, content_type: contentType, bytes };
    const looked = await this.lookAtAnswer(asked, described);
    if (looked !== described) throw this.#unusable(asked, "redacts an answer that is no text");
  }

  async #ask(
    what: "request" | "answer",
    asked: GuardedRequest,
    { body }: { readonly body: unknown },
  ): Promise<Verdict> {
    const { url, timeoutMs, transport, clock, allowsPrivate, maxBytes } = this.#options;
    const id = `guard_${randomName(ID_CHARACTERS)}`;
    const now = clock.now();
    const text = JSON.stringify({
      id,
      object: "event",
      created_at: Math.floor(now / 1_000),
      type: `guard.${what}`,
      data: {
        request_id: asked.requestId,
        project: asked.projectId,
        key: asked.keyId,
        path: asked.path,
        model: asked.model ?? null,
        stream: asked.stream,
        body,
      },
    });
    asked.stay.reserve(text.length);
    const { signal } = asked;
    const secrets = await this.#secretsFor(asked);
    let hasBegun = false;
    try {
      const response = await postSigned(transport, {
        ...{ id, url, allowsPrivate, secrets, now },
        body: text,
        peer: PEER,
        timeouts: {
          connectMs: Math.min(timeoutMs, MAX_CONNECT_MS),
          firstByteMs: timeoutMs,
          idleMs: timeoutMs,
          totalMs: timeoutMs,
        },
      }, signal);
      const { status } = response;
      if (status !== 200) {
        response.release();
        if (status >= 500) return this.#absent(asked, `answered ${status}`);
        throw this.#unusable(asked, `answered ${status}`);
      }
      const answer = await collectText({
        async read(limitMs) {
          const bytes = await response.read(limitMs);
          hasBegun ||= bytes !== undefined;
          return bytes;
        },
        close: () => response.close(),
      }, { maxBytes, limitMs: timeoutMs });
      const said = verdict.safeParse(parsedJson(answer));
      if (said.success) return said.data;
      throw this.#unusable(asked, "answered without an action that is known");
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      if (signal.aborted) {
        throw new GatewayError("client_closed_request", "The caller left before the answer", {
          cause: error,
        });
      }
      // What it was about to say may have been that something is to be hidden.
      if (hasBegun) throw this.#unusable(asked, failureWords(error));
      return this.#absent(asked, failureWords(error));
    }
  }

  /** The project's and the guard's own, as far as there are any. */
  async #secretsFor({ projectId }: GuardedRequest): Promise<SignedPost["secrets"]> {
    const { webhooks, secret } = this.#options;
    const own = await webhooks.secret(projectId);
    const shared = secret();
    return [
      ...(own === undefined ? [] : [own]),
      ...(shared === undefined ? [] : [{ secret: shared, previous: undefined }]),
    ];
  }

  /** What the policy makes of a guard that is not there. */
  #absent({ requestId }: GuardedRequest, fault: string): Verdict {
    const { policy, onFault } = this.#options;
    onFault(requestId, fault);
    if (policy === "fail_open") return { action: "allow" };
    throw unavailable("does not answer");
  }

  /** A guard that is there, and says what nothing can be done by: no policy lets that pass. */
  #unusable({ requestId }: GuardedRequest, fault: string): GatewayError {
    this.#options.onFault(requestId, fault);
    return unavailable("gives an answer that cannot be used");
  }
}

function unavailable(fault: string): GatewayError {
  return new GatewayError(
    "guard_unavailable",
    `The operator's guard, which looks at every request, ${fault}: try again shortly, or tell the operator`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

function why({ reason }: { readonly reason?: string | null | undefined }): string {
  const text = reason?.trim() ?? "";
  return text === "" ? "" : ` (${text.slice(0, MAX_REASON_CHARACTERS)})`;
}

/** The same body with what is known of its files in their places: they are not sent along. */
function withoutFiles(body: unknown): unknown {
  if (!isObject(body) || !Object.values(body).some(holdsFile)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, holdsFile(value) ? told(value) : value]),
  );
}

/** The fields of a form that are files, or hold some. */
function filesOf(body: unknown): JsonObject {
  if (!isObject(body)) return {};
  return Object.fromEntries(Object.entries(body).filter(([, value]) => holdsFile(value)));
}

function isFile(value: unknown): value is SpooledFile | Uint8Array {
  return value instanceof SpooledFile || value instanceof Uint8Array;
}

/** Only forms have files: in their fields, in lists of them, or in objects, which are then without a prototype. */
function holdsFile(value: unknown): boolean {
  if (isFile(value)) return true;
  if (Array.isArray(value)) return value.some(isFile);
  return isNested(value) && Object.values(value).some(holdsFile);
}

function isNested(value: unknown): value is JsonObject {
  return isObject(value) && Object.getPrototypeOf(value) === null;
}

function told(value: unknown): unknown {
  if (value instanceof SpooledFile) {
    const { filename, contentType, bytes } = value;
    return { object: "file", filename, content_type: contentType ?? null, bytes };
  }
  // Of a form that was read in memory nothing but the bytes is kept.
  if (value instanceof Uint8Array) {
    return { object: "file", filename: null, content_type: null, bytes: value.length };
  }
  if (Array.isArray(value)) return value.map(told);
  if (!isNested(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, told(one)]));
}
