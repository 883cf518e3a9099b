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
import type { Transport, UpstreamRequest, UpstreamResponse } from "../transport/contract.ts";
import { MAX_ANSWER_BYTES } from "../transport/limits.ts";
import { askWithKeys } from "./ask_with_keys.ts";
import type { Concealed } from "./clean_message.ts";
import type { ErrorForm } from "../../dialects/base/error_form.ts";
import { type Credential, KeyRing } from "./key_ring.ts";
import { errorText, isSuccess, parseBody, shortType } from "./json_body.ts";
import { errorOfAnswer, errorOfBody } from "./make_error.ts";

/** What an endpoint needs besides the provider's settings. */
export interface EndpointOptions extends Omit<ProviderOptions, "random"> {
  /** How upstreams of the kind tell errors. */
  readonly errors: ErrorForm;
}

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
    this.keys = new KeyRing(settings, options);
    this.#transport = options.transport;
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#host = new URL(baseUrl).host;
  }

  /** Without a trailing slash. */
  get baseUrl(): string {
    return this.#baseUrl;
  }

  /** What messages must not show. */
  get concealed(): Concealed {
    return { secrets: this.keys.secrets, host: this.#host };
  }

  /**
   * Asks with one key after the other, where keys are refused or exhausted.
   *
   * @throws {UpstreamError}
   */
  withKeys<Answer>(ask: (credential: Credential) => Promise<Answer>): Promise<Answer> {
    return askWithKeys(this.keys, ask);
  }

  /** @throws {UpstreamError} */
  send(request: EndpointRequest, signal: AbortSignal): Promise<UpstreamResponse> {
    const headers: Record<string, string> = { ...request.credential.headers, ...request.headers };
    headers.accept ??= request.accept ?? "application/json";
    headers["user-agent"] ??= "tollgate";
    if (request.body !== undefined) {
      headers["content-type"] = request.contentType ?? "application/json";
    }
    return this.#transport.request({
      method: request.method,
      url: this.#urlOf(request.path),
      headers,
      body: request.body,
      timeouts: request.timeouts ?? this.timeouts,
      stream: request.stream ?? false,
    }, signal);
  }

  /**
   * The body of a 2xx answer in JSON.
   *
   * @param room Where it is counted as it comes.
   * @param isAnswer Whether a body is an answer although it tells of an error, such as a job's.
   * @throws {UpstreamError} Of any other answer, and of an error in a 2xx.
   */
  async jsonOf(
    response: UpstreamResponse,
    { maxBytes = MAX_ANSWER_BYTES, room, isAnswer }: {
      readonly maxBytes?: number;
      readonly room?: AnswerRoom | undefined;
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
    const body = parseBody(await response.text(maxBytes, room), this.errors);
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
      throw errorOfBody(this.errors.read(value), this.concealed);
    }
  }

  /** The error that an answer is; takes its body. */
  async errorOf(response: UpstreamResponse): Promise<UpstreamError> {
    return this.errorOfText(response, await errorText(response));
  }

  /** The error that an answer is whose body was read as {@linkcode errorText} does. */
  errorOfText(response: UpstreamResponse, text: string): UpstreamError {
    return errorOfAnswer({
      status: response.status,
      header: (name) => response.header(name),
      body: this.errors.parse(text),
      now: this.clock.now(),
    }, this.concealed);
  }

  #urlOf(path: string): string {
    const query = Object.entries(this.keys.query);
    if (query.length === 0) return this.#baseUrl + path;
    return `${this.#baseUrl}${path}?${new URLSearchParams(query)}`;
  }
}
