/**
 * Makes the live state of a data dir from its database. It is loaded while that is being opened.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { AdminTokens } from "../accounts/admin_tokens.ts";
import { KeyDirectory } from "../accounts/key_directory.ts";
import { KeptRoom, SPARED_MS } from "../accounts/kept_room.ts";
import { Ledger } from "../accounts/ledger.ts";
import { SpendBook } from "../accounts/spend_book.ts";
import { LONE_CHANGES } from "../admin/base/changes.ts";
import type { AdminDeps } from "../admin/base/deps.ts";
import { RecentUsage } from "../metering/recent_usage.ts";
import { RefusalBook } from "../metering/refusal_book.ts";
import { PriceBook } from "../catalog/price_book.ts";
import { rowsInDatabase, rowsInFile } from "../catalog/own_rows.ts";
import { withListedPrices } from "./listed_prices.ts";
import { CatalogueHolder } from "../catalog/snapshot.ts";
import { secretValue } from "../config/secrets.ts";
import type { Catalogue } from "../domain/catalogue.ts";
import { systemClock } from "../domain/clock.ts";
import { RequestIds } from "../domain/ids.ts";
import { OWNER } from "../domain/roles.ts";
import { Limiter } from "../limits/limiter.ts";
import { countOpenTasks } from "./count_open_tasks.ts";
import { RouteCapacity } from "../limits/route_capacity.ts";
import { SummarySeals } from "../dialects/openai_responses/summary_seals.ts";
import { ThoughtSeals } from "../dialects/turns/thought_seals.ts";
import { createRegistry } from "../providers/registry.ts";
import type { Transport } from "../providers/transport/contract.ts";
import { createTransport } from "../providers/transport/transport.ts";
import { Health } from "../routing/health.ts";
import { GatheringQueue } from "../storage/commit_queue.ts";
import type { DataDirLock } from "../storage/ownership/data_dir_lock.ts";
import { Leftovers } from "../videos/files/leftovers.ts";
import { ContentFiles } from "../videos/files/content_files.ts";
import { QueuePauses } from "../videos/task/queue_pauses.ts";
import { TaskBook } from "../videos/task/task_book.ts";
import { VideoTasks } from "../videos/video_tasks.ts";
import type { CoreOptions } from "./core_options.ts";
import { followChanges } from "./changes/follow_changes.ts";
import { timedWrites } from "./timed_writes.ts";
import type { OpenFilmBucket } from "./films/open_film_bucket.ts";
import { placeOfFilms } from "./film_place.ts";
import { DiskReserve } from "./database/disk_reserve.ts";
import type { OpenDatabase } from "./database/driver.ts";
import { answers } from "./database/watch_server.ts";
import { openPrompts } from "./open_prompts.ts";
import { reserveVideos } from "./reserve_videos.ts";
import { shareBalances } from "./share_balances.ts";
import { endedSessions, reapCalls } from "./reap.ts";
import { sharedFiles } from "./shared_files.ts";
import { shareBudgets } from "./share_budgets.ts";
import { shareLimits } from "./share_limits.ts";
import { restoreLimits } from "./restore_limits.ts";
import { openArchives } from "./archives/open_archives.ts";
import { Batches } from "../batches/batches.ts";
import { UploadedFiles } from "../uploads/uploaded_files.ts";
import { UploadFiles } from "../uploads/upload_files.ts";
import { Backups } from "./backups/backups.ts";
import { openJobs } from "./jobs/open_jobs.ts";
import { writeLast } from "./write_last.ts";

/** The live state of a data dir. */
export type Core = Awaited<ReturnType<typeof assembleCore>>;

/** What it is made of. */
export interface CoreParts {
  readonly database: OpenDatabase;
  /** Has the films, if a bucket does. */
  readonly bucket: OpenFilmBucket | undefined;
  /** Is given back when all is closed. */
  readonly lock: DataDirLock;
}

const NO_CATALOGUE: Catalogue = { currency: "USD", providers: [], models: [] };

/** Makes it; closes the database where that fails. */
export async function assembleCore({ database, bucket, lock }: CoreParts, options: CoreOptions) {
  const { proxied = { http: false, https: false } } = options;
  const direct = createTransport({ clock: systemClock, proxied });
  const transport = options.tracing?.through(direct) ?? direct;
  const { storage } = database;
  const core = await assemble({ ...database, bucket, transport }, options).catch(
    async (error) => {
      transport.close();
      await storage.close();
      throw error;
    },
  );
  return {
    ...core,
    /** Writes everything, closes the database and gives the lock back. */
    async close(): Promise<void> {
      transport.close();
      core.stopSharing?.();
      await Promise.all([core.admin.jobs.stop(), core.backups.stop(), core.archives.stop()]);
      core.admin.changes.stop();
      try {
        const isOnServer = database.server !== undefined;
        await writeLast({ ...core, storage, database }, { isOnServer });
      } finally {
        await storage.close();
        lock.release();
      }
    },
  };
}

