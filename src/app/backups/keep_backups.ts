/**
 * Backups that a server makes by itself: as often as is set, each read again, so many of them kept.
 *
 * @module
 */

import { BACKUP_WARNING, type BackupScheduleView } from "../../admin/base/backup_report.ts";
import type { BackupSettings } from "../../config/process_settings.ts";
import type { Clock } from "../../domain/clock.ts";
import { isS3, parseS3Address } from "../../domain/s3_address.ts";
import type { S3Access } from "../../objects/s3_client.ts";
import { S3Bucket } from "../../objects/s3_bucket.ts";
import type { Log } from "../../telemetry/log.ts";
import type { DiskReserve } from "../database/disk_reserve.ts";
import type { Backups } from "./backups.ts";
import { BucketShelf } from "./bucket_shelf.ts";
import { FolderShelf } from "./folder_shelf.ts";
import type { MadeState } from "./made_backups.ts";
import type { Shelf } from "./shelf.ts";

/** What it works with. */
export interface KeepBackupsOptions {
  /** Nothing is made when absent. */
  readonly settings: BackupSettings | undefined;
  readonly backups: Pick<Backups, "create" | "made" | "isWriting">;
  readonly dataDir: string;
  readonly reserve: Pick<DiskReserve, "freeBytes">;
  /** Who asks buckets, and where they are; needed where backups go to one. */
  readonly s3?: S3Access;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "error">;
}

/** Between two looks whether one is due, milliseconds. */
const LOOK_MS = 60_000;
/** What failed is tried again after so long, or when the next one is due if that is sooner. */
const RETRY_MS = 15 * 60_000;
/** Bad ones are no backups: the last is there to be looked at. */
const BAD_KEPT = 1;
const NONE: BackupSettings = { everyMs: undefined, keep: 1, folder: undefined, films: false };

export class KeptBackups {
  readonly #options: KeepBackupsOptions;
  readonly #settings: BackupSettings;
  readonly #shelf: Shelf;
  readonly #stop = new AbortController();
  #timer: ReturnType<typeof setInterval> | undefined;
  #looking: Promise<void> | undefined;
  #trouble: string | undefined;
  #triedAt = -Infinity;
  #nextAt: number | undefined;

  constructor(options: KeepBackupsOptions) {
    this.#options = options;
    this.#settings = options.settings ?? NONE;
    this.#shelf = shelfOf(this.#settings, options);
  }

  /** Why the last one failed; `undefined` if it did not. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** What an operator should know now. */
  warnings(): readonly string[] {
    return this.#trouble === undefined ? [] : [BACKUP_WARNING];
  }

