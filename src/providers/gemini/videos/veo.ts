/**
 * Films of Google's Veo: a long-running operation, which is asked after by its name.
 *
 * @module
 */

import { type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import type { UpstreamJob } from "../../../domain/video_task.ts";
import type {
  VideoContent,
  VideoOrder,
  VideoReport,
  VideoUpstream,
} from "../../contract/video_upstream.ts";
import { openContentAt } from "../../upstream/open_content.ts";
import type { Endpoint } from "../../upstream/endpoint.ts";
import { createBody } from "./create_body.ts";
import { filmOf, readOperation } from "./read_operation.ts";
import { heldContent } from "./held_content.ts";

/** What is different about an address. */
export interface VeoForm {
  /** Where a film is ordered. */
  startPath(model: string): string;
  /** How an operation is asked after. */
  poll(
    operation: string,
  ): { readonly method: "GET" | "POST"; readonly path: string; readonly body?: string };
  /** Where a file is that an answer names; `undefined` where it is nowhere. */
  urlOf(uri: string): string | undefined;
  /** Whether the key may go to another host of the vendor's; absent: to none. */
  readonly isTrusted?: (url: URL) => boolean;
}

/** Longest wait for a plain question, which is asked again anyway. */
const QUESTION_MS = 30_000;
/** A film in base64 stands in the answer itself at one of the addresses. */
const MAX_OPERATION_BYTES = 128 * 1024 * 1024;
const MAX_STARTED_BYTES = 1024 * 1024;
/** Segments of a name, each of which is one of a path. */
const OPERATION = /^(?:[A-Za-z0-9_~-][\w.~-]{0,255}\/){1,15}[A-Za-z0-9_~-][\w.~-]{0,255}$/;

export class Veo implements VideoUpstream {
  readonly #endpoint: Endpoint;
  readonly #form: VeoForm;

  constructor(endpoint: Endpoint, form: VeoForm) {
    this.#endpoint = endpoint;
    this.#form = form;
  }

  async start(order: VideoOrder, signal: AbortSignal): Promise<UpstreamJob> {
    const body = JSON.stringify(createBody(order));
    const path = this.#form.startPath(order.route.upstreamModel);
    return await this.#endpoint.withKeys(async (credential) => {
      const request = { method: "POST", path, body, credential } as const;
      const response = await this.#endpoint.send(request, signal);
      const { name } = await this.#endpoint.jsonOf(response, {
        maxBytes: MAX_STARTED_BYTES,
        isAnswer: ({ name: id }) => id !== undefined,
      });
      if (typeof name !== "string" || !OPERATION.test(name)) {
        throw new UpstreamError(
          "broken",
          "The upstream accepted a video without a name that can be asked after",
          { status: response.status, isUnanswered: true },
        );
      }
      const { reference } = credential;
      return { id: name, keyReference: reference, startedAt: this.#endpoint.clock.now() };
    });
  }

  async status(job: UpstreamJob, signal: AbortSignal): Promise<VideoReport> {
    const operation = await this.#ask(job, signal);
    return operation === undefined
      ? { status: "lost", progress: undefined, error: undefined }
      : readOperation(operation, this.#endpoint.concealed);
  }

  async content(
    job: UpstreamJob,
    options: { readonly from: number; readonly etag: string | undefined },
    signal: AbortSignal,
  ): Promise<VideoContent | undefined> {
    const operation = await this.#ask(job, signal);
    const film = operation && filmOf(operation);
    if (film === undefined) return undefined;
    if (film.bytes !== undefined) return heldContent(film.bytes, options);
    const url = film.uri === undefined ? undefined : this.#form.urlOf(film.uri);
    if (url === undefined) {
      throw new UpstreamError("broken", "The upstream's film is where it cannot be fetched");
    }
    const { isTrusted } = this.#form;
    const place = { url, keyReference: job.keyReference, ...(isTrusted && { isTrusted }) };
    return await openContentAt(this.#endpoint, place, { ...options, signal });
  }

  /** There is no way to stop one. */
  cancel(): Promise<void> {
    return Promise.resolve();
  }

  /** @returns `undefined` where the upstream knows no such operation. */
  async #ask(
    { id, keyReference }: UpstreamJob,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    if (!OPERATION.test(id)) {
      throw new UpstreamError("broken", "The upstream's name for its job cannot be used in a URL");
    }
    const { timeouts } = this.#endpoint;
    const response = await this.#endpoint.send({
      ...this.#form.poll(id),
      credential: this.#endpoint.keys.of(keyReference),
      timeouts: { ...timeouts, totalMs: Math.min(timeouts.totalMs, QUESTION_MS) },
    }, signal);
    if (response.status === 404 || response.status === 410) {
      response.release();
      return undefined;
    }
    return await this.#endpoint.jsonOf(response, {
      maxBytes: MAX_OPERATION_BYTES,
      // The error of a job is no error of the question.
      isAnswer: ({ name, done }) => nonEmptyString(name) !== undefined || done === true,
    });
  }
}

/** AI Studio's, at the given address. */
export function studioForm(baseUrl: string, pathOf: (model: string) => string): VeoForm {
  return {
    startPath: (model) => `${pathOf(model)}:predictLongRunning`,
    poll: (operation) => ({ method: "GET", path: `/${operation}` }),
    urlOf: (uri) => URL.canParse(uri, `${baseUrl}/`) ? new URL(uri, `${baseUrl}/`).href : undefined,
  };
}
