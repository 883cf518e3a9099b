/**
 * Video tasks over a real database and real files, with a fake clock, fake
 * upstreams and a fake renderer; it can crash and start again.
 *
 * @module
 */

import { Ledger } from "../../src/accounts/ledger.ts";
import { CatalogueHolder } from "../../src/catalog/snapshot.ts";
import type { OpenCall } from "../../src/domain/call.ts";
import type { Catalogue, Route } from "../../src/domain/catalogue.ts";
import { loneSession, type Sessions } from "../../src/domain/session.ts";
import type { VideoTask } from "../../src/domain/video_task.ts";
import { RouteCapacity } from "../../src/limits/route_capacity.ts";
import type { Provider } from "../../src/providers/contract/provider.ts";
import { Health } from "../../src/routing/health.ts";
import type { CommitQueue } from "../../src/storage/ports/commit_queue.ts";
import type { Entry, EntryResult } from "../../src/storage/ports/entry.ts";
import type { Storage } from "../../src/storage/ports/storage.ts";
import { GatheringQueue } from "../../src/storage/commit_queue.ts";
import { createSqliteStorage } from "../../src/storage/sqlite/sqlite_storage.ts";
import { ContentFiles } from "../../src/videos/files/content_files.ts";
import { Leftovers } from "../../src/videos/files/leftovers.ts";
import { createLocalExecutor } from "../../src/videos/make/local.ts";
import { createUpstreamExecutor } from "../../src/videos/make/upstream.ts";
import { TaskFinisher } from "../../src/videos/work/finish_task.ts";
import { JobCanceller } from "../../src/videos/make/job_canceller.ts";
import type { RenderPool } from "@tollgate/render";
import { Rerouter } from "../../src/videos/work/reroute.ts";
import { QueuePauses } from "../../src/videos/task/queue_pauses.ts";
import { Runner, type RunnerDeps } from "../../src/videos/work/runner.ts";
import type { RunnerEvent } from "../../src/videos/task/runner_event.ts";
import { TaskBook } from "../../src/videos/task/task_book.ts";
import { model } from "./catalogue_parts.ts";
import { FileWatch } from "./file_watch.ts";
import { FakeTimeline } from "./fake_timeline.ts";
import { fakeFilm, FakeVideoUpstream, videoProvider } from "./fake_video_upstream.ts";
import {
  CREDIT_E8,
  FILM_SALE_E8,
  newVideoTask,
  videoProviderSettings,
  videoRoute,
} from "./video_parts.ts";
import { writeNewDatabase } from "./new_database.ts";

/** One start of the gateway, as far as videos are concerned. */
export interface VideoBoot {
  readonly book: TaskBook;
  readonly ledger: Ledger;
  readonly runner: Runner;
  readonly canceller: JobCanceller;
  readonly leftovers: Leftovers;
}

/** How to begin. */
export interface VideoWorldOptions {
  /** Routes of the model `film`; by default `here/film` (built in) and `acme/film`. */
  readonly routes?: readonly Route[];
  readonly projects?: readonly string[];
  readonly runner?: Partial<Pick<RunnerDeps, "tasksPerProject" | "localWorkers" | "local">>;
}

export class VideoWorld implements AsyncDisposable {
  readonly timeline = new FakeTimeline();
  readonly acme = new FakeVideoUpstream();
  readonly zeta = new FakeVideoUpstream();
  readonly events: RunnerEvent[] = [];
  /** What listeners of the book threw; a test that expects it takes it out. */
  readonly listenerFaults: unknown[] = [];
  /** What was told of files that could not be removed. */
  readonly fileFaults: unknown[] = [];
  readonly health = new Health({ clock: this.timeline.clock });
  readonly files: ContentFiles;
  /** Replaced by tests that do not want films at once. */
  onRender: RenderPool["render"] = () =>
    Promise.resolve({ film: fakeFilm(), thumbnail: new Uint8Array([1]), frames: 96 });
  /** Whether the disk has room for a download to go on. */
  hasRoom = true;
  /** Replaced by tests whose disk is small. */
  bytesBeside: RunnerDeps["bytesBeside"] = () => Infinity;
  /**
   * Decides before each entry whether the process dies: before it is written, or
   * after it, before anybody hears of it.
   */
  crashAt: (entry: Entry) => "before" | "after" | undefined = () => undefined;
  /** What storage says instead of writing. */
  refuse: ((entry: Entry) => EntryResult | undefined) | undefined;
  holder!: CatalogueHolder;
  boot!: VideoBoot;
  /** Of the last start, as they were stored. */
  pauses!: QueuePauses;
  /** Of the last start; whatever an earlier one still does is of a session that has ended. */
  sessions!: Sessions;
  readonly storage: Storage;
  readonly #folder: string;
  readonly #options: VideoWorldOptions;
  #life = { isAlive: true };
  #lastCallId = 0;
  /** No time passes while files are worked on. */
  readonly #fileWatch = new FileWatch();