  /** For administration; `undefined` where there is no schedule. */
  view(): BackupScheduleView | undefined {
    if (this.#settings.everyMs === undefined) return undefined;
    return { folder: this.#shelf.place, nextAt: this.#nextAt, trouble: this.#trouble };
  }

  /** Begins at once, beside everything else. */
  start(): void {
    if (this.#settings.everyMs === undefined) return;
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    void this.look();
  }

  /** Makes one if that is due; never rejects, and never two at one time. */
  look(): Promise<void> {
    this.#looking ??= this.#look().catch((error) => this.#failed(error))
      .finally(() => this.#looking = undefined);
    return this.#looking;
  }

  /** Begins no other one; whoever closes the backups ends the one under way. */
  stop(): void {
    this.#stop.abort();
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const { backups, clock } = this.#options;
    const { everyMs } = this.#settings;
    if (everyMs === undefined || this.#stop.signal.aborted) return;
    const now = clock.now();
    const { signal } = this.#stop;
    const isOurs = ({ file }: { readonly file: string }) => this.#shelf.holds(file);
    const found = (await backups.made.present()).filter(isOurs);
    const good = found.find(({ isGood }) => isGood);
    // A clock that was set back must not keep it from being made.
    const dueAt = good === undefined || good.at > now ? now : good.at + everyMs;
    const rest = Math.min(RETRY_MS, everyMs);
    const isResting = this.#trouble !== undefined && now - this.#triedAt < rest &&
      now >= this.#triedAt;
    this.#nextAt = isResting ? this.#triedAt + rest : dueAt;
    if (now < dueAt || isResting) return;
    // Somebody else is at one: what was the matter still is, and there is another look.
    if (backups.isWriting) return;
    this.#triedAt = now;
    // What was on its way when a server ended is there after all, or never was.
    const settled = await this.#shelf.settle(backups.made.read(), signal);
    await backups.made.write(settled);
    const there = await this.#shelf.present(settled.backups.filter(isOurs), signal);
    const arrived = there.findLast(({ isGood }) => isGood);
    if (arrived === undefined || arrived.at + everyMs <= now || arrived.at <= (good?.at ?? 0)) {
      await this.#make(now);
      this.#nextAt = now + everyMs;
    } else this.#nextAt = arrived.at + everyMs;
    this.#trouble = undefined;
  }

  async #make(now: number): Promise<void> {
    const { backups, log } = this.#options;
    const { signal } = this.#stop;
    const state = backups.made.read();
    const report = await this.#shelf.make(now, { state, signal });
    const { file, bytes, sha256, differences, omitted, milliseconds } = report;
    const isGood = differences.length + omitted === 0;
    // One of this name is gone: its line would count twice.
    const others = state.backups.filter((backup) => backup.file !== file);
    let after: MadeState = {
      ...state,
      backups: [...others, { file, at: now, bytes, sha256, isGood }],
    };
    // Noted before anything else is done: what is not noted is never deleted.
    await backups.made.write(after);
    log.info("backup_made", {
      file,
      bytes,
      sha256,
      ms: milliseconds,
      differences: differences.length,
    });
    after = { ...after, backups: await this.#prune(after.backups) };
    await backups.made.write(after);
    if (this.#settings.films) {
      after = { ...after, gone: await this.#copyFilms(after, now) };
      await backups.made.write(after);
    }
    if (isGood) return;
    throw new Error(
      `${file} is as good as the database, whose books do not add up: see tollgate ledger verify`,
    );
  }

  /** Deletes the oldest of what was made here; never the last good one, and nothing elsewhere. */
  async #prune(made: MadeState["backups"]): Promise<MadeState["backups"]> {
    const { log } = this.#options;
    const { signal } = this.#stop;
    const { keep } = this.#settings;
    const elsewhere = made.filter(({ file }) => !this.#shelf.holds(file));
    const there = await this.#shelf.present(
      made.filter(({ file }) => this.#shelf.holds(file)),
      signal,
    );
    const good = there.filter(({ isGood }) => isGood);
    const kept = new Set([
      ...elsewhere,
      ...good.slice(-keep),
      ...there.filter(({ isGood }) => !isGood).slice(-BAD_KEPT),
    ]);
    for (const backup of there) {
      if (kept.has(backup)) continue;
      try {
        await this.#shelf.remove(backup.file, signal);
        log.info("backup_removed", { file: backup.file });
      } catch (error) {
        // Named again at the next one.
        kept.add(backup);
        log.warn("backup_not_removed", { file: backup.file, error: String(error) });
      }
    }
    return made.filter((backup) => kept.has(backup));
  }

  async #copyFilms({ backups, gone }: MadeState, now: number): Promise<Record<string, number>> {
    const oldest = backups.find(({ file }) => this.#shelf.holds(file));
    const { signal } = this.#stop;
    return await this.#shelf.copyFilms({ gone, now, oldestAt: oldest?.at ?? now, signal });
  }

  #failed(error: unknown): void {
    // The end breaks one off, and the next start makes it.
    if (this.#stop.signal.aborted) return;
    this.#trouble = error instanceof Error ? error.message : String(error);
    const { everyMs = RETRY_MS } = this.#settings;
    const { clock } = this.#options;
    this.#nextAt = clock.now() + Math.min(RETRY_MS, everyMs);
    this.#options.log.error("backup_failed", { message: this.#trouble });
  }
}

function shelfOf({ folder }: BackupSettings, options: KeepBackupsOptions): Shelf {
  if (folder === undefined || !isS3(folder)) return new FolderShelf(folder, options);
  const address = parseS3Address(folder)!;
  if (options.s3 === undefined) throw new TypeError(`Nobody is named who asks ${folder}`);
  const store = new S3Bucket({ bucket: address.bucket, access: options.s3 });
  return new BucketShelf(store, { ...options, path: address.path });
}
