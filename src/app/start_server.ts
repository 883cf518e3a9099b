/**
 * Makes of an open data dir a gateway that listens. It is loaded when the data dir is open, and not
 * by commands that open one.
 *
 * @module
 */

import { setUpFirstRun } from "../admin/first_run.ts";
import { logRequest } from "./log_requests.ts";
import { noteRefusal } from "./note_refusals.ts";
import { bucketOf } from "./film_place.ts";
import type { Core } from "./assemble_core.ts";
import { backfillDetails } from "./backfill_details.ts";
import { archivingOfServer, keepArchiving } from "./archives/keep_archiving.ts";
import { callEvents, coreEvents } from "./operator_events.ts";
import { ofChannel } from "./own_channel.ts";
import { endedSessions } from "./reap.ts";
import { listenForMetrics } from "./listen_for_metrics.ts";
import { loadCatalogue, Reloads } from "./reload.ts";
import { batchWork } from "./run_batches.ts";
import { ListeningProcess } from "./listening_process.ts";
import { drain } from "./drain.ts";
import { asFarAsAnswered } from "./write_last.ts";
import { openServing } from "./serving.ts";
import { keepSeals } from "./keep_seals.ts";
import type { GatewayOptions, RunningGateway } from "./running_gateway.ts";
import { KeptBackups } from "./backups/keep_backups.ts";
import { openAlerting } from "./open_alerting.ts";
import { removeSocket } from "./remove_socket.ts";
import { urlOf } from "./listener_url.ts";
import { keepUploads, type KeptUploads } from "./keep_uploads.ts";
import { type RunningVideos, runVideos } from "./run_videos.ts";
import { readinessOf } from "./readiness.ts";
import { keptInTurns, shareBodies } from "./share_bodies.ts";
import { watchStorage } from "./watch_storage.ts";
import type { Watching } from "./watching.ts";
import { CallEngine } from "../gateway/call_engine.ts";
import { delay } from "../gateway/delay.ts";
import { reapAnswers } from "../gateway/responses/fail_unfinished.ts";
import { Responses } from "../gateway/responses/responses.ts";
import { RetryBudget } from "../gateway/retry_budget.ts";
import { KEEP_ALIVE } from "../gateway/stream_relay.ts";
import type { ApiDeps } from "../http/context/api_deps.ts";
import { listen, type Listener } from "../http/listener.ts";
import { createClientAddress } from "../http/listener/trusted_proxies.ts";
import { openConsole } from "./open_console.ts";
import { openGuard, watchGuard } from "./open_guard.ts";
import {
  createControlHandler,
  createLineHandler,
  createPublicHandler,
  createRefusals,
} from "../http/server.ts";
import { withCors } from "../http/cors.ts";
import { createQuickChat } from "../http/quick_chat.ts";
import { mayBeQuick } from "./may_be_quick.ts";
import { ClaimedKeys } from "../idempotency/claimed_keys.ts";
import { RepeatedRequests } from "../idempotency/repeated_requests.ts";
import { awaitTurn } from "../limits/await_turn.ts";

/**
 * Begins to listen and to work; closes the data dir where that fails.
 *
 * @throws {GatewayError} When the catalogue file is wrong.
 * @throws {Deno.errors.AddrInUse} When the address is taken.
 */