  private constructor(folder: string, options: VideoWorldOptions) {
    this.#folder = folder;
    this.#options = options;
    this.storage = createSqliteStorage(`${folder}/tollgate.db`);
    this.files = this.#fileWatch.watch(new ContentFiles(`${folder}/videos`));
  }

  /** A world with projects that can pay, before its first start. */
  static async create(options: VideoWorldOptions = {}): Promise<VideoWorld> {
    const folder = await Deno.makeTempDir({ prefix: "tollgate_videos_" });
    await writeNewDatabase(`${folder}/tollgate.db`);
    const world = new VideoWorld(folder, options);
    await world.files.prepare();
    const routes = options.routes ?? [videoRoute("here"), videoRoute("acme")];
    await world.#write(
      ...(options.projects ?? ["p"]).flatMap((projectId): Entry[] => [
        {
          kind: "create_project",
          project: {
            id: projectId,
            unlimited: false,
            disabled: false,
            models: ["*"],
            limits: {},
            budgets: {},
            quotas: {},
            createdAt: 0,
          },
        },
        { kind: "credit", projectId, amountE8: CREDIT_E8, reference: undefined, at: 0 },
      ]),
    );
    const catalogue = await world.writeCatalogue(routes);
    world.holder = new CatalogueHolder(catalogue);
    return world;
  }

  /** Writes other routes and gives them, priced; the running gateway sees them after `holder.swap`. */
  async writeCatalogue(routes: readonly Route[]): Promise<Catalogue> {
    const catalogue: Catalogue = {
      currency: "USD",
      providers: ["here", "acme", "zeta"].map(videoProviderSettings),
      models: [model(routes, { id: "film", kind: "video" })],
    };
    const [result] = await this.#write({ kind: "write_catalogue", catalogue, at: 0 });
    if (!result?.ok || result.catalogue === undefined) {
      throw new Error("The catalogue is unwritten");
    }
    return result.catalogue;
  }

  /** Starts the gateway; the runner begins unless told otherwise. */
  async start({ isIdle = false } = {}): Promise<VideoBoot> {
    const { storage, files, events, health } = this;
    const { clock, delay } = this.timeline;
    const life = { isAlive: true };
    this.#life = life;
    this.sessions = loneSession(await storage.beginSession());
    const commits = this.#commits(life);
    this.timeline.isBusy = () => commits.pending > 0 || this.#fileWatch.isBusy;
    const ledger = new Ledger({
      commits,
      balances: await storage.accounts.loadBalances(),
      now: () => clock.now(),
      onTrouble: (message) => {
        throw new Error(message);
      },
      retryDelay: () => new Promise(() => {}),
    });
    const book = new TaskBook({
      videos: storage.videos,
      calls: storage.calls,
      commits,
      ledger,
      onError: (error) => this.listenerFaults.push(error),
    });
    await book.load();
    this.pauses = new QueuePauses({
      catalogue: this.holder,
      pauses: await storage.videos.pauses(),
    });
    const onEvent = (event: RunnerEvent) => void (life.isAlive && events.push(event));
    const registry = { provider: (id: string) => this.#provider(id) };
    const projects = new Map(
      (await storage.accounts.loadProjects()).map((project) => [project.id, project]),
    );
    const canceller = new JobCanceller({ registry, onEvent });
    const leftovers = new Leftovers({
      films: files,
      onError: (error) => this.fileFaults.push(error),
    });
    const shared = {
      book,
      files,
      films: files,
      leftovers,
      health,
      registry,
      canceller,
      clock,
      delay,
      onEvent,
      catalogue: this.holder,
      capacity: new RouteCapacity({ clock }),
      random: () => 0,
    };
    const prices = storage.catalogue;
    const runner = new Runner({
      ...shared,
      sessions: this.sessions,
      finisher: new TaskFinisher({ ...shared, prices, expiryOf: (at) => at + 1_000 }),
      rerouter: new Rerouter({
        ...shared,
        directory: { project: (id) => projects.get(id) },
      }),
      local: createLocalExecutor({
        ...shared,
        pool: { render: (order, run) => this.onRender(order, run) },
      }),
      upstream: createUpstreamExecutor({ ...shared, hasRoom: () => this.hasRoom }),
      pauses: this.pauses,
      localWorkers: 2,
      tasksPerProject: 100,
      bytesBeside: (underWay) => this.bytesBeside(underWay),
      ...this.#options.runner,
    });
    this.boot = { book, ledger, runner, canceller, leftovers };
    if (!isIdle) await runner.start();
    return this.boot;
  }

  /** Dies: whatever the old process still does has no effect on the database. */
  crash(): void {
    this.#life.isAlive = false;
    this.crashAt = () => undefined;
  }

  get isAlive(): boolean {
    return this.#life.isAlive;
  }

  /** Creates a task with its hold. */
  async create(parts: Partial<VideoTask> = {}): Promise<VideoTask> {
    const callId = ++this.#lastCallId;
    const task = newVideoTask(callId, { createdAt: this.timeline.clock.now(), ...parts });
    const chosen = this.holder.current.route(task.route)!;
    const call: OpenCall = {
      callId,
      requestId: task.requestId,
      projectId: task.projectId,
      keyId: task.keyId,
      capability: "videos",
      model: task.model,
      provider: task.provider,
      route: task.route,
      priceVersion: chosen.prices.version,
      heldE8: FILM_SALE_E8,
      unlimited: false,
      stream: false,
      openedAt: task.createdAt,
      video: { size: task.size, seconds: task.seconds },
    };
    if (!await this.boot.book.create(task, { call, idempotency: undefined })) {
      throw new Error("The balance does not cover the task");
    }
    return task;
  }

  /** The task as the database has it. */
  async stored({ id }: VideoTask): Promise<VideoTask> {
    const task = await this.storage.videos.find(id);
    if (task === undefined) throw new Error(`There is no task ${id}`);
    return task;
  }

  /** Lets time pass until the database says that the task is completed or failed. */
  async untilEnded(task: VideoTask, mostMs?: number): Promise<VideoTask> {
    await this.timeline.until(
      async () => ["completed", "failed"].includes((await this.stored(task)).status),
      mostMs,
    );
    return await this.stored(task);
  }

  /** Lets time pass until no attempt is under way. */
  async untilIdle(): Promise<void> {
    await this.timeline.until(() => this.boot.runner.running === 0);
  }

  /** Kinds of the ledger rows of a task's call. */
  async ledgerOf({ callId }: VideoTask): Promise<string[]> {
    const rows = await this.storage.ledger.slice(0, 10_000);
    return rows.filter((row) => row.callId === callId).map(({ kind, amountE8 }) =>
      `${kind} ${amountE8}`
    );
  }

  /** Names in the folder of films. */
  async fileNames(): Promise<string[]> {
    const names: string[] = [];
    for await (const { name } of this.files.entries()) names.push(name);
    return names.sort();
  }

  /** Kinds of the events so far, each with its task's attempt. */
  eventKinds(): string[] {
    return this.events.map(({ kind }) => kind);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.crash();
    await this.storage.close();
    await Deno.remove(this.#folder, { recursive: true });
    if (this.listenerFaults.length > 0) throw this.listenerFaults[0];
  }

  #provider(id: string): Provider | undefined {
    if (id === "here") return videoProvider(id, undefined);
    if (id === "acme") return videoProvider(id, this.acme);
    return id === "zeta" ? videoProvider(id, this.zeta) : undefined;
  }

  #commits(life: { isAlive: boolean }): CommitQueue {
    const inner = new GatheringQueue({ write: (batch) => this.storage.commitBatch(batch) });
    const never = new Promise<EntryResult>(() => {});
    const commit = async (entry: Entry): Promise<EntryResult> => {
      if (!life.isAlive) return await never;
      const refused = this.refuse?.(entry);
      if (refused !== undefined) return refused;
      const crash = this.crashAt(entry);
      if (crash === "before") this.crash();
      const result = crash === "before" ? await never : await inner.commit(entry);
      if (crash === "after") this.crash();
      return life.isAlive ? result : await never;
    };
    return {
      commit,
      commitThen: (entry, done) => void commit(entry).then(done),
      enqueue: () => {
        throw new Error("Video tasks wait for what they write");
      },
      get full() {
        return inner.full;
      },
      get pending() {
        return inner.pending;
      },
      flush: () => inner.flush(),
    };
  }

  async #write(...entries: Entry[]): Promise<readonly EntryResult[]> {
    const results = await this.storage.commitBatch(entries);
    const refused = results.find(({ ok }) => !ok);
    if (refused !== undefined && !refused.ok) throw new Error(refused.message);
    return results;
  }
}
