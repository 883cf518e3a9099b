/**
 * Follows what other nodes change of the configuration: takes in, in order, whatever is newer than
 * what is in memory.
 *
 * @module
 */

import type { AdminTokens } from "../../accounts/admin_tokens.ts";
import type { KeyDirectory } from "../../accounts/key_directory.ts";
import type { SpendBook } from "../../accounts/spend_book.ts";
import type { Changes } from "../../admin/base/changes.ts";
import type { AdminVideoPauses } from "../../admin/base/deps.ts";
import type { CatalogueHolder } from "../../catalog/snapshot.ts";
import { type Instant, instantNow, sinceInstant } from "../../domain/instant.ts";
import { GatewayError } from "../../errors.ts";
import type { CurrentConfiguration } from "../../http/context/api_deps.ts";
import type { Registry } from "../../providers/registry.ts";
import type {
  ConfigurationNews,
  ConfigurationStep,
  ConfigurationVersion,
  SharedConfiguration,
} from "../../storage/ports/configuration.ts";

/** Where the configuration is in memory. */
export interface ConfigurationMemory {
  readonly directory: Pick<KeyDirectory, "putProject" | "putKey" | "removeKey">;
  readonly tokens: Pick<AdminTokens, "put">;
  readonly spending: Pick<SpendBook, "put" | "forgetKey">;
  readonly catalogue: Pick<CatalogueHolder, "swap">;
  readonly registry: Pick<Registry, "update">;
  readonly pauses: Pick<AdminVideoPauses, "replace">;
}

/** What is followed. */
export interface FollowedChangesOptions {
  readonly source: SharedConfiguration;
  /** What is in memory; read before anything of it was. */
  readonly version: ConfigurationVersion;
  readonly memory: ConfigurationMemory;
  /** Milliseconds for which what is in memory counts after it was known to be what is stored. Default: 1,000. */
  readonly staleMs?: number | undefined;
  /** Hears once why changes cannot be taken in; they are tried again. */
  readonly onTrouble: (error: unknown) => void;
}

const STALE_MS = 1_000;
/** For how long a request waits at most, and how long ago the database may have answered before a change. */
const PATIENCE_MS = 2_000;

export class FollowedChanges implements Changes, CurrentConfiguration {
  readonly #options: FollowedChangesOptions;
  readonly #staleMs: number;
  #version: ConfigurationVersion;
  #asOf: Instant = instantNow();
  #answeredAt: Instant = instantNow();
  #reading: Promise<void> | undefined;
  #waiting: (() => void)[] = [];
  #listener: ((asOf: Instant, staleMs: number) => void) | undefined;
  /** Why what is stored was not taken in when it was read last. */
  #refused: NotTakenIn | undefined;
  #isTroubled = false;
  #isStopped = false;

