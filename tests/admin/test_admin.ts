/**
 * Everything that administrative operations work on, over a real database in a
 * temporary folder, with a clock that tests move.
 *
 * @module
 */

import { Batches } from "../../src/batches/batches.ts";
import "../support/held_answers.ts";
import { dirname } from "node:path";
import { AdminTokens } from "../../src/accounts/admin_tokens.ts";
import { KeptRoom } from "../../src/accounts/kept_room.ts";
import { KeyDirectory } from "../../src/accounts/key_directory.ts";
import { Ledger } from "../../src/accounts/ledger.ts";
import { SpendBook } from "../../src/accounts/spend_book.ts";
import { ConsoleLinks, linksHere } from "../../src/admin/base/console_links.ts";
import { LONE_CHANGES } from "../../src/admin/base/changes.ts";
import type { AdminDeps } from "../../src/admin/base/deps.ts";
import { applyCatalogueText } from "../../src/admin/catalogue/apply_catalogue.ts";
import { JobBook } from "../../src/admin/jobs/job_book.ts";
import { openJobShelf } from "../../src/app/jobs/job_shelf.ts";
import { Archives } from "../../src/app/archives/archives.ts";
import { ServerArchives } from "../../src/app/archives/server_archives.ts";
import { Backups } from "../../src/app/backups/backups.ts";
import type { SpendSubject } from "../../src/domain/spending.ts";
import { rowsInFile } from "../../src/catalog/own_rows.ts";
import { PriceBook } from "../../src/catalog/price_book.ts";
import { FollowedChanges } from "../../src/app/changes/followed_changes.ts";
import { CatalogueHolder } from "../../src/catalog/snapshot.ts";
import { RouteCapacity } from "../../src/limits/route_capacity.ts";
import { countCallsFrom, RequestIds } from "../../src/domain/ids.ts";
import { OWNER } from "../../src/domain/roles.ts";
import { RecentUsage } from "../../src/metering/recent_usage.ts";
import { createRegistry } from "../../src/providers/registry.ts";
import { createTransport } from "../../src/providers/transport/transport.ts";
import { Health } from "../../src/routing/health.ts";
import { GatheringQueue } from "../../src/storage/commit_queue.ts";
import type { Storage } from "../../src/storage/ports/storage.ts";
import type { PostgresStorage } from "../../src/storage/postgres/postgres_storage.ts";
import { createSqliteStorage } from "../../src/storage/sqlite/sqlite_storage.ts";
import { Leftovers } from "../../src/videos/files/leftovers.ts";
import { ContentFiles } from "../../src/videos/files/content_files.ts";
import { QueuePauses } from "../../src/videos/task/queue_pauses.ts";
import { TaskBook } from "../../src/videos/task/task_book.ts";
import { KeptPrompts } from "../../src/prompts/kept_prompts.ts";
import { PromptFiles } from "../../src/prompts/prompt_files.ts";
import { UploadedFiles } from "../../src/uploads/uploaded_files.ts";
import { UploadFiles } from "../../src/uploads/upload_files.ts";
import { VideoTasks } from "../../src/videos/video_tasks.ts";
import { unreserved } from "../support/unreserved.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { writeNewDatabase } from "../support/new_database.ts";

/** What to begin with. */
export interface TestAdminOptions {
  /** A catalogue file's text. */
  readonly catalogue?: string;
  /** The file that owns the catalogue, as `serve --catalog` names it. */
  readonly catalogueOwner?: string;
  /** An existing database, which is then not removed. */
  readonly path?: string;
  /** What is used in the place of a file; it is closed at the end. */
  readonly storage?: PostgresStorage;
  /** Hears what of others' changes could not be taken in. Default: that is a fault. */
  readonly onChangesTrouble?: ((error: unknown) => void) | undefined;
}

/** Operations' surroundings; `await using` closes and removes them. */
export interface TestAdmin extends AsyncDisposable {
  readonly deps: AdminDeps;
  /** What `deps` read from. */
  readonly storage: Storage;
  readonly prompts: KeptPrompts;
  readonly clock: FakeClock;
  readonly health: Health;
  readonly book: TaskBook;
  readonly files: ContentFiles;
  readonly videos: VideoTasks;
  readonly batches: Batches;
  /** Whom spend brakes have paused. */
  readonly pauses: readonly SpendSubject[];
  /** The database file. */
  readonly path: string;
}

