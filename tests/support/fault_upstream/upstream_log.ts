/**
 * The append-only log of a fault upstream: what came, what was sent and how it ended. For money it
 * is the oracle: a completion that is in here was made, whatever the gateway says of it.
 *
 * @module
 */

/** One attempt that reached the upstream. */
export interface UpstreamRecord {
  /** 1, 2, 3 … in order of arrival. */
  readonly number: number;
  /** Of the script; -1 for a request without one. */
  readonly tag: number;
  /** 1 for the first attempt of a tag. */
  readonly attempt: number;
  readonly path: string;
  /** The model's name at the upstream. */
  readonly model: string;
  readonly isStream: boolean;
  /** Milliseconds of `performance.now()` in the upstream's process. */
  readonly arrivedAt: number;
  /**
   * `completed`: everything was sent, with status 200; `failed`: sent as a failure, or broken off
   * as the script says; `left`: the other side closed before the end.
   */
  readonly outcome: "completed" | "failed" | "left";
  /** How far it came in the body. */
  readonly bytesSent: number;
  readonly usage: { readonly prompt: number; readonly completion: number } | undefined;
  /** When the last bytes of the body were about to be sent; when it arrived if there were none. */
  readonly lastWriteAt: number;
  /** When it ended, for whichever reason. */
  readonly endedAt: number;
}

/** A log in memory and, line by line as JSON, in a file. */
export class UpstreamLog {
  readonly #file: Deno.FsFile | undefined;
  readonly #records: UpstreamRecord[] = [];
  readonly #keeps: boolean;
  readonly #encoder = new TextEncoder();

  constructor(path: string | undefined, { keepsRecords = true } = {}) {
    this.#keeps = keepsRecords;
    this.#file = path === undefined
      ? undefined
      : Deno.openSync(path, { append: true, create: true, mode: 0o600 });
  }

  append(record: UpstreamRecord): void {
    this.#file?.writeSync(this.#encoder.encode(`${JSON.stringify(record)}\n`));
    if (this.#keeps) this.#records.push(record);
  }

  /** In order of their ends. */
  get records(): readonly UpstreamRecord[] {
    return this.#records;
  }

  close(): void {
    this.#file?.close();
  }
}

/** What a log's file says. */
export function readUpstreamLog(path: string): readonly UpstreamRecord[] {
  return Deno.readTextFileSync(path).split("\n").filter((line) => line !== "").map((line) =>
    JSON.parse(line)
  );
}