  constructor(options: FollowedChangesOptions) {
    this.#options = options;
    this.#version = options.version;
    this.#staleMs = options.staleMs ?? STALE_MS;
    options.source.follow(
      (version, asOf) => this.#hear(version, asOf),
      () => ({ version: this.#version, ageMs: this.ageMs }),
    );
  }

  get version(): ConfigurationVersion {
    return this.#version;
  }

  /** Milliseconds since it was known that nothing newer was stored. */
  get ageMs(): number {
    return sinceInstant(this.#asOf);
  }

  get isCurrent(): boolean {
    return this.ageMs <= this.#staleMs;
  }

  async whenCurrent(): Promise<void> {
    await this.#whenHeard(() => this.isCurrent, () => notCurrent(this.#hasAnswered));
  }

  whenAnswered(): Promise<void> | undefined {
    return this.#hasAnswered && this.#refused === undefined ? undefined : this.#whenKnown();
  }

  async #whenKnown(): Promise<void> {
    if (!this.#hasAnswered) {
      // Who does not hear of it every moment asks. Why it fails is no news: that it does not answer is told.
      this.#read().catch(() => {});
      await this.#whenHeard(() => this.#hasAnswered, notAnswered);
    }
    // Whoever does not know what there is decides nothing, and that is no silence of the database.
    if (this.#refused !== undefined) inWords(UNCHANGED)(this.#refused);
  }

  get #hasAnswered(): boolean {
    return sinceInstant(this.#answeredAt) <= PATIENCE_MS;
  }

  async #whenHeard(isSo: () => boolean, otherwise: () => GatewayError): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    while (!isSo()) {
      const restMs = until - performance.now();
      if (restMs <= 0 || this.#isStopped) throw otherwise();
      await this.#heardWithin(restMs);
    }
  }

  /** Calls `listener` with each moment of which it gets known that nothing newer was stored, and the last one. */
  onCurrent(listener: (asOf: Instant, staleMs: number) => void): void {
    this.#listener = listener;
    listener(this.#asOf, this.#staleMs);
  }

  async catchUp(): Promise<void> {
    // What is being read may have been asked for before what is meant was stored.
    await this.#reading?.catch(() => {});
    await this.#read().catch(inWords(UNCHANGED));
  }

  async settle(step: ConfigurationStep | undefined, put: () => void): Promise<void> {
    if (step === undefined) return put();
    if (step.before === this.#version) {
      put();
      this.#version = step.after;
      return;
    }
    while (this.#version < step.after) {
      await this.#read().catch(inWords("It is changed, and not yet here"));
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  #hear(version: ConfigurationVersion, asOf: Instant | undefined): void {
    if (this.#isStopped) return;
    if (version > this.#version) {
      if (asOf !== undefined) this.#answered(asOf);
      void this.#read().catch((error) => this.#failed(error));
    } else if (asOf !== undefined) {
      this.#knownAsOf(asOf);
    }
  }

  #failed(error: unknown): void {
    if (this.#isTroubled || this.#isStopped) return;
    this.#isTroubled = true;
    this.#options.onTrouble(error);
  }

  #heardWithin(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #knownAsOf(asOf: Instant): void {
    this.#isTroubled = false;
    this.#refused = undefined;
    if (sinceInstant(asOf) < sinceInstant(this.#asOf)) {
      this.#asOf = asOf;
      this.#listener?.(asOf, this.#staleMs);
    }
    this.#answered(asOf);
  }

  #answered(at: Instant): void {
    if (sinceInstant(at) < sinceInstant(this.#answeredAt)) this.#answeredAt = at;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }

  /** One at a time: who comes meanwhile waits for the same. */
  #read(): Promise<void> {
    return this.#reading ??= this.#readNow().finally(() => this.#reading = undefined);
  }

  async #readNow(): Promise<void> {
    const begun = instantNow();
    const news = await this.#options.source.since(this.#version);
    this.#answered(begun);
    // What this process has changed itself meanwhile is in memory, and may be newer than what was read.
    if (news.version > this.#version) {
      try {
        takeIn(this.#options.memory, news);
      } catch (error) {
        if (error instanceof NotTakenIn) this.#refused = error;
        throw error;
      }
      this.#version = news.version;
    }
    if (news.version === this.#version) this.#knownAsOf(begun);
  }
}

/** @param hasAnswered Whether the database has told what is newer, and that could not be taken in. */
function notCurrent(hasAnswered: boolean): GatewayError {
  const why = hasAnswered
    ? "The gateway cannot take in what was changed elsewhere"
    : "The gateway has not heard from its database for a while";
  return new GatewayError(
    "storage_away",
    `${why}, so it cannot know whether this is still allowed: nothing was charged`,
    { retryAfterSeconds: 1 },
  );
}

function notAnswered(): GatewayError {
  return new GatewayError(
    "storage_away",
    "The gateway's database does not answer at the moment: nothing was changed",
    { retryAfterSeconds: 1 },
  );
}

const UNCHANGED = "Nothing was changed";

/** What is stored cannot work here, such as a provider of a kind that only a newer version knows. */
class NotTakenIn extends Error {
  override readonly name = "NotTakenIn";
}

/** Throws it as whoever changes something is told it. @param outcome What has become of the change. */
function inWords(outcome: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof NotTakenIn)) throw error;
    throw new GatewayError(
      "internal_error",
      `${outcome}: this node cannot take in what others have changed: ${error.message}. ` +
        "Update it where their version is newer, or change it back there",
      { cause: error },
    );
  };
}

/** @throws {NotTakenIn} Everything is as it was then. */
function takeIn(memory: ConfigurationMemory, news: ConfigurationNews): void {
  const { directory, tokens, spending, catalogue, registry, pauses } = memory;
  // Made first: settings that cannot work leave everything as it was.
  try {
    if (news.catalogue !== undefined) registry.update(news.catalogue.providers);
  } catch (error) {
    throw new NotTakenIn(error instanceof Error ? error.message : String(error), { cause: error });
  }
  for (const project of news.projects) directory.putProject(project);
  for (const key of news.keys) directory.putKey(key);
  for (const id of news.deletedKeys) {
    directory.removeKey(id);
    spending.forgetKey(id);
  }
  for (const token of news.tokens) tokens.put(token);
  for (const state of news.spending) spending.put(state);
  if (news.pauses !== undefined) pauses.replace(news.pauses);
  if (news.catalogue !== undefined) catalogue.swap(news.catalogue);
}
