/**
 * What calls of some projects said: redacted, shortened, compressed and kept, one after the other and
 * never in a call's way. Nothing here refuses or fails a call: what cannot be kept is not.
 *
 * @module
 */

import { DEFAULT_PROMPT_BYTES, type Project } from "../domain/account.ts";
import type { Clock } from "../domain/clock.ts";
import { isObject } from "../domain/json_value.ts";
import { PromptFiles } from "./prompt_files.ts";
import { type Redacted, Redactor } from "./redactor.ts";
import { Shortener } from "./shorten.ts";
import { streamedAnswer } from "./streamed_answer.ts";

/** Characters kept of a call's request, and as many of its answer. */
const MOST_CHARACTERS = 256 * 1024;
/** What may wait in memory to be kept, and be held of streams under way, bytes. */
const MOST_WAITING_BYTES = 64 * 1024 ** 2;
const REAP_EVERY_MS = 10 * 60_000;

/** How an answer ended for its caller; `left`: the caller went away before its end. */
export type PromptState = "complete" | "left" | "refused";

/** A request and what became of it. */
export interface SaidPrompt {
  readonly project: Pick<Project, "id" | "quotas">;
  readonly requestId: string;
  /** When it arrived, milliseconds since the epoch. */
  readonly at: number;
  /** Without its prefix. */
  readonly path: string;
  readonly model: string | undefined;
  /** What its caller saw. */
  readonly status: number;
  readonly state: PromptState;
  readonly request: unknown;
  /** Size of the request as it came. */
  readonly requestBytes: number;
  readonly answer: SaidAnswer;
}

/** What was answered: JSON, server-sent events, or an error's words. */
export interface SaidAnswer {
  readonly form: "json" | "events" | "error";
  readonly text: string;
  /** Whether there was more. */
  readonly isCut: boolean;
}

/** What is kept of a call. */
export interface KeptPrompt {
  readonly request_id: string;
  readonly project: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly path: string;
  readonly model: string | null;
  readonly status: number;
  readonly stream: boolean;
  readonly state: PromptState;
  readonly cut: boolean;
  readonly redacted: Redacted;
  readonly request: unknown;
  readonly answer: unknown;
}

/** What keeping works with. */
export interface KeptPromptsOptions {
  /** Theirs alone; made when the first one is kept. */
  readonly folder: string;
  readonly clock: Pick<Clock, "now">;
  /** Bytes of the disk that may be written. */
  readonly freeBytes: () => number;
  /** For how many days a project has its own kept now; `undefined` where it has none kept. */
  readonly daysOf: (projectId: string) => number | undefined;
}

export class KeptPrompts {
  readonly #options: KeptPromptsOptions;
  readonly #files: PromptFiles;
  #waitingBytes = 0;
  #loaded: Promise<void> | undefined;
  #work: Promise<unknown> = Promise.resolve();
  #timer: ReturnType<typeof setInterval> | undefined;
  #trouble: string | undefined;

  constructor(options: KeptPromptsOptions) {
    this.#options = options;
    this.#files = new PromptFiles(options.folder);
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
  }

  /** Resolves when everything given so far is kept, or is not. */
  async flush(): Promise<void> {
    await this.#work;
  }

  /** Why something was not kept, as long as that lasts. */
  warnings(): readonly string[] {
    return this.#trouble === undefined ? [] : [`prompts are not kept: ${this.#trouble}`];
  }

  /** Takes memory for what comes of a stream, to be given back; `false` where there is none left. */
  hold(bytes: number): boolean {
    if (this.#waitingBytes + bytes > MOST_WAITING_BYTES) return false;
    this.#waitingBytes += bytes;
    return true;
  }

  /** Gives back what was held. */
  release(bytes: number): void {
    this.#waitingBytes -= bytes;
  }

  /** Keeps what a call said, later. */
  keep(said: SaidPrompt): void {
    const bytes = said.requestBytes + said.answer.text.length;
    if (!this.hold(bytes)) {
      this.#trouble = "more came than could be written";
      return;
    }
    void this.#inTurn(async () => {
      try {
        await this.#write(said);
        this.#trouble = undefined;
      } catch (error) {
        this.#trouble = String(error);
      } finally {
        this.release(bytes);
      }
    });
  }

  /** What is kept of a call of a project that began about then; `undefined` for nothing. */
  async find(
    call: { readonly projectId: string; readonly requestId: string; readonly at: number },
  ): Promise<(KeptPrompt & { readonly until: number }) | undefined> {
    await this.flush();
    const file = await this.#files.read(call);
    if (file === undefined) return undefined;
    const days = this.#options.daysOf(call.projectId);
    const until = days === undefined ? file.until : Math.min(file.until, call.at + days * DAY_MS);
    if (until <= this.#options.clock.now()) return undefined;
    const kept = await unpack(file.bytes);
    return kept === undefined ? undefined : { ...kept, until };
  }

  /** Bytes of the disk that a project's take. */
  bytesOf(projectId: string): Promise<number> {
    return this.#inTurn(() => Promise.resolve(this.#files.bytesOf(projectId)));
  }

  /** Removes everything of a project, now; gives how many bytes of the disk that were. */
  forget(projectId: string): Promise<number> {
    return this.#inTurn(() => this.#files.forget(projectId));
  }

  /** Removes what has been kept long enough. */
  async reap(): Promise<void> {
    const { clock, daysOf } = this.#options;
    try {
      await this.#inTurn(() => this.#files.expire(clock.now(), daysOf));
    } catch (error) {
      this.#trouble = String(error);
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

  async #write(said: SaidPrompt): Promise<void> {
    const { project: { id: projectId, quotas }, requestId, at } = said;
    const { promptDays: days, promptBytes = DEFAULT_PROMPT_BYTES } = quotas;
    if (days === undefined) return;
    // Calls have their turn before each of them.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const bytes = await pack(keptOf(said));
    if (this.#options.freeBytes() < bytes.length) throw new Error("the disk is full");
    await this.#files.write({ projectId, requestId, at, days }, bytes);
    await this.#files.shrink(projectId, promptBytes);
  }
}

const DAY_MS = 86_400_000;

/** What of it all is kept. */
function keptOf({ project, requestId, request, answer, ...said }: SaidPrompt): KeptPrompt {
  const redactor = new Redactor(project.quotas.promptRedact);
  const asked = new Shortener(redactor, MOST_CHARACTERS);
  const told = new Shortener(redactor, MOST_CHARACTERS);
  const kept = { request: asked.shorten(request), answer: told.shorten(valueOf(answer)) };
  return {
    request_id: requestId,
    project: project.id,
    at: said.at,
    path: said.path,
    model: said.model === undefined ? null : redactor.redact(said.model),
    status: said.status,
    stream: answer.form === "events",
    state: said.state,
    cut: asked.isCut || told.isCut || answer.isCut,
    redacted: redactor.redacted,
    ...kept,
  };
}

function valueOf({ form, text }: SaidAnswer): unknown {
  if (form === "events") return streamedAnswer(text);
  if (form === "error") return { error: { message: text } };
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

async function pack(kept: KeptPrompt): Promise<Uint8Array> {
  const packed = new Blob([JSON.stringify(kept)]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

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
