/**
 * A provider of videos whose every answer a test decides.
 *
 * @module
 */

import type { UpstreamJob } from "../../src/domain/video_task.ts";
import type { Provider } from "../../src/providers/contract/provider.ts";
import type {
  VideoContent,
  VideoOrder,
  VideoReport,
  VideoUpstream,
} from "../../src/providers/contract/video_upstream.ts";

/** What an upstream says of a job that is under way. */
export const UNDER_WAY: VideoReport = { status: "in_progress", progress: 40, error: undefined };
/** What it says of one that is done. */
export const COMPLETED: VideoReport = { status: "completed", progress: 100, error: undefined };

/** Bytes that pass for an MP4 file. */
export function fakeFilm(bytes = 1_000): Uint8Array<ArrayBuffer> {
  const film = new Uint8Array(bytes).fill(7);
  film.set([0, 0, 0, 24, ...new TextEncoder().encode("ftypisom")]);
  return film;
}

/** Replace the methods' behaviour through the fields; everything asked is kept. */
export class FakeVideoUpstream implements VideoUpstream {
  readonly orders: VideoOrder[] = [];
  readonly polled: string[] = [];
  readonly fetched: { readonly job: string; readonly from: number; readonly etag?: string }[] = [];
  readonly cancelled: string[] = [];

  onStart: (order: VideoOrder, signal: AbortSignal) => Promise<void> | void = () => {};
  onStatus: (job: string, signal: AbortSignal) => Promise<VideoReport> | VideoReport = () =>
    COMPLETED;
  onContent: (
    job: string,
    from: number,
  ) => Promise<VideoContent | undefined> | VideoContent | undefined = (_job, from) =>
    contentOf(fakeFilm(), { from });

  async start(order: VideoOrder, signal: AbortSignal): Promise<UpstreamJob> {
    this.orders.push(order);
    const id = `job_${this.orders.length}`;
    await this.onStart(order, signal);
    return { id, keyReference: "env:KEY", startedAt: 1 };
  }

  async status({ id }: UpstreamJob, signal: AbortSignal): Promise<VideoReport> {
    this.polled.push(id);
    return await this.onStatus(id, signal);
  }

  async content(
    { id }: UpstreamJob,
    { from, etag }: { readonly from: number; readonly etag: string | undefined },
  ): Promise<VideoContent | undefined> {
    this.fetched.push({ job: id, from, ...(etag === undefined ? {} : { etag }) });
    return await this.onContent(id, from);
  }

  cancel({ id }: UpstreamJob): Promise<void> {
    this.cancelled.push(id);
    return Promise.resolve();
  }
}

/** A film on its way, in chunks of 300 bytes; `cut` is thrown after `until`. */
export function contentOf(
  film: Uint8Array,
  { from = 0, until = film.length, cut, etag }: {
    readonly from?: number;
    readonly until?: number;
    readonly cut?: Error;
    readonly etag?: string;
  } = {},
): VideoContent {
  let at = from;
  return {
    from,
    totalBytes: film.length,
    etag,
    read() {
      const end = Math.min(at + 300, until);
      if (at >= end) return cut === undefined ? Promise.resolve(undefined) : Promise.reject(cut);
      const chunk = film.slice(at, end);
      at = end;
      return Promise.resolve(chunk);
    },
    close() {},
  };
}

/** A provider that makes nothing but videos. */
export function videoProvider(id: string, videos: VideoUpstream | undefined): Provider {
  const refuse = () => Promise.reject(new Error("Only videos"));
  return {
    id,
    speaks: {},
    videos,
    rendersVideos: videos === undefined ? true : undefined,
    check: refuse,
    keyStates: () => [],
    secretsChanged: () => {},
  };
}
