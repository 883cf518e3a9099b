/**
 * A checked request for a video task.
 *
 * @module
 */

import type { Caller } from "../../accounts/key_directory.ts";
import type { AuditNote } from "../../domain/audit.ts";
import type { IdempotencyRecord } from "../../domain/idempotency.ts";
import type { RequestIdentity } from "../../domain/ids.ts";
import type { Tags } from "../../domain/tags.ts";
import type { SourceWishes } from "../../domain/request_facts.ts";
import type { VideoTask } from "../../domain/video_task.ts";
import type { Permit } from "../../limits/permit.ts";

/** What the caller sent. */
export interface CreateVideoRequest {
  readonly identity: RequestIdentity;
  readonly caller: Caller;
  /** Its place among its caller's requests at the same time. */
  readonly permit: Permit;
  /** Model id or alias; `undefined` means the key's only video model. */
  readonly model: string | undefined;
  readonly prompt: string;
  /** `<width>x<height>`; `undefined` means the first that the route offers. */
  readonly size: string | undefined;
  readonly seconds: number | undefined;
  readonly wishes: SourceWishes;
  /** Every other field of the request, without the gateway's own and the forbidden ones. */
  readonly fields: { readonly [name: string]: unknown };
  /** The bytes of `input_reference`, unchecked. */
  readonly reference: Uint8Array<ArrayBuffer> | undefined;
  readonly callbackUrl: string | undefined;
  /** Kept with the task's call. */
  readonly tags?: Tags | undefined;
  /** Whether the client says that it has sent this before (`x-stainless-retry-count` above 0). */
  readonly isRetry: boolean;
  /**
   * Finds what an earlier try has made; absent: the newest task of the same fingerprint whose client
   * has not seen it, for some minutes.
   */
  readonly findEarlier?: (() => Promise<VideoTask | undefined>) | undefined;
  /** SHA-256 of everything above that the caller wrote, lower-case hex. */
  readonly fingerprint: string;
  /** The row for the audit log, where an operator orders it. */
  readonly noteOf?: ((task: VideoTask) => AuditNote) | undefined;
  /** When the request arrived, monotonic milliseconds. */
  readonly arrivedAt: number;
}

/** How the answer is written, so that it can be stored with the task. */
export interface CreateVideoAnswer {
  /** The body that tells of a task. */
  readonly write: (task: VideoTask) => string;
  /** The record of that body for repeated requests; `undefined` without an idempotency key. */
  readonly toRecord: ((body: string) => IdempotencyRecord) | undefined;
}

/** A task and what its caller is told. */
export interface CreatedVideo {
  readonly task: VideoTask;
  readonly body: string;
}