/** Opens a database and makes the live state from it, as the composition root does. */
export async function openTestAdmin(options: TestAdminOptions = {}): Promise<TestAdmin> {
  const folder = options.path === undefined
    ? await Deno.makeTempDir({ prefix: "tollgate-admin-" })
    : undefined;
  const path = options.path ?? `${folder}/tollgate.db`;
  const clock = new FakeClock();
  if (options.path === undefined) await writeNewDatabase(path);
  const storage: Storage = options.storage ?? createSqliteStorage(path);
  const version = await options.storage?.configuration.version();
  const [catalogue, projects, keys, balances] = await Promise.all([
    storage.catalogue.load(),
    storage.accounts.loadProjects(),
    storage.accounts.loadKeys(),
    storage.accounts.loadBalances(),
  ]);
  const directory = new KeyDirectory(projects, keys);
  const tokens = new AdminTokens(
    await storage.tokens.load(),
    ({ id: tokenId, lastUsedAt: at = 0 }) => {
      void commits.commit({ kind: "note_token_use", tokenId, at });
    },
  );
  const room = new KeptRoom({
    commits: new GatheringQueue({ write: (batch) => storage.commitBatch(batch) }),
    state: await storage.kept.load(),
    young: [],
    quotaBytes: 2 * 1024 ** 2,
    ownQuotaOf: (projectId) => directory.project(projectId)?.quotas.keptBytes,
    freeBytes: () => Infinity,
    now: () => clock.now(),
    onFull: (projectId, why) => {
      throw new Error(`${projectId}: ${why}`);
    },
  });
  const prompts = new KeptPrompts({
    place: new PromptFiles({ folder: `${dirname(path)}/prompts`, freeBytes: () => Infinity }),
    clock,
    daysOf: (projectId) => directory.project(projectId)?.quotas.promptDays,
  });
  const { commits } = room;
  const health = new Health({ clock });
  const pauses: SpendSubject[] = [];
  const spending = new SpendBook({
    directory,
    spending: storage.spending,
    commits,
    now: () => clock.now(),
    onPause: ({ scope, id }) => pauses.push({ scope, id }),
    onTrouble: (message) => {
      throw new Error(message);
    },
  });
  await spending.load();
  const ledger = new Ledger({
    commits,
    balances,
    spending,
    now: () => clock.now(),
    onTrouble: (message) => {
      throw new Error(message);
    },
    retryDelay: () => Promise.resolve(),
  });
  const onError = (error: unknown) => {
    throw error;
  };
  const book = new TaskBook({
    videos: storage.videos,
    calls: storage.calls,
    commits,
    ledger,
    onError,
  });
  await book.load();
  const files = new ContentFiles(`${path.slice(0, path.lastIndexOf("/"))}/videos`);
  const holder = new CatalogueHolder(catalogue ?? { currency: "USD", providers: [], models: [] });
  const videos = new VideoTasks({
    book,
    films: files,
    videos: storage.videos,
    leftovers: new Leftovers({ films: files, onError }),
    prices: storage.catalogue,
    clock,
    pauses: new QueuePauses({ catalogue: holder, pauses: await storage.videos.pauses() }),
    deletedVideoCharge: "progress",
    onError: (error) => {
      throw error;
    },
  });
  const batches = new Batches({
    batches: storage.batches,
    commits,
    clock,
    folder: `${files.folder}/../files`,
    onError,
  });
  const uploads = new UploadedFiles({
    ...{ commits, clock, uploads: storage.uploads, onError },
    files: new UploadFiles(`${path.slice(0, path.lastIndexOf("/"))}/files`),
    ownQuotaOf: () => undefined,
  });
  const fail = (message: string) => {
    throw new Error(message);
  };
  const registry = createRegistry({
    transport: createTransport({ clock }),
    secrets: () => undefined,
    clock,
    random: () => 0.5,
  });
  const memory = {
    ...{ directory, tokens, spending, registry },
    catalogue: holder,
    pauses: videos.pauses,
  };
  const changes = options.storage === undefined ? LONE_CHANGES : new FollowedChanges({
    source: options.storage.configuration,
    version: version!,
    memory,
    onTrouble: options.onChangesTrouble ?? onError,
  });
  const deps: AdminDeps = {
    storage,
    books: storage,
    commits,
    changes,
    ledger,
    spending,
    room,
    prompts,
    directory,
    tokens,
    catalogue: holder,
    prices: await PriceBook.open(rowsInFile(path.slice(0, path.lastIndexOf("/")))),
    registry,
    recentUsage: new RecentUsage({
      report: (query) => storage.calls.usageReport(query),
      now: () => clock.now(),
      // Whoever asks waits for all of it.
      delay: () => new Promise(() => {}),
    }),
    requestIds: new RequestIds(countCallsFrom(0), new Uint8Array(16)),
    health,
    capacity: new RouteCapacity({ clock }),
    videos,
    uploads,
    batches,
    clock,
    random: () => 0.5,
    origin: {
      actor: { channel: "in_process", user: "tester", address: undefined },
      rights: OWNER,
      requestId: undefined,
    },
    alerts: {
      list: () =>
        Promise.resolve(["one", "two", "three"].map((id) => ({
          id,
          state: "raised" as const,
          trouble: {
            ...{ cause: "disk", id, severity: "warning" } as const,
            ...{ text: "Little is free", help: "Make room", path: "/console/system" },
          },
          since: clock.now(),
        }))),
      test: () =>
        Promise.resolve([
          { target: "slack=https://a.test", delivered: true, answer: "200", milliseconds: 1 },
        ]),
      targets: () => [],
      verified() {},
    },
    listening: {
      settings: [{ name: "listen", value: "127.0.0.1:8080", source: "default" }],
      async *diagnose() {
        await Promise.resolve();
        yield { check: "disk", status: "ok", detail: "Much is free", remedy: null };
      },
    },
    console: { links: new ConsoleLinks(linksHere(clock)), baseUrl: () => "http://gateway.test" },
    catalogueOwner: options.catalogueOwner,
    process: { kind: "cli", pid: Deno.pid },
    backups: new Backups(dirname(path), { ...unreserved(dirname(path)), clock }),
    jobs: new JobBook({
      clock,
      shelf: openJobShelf(dirname(path), fail),
      onFault: (id, error) => fail(`${id}: ${error}`),
    }),
    archives: storage.seals === undefined
      ? new Archives(dirname(path), { ...unreserved(dirname(path)), clock, commits })
      : new ServerArchives(dirname(path), {
        seals: storage.seals,
        clock,
        reserve: { freeBytes: () => Infinity },
      }),
    system: {
      dataDir: path.slice(0, path.lastIndexOf("/")),
      startedAt: clock.now(),
      jumpedMs: () => 0,
      diskReserveBytes: 0,
      secretTrouble: (reference) => `${reference} has no value`,
    },
  };
  if (options.catalogue !== undefined) {
    const file = "test.yaml";
    await applyCatalogueText(deps, { file, text: options.catalogue, dry_run: false, prune: true });
  }
  return {
    deps,
    storage,
    prompts,
    clock,
    health,
    book,
    files,
    videos,
    batches,
    pauses,
    path,
    async [Symbol.asyncDispose]() {
      changes.stop();
      await deps.jobs.stop();
      await commits.flush();
      await prompts.stop();
      await storage.close();
      if (folder !== undefined) await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Two chat routes of model `small`, one of `large`; a paying and an unlimited project. */
export const CATALOGUE = `
providers:
  - { id: one, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1", official: true }
  - { id: two, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1" }
models:
  - id: small
    kind: chat
    aliases: [tiny]
    routes:
      - id: one/small
        provider: one
        cost: { input: "1.00", output: "2.00", cached_input: "0.10" }
        sale: { input: "2.00", output: "4.00", cached_input: "0.20", reasoning: "8.00", image: "0.01" }
      - id: two/small
        provider: two
        risk_level: high
        supports: { tools: false }
        cost: { input: "0.50", output: "1.00" }
        sale: { markup: "1.50" }
  - id: large
    kind: chat
    manual_selection: false
    routes:
      - { id: one/large, provider: one }
projects:
  - { id: paying, models: ["*"] }
  - { id: free, unlimited: true }
`;
