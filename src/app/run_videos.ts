/**
 * Sets the work on video tasks going: the renderer, the runner, the keeping of
 * films and the sender of webhooks. Wiring only.
 *
 * @module
 */

import type { VideoSettings } from "../config/process_settings.ts";
import { pauseWords, resumeCommand } from "../domain/video_pause.ts";
import { delay } from "../gateway/delay.ts";
import type { Log } from "../telemetry/log.ts";
import { createVideo } from "../videos/create_video.ts";
import type {
  CreatedVideo,
  CreateVideoAnswer,
  CreateVideoRequest,
} from "../videos/task/create_request.ts";
import { CreatesUnderWay } from "../videos/creates_under_way.ts";
import { DiskRoom } from "../videos/keep/disk_room.ts";
import { createLocalExecutor } from "../videos/make/local.ts";
import { createUpstreamExecutor } from "../videos/make/upstream.ts";
import { TaskFinisher } from "../videos/work/finish_task.ts";
import { forgetDone } from "../videos/forget_done.ts";
import type { BucketSweep, BucketSweepOptions, Swept } from "../objects/bucket_sweep.ts";
import { ContentQuota } from "../videos/keep/content_quota.ts";
import { JobCanceller } from "../videos/make/job_canceller.ts";
import { createRenderPool } from "@tollgate/render";
import { ReferenceLine } from "../videos/reference_line.ts";
import { Rerouter } from "../videos/work/reroute.ts";
import { Retention } from "../videos/keep/retention.ts";
import { Runner } from "../videos/work/runner.ts";
import type { RunnerEvent } from "../videos/task/runner_event.ts";
import { sweepOrphans } from "../videos/keep/sweeper.ts";
import { WebhookSender } from "../videos/tell/webhook_sender.ts";
import { logRunnerEvent, logWebhookTry } from "./log_videos.ts";
import type { Measuring } from "./measure.ts";
import type { Core } from "./open_core.ts";

/** What is needed besides the core. */
export interface RunVideosOptions {
  readonly settings: VideoSettings;
  readonly log: Log;
  /** Counts what happens; absent: nobody does. */
  readonly measuring?: Measuring | undefined;
}

/** Work on video tasks, under way. */
export interface RunningVideos {
  /** @throws {GatewayError} */
  create(request: CreateVideoRequest, answer: CreateVideoAnswer): Promise<CreatedVideo>;
  /** Begins to work on tasks, those of an earlier process first. */
  start(): Promise<void>;
  /** Whether the disk has room for so many bytes more beside the films that are promised. */
  hasRoomFor(bytes: number): boolean;
  /** What an operator should know although calls are served. */
  warnings(): readonly string[];
  /** Takes no new tasks and ends what is under way, to be gone on with after the next start. */
  stop(deadlineMs: number): Promise<void>;
}

const FORGET_EVERY_MS = 600_000;

