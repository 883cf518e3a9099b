/**
 * Films at an upstream, as a provider makes, follows and fetches them.
 *
 * @module
 */

import type { Route } from "../../domain/catalogue.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { UpstreamJob, VideoStatus } from "../../domain/video_task.ts";

/** A film to be made by an upstream. */
export interface VideoOrder {
  /** The same for each request for the same job; printable ASCII. */
  readonly idempotencyKey: string;
  readonly route: Route;
  readonly prompt: string;
  /** `<width>x<height>` */
  readonly size: string;
  readonly seconds: number;
  /** Further create fields that the route passes on; the route's body rules are applied by the provider. */
  readonly fields: Readonly<JsonObject>;
  readonly reference: {
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly mediaType: string;
  } | undefined;
}

/** What an upstream says of its job. */
export interface VideoReport {
  /**
   * Our word for the upstream's; `lost` when the upstream no longer knows the job
   * (it forgets its jobs when it restarts), so that it has to be started again.
   */
  readonly status: VideoStatus | "lost";
  /** 0..100; `undefined` when the upstream does not say. */
  readonly progress: number | undefined;
  /** The upstream's own text, cleaned of its internals; for `failed`. */
  readonly error: { readonly code: string | undefined; readonly message: string } | undefined;
  /** The upstream's word for a status when we know no such word (bounded, cleaned): worth a log line. */
  readonly unknownStatus?: string;
}

/** A finished film on its way from the upstream. */
export interface VideoContent {
  /** Offset of the first byte that `read` gives: what was asked, or 0 when the upstream starts over. */
  readonly from: number;
  /** Bytes of the whole film; `undefined` when the upstream does not say. */
  readonly totalBytes: number | undefined;
  /** `ETag` of the film, so that a resumed download notices another one. */
  readonly etag: string | undefined;
  /**
   * The next bytes, valid until the next read; `undefined` at the end.
   *
   * @throws {UpstreamError} `broken` when it is cut or stalls: resume from what is there.
   */
  read(): Promise<Uint8Array | undefined>;
  /** Closes the connection; safe to call more than once. */
  close(): void;
}

/** Videos at a provider. Jobs are plain values: they outlive the process. */
export interface VideoUpstream {
  /**
   * Starts a job.
   *
   * @throws {UpstreamError}
   */
  start(order: VideoOrder, signal: AbortSignal): Promise<UpstreamJob>;
  /**
   * Asks after a job, with the credential it was made with.
   *
   * @throws {UpstreamError} When the upstream cannot be asked: that says nothing about the job.
   */
  status(job: UpstreamJob, signal: AbortSignal): Promise<VideoReport>;
  /**
   * Opens the film of a completed job, from an offset on.
   *
   * @returns `undefined` while the upstream says that the film is not there (yet).
   * @throws {UpstreamError}
   */
  content(
    job: UpstreamJob,
    options: { readonly from: number; readonly etag: string | undefined },
    signal: AbortSignal,
  ): Promise<VideoContent | undefined>;
  /**
   * Asks the upstream to stop and forget a job, as far as it can.
   *
   * @throws {UpstreamError}
   */
  cancel(job: UpstreamJob, signal: AbortSignal): Promise<void>;
}
