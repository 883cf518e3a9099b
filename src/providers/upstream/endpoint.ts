/**
 * One upstream's API: how its URLs, headers and time limits are made, and how
 * its answers and errors are read, whatever is asked of it.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { Provider as ProviderSettings, ProviderTimeouts } from "../../domain/catalogue.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { ProviderOptions } from "../contract/kind.ts";
import type { AnswerRoom } from "../../dialects/base/answer.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import {
  type BegunExchange,
  type ExchangeListener,
  isStreamed,
  type Transport,
  type UpstreamRequest,
  type UpstreamResponse,
} from "../transport/contract.ts";
import { MAX_ANSWER_BYTES } from "../transport/limits.ts";
import type { Concealed } from "./clean_message.ts";
import type { ErrorForm } from "../../dialects/base/error_form.ts";
import type { Authority } from "./authority.ts";
import type { BegunAsk } from "./begun_ask.ts";
import { type Credential, KeyRing } from "./key_ring.ts";
import type { LongTexts } from "../../files/long_texts.ts";
import { sieveTexts } from "./sieve_texts.ts";
import { errorText, isSuccess, parseBody, shortType } from "./upstream_json.ts";
import { errorOfAnswer, errorOfBody } from "./make_error.ts";
import { verdictOnKey } from "./key_troubles.ts";

/**
 * Asks with the key whose turn it is, and after its refusal with the others that
 * do not rest. Nothing that an upstream refuses so was done, so asking again does
 * no harm. A key that is out of its rate goes on resting if another takes the same
 * request: what all are told alike may be that request's own affair.
 *
 * @throws {UpstreamError} Of the keys' refusals the one that passes first.
 */
async function askWithKeys<Answer>(
  keys: KeyRing,
  ask: AskWithKey<Answer>,
  begun: BegunAsk | undefined,
): Promise<Answer> {
  let tried: Map<string, UpstreamError> | undefined;
  let suspicions: (() => void)[] | undefined;
  let first = begun;
  let credential = first?.credential ?? keys.next();
  for (;;) {
    const { reference } = credential;
    const noted = first?.noted ?? keys.troubles.noted;
    try {
      const answer = await ask(credential, first);
      if (reference !== undefined) keys.troubles.forgive(reference, noted);
      // Another key was not refused what this one was: it was the key.
      tried?.forEach((error, refused) => keys.troubles.note(refused, error));
      return answer;
    } catch (error) {
      if (!(error instanceof UpstreamError) || reference === undefined) throw error;
      const verdict = verdictOnKey(error);
      error.key = reference;
      if (verdict === "limited" && keys.hasSeveral) {
        (suspicions ??= []).push(keys.troubles.suspect(reference, error));
      } else if (verdict !== undefined && verdict !== "doubtful") {
        keys.troubles.note(reference, error);
      }
      tried ??= new Map();
      tried.set(reference, error);
      const other = verdict === undefined ? undefined : keys.other(tried);
      first = undefined;
      if (other === undefined) {
        suspicions?.forEach((withdraw) => withdraw());
        throw verdict === undefined ? error : soonest([...tried.values()]);
      }
      credential = other;
    }
  }
}

/** Asks with a key, or goes on with what was asked with it already. */
type AskWithKey<Answer> = (
  credential: Credential,
  begun: BegunAsk | undefined,
) => Promise<Answer>;

const RANKS: readonly UpstreamError["failure"][] = ["busy", "doubtful", "operator"];

/** What is busy serves again by itself; what is in doubt may serve others. */
function soonest(errors: readonly UpstreamError[]): UpstreamError {
  return errors.reduce((best, error) => {
    const rank = RANKS.indexOf(error.failure) - RANKS.indexOf(best.failure);
    if (rank !== 0) return rank < 0 ? error : best;
    return (error.retryAfterSeconds ?? 0) < (best.retryAfterSeconds ?? 0) ? error : best;
  });
}

/** What an endpoint needs besides the provider's settings. */
export interface EndpointOptions extends Omit<ProviderOptions, "random"> {
  /** How upstreams of the kind tell errors. */
  readonly errors: ErrorForm;
  /** What authorises requests besides the keys; absent: nothing. */
  readonly authority?: Authority | undefined;
  /** Keys that it has together with another endpoint of the same account; absent: its own. */
  readonly keys?: KeyRing;
}

/** What differs where one vendor offers another's API. */
export type EndpointWays = Partial<Pick<EndpointOptions, "authority" | "errors">>;