async function assemble(
  { server, storage, reads, sessions, callIds, claims, nodes, bucket, transport }:
    & Omit<OpenDatabase, "stopReads">
    & { readonly bucket: OpenFilmBucket | undefined; readonly transport: Transport },
  options: CoreOptions,
) {
  const clock = systemClock;
  const random = Math.random;
  const started = { at: clock.now(), monotonic: clock.monotonic() };
  const reserve = new DiskReserve(options.dataDir, options.disk.reserveBytes);
  const backups = new Backups(options.dataDir, { clock, reserve, server: server?.name });
  // Before anything of it is read: what changes meanwhile is read again.
  const version = await server?.configuration.version();
  const [loaded, projects, keys, held, balances, idKey, kept, young] = await Promise.all([
    storage.catalogue.load(),
    storage.accounts.loadProjects(),
    storage.accounts.loadKeys(),
    storage.tokens.load(),
    // A node has no part of any until it leases one.
    nodes === undefined ? storage.accounts.loadBalances() : [],
    storage.calls.requestIdKey(),
    storage.kept.load(),
    storage.kept.since(started.at - SPARED_MS),
  ]);
  const requestIds = new RequestIds(callIds, Buffer.from(idKey, "hex"));
  const directory = new KeyDirectory(projects, keys);
  const room = new KeptRoom({
    commits: new GatheringQueue({ write: timedWrites(storage, options.onCommit) }),
    state: kept,
    young,
    quotaBytes: options.disk.keptBytesPerProject,
    ownQuotaOf: (projectId) => directory.project(projectId)?.quotas.keptBytes,
    freeBytes: () => reserve.freeBytes(),
    now: () => clock.now(),
    onFull: options.onKeptFull,
  });
  const { commits } = room;
  const refusals = new RefusalBook({ commits, now: () => clock.now(), later });
  const tokens = new AdminTokens(held, ({ id: tokenId, lastUsedAt: at = 0 }) => {
    // What cannot be noted now is with the next use.
    void commits.commit({ kind: "note_token_use", tokenId, at });
  });
  const archives = await openArchives(options.dataDir, {
    ...{ clock, commits, reserve, storage, onDamage: options.onArchiveDamage },
  });
  const spending = new SpendBook({
    directory,
    spending: storage.spending,
    commits,
    now: () => clock.now(),
    onPause: options.onPause,
    onTrouble: (message) => options.onTrouble(message, 0),
  });
  const ledger = new Ledger({
    commits,
    balances,
    spending,
    now: () => clock.now(),
    onTrouble: options.onTrouble,
    retryDelay: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    isAway: server && (() => !answers(server)),
    leases: nodes && {
      monotonic: () => clock.monotonic(),
      balances: (ids) =>
        ids === undefined ? storage.accounts.loadBalances() : storage.accounts.balances(ids),
    },
  });
  const prices = await PriceBook.open(
    server === undefined ? rowsInFile(options.dataDir) : await rowsInDatabase(server.prices, {
      dataDir: options.dataDir,
      takesFile: options.processKind === "server",
    }),
  );
  const catalogue = loaded && await withListedPrices(loaded, { prices, commits, clock });
  const holder = new CatalogueHolder(catalogue ?? NO_CATALOGUE);
  const seals = new ThoughtSeals(Buffer.from(idKey, "hex"));
  const summaries = new SummarySeals(Buffer.from(idKey, "hex"));
  const registry = createRegistry({
    seals,
    transport,
    secrets: (reference) => secretValue(options.resolveSecret(reference)),
    clock,
    random,
    onKeyRefused: options.onKeyRefused,
  });
  registry.update(holder.current.catalogue.providers);
  const health = new Health({ clock });
  const capacity = new RouteCapacity({ clock });
  const limiter = new Limiter({ clock });
  holder.subscribe(({ catalogue: { models } }) => {
    health.retain(models.flatMap(({ routes }) => routes.map(({ id }) => id)));
  });
  for (const session of await endedSessions(storage, sessions)) {
    await reapCalls(session, { calls: storage.calls, ledger });
  }
  await spending.load();
  const book = new TaskBook({
    videos: storage.videos,
    calls: storage.calls,
    commits,
    ledger,
    onClosed: options.onFilmCall,
    onError: (error) => options.onVideoTrouble("video_listener_failed", error),
  });
  await book.load();
  await reserveVideos({ book, spending, prices: storage.catalogue });
  const files = new ContentFiles(`${options.dataDir}/videos`, sessions.own);
  const place = await placeOfFilms(bucket, files, {
    idKey,
    onTrouble: (error) => options.onVideoTrouble("video_bucket_trouble", error),
  });
  const { films } = place;
  const prompts = await openPrompts(options.dataDir, {
    ...{ directory, reserve },
    shared: server && place.bucket && { bucket: place.bucket, server, seals: storage.seals },
  });
  const leftovers = new Leftovers({
    films,
    onError: (error) => options.onVideoTrouble("video_files_left", error),
  });
  const videos = new VideoTasks({
    book,
    films,
    leftovers,
    videos: storage.videos,
    prices: storage.catalogue,
    clock,
    pauses: new QueuePauses({ catalogue: holder, pauses: await storage.videos.pauses() }),
    deletedVideoCharge: options.deletedVideoCharge ?? "free",
    onError: (error) => options.onVideoTrouble("video_mark_failed", error),
  });
  const uploadFiles = new UploadFiles(`${options.dataDir}/files`);
  const { uploadBucket, place: batchPlace } = await sharedFiles(server, {
    bucket: place.bucket,
    uploads: storage.uploads,
    files: uploadFiles,
  });
  const batches = new Batches({
    batches: storage.batches,
    commits,
    clock,
    folder: uploadFiles.folder,
    place: batchPlace,
    shared: server?.batches,
    onError: options.onBatchTrouble ?? (() => {}),
  });
  const uploads = new UploadedFiles({
    ...{ commits, clock, uploads: storage.uploads },
    files: uploadFiles,
    bucket: uploadBucket,
    shared: server?.batches,
    ownQuotaOf: (projectId) => directory.project(projectId)?.quotas.fileBytes,
    onError: options.onUploadTrouble ?? (() => {}),
  });
  const sharing = { clock, later, onTrouble: options.onSharesTrouble };
  const shared = await shareLimits(server, { limiter, capacity, ...sharing });
  const sharedBudgets = await shareBudgets(server, { spending, storage, ...sharing });
  const { calls } = storage;
  // Of limits that nodes share, what an ended session had counts on where they are shared.
  if (shared === undefined) {
    await restoreLimits({ calls, directory, catalogue: holder.current, limiter, capacity }, {
      open: [...book.openTasks()].flatMap(({ id }) => book.callOf(id) ?? []),
      nowMs: clock.now(),
    });
  }
  const followed = await followChanges(server, {
    version,
    staleMs: options.database?.staleKeysMs,
    memory: { directory, tokens, spending, registry, catalogue: holder, pauses: videos.pauses },
    onTrouble: options.onChangesTrouble,
  });
  const admin: AdminDeps = {
    requestIds,
    recentUsage: new RecentUsage({
      report: (query) => reads.calls.usageReport(query),
      now: () => clock.now(),
      delay: (ms) => new Promise((resolve) => void later(resolve, ms)),
    }),
    refusals,
    room,
    prompts,
    videos,
    uploads,
    batches,
    backups,
    archives,
    jobs: await openJobs(server, {
      dataDir: options.dataDir,
      onTrouble: (message) => options.onTrouble(message, 0),
    }),
    system: {
      dataDir: options.dataDir,
      startedAt: started.at,
      jumpedMs: () => clock.now() - started.at - (clock.monotonic() - started.monotonic),
      diskReserveBytes: options.disk.reserveBytes,
      secretTrouble(reference) {
        const found = options.resolveSecret(reference);
        return found.ok ? undefined : found.message;
      },
    },
    databaseServer: server && {
      facts: () => server.facts(),
      nodes: () => server.nodes.list(),
      own: sessions.own,
    },
    storage: reads,
    books: storage,
    commits,
    changes: followed ?? LONE_CHANGES,
    ledger,
    spending,
    directory,
    tokens,
    catalogue: holder,
    prices,
    registry,
    health,
    capacity,
    clock,
    random,
    origin: {
      actor: { channel: "in_process", user: options.user, address: undefined },
      rights: OWNER,
      requestId: undefined,
    },
    catalogueOwner: options.catalogueOwner,
    guardHost: options.guard && new URL(options.guard.url).host,
    process: { kind: options.processKind, pid: Deno.pid },
  };
  return {
    dataDir: options.dataDir,
    /** Where the database is, if it is no file of the data dir. */
    server,
    /** Follows what other nodes change, where there may be any. */
    followed,
    admin,
    prompts,
    /** Reads in order with the writes. */
    storage,
    /** Where projects take room for what is kept of theirs. */
    room,
    /** The sole writer, for whatever is no administration. */
    commits,
    /** The owner of all video tasks. */
    book,
    openTasks: countOpenTasks(book),
    backups,
    reserve,
    archives,
    health,
    capacity,
    limiter,
    shared,
    sharedBudgets,
    transport,
    files,
    ...place,
    leftovers,
    videos,
    uploads,
    batches,
    requestIds,
    /** Notes requests that came to no call. */
    refusals,
    seals,
    summaries,
    sessions,
    claims,
    stopSharing: nodes &&
      shareBalances({
        ...{ nodes, ledger, storage, commits, book, batches },
        onBatchTrouble: options.onBatchTrouble,
        onTrouble: options.onTrouble,
        onEnded: options.onNodesEnded,
      }),
    /** The last number of a call, for all threads that give out more. */
    callCount: callIds.count,
    /** What sessions of the console are signed by is made of it. */
    consoleSecret: new Uint8Array(Buffer.from(idKey, "hex")),
  };
}

/** Nothing stays up for its sake: whoever closes does what is still to be done. */
function later(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  Deno.unrefTimer(timer);
  return () => clearTimeout(timer);
}