/** Readies the work on tasks: files without a task are gone when this resolves. */
export async function runVideos(
  core: Core,
  { settings, log, measuring }: RunVideosOptions,
): Promise<RunningVideos> {
  const { admin, storage, commits, book, files, films, leftovers, health, capacity } = core;
  const { clock, random, catalogue, registry, directory } = admin;
  const onError = (error: unknown) => log.error("video_trouble", { error: String(error) });
  const onEvent = (event: RunnerEvent) => {
    core.videos.note(event, clock.now());
    const taskId = "taskId" in event ? event.taskId : undefined;
    const task = taskId === undefined ? undefined : book.known(taskId);
    logRunnerEvent(log, event, task?.prompt);
    measuring?.filmEvent(event);
  };
  await files.prepare();
  const { videos } = storage;
  const orphans = await sweepOrphans({ book, videos, files, sessions: core.sessions });
  if (orphans > 0) log.warn("video_orphans_removed", { files: orphans });

  const localWorkers = settings.workers ?? Math.max(1, navigator.hardwareConcurrency - 1);
  const pool = createRenderPool({
    workers: localWorkers,
    onAbandoned: (reason) => log.error("render_worker_abandoned", { reason }),
  });
  const references = new ReferenceLine(pool);
  const { bucket } = core;
  const room = new DiskRoom({
    ...{ book, files, keepsFilms: bucket === undefined },
    freeBytes: () => core.reserve.freeBytes(files.folder),
  });
  const bucketSweep = bucket && await sweepOf(bucket, { storage, clock, log, onError });
  const quota = await ContentQuota.load({
    ...{ book, videos, clock },
    quotaBytes: settings.quotaBytes,
    projectQuotaBytes: settings.projectQuotaBytes,
    ownQuotaOf: (projectId) => directory.project(projectId)?.quotas.videoBytes,
    hasOthers: () => directory.projects().length > 1,
  });
  const retention = new Retention({
    ...{ book, videos, films, clock, quota, leftovers },
    keepMs: settings.keepMs,
    onRemoved: ({ id }, why) => log.info("film_removed", { video_id: id, why }),
    onError,
  });
  const canceller = new JobCanceller({ registry, onEvent });
  const making = {
    ...{ book, files, films, clock, catalogue, registry, health, capacity, canceller, onEvent },
  };
  const runner = new Runner({
    ...making,
    ...{ leftovers, random, delay },
    sessions: core.sessions,
    localWorkers,
    pauses: core.videos.pauses,
    tasksPerProject: settings.tasksPerProject ?? Infinity,
    bytesBeside: (underWay) => room.bytesBeside(underWay),
    local: createLocalExecutor({ pool, files, films, catalogue, onEvent }),
    upstream: createUpstreamExecutor({
      ...making,
      delay,
      hasRoom: () => room.bytesBeside([]) > 0,
    }),
    finisher: new TaskFinisher({
      ...making,
      leftovers,
      prices: storage.catalogue,
      expiryOf: (completedAt) => retention.expiryOf(completedAt),
    }),
    rerouter: new Rerouter({ ...making, random, directory }),
  });
  const webhooks = new WebhookSender({
    webhooks: storage.webhooks,
    commits,
    shared: core.server?.messages,
    transport: core.transport,
    clock,
    allowsPrivate: settings.webhookPrivateAddresses,
    later: (run, ms) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    onEvent: (tried) => {
      logWebhookTry(log, tried);
      measuring?.webhookTried(tried.outcome);
    },
    onError,
  });
  core.videos.takeTelling(() => webhooks.wake());
  book.subscribe((before, after) => {
    const isOver = after?.status === "completed" || after?.status === "failed";
    if (isOver && after.callbackUrl !== undefined && before?.status !== after.status) {
      webhooks.wake();
    }
  });
  const underWay = new CreatesUnderWay();
  const stopping = new AbortController();
  let forgetting: ReturnType<typeof setInterval> | undefined;
  const forget = () =>
    void forgetDone({ commits, clock, signal: stopping.signal }).catch((error) => onError(error));
  const create: RunningVideos["create"] = (request, answer) =>
    createVideo(
      {
        ...making,
        ...{ limiter: core.limiter, openTasks: core.openTasks, room, quota, random, videos },
        ledger: admin.ledger,
        underWay,
        webhooks: storage.webhooks,
        references,
        allowsPrivateCallbacks: settings.webhookPrivateAddresses,
        isStopping: () => stopping.signal.aborted,
      },
      request,
      answer,
    );
  core.videos.takeCreates(create);
  return {
    create,
    async start() {
      await runner.start();
      retention.start();
      bucketSweep?.start();
      webhooks.wake();
      forget();
      forgetting = setInterval(forget, FORGET_EVERY_MS);
    },
    hasRoomFor: (bytes) => room.hasRoomFor(bytes),
    warnings: () => [
      ...(pool.lingering > 0
        ? [
          `${pool.lingering} render Workers do not answer and could not be ended: restart to free their processors`,
        ]
        : []),
      ...(bucket !== undefined && bucket.films.waiting > 0
        ? [`${bucket.films.waiting} films wait for the bucket ${bucket.address}`]
        : []),
      ...(runner.paused.includes("disk_full") ? ["video tasks wait for room on the disk"] : []),
      ...core.videos.pauses.list.map((pause) => `${pauseWords(pause)}: ${resumeCommand(pause)}`),
    ],
    async stop(deadlineMs) {
      stopping.abort();
      clearInterval(forgetting);
      await runner.stop(deadlineMs);
      await Promise.all([retention.stop(), bucketSweep?.stop()]);
      await webhooks.stop();
      await pool.close();
    },
  };
}

/** Loaded only where there is a bucket. */
async function sweepOf(
  { store, prefix }: NonNullable<Core["bucket"]>,
  { log, storage: { videos, uploads }, ...options }:
    & Pick<BucketSweepOptions, "clock" | "onError">
    & { readonly log: Log; readonly storage: Pick<Core["storage"], "videos" | "uploads"> },
): Promise<BucketSweep> {
  const [{ BucketSweep }, { filmObjects }, { uploadObjects }] = await Promise.all([
    import("../objects/bucket_sweep.ts"),
    import("../videos/keep/film_objects.ts"),
    import("../uploads/upload_objects.ts"),
  ]);
  const onSwept = (swept: Swept) => log.warn("video_bucket_swept", { ...swept });
  const kinds = [filmObjects(videos), uploadObjects(uploads)];
  return new BucketSweep({ ...options, store, prefix, kinds, onSwept });
}
