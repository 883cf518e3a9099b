/**
 * What calls of some projects said: redacted, shortened, compressed and kept, one after the other and
 * never in a call's way. Nothing here refuses or fails a call: what cannot be kept is not.
 *
 * @module
 */

import { DEFAULT_PROMPT_BYTES } from "../domain/account.ts";
import type { Clock } from "../domain/clock.ts";
import { isObject } from "../domain/json_value.ts";
import { PackingError, PackingThread } from "./packing_thread.ts";
import { PromptFiles } from "./prompt_files.ts";
import { PromptRoom, TakingTurns } from "./prompt_room.ts";
import type { KeptPrompt, SaidPrompt } from "./said_prompt.ts";

const REAP_EVERY_MS = 10 * 60_000;
/** How long it is told that some were lost. */
const LOSS_TOLD_MS = 3_600_000;

/** What keeping works with. */
export interface KeptPromptsOptions {
  /** Theirs alone; made when the first one is kept. */
  readonly folder: string;
  readonly clock: Pick<Clock, "now">;
  /** Bytes of the disk that may be written. */
  readonly freeBytes: () => number;
  /** For how many days a project has its own kept now; `undefined` where it has none kept. */
  readonly daysOf: (projectId: string) => number | undefined;
  /** The module of the Worker that packs; by default the real one. */
  readonly packer?: URL;
}

/** What waits to be kept. */
interface Waiting {
  readonly said: SaidPrompt;
  readonly characters: number;
  /** Resolves when it is kept, or is not. */
  readonly over: PromiseWithResolvers<void>;
  isForgotten: boolean;
}

/** Why calls are lost that could have been kept. */
type Loss = "more came than could be written" | "the thread that packs them failed";

export class KeptPrompts {
  readonly #options: KeptPromptsOptions;
  readonly #files: PromptFiles;
  readonly #thread: PackingThread;
  readonly #room = new PromptRoom();
  readonly #waiting = new TakingTurns<Waiting>();
  readonly #losses = new Map<Loss, { count: number; at: number }>();
  /** What is being packed or written. */
  #current: Waiting | undefined;
  #keeping: Promise<void> | undefined;
  #loaded: Promise<void> | undefined;
  #work: Promise<unknown> = Promise.resolve();
  #timer: ReturnType<typeof setInterval> | undefined;
  #trouble: string | undefined;
  #isStopped = false;

  constructor(options: KeptPromptsOptions) {
    this.#options = options;
    this.#files = new PromptFiles(options.folder);
    this.#thread = new PackingThread(options.packer);
  }

  /** Removes from now on what has been kept long enough. */
  start(): void {
    void this.reap();
    this.#timer = setInterval(() => void this.reap(), REAP_EVERY_MS);
  }

  /** Writes what waits, and ends. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
    this.#isStopped = true;
    await this.#thread.stop();
  }

  /** Resolves when everything given so far is kept, or is not. */
  async flush(): Promise<void> {
    await this.#keeping;
    await this.#work;
  }