/** One request, as far as it differs from the others. */
export interface EndpointRequest {
  readonly method: UpstreamRequest["method"];
  /** Behind the base URL, with a leading slash, escaped. */
  readonly path: string;
  readonly body?: UpstreamRequest["body"];
  /** Of the body; JSON unless said otherwise. */
  readonly contentType?: string;
  /** Default: `application/json`. */
  readonly accept?: string;
  /** Further headers; none of a caller's making. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly credential: Credential;
  /** Whether headers have the limit for a first byte; see `UpstreamRequest`. */
  readonly stream?: boolean;
  /** Default: the provider's. */
  readonly timeouts?: ProviderTimeouts;
}

/** The API of one upstream account. */
export class Endpoint {
  readonly timeouts: ProviderTimeouts;
  readonly clock: Clock;
  readonly keys: KeyRing;
  /** How it tells errors. */
  readonly errors: ErrorForm;
  readonly #transport: Transport;
  readonly #authority: Authority | undefined;
  readonly #baseUrl: string;
  readonly #host: string;

  /** @throws {TypeError} When the settings have no usable base URL. */
  constructor(settings: ProviderSettings, options: EndpointOptions) {
    const { baseUrl } = settings;
    if (baseUrl === undefined || !/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
      throw new TypeError(
        `Cannot create provider '${settings.id}': base_url must be an http or https URL`,
      );
    }
    this.timeouts = settings.timeouts;
    this.errors = options.errors;
    this.clock = options.clock;
    this.keys = options.keys ?? new KeyRing(settings, options);
    this.#authority = options.authority;
    this.#transport = options.transport;
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#host = new URL(baseUrl).host;
  }

  /** Without a trailing slash. */
  get baseUrl(): string {
    return this.#baseUrl;
  }

  /** Whether something else than keys authorises its requests. */
  get isAuthorised(): boolean {
    return this.#authority !== undefined;
  }

  /** What messages must not show. */
  get concealed(): Concealed {
    const { secrets } = this.keys;
    const more = this.#authority?.secrets ?? [];
    return { secrets: more.length === 0 ? secrets : [...secrets, ...more], host: this.#host };
  }

  /**
   * Asks with one key after the other, where keys are refused or exhausted.
   *
   * @throws {UpstreamError}
   */
  withKeys<Answer>(ask: AskWithKey<Answer>, begun?: BegunAsk): Promise<Answer> {
    return askWithKeys(this.keys, ask, begun);
  }

  /** @throws {UpstreamError} */
  send(request: EndpointRequest, signal: AbortSignal): Promise<UpstreamResponse> {
    const whole = this.#wholeOf(request);
    return this.#authority === undefined
      ? this.#transport.request(whole, signal)
      : this.#sendAuthorised(this.#authority, whole, signal);
  }

  /** Whether {@linkcode begin} would find a connection for a path. */
  mayBegin(path: string): boolean {
    return this.#authority === undefined && this.#transport.mayBegin?.(this.#urlOf(path)) === true;
  }

  /** Sends at once where a connection is idle; `undefined` where none is. */
  begin(request: EndpointRequest, listener: ExchangeListener): BegunExchange | undefined {
    return this.#transport.begin?.(this.#wholeOf(request), listener);
  }

  #wholeOf(request: EndpointRequest): UpstreamRequest {
    const headers: Record<string, string> = { ...request.credential.headers, ...request.headers };
    headers.accept ??= request.accept ?? "application/json";
    headers["user-agent"] ??= "tollgate";
    if (request.body !== undefined) {
      headers["content-type"] = request.contentType ?? "application/json";
    }
    return {
      method: request.method,
      url: this.#urlOf(request.path),
      headers,
      body: request.body,
      timeouts: request.timeouts ?? this.timeouts,
      stream: request.stream ?? false,
    };
  }