export async function startServer(
  core: Core,
  options: GatewayOptions,
  watching: StorageWatching,
): Promise<Omit<RunningGateway, "failed"> & CallsEnd> {
  const running = await openServer(core, options, watching).catch(async (error) => {
    await core.close();
    throw error;
  });
  try {
    // Once it listens: a key that is made for an address that is taken would never be shown.
    const firstRun = await setUpFirstRun(ofChannel(core.admin, "first_run"));
    await running.videos.start();
    await running.startBatches();
    return { ...running, firstRun };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

async function openServer(
  core: Core,
  options: GatewayOptions,
  watching: StorageWatching,
): Promise<Server> {
  await loadCatalogue(core.admin, options);
  const { commits, storage: { responses } } = core;
  for (const session of await endedSessions(core.storage, core.sessions)) {
    await reapAnswers(session, { responses, commits });
  }
  const { videos: videoSettings } = options;
  const videos = await runVideos(core, { settings: videoSettings, log: options.log, ...watching });
  try {
    const { uploads: settings, log } = options;
    const { hasRoomFor } = videos;
    const kept = await keepUploads(core, { settings, hasRoomFor, log });
    return await serve(core, options, { videos, ...watching, ...kept });
  } catch (error) {
    await videos.stop(0);
    throw error;
  }
}

/** Who hears besides that nothing can be stored any more. */
type StorageWatching = Watching & { readonly onStorageLost: (error: Error) => void };

/** A server whose session others have ended. */
export interface CallsEnd {
  /** Refuses new calls, lets those under way end, and waits until those are written that can be. */
  endCalls(): Promise<void>;
}

/** A gateway that listens, and does not work on video tasks yet. */
interface Server extends Omit<RunningGateway, "firstRun" | "failed">, CallsEnd {
  readonly videos: RunningVideos;
  startBatches(): Promise<void>;
}

async function serve(
  core: Core,
  options: GatewayOptions,
  { videos, spool, uploads, measuring, tracing, alerting, onStorageLost }:
    & KeptUploads
    & StorageWatching
    & { readonly videos: RunningVideos },
): Promise<Server> {
  const { log } = options;
  const { backups, reserve, dataDir } = core;
  const kept = new KeptBackups({
    ...{ backups, reserve, dataDir, log, clock: core.admin.clock },
    settings: options.backups,
    ...(options.s3 !== undefined && { s3: options.s3 }),
  });
  const reloads = new Reloads(core, options);
  const alerts = openAlerting(core, options, {
    ...{ measuring, alerting, log },
    gateway: () => baseUrl(),
    damage: () => watched.damage(),
    backupTrouble: () => kept.trouble,
    backupFolder: () => kept.view()?.folder,
    catalogueTrouble: () => reloads.trouble,
  });
  const listening = new ListeningProcess(options.shownSettings ?? [], {
    ...{ dataDir, clock: core.admin.clock, resolveSecret: options.resolveSecret },
    ...{ database: options.database, filmBucket: bucketOf(options) },
    reserveBytes: options.disk.reserveBytes,
    proxied: options.proxied ?? { http: false, https: false },
    admin: () => admin,
    readiness: () => deps.readiness(),
  });
  const { admin, access, console } = openConsole(
    { ...core, admin: { ...core.admin, alerts, backupSchedule: () => kept.view(), listening } },
    options,
    () => baseUrl(),
  );
  const { clock, ledger } = admin;
  const metrics = measuring?.metrics;
  const counting = {
    catalogue: admin.catalogue,
    registry: admin.registry,
    health: core.health,
    capacity: core.capacity,
    limiter: core.limiter,
    clock,
    random: admin.random,
  };
  const events = callEvents(log, { measuring, tracing, alerting });
  const engine = new CallEngine({
    ...counting,
    ledger,
    seals: core.seals,
    retryBudget: new RetryBudget(),
    delay,
    onSeal: (note) => serving.tellSeal(note),
    ...events,
  });
  const bodies = shareBodies(options.bodies, clock);
  const room = keptInTurns(core.room, bodies);
  const responses = new Responses({
    engine,
    responses: core.storage.responses,
    summaries: core.summaries,
    commits: core.commits,
    clock,
    room,
    maxConversationBytes: options.bodies.maxJsonBytes,
    shared: core.server && { answers: core.server.answers, sessions: core.sessions },
    onError: (error) => log.error("response_trouble", { error: String(error) }),
  });
  const { maxJsonBytes, maxFormBytes, maxJsonDepth } = options.bodies;
  const guardAddress = watchGuard(options, log);
  const deps: ApiDeps = {
    guard: options.guard && openGuard(options.guard, { core, options, log, metrics }),
    prompts: core.prompts,
    configuration: core.followed,
    engine,
    counting,
    responses,
    directory: admin.directory,
    ledger,
    spending: admin.spending,
    room: core.room,
    limiter: core.limiter,
    openTasks: core.openTasks,
    bodies,
    maxFormBytes,
    batches: core.batches,
    spool,
    uploads,
    maxUploadBytes: options.uploads.maxBytes,
    videos: core.videos,
    createVideo: (request, answer) => videos.create(request, answer),
    repeatedRequests: new RepeatedRequests({
      answers: core.storage.answers,
      clock,
      roomOf: (projectId) => bodies.of(projectId),
      awaitTurn: (projectId, bytes) => awaitTurn(bodies.of(projectId), bytes),
      mayKeep: (projectId, bytes) => room.take(projectId, bytes) === undefined,
      cached: core.storage.cached,
      mayCache: (bytes) => core.room.hasDiskFor(bytes),
      claimed: core.claims && new ClaimedKeys({ claims: core.claims, delay }),
      fleetingPart: KEEP_ALIVE,
    }),
    videoViews: () => ({
      baseUrl: baseUrl(),
      publicLinks: options.videos.publicLinks,
      currency: admin.catalogue.current.catalogue.currency,
    }),
    catalogue: admin.catalogue,
    calls: core.storage.calls,
    checkpoints: core.storage.checkpoints,
    ids: core.requestIds,
    clock,
    jsonLimits: { maxBytes: maxJsonBytes, maxDepth: maxJsonDepth },
    readiness: () =>
      readinessOf({
        ...{ core, engine, ledger, watched, admin },
        others: [videos, archiving, core.prompts, guardAddress, alerts, kept, serving],
      }),
    onRequest: (record) => {
      logRequest(log, record, admin.catalogue);
      noteRefusal(record, { ...core, catalogue: admin.catalogue });
      metrics?.request(record.status, record.note.errorCode);
    },
    clientAddress: options.trustedProxies && createClientAddress(options.trustedProxies),
    onArrival: tracing && ((...arrival) => tracing.tracer.arrive(...arrival)),
    metrics: options.metrics && measuring?.access(options.metrics),
    adminKey: options.adminKey,
    access,
  };
  const onError = (error: unknown) => log.error("listener", { message: String(error) });
  const api = createPublicHandler(deps, { admin, console });
  // Before other threads begin, which are given what is known.
  const sealsKept = keepSeals(engine.seals, {
    dataDir: core.dataDir,
    onTrouble: (what, error) => log.warn(what, { message: String(error) }),
  });
  const serving = await openServing(core, options, {
    ...events,
    ...{ engine, onError, onRequest: deps.onRequest },
    handler: withCors(api, deps, options.corsOrigins),
    quick: mayBeQuick(options) ? createQuickChat(deps) : undefined,
    refusal: createRefusals(deps),
    onKeyRefused: coreEvents(log, { measuring, tracing, alerting }).onKeyRefused!,
  }).catch(async (error) => {
    await sealsKept.stop();
    throw error;
  });
  const { listener } = serving;
  const baseUrl = () => options.baseUrl ?? urlOf(listener);
  let own: Listener | undefined;
  let control: Listener;
  try {
    own = listenForMetrics(deps, options.metrics?.listen, onError);
    removeSocket(options.socketPath);
    control = listen(createControlHandler(deps, admin), {
      unixPath: options.socketPath,
      onError,
      refusal: createRefusals(deps),
    });
  } catch (error) {
    listener.close();
    await serving.end();
    own?.close();
    throw error;
  }
  const { readiness } = deps;
  measuring?.begin({ core, engine: serving.calls, listener, threads: serving.loads, readiness });
  uploads.start();
  core.prompts.start();
  const keepAlive = setInterval(() => engine.keepStreamsAlive(), KEEP_ALIVE_SWEEP_MS);
  const hearing = core.server &&
    setInterval(() => void responses.hearOthers(), HEAR_MS);
  const watched = watchStorage(core, { ...options, onLost: onStorageLost });
  const { checkpoints } = core.storage;
  const archiving = keepArchiving(admin, {
    ...{ settings: options.archives ?? {}, log, checkpoints },
    ofServer: core.server && archivingOfServer(core.server, core.storage),
  });
  const backfill = backfillDetails(core.commits, log);
  // They look at all of the above.
  alerts.start();
  kept.start();
  let drained: Promise<void> | undefined;
  const drainCalls = () =>
    drained ??= drain(serving.calls, responses, listener, options.drainTimeoutMs);
  return {
    baseUrl: baseUrl(),
    dataDir: core.dataDir,
    metricsUrl: deps.metrics && `${own === undefined ? baseUrl() : urlOf(own)}/metrics`,
    admin,
    videos,
    startBatches: () =>
      core.batches.start(batchWork(core, {
        settings: options.batches,
        jsonLimits: deps.jsonLimits,
        callLine: createLineHandler(deps),
        hasRoomFor: videos.hasRoomFor,
        uploads,
      })),
    openCalls: () => serving.calls.openCalls,
    openVideos: () => [...core.book.openTasks()].length,
    reload: () => reloads.reload().finally(() => serving.reload()),
    storageAnswers: () => watched.answers(),
    async endCalls() {
      await Promise.all([drainCalls(), core.batches.stop(options.drainTimeoutMs)]);
      await core.commits.flush();
      const waiting = new AbortController();
      await Promise.race([ledger.unwritten.written(), delay(LAST_WRITES_MS, waiting.signal)]);
      waiting.abort();
    },
    async stop() {
      const { drainTimeoutMs } = options;
      const underWay = Promise.all([
        drainCalls(),
        videos.stop(drainTimeoutMs),
        core.batches.stop(drainTimeoutMs),
      ]);
      const mostMs = drainTimeoutMs + LAST_SETTLES_MS;
      await asFarAsAnswered(underWay, { isOnServer: core.server !== undefined, mostMs });
      clearInterval(keepAlive);
      clearInterval(hearing);
      await serving.end();
      await Promise.all([sealsKept.stop(), core.prompts.stop()]);
      await Promise.all([uploads.stop(), backfill.stop()]);
      await watched.stop();
      archiving.stop();
      kept.stop();
      await Promise.all([alerts.stop(), listening.stop()]);
      measuring?.stop();
      await tracing?.stop();
      own?.close();
      control.close();
      removeSocket(options.socketPath);
      await core.close();
      await log.flush();
    },
  };
}

/**
 * What calls whose time to end is over may wait for a database server that is away: nobody is there any
 * more to be answered, and with each batch of them they would wait anew.
 */
const LAST_SETTLES_MS = 5_000;

/** What is refused again and again is not waited for. */
const LAST_WRITES_MS = 10_000;

/** How often silent streams are looked for. */
const KEEP_ALIVE_SWEEP_MS = 3_000;
/** How often it is looked for answers that other nodes have cancelled. */
const HEAR_MS = 500;
