/**
 * Takes a request for a film: checks it, picks a route, takes the hold and
 * stores the task, which somebody else then works on.
 *
 * @module
 */

import { type Caller, mayUse } from "../accounts/key_directory.ts";
import type { Ledger } from "../accounts/ledger.ts";
import type { CatalogueHolder } from "../catalog/snapshot.ts";
import { capabilityOf, makesVideos } from "../domain/capabilities.ts";
import type { Model } from "../domain/catalogue.ts";
import type { Clock, Random } from "../domain/clock.ts";
import { randomName } from "../domain/ids.ts";
import type { VideoTask } from "../domain/video_task.ts";
import { GatewayError } from "../errors.ts";
import type { Limiter } from "../limits/limiter.ts";
import type { OpenTaskLimits } from "../limits/open_tasks.ts";
import { leaseFor } from "../planning/lease_for.ts";
import { balanceTooLow } from "../planning/refusals.ts";
import { factsOfVideo } from "../planning/facts_of_video.ts";
import { openCall } from "../planning/open_call.ts";
import { wishesFor } from "../planning/model_names.ts";
import { type Plan, planCall, requireModel } from "../planning/plan_call.ts";
import { countWhenRoom } from "../planning/take_permit.ts";
import type { CapacityView, HealthView } from "../routing/route_request.ts";
import type { VideoStore } from "../storage/ports/storage.ts";
import { type CallbackDeps, requireCallback } from "./tell/require_callback.ts";
import type { FilmStore } from "./files/film_store.ts";
import type { CreatedVideo, CreateVideoAnswer, CreateVideoRequest } from "./task/create_request.ts";
import type { CreatesUnderWay } from "./creates_under_way.ts";
import type { DiskRoom } from "./keep/disk_room.ts";
import type { ContentQuota } from "./keep/content_quota.ts";
import { estimateContentBytes } from "./files/content_bytes.ts";
import { newTask } from "./task/new_task.ts";
import type { ReferenceLine } from "./reference_line.ts";
import type { TaskBook } from "./task/task_book.ts";
import { findWork } from "./video_work.ts";

/** What creating a task needs. */
export interface CreateVideoDeps extends CallbackDeps {
  readonly catalogue: CatalogueHolder;
  readonly health: HealthView;
  readonly capacity: CapacityView;
  readonly limiter: Limiter;
  readonly openTasks: OpenTaskLimits;
  readonly ledger: Pick<Ledger, "balanceOf" | "covers" | "lease" | "leaseBudgets">;
  readonly book: TaskBook;
  readonly underWay: CreatesUnderWay;
  readonly videos: VideoStore;
  readonly films: Pick<FilmStore, "writeReference" | "removeReference">;
  readonly room: DiskRoom;
  readonly quota: Pick<ContentQuota, "promise">;
  readonly references: Pick<ReferenceLine, "check">;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether new tasks are refused because the gateway stops. */
  readonly isStopping: () => boolean;
}

/** How long a client may take to send a create again without a key. */
const REPEAT_MS = 600_000;
const ID_CHARACTERS = 26;

/**
 * Creates a task, or finds the one that an earlier try of the same request made
 * whose answer its client never saw. Resolves when it is on disk.
 *
 * @throws {GatewayError}
 */
export async function createVideo(
  deps: CreateVideoDeps,
  request: CreateVideoRequest,
  answer: CreateVideoAnswer,
): Promise<CreatedVideo> {
  if (deps.isStopping()) {
    throw new GatewayError(
      "shutting_down",
      "The gateway is stopping and takes no new tasks: send the request again in a few seconds",
      { retryAfterSeconds: 5 },
    );
  }
  const { caller, fingerprint } = request;
  // A request with an idempotency key is the same one by its key alone.
  const isRetry = request.isRetry && answer.toRecord === undefined;
  const task = await deps.underWay.run({ projectId: caller.project.id, fingerprint }, {
    isRetry,
    create: async () =>
      (isRetry ? await findRepeated(deps, request) : undefined) ??
        await makeTask(deps, request, answer),
  });
  return { task, body: answer.write(task) };
}

