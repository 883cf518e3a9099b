/**
 * The operator's guard: one address that is asked about each request for a model before anything is
 * spent on it, and, where that is set, about each answer before it is delivered. Asked as webhooks are
 * sent: signed with the project's secret where it has one, and on the open internet alone unless
 * private addresses are allowed.
 *
 * @module
 */

import * as z from "zod";
import type { Clock } from "../../domain/clock.ts";
import { randomName } from "../../domain/ids.ts";
import { isObject, type JsonObject } from "../../domain/json_value.ts";
import { failureWords, UpstreamError } from "../../domain/upstream_error.ts";
import { GatewayError } from "../../errors.ts";
import type { Transport } from "../../providers/transport/contract.ts";
import type { WebhookStore } from "../../storage/ports/storage.ts";
import { signWebhook } from "../../videos/tell/sign_webhook.ts";

/** What it is asked with. */
export interface GuardOptions {
  readonly url: string;
  /** Whether it looks at answers, too. */
  readonly answers: boolean;
  /** What happens while it does not answer. */
  readonly policy: "fail_closed" | "fail_open";
  readonly timeoutMs: number;
  readonly transport: Transport;
  readonly webhooks: Pick<WebhookStore, "secret">;
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
}

const ID_CHARACTERS = 26;
const MAX_REASON_CHARACTERS = 500;
const MAX_CONNECT_MS = 5_000;
const RETRY_SECONDS = 5;
const PEER = "The guard";
/** Stands for a file, which is not sent along. */
const FILE = "(file)";

const verdict = z.discriminatedUnion("action", [
  z.object({ action: z.literal("allow") }),
  z.object({ action: z.literal("refuse"), reason: z.string().nullish() }),
  z.object({ action: z.literal("redact"), body: z.union([z.looseObject({}), z.string()]) }),
]);

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
   * @throws {GatewayError} `refused_by_guard`, or `guard_unavailable` by the policy.
   */
  async lookAtRequest(asked: GuardedRequest, body: unknown): Promise<unknown> {
    const said = await this.#ask("request", asked, { body: withoutFiles(body) });
    if (said.action === "refuse") {
      throw new GatewayError(
        "refused_by_guard",
        `The operator's guard refuses this request${why(said)}`,
      );
    }
    if (said.action === "allow") return body;
    if (!isObject(said.body)) {
      return this.#fault(asked, "redacts a request to what is no object", body);
    }
    return { ...said.body, ...filesOf(body) };
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
    const said = await this.#ask("answer", asked, { body });
    if (said.action === "refuse") {
      throw new GatewayError(
        "refused_by_guard",
        `The operator's guard holds this answer back${
          why(said)
        }: it was made, and is charged; GET /v1/calls/${asked.requestId} tells what it cost`,
      );
    }
    if (said.action === "allow") return body;
    if (typeof said.body === typeof body) return said.body as Body;
    return this.#fault(asked, "redacts an answer to another type of body", body);
  }

  async #ask(
    what: "request" | "answer",
    { signal, ...asked }: GuardedRequest,
    { body }: { readonly body: unknown },
  ): Promise<Verdict> {
    const { url, timeoutMs, transport, webhooks, clock, allowsPrivate, maxBytes } = this.#options;
    const id = `guard_${randomName(ID_CHARACTERS)}`;
    const now = clock.now();
    const timestamp = Math.floor(now / 1000);
    const text = JSON.stringify({
      id,
      object: "event",
      created_at: timestamp,
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
    const secret = await webhooks.secret(asked.projectId);
    try {
      const response = await transport.request({
        method: "POST",
        url,
        headers: {
          "content-type": "application/json",
          "user-agent": "tollgate",
          "webhook-id": id,
          "webhook-timestamp": String(timestamp),
          ...(secret !== undefined && {
            "webhook-signature": signWebhook({ id, timestamp, body: text }, secret, now),
          }),
        },
        body: text,
        peer: PEER,
        addresses: allowsPrivate ? "any" : "public",
        timeouts: {
          connectMs: Math.min(timeoutMs, MAX_CONNECT_MS),
          firstByteMs: timeoutMs,
          idleMs: timeoutMs,
          totalMs: timeoutMs,
        },
        stream: false,
      }, signal);
      const answer = await response.text(maxBytes);
      if (response.status !== 200) {
        return this.#fault({ ...asked, signal }, `answered ${response.status}`, ALLOWED);
      }
      const said = verdict.safeParse(parsed(answer));
      if (said.success) return said.data;
      return this.#fault({ ...asked, signal }, "answered without an action that is known", ALLOWED);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      if (signal.aborted) {
        throw new GatewayError("client_closed_request", "The caller left before the answer", {
          cause: error,
        });
      }
      return this.#fault({ ...asked, signal }, failureWords(error), ALLOWED);
    }
  }

  /** What the policy makes of a guard that does not answer as it should. */
  #fault<Allowed>({ requestId }: GuardedRequest, fault: string, allowed: Allowed): Allowed {
    const { policy, onFault } = this.#options;
    onFault(requestId, fault);
    if (policy === "fail_open") return allowed;
    throw new GatewayError(
      "guard_unavailable",
      "The operator's guard, which looks at every request, does not answer: try again shortly, or tell the operator",
      { retryAfterSeconds: RETRY_SECONDS },
    );
  }
}

const ALLOWED: Verdict = { action: "allow" };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function why({ reason }: { readonly reason?: string | null | undefined }): string {
  const text = reason?.trim() ?? "";
  return text === "" ? "" : ` (${text.slice(0, MAX_REASON_CHARACTERS)})`;
}

/** A form's body with words where it has files. */
function withoutFiles(body: unknown): unknown {
  const files = filesOf(body);
  return Object.keys(files).length === 0 ? body : {
    ...body as JsonObject,
    ...Object.fromEntries(Object.keys(files).map((name) => [name, FILE])),
  };
}

/** The fields of a body that are no JSON. */
function filesOf(body: unknown): JsonObject {
  if (!isObject(body)) return {};
  return Object.fromEntries(Object.entries(body).filter(([, value]) => isFile(value)));
}

function isFile(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype !== null && prototype !== Object.prototype;
}
