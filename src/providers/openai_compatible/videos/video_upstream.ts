/**
 * Videos at an upstream that speaks `/v1/videos`: vLLM-Omni, SGLang Diffusion,
 * LocalAI and what else took the contract over from OpenAI.
 *
 * @module
 */

import type { UpstreamJob } from "../../../domain/video_task.ts";
import { isObject, type JsonObject } from "../../../domain/json_value.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import type {
  VideoContent,
  VideoOrder,
  VideoReport,
  VideoUpstream,
} from "../../contract/video_upstream.ts";
import type { UpstreamResponse } from "../../transport/contract.ts";
import { errorText, isSuccess, parseUpstreamJson } from "../../upstream/upstream_json.ts";
import type { Endpoint } from "../../upstream/endpoint.ts";
import type { Credential } from "../../upstream/key_ring.ts";
import { createBody } from "./create_body.ts";
import { FormMemory, isRefusal, tellingRefusal, type VideoForm } from "./form_memory.ts";
import { openContent } from "../../upstream/open_content.ts";
import { readReport } from "./read_report.ts";

/** Longer than any id that is one. */
const MAX_ID_CHARACTERS = 512;

/** Whether an upstream's id for a job can be used: a stranger's text, which must stay one segment of a path. */
export function isJobId(id: unknown): id is string {
  return typeof id === "string" && id !== "" && id.length <= MAX_ID_CHARACTERS &&
    // deno-lint-ignore no-control-regex -- control characters are what it is to find
    !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(id) &&
    // Escaping leaves dots alone, and a URL resolves these two.
    id !== "." && id !== ".." && id.isWellFormed();
}

/**
 * The path below the base URL.
 *
 * @throws {UpstreamError} `broken` when the id cannot be part of a URL.
 */
export function jobPath(id: string, suffix: "" | "/content" = ""): string {
  if (!isJobId(id)) {
    throw new UpstreamError("broken", "The upstream's id for its job cannot be used in a URL");
  }
  return `/videos/${encodeURIComponent(id)}${suffix}`;
}

/** A video object is a few hundred bytes, prompt included. */
const MAX_OBJECT_BYTES = 1024 * 1024;

/** Longest wait for a plain question, which is asked again anyway. */
const QUESTION_MS = 30_000;

/** Statuses by which an upstream says that a job is gone, or that it cannot be stopped (now). */
const UNCANCELLABLE: ReadonlySet<number> = new Set([404, 405, 409, 410, 501]);

/** The videos of a provider. `form` is tried first. */
export class OpenAiVideos implements VideoUpstream {
  readonly #endpoint: Endpoint;
  readonly #forms: FormMemory;

  constructor(endpoint: Endpoint, form: VideoForm) {
    this.#endpoint = endpoint;
    this.#forms = new FormMemory(form);
  }

  async start(order: VideoOrder, signal: AbortSignal): Promise<UpstreamJob> {
    return await this.#endpoint.withKeys((credential) =>
      this.#startWith(credential, order, signal)
    );
  }

  async status(job: UpstreamJob, signal: AbortSignal): Promise<VideoReport> {
    const response = await this.#ask("GET", job, signal);
    if (!isSuccess(response.status)) return await this.#reportOfError(response, job);
    let report: VideoReport | undefined;
    await this.#endpoint.jsonOf(response, {
      maxBytes: MAX_OBJECT_BYTES,
      isAnswer: (body) => {
        report = readReport(body, this.#endpoint.concealed);
        return report !== undefined;
      },
    });
    if (report !== undefined) return report;
    throw new UpstreamError("broken", "The upstream's answer about its job has no status", {
      status: response.status,
    });
  }

  async content(
    job: UpstreamJob,
    options: { readonly from: number; readonly etag: string | undefined },
    signal: AbortSignal,
  ): Promise<VideoContent | undefined> {
    return await openContent(this.#endpoint, {
      path: jobPath(job.id, "/content"),
      keyReference: job.keyReference,
    }, { ...options, signal });
  }

  async cancel(job: UpstreamJob, signal: AbortSignal): Promise<void> {
    const response = await this.#ask("DELETE", job, signal);
    if (!isSuccess(response.status) && !UNCANCELLABLE.has(response.status)) {
      throw await this.#endpoint.errorOf(response);
    }
    response.release();
  }

  async #startWith(
    credential: Credential,
    order: VideoOrder,
    signal: AbortSignal,
  ): Promise<UpstreamJob> {
    const hasImage = order.reference !== undefined;
    const form = this.#forms.formFor(hasImage);
    try {
      const job = await this.#startIn(form, order, { credential, signal });
      this.#forms.accepted(form, hasImage);
      return job;
    } catch (first) {
      if (!(first instanceof UpstreamError) || !this.#forms.refused(first, hasImage)) throw first;
      const other = form === "json" ? "multipart" : "json";
      try {
        const job = await this.#startIn(other, order, { credential, signal });
        this.#forms.accepted(other, hasImage);
        return job;
      } catch (second) {
        if (!(second instanceof UpstreamError) || !isRefusal(second)) throw second;
        throw tellingRefusal(first, second);
      }
    }
  }

  async #startIn(form: "json" | "multipart", order: VideoOrder, { credential, signal }: {
    readonly credential: Credential;
    readonly signal: AbortSignal;
  }): Promise<UpstreamJob> {
    const response = await this.#endpoint.send({
      method: "POST",
      path: "/videos",
      ...await createBody(order, form),
      headers: { "idempotency-key": order.idempotencyKey },
      credential,
    }, signal);
    const body = await this.#endpoint.jsonOf(response, {
      maxBytes: MAX_OBJECT_BYTES,
      isAnswer: ({ id }) => id !== undefined,
    });
    if (!isJobId(body.id)) {
      throw new UpstreamError(
        "broken",
        "The upstream accepted a video without an id that can be asked after",
        { status: response.status, isUnanswered: true },
      );
    }
    return {
      id: body.id,
      keyReference: credential.reference,
      startedAt: this.#endpoint.clock.now(),
    };
  }

  async #ask(
    method: "GET" | "DELETE",
    job: UpstreamJob,
    signal: AbortSignal,
  ): Promise<UpstreamResponse> {
    const { timeouts } = this.#endpoint;
    return await this.#endpoint.send({
      method,
      path: jobPath(job.id),
      credential: this.#endpoint.keys.of(job.keyReference),
      timeouts: { ...timeouts, totalMs: Math.min(timeouts.totalMs, QUESTION_MS) },
    }, signal);
  }

  /** What an error says of the job itself; some servers answer a failed job with its error's status. */
  async #reportOfError(response: UpstreamResponse, job: UpstreamJob): Promise<VideoReport> {
    const text = await errorText(response);
    const body = objectIn(text);
    if (body?.id === job.id) {
      const report = readReport(body, this.#endpoint.concealed);
      if (report?.status === "failed") return report;
    }
    if (response.status === 404 || response.status === 410) {
      return { status: "lost", progress: undefined, error: undefined };
    }
    throw this.#endpoint.errorOfText(response, text);
  }
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = parseUpstreamJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    // A page or a proxy's words: the status says what there is to say.
    return undefined;
  }
}