async function makeTask(
  deps: CreateVideoDeps,
  request: CreateVideoRequest,
  answer: CreateVideoAnswer,
): Promise<VideoTask> {
  const { caller, fields, reference } = request;
  const snapshot = deps.catalogue.current;
  const name = request.model ?? onlyVideoModel(snapshot.models, caller);
  const wishes = wishesFor(snapshot, name, request.wishes);
  const model = requireModel(snapshot, {
    model: name,
    caller,
    kind: capabilityOf("videos").kind,
  });
  await requireCallback(deps, request);
  const work = findWork(model, request);
  const facts = factsOfVideo({ work, hasReference: reference !== undefined, fields });
  const plan = planCall(deps, { caller, wishes, model, facts });
  const bytes = estimateContentBytes(work);
  requireRoom(deps, bytes + (reference?.length ?? 0));

  const { permit } = request;
  await countWhenRoom(deps.limiter, { caller, permit, tokens: 0 });
  await using undo = new AsyncDisposableStack();
  undo.defer(() => permit.withdraw());
  using promises = new DisposableStack();
  promises.defer(await deps.quota.promise(caller.project.id, bytes));
  undo.defer(deps.openTasks.take(caller));
  const projectId = caller.project.id;
  const id = `video_${randomName(ID_CHARACTERS)}`;
  let referenceType: string | undefined;
  if (reference !== undefined) {
    const check = () => lookAt(deps, { plan, caller, reference });
    referenceType = await leaseFor(deps.ledger, { plan, projectId, take: check });
    undo.defer(() => deps.films.removeReference(id));
    await deps.films.writeReference(id, reference);
  }
  const task = await leaseFor(deps.ledger, {
    plan,
    projectId,
    take: () => store(deps, { id, request, answer, plan, referenceType }),
  });
  // It is stored: nothing is to be undone.
  undo.move();
  return task;
}

/** SDKs send no idempotency key, but say which try of a request they make. */
async function findRepeated(
  { videos, clock }: CreateVideoDeps,
  { caller, fingerprint, findEarlier }: CreateVideoRequest,
): Promise<VideoTask | undefined> {
  if (findEarlier !== undefined) return await findEarlier();
  const sinceMs = clock.now() - REPEAT_MS;
  return await videos.unusedRepeat({ projectId: caller.project.id, fingerprint, sinceMs });
}

function onlyVideoModel(models: readonly Model[], caller: Caller): string {
  const usable = models.filter(({ id, kind }) => makesVideos(kind) && mayUse(caller, id));
  if (usable.length === 1) return usable[0]!.id;
  throw new GatewayError(
    "missing_required_parameter",
    usable.length === 0
      ? "Missing required parameter 'model': this key may use no video model"
      : `Missing required parameter 'model': this key may use ${
        usable.slice(0, 10).map(({ id }) => id).join(", ")
      }`,
    { param: "model" },
  );
}

function requireRoom({ room }: CreateVideoDeps, bytes: number): void {
  if (room.hasRoomFor(bytes)) return;
  throw new GatewayError(
    "storage_full",
    "The gateway's disk has no room for another film: nothing was stored or charged",
    { retryAfterSeconds: 60 },
  );
}

/**
 * The media type of a reference image. Behind the limits, and only for who can pay: to
 * decode an image is work, and the only dear thing before the hold.
 */
async function lookAt(
  { ledger, references }: CreateVideoDeps,
  { plan, caller: { project, key }, reference }: {
    readonly plan: Plan;
    readonly caller: Caller;
    readonly reference: Uint8Array<ArrayBuffer>;
  },
): Promise<string> {
  const canPay = plan.selection.candidates.some(({ route }) =>
    ledger.covers({ projectId: project.id, keyId: key.id, heldE8: plan.worstCaseE8(route) })
  );
  if (!canPay) throw balanceTooLow(plan, ledger.balanceOf(project.id).avail);
  return await references.check(project.id, reference);
}

async function store(
  deps: CreateVideoDeps,
  { id, request, answer, plan, referenceType }: {
    readonly id: string;
    readonly request: CreateVideoRequest;
    readonly answer: CreateVideoAnswer;
    readonly plan: Plan;
    readonly referenceType: string | undefined;
  },
): Promise<VideoTask> {
  const { identity, caller } = request;
  const sinceArrivalMs = deps.clock.monotonic() - request.arrivedAt;
  const createdAt = Math.round(deps.clock.now() - sinceArrivalMs);
  const mostOpen = {
    project: caller.project.limits.openVideoTasks,
    key: caller.key.limits.openVideoTasks,
  };
  for (const { route } of plan.selection.candidates) {
    const call = openCall(plan, {
      route,
      caller,
      identity,
      openedAt: createdAt,
      tags: request.tags,
    });
    const task = newTask({
      id,
      request,
      plan,
      referenceType,
      createdAt,
      route: route.id,
      provider: route.providerId,
    });
    const idempotency = answer.toRecord?.(answer.write(task));
    const note = request.noteOf?.(task);
    if (await deps.book.create(task, { call, idempotency, note, mostOpen })) return task;
  }
  throw balanceTooLow(plan, deps.ledger.balanceOf(caller.project.id).avail);
}