  /** Whether an address is the upstream's own, where its keys may go. */
  isOwn({ origin }: URL): boolean {
    return origin === new URL(this.#baseUrl).origin;
  }

  /**
   * Gets what an answer says is at an address, which may be anywhere on the open internet.
   *
   * @throws {UpstreamError}
   */
  async fetchAt(
    url: URL,
    { accept, headers: more, credential }: {
      readonly accept: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Absent: nobody there is shown a key. */
      readonly credential: Credential | undefined;
    },
    signal: AbortSignal,
  ): Promise<UpstreamResponse> {
    if (url.protocol !== "https:" && url.protocol !== "http:") {
      throw new UpstreamError("broken", "The upstream named an address that is not of the web");
    }
    url.username = url.password = "";
    const request: UpstreamRequest = {
      method: "GET",
      url: url.href,
      headers: { "user-agent": "tollgate", ...credential?.headers, ...more, accept },
      body: undefined,
      timeouts: this.timeouts,
      stream: true,
      // An upstream on a private network may have its files beside it, and nobody else's.
      addresses: url.hostname === new URL(this.#baseUrl).hostname ? "any" : "public",
    };
    return this.#authority === undefined || credential === undefined
      ? await this.#transport.request(request, signal)
      : await this.#sendAuthorised(this.#authority, request, signal);
  }

  /** Looks secrets up again before the next request. */
  secretsChanged(): void {
    this.keys.lookUpAgain();
    this.#authority?.forget();
  }

  /**
   * The body of a 2xx answer in JSON.
   *
   * @param room Where it is counted as it comes.
   * @param longTexts Where its long texts go; its size on the way is then that of what comes.
   * @param isAnswer Whether a body is an answer although it tells of an error, such as a job's.
   * @throws {UpstreamError} Of any other answer, and of an error in a 2xx.
   */
  async jsonOf(
    response: UpstreamResponse,
    { maxBytes = MAX_ANSWER_BYTES, room, longTexts, isAnswer }: {
      readonly maxBytes?: number | undefined;
      readonly room?: AnswerRoom | undefined;
      readonly longTexts?: LongTexts | undefined;
      readonly isAnswer?: (body: JsonObject) => boolean;
    } = {},
  ): Promise<JsonObject> {
    if (!isSuccess(response.status)) throw await this.errorOf(response);
    const type = response.header("content-type") ?? "";
    if (/^text\/(?:html|event-stream)\b/i.test(type)) {
      response.close();
      throw new UpstreamError("broken", `The upstream answered with ${shortType(type)}, not JSON`, {
        status: response.status,
      });
    }
    const read = longTexts === undefined
      ? response
      : sieveTexts(response, { texts: longTexts, timeouts: this.timeouts });
    return this.readJson(await read.text(maxBytes, room), isAnswer);
  }

  /**
   * The object that the text of a 2xx answer is.
   *
   * @throws {UpstreamError} Of an error, too.
   */
  readJson(text: string, isAnswer?: (body: JsonObject) => boolean): JsonObject {
    const body = parseBody(text, this.errors);
    if (isAnswer?.(body) !== true) this.refuseError(body);
    return body;
  }

  /**
   * The one place where an object inside a 2xx is judged: a body, or an event of a stream.
   *
   * @throws {UpstreamError} When it is an error.
   */
  refuseError(value: JsonObject, eventName?: string): void {
    if (this.errors.isError(value, eventName)) {
      throw errorOfBody(this.errors.read(value), this.concealed, this.clock.now());
    }
  }

  /** The error that an answer is; takes its body. */
  async errorOf(response: UpstreamResponse): Promise<UpstreamError> {
    return this.errorOfText(response, await errorText(response));
  }

  /** The error that an answer is whose body was read as {@linkcode errorText} does. */
  errorOfText(response: UpstreamResponse, text: string): UpstreamError {
    const { family } = this.errors;
    const header = (name: string) => response.header(name);
    return errorOfAnswer({
      status: response.status,
      header,
      body: this.errors.parse(text, header),
      ...(family !== undefined && { verbatim: { family, text } }),
      now: this.clock.now(),
    }, this.concealed);
  }

  async #sendAuthorised(
    authority: Authority,
    request: UpstreamRequest,
    signal: AbortSignal,
  ): Promise<UpstreamResponse> {
    const send = async () => {
      const own = await authority.headersFor(request, signal);
      const headers = { ...request.headers, ...own };
      return { own, response: await this.#transport.request({ ...request, headers }, signal) };
    };
    const { own, response } = await send();
    if (response.status !== 401 || !authority.forget(own)) return response;
    // A token may be withdrawn before its time: nothing was done for it, and one that is new may serve.
    if (request.body !== undefined && isStreamed(request.body)) return response;
    response.close();
    return (await send()).response;
  }

  #urlOf(path: string): string {
    const { query } = this.keys;
    let hasQuery = false;
    for (const _name in query) hasQuery = true;
    if (!hasQuery) return this.#baseUrl + path;
    return `${this.#baseUrl}${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(query)}`;
  }
}