  /** Why something was not kept, as long as that lasts; for an hour how many calls were lost. */
  warnings(): readonly string[] {
    const since = this.#options.clock.now() - LOSS_TOLD_MS;
    const losses = [...this.#losses].filter(([, { at }]) => at > since).map(([why, { count }]) =>
      `prompts of ${count} ${count === 1 ? "call" : "calls"} were not kept: ${why}`
    );
    return [
      ...(this.#trouble === undefined ? [] : [`prompts are not kept: ${this.#trouble}`]),
      ...losses,
    ];
  }

  /**
   * Takes room in memory for what comes of a stream, to be given back; `false` where this project has
   * none left.
   */
  hold(projectId: string, characters: number): boolean {
    return this.#room.take(projectId, characters);
  }

  /** Gives back what was held. */
  release(projectId: string, characters: number): void {
    this.#room.give(projectId, characters);
  }

  /** Keeps what a call said, later. */
  keep(said: SaidPrompt): void {
    const { id: projectId, quotas } = said.project;
    if (quotas.promptDays === undefined || this.#isStopped) return;
    const characters = said.requestBytes + said.answer.text.length;
    if (!this.hold(projectId, characters)) return this.#lose("more came than could be written");
    const over = Promise.withResolvers<void>();
    this.#waiting.add(projectId, { said, characters, over, isForgotten: false });
    this.#keeping ??= this.#keepAll();
  }

  /** What is kept of a call of a project that began about then; `undefined` for nothing. */
  async find(
    call: { readonly projectId: string; readonly requestId: string; readonly at: number },
  ): Promise<(KeptPrompt & { readonly until: number }) | undefined> {
    await this.#isOver(call);
    const file = await this.#files.read(call);
    if (file === undefined) return undefined;
    const days = this.#options.daysOf(call.projectId);
    const until = days === undefined ? file.until : Math.min(file.until, call.at + days * DAY_MS);
    if (until <= this.#options.clock.now()) return undefined;
    const kept = await unpack(file.bytes);
    return kept === undefined ? undefined : { ...kept, until };
  }

  /**
   * Bytes that a project's take: of the disk in whole blocks, and of what is on its way there one for
   * each character.
   */
  async bytesOf(projectId: string): Promise<number> {
    // What is packed at this moment and was forgotten meanwhile is written nowhere.
    const onTheWay = this.#onTheWay(projectId).filter(({ isForgotten }) => !isForgotten)
      .reduce((sum, { characters }) => sum + characters, 0);
    return onTheWay + await this.#inTurn(() => Promise.resolve(this.#files.bytesOf(projectId)));
  }

  /** Removes everything of a project, now; gives how many bytes that were, as `bytesOf` does. */
  async forget(projectId: string): Promise<number> {
    const bytes = this.bytesOf(projectId);
    for (const waiting of this.#waiting.drop(projectId)) this.#end(waiting);
    if (this.#current?.said.project.id === projectId) this.#current.isForgotten = true;
    const forgotten = this.#inTurn(() => this.#files.forget(projectId));
    return (await Promise.all([bytes, forgotten]))[0];
  }

  /** Removes what has been kept long enough. */
  async reap(): Promise<void> {
    const { clock, daysOf } = this.#options;
    try {
      await this.#inTurn(() => this.#files.expire(clock.now(), daysOf));
    } catch (error) {
      this.#trouble = troubleOf(error);
    }
  }

  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const turn = this.#work.then(async () => {
      await (this.#loaded ??= this.#files.load());
      return await run();
    });
    this.#work = turn.catch(() => this.#loaded = undefined);
    return turn;
  }

  async #keepAll(): Promise<void> {
    // Calls have their turn before the first.
    await new Promise((resolve) => setTimeout(resolve, 0));
    for (let next = this.#waiting.next(); next !== undefined; next = this.#waiting.next()) {
      const waiting = this.#current = next;
      try {
        const bytes = await this.#thread.pack(waiting.said);
        await this.#inTurn(() => this.#write(waiting, bytes));
      } catch (error) {
        if (error instanceof PackingError) this.#lose("the thread that packs them failed");
        else this.#trouble = troubleOf(error);
      } finally {
        this.#current = undefined;
        this.#end(waiting);
      }
    }
    this.#keeping = undefined;
  }

  #end({ said, characters, over }: Waiting): void {
    this.release(said.project.id, characters);
    over.resolve();
  }

  #onTheWay(projectId: string): readonly Waiting[] {
    const waiting = this.#waiting.of(projectId);
    const current = this.#current;
    return current?.said.project.id === projectId ? [current, ...waiting] : waiting;
  }

  /** Waits for a call that is on its way to be kept. */
  async #isOver({ projectId, requestId }: { projectId: string; requestId: string }): Promise<void> {
    const found = this.#onTheWay(projectId).find(({ said }) => said.requestId === requestId);
    await found?.over.promise;
  }

  #lose(why: Loss): void {
    const now = this.#options.clock.now();
    const before = this.#losses.get(why);
    const isOld = before === undefined || before.at <= now - LOSS_TOLD_MS;
    this.#losses.set(why, { count: isOld ? 1 : before.count + 1, at: now });
  }

  async #write({ said, isForgotten }: Waiting, bytes: Uint8Array): Promise<void> {
    const { project: { id: projectId, quotas }, requestId, at } = said;
    const { promptDays: days, promptBytes = DEFAULT_PROMPT_BYTES } = quotas;
    if (days === undefined || isForgotten) return;
    if (this.#options.freeBytes() < bytes.length) throw new DiskFullError();
    await this.#files.write({ projectId, requestId, at, days }, bytes);
    await this.#files.shrink(projectId, promptBytes);
    this.#trouble = undefined;
  }
}

class DiskFullError extends Error {}

/** An error's own words have paths in them. */
function troubleOf(error: unknown): string {
  if (error instanceof DiskFullError) return "the disk is full";
  const code = isObject(error) && "code" in error ? error.code : undefined;
  const why = typeof code === "string" ? code : error instanceof Error ? error.name : "an error";
  return `the folder "prompts" of the data dir cannot be read or written (${why}); look at its rights and its disk`;
}

const DAY_MS = 86_400_000;

/** `undefined` for a file that a power cut has left without its bytes. */
async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<KeptPrompt | undefined> {
  try {
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const kept: unknown = await new Response(plain).json();
    return isObject(kept) ? kept as unknown as KeptPrompt : undefined;
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
