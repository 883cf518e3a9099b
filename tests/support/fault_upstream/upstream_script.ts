/**
 * What a fault upstream is told to do with a request. The request says it itself, so that any number
 * of requests may be under way at once, in any order, and each gets what was meant for it.
 *
 * @module
 */

/** The counts that an answer reports; a number for each, or one of the ways vendors get it wrong. */
export type UsageManner =
  | { readonly prompt: number; readonly completion: number }
  /** The answer has no usage at all. */
  | "missing"
  /** Counts that no call can have. */
  | "negative"
  | "fraction"
  | "absurd"
  /** Counts as words. */
  | "text";

/** What the upstream does with one attempt. All at once is possible; what ends the answer ends it. */
export interface UpstreamAct {
  /** An error answer with this status instead of a completion. */
  readonly status?: number;
  /** With `status`: the header of that name, in seconds. */
  readonly retryAfter?: number;
  /** A redirect to this address instead of a completion. */
  readonly redirect?: string;
  /** A page of HTML with status 200 instead of a completion. */
  readonly isHtml?: boolean;
  /** The body is gzip that unpacks to so many MB of nothing, then a completion. Plain answers only. */
  readonly gzipBombMb?: number;
  /** A stream's first line goes on for so many MB; a plain answer begins with so many MB of spaces. */
  readonly paddingMb?: number;
  /** The answer has a field of lists in lists, so deep. */
  readonly depth?: number;
  /** Waits before the status line. */
  readonly delayMs?: number;
  /** Reads the request and never says anything. */
  readonly isSilent?: boolean;
  /** Stops for ever before this byte of the body. */
  readonly stallAt?: number;
  /** Stops for ever after so many chunks of a stream; after all of them, it has told the finish. */
  readonly stallAfterChunks?: number;
  /** Resets the connection before this byte of the body; before the status line if -1. */
  readonly resetAt?: number;
  /** Closes the connection in order before this byte of the body. */
  readonly cutAt?: number;
  /** Sends the body so many bytes at a time, with a pause after each. */
  readonly trickle?: { readonly bytes: number; readonly everyMs: number };
  /** Cuts the body inside of characters that have more than one byte. */
  readonly splitsCharacters?: boolean;
  /** Pause after each chunk of a stream. */
  readonly chunkMs?: number;
  /** A stream without its last chunks: no finish, no usage, no `[DONE]`. */
  readonly endsEarly?: boolean;
  /** What the model writes, in a stream so many chunks of this. Default `"word "`. */
  readonly text?: string;
  /** Chunks of a stream, and how often a plain answer repeats its text. Default 3. */
  readonly chunks?: number;
  /** Default: 10 and 5. */
  readonly usage?: UsageManner;
}

/** What a request asks of the upstream. */
export interface UpstreamScript {
  /** Who asks: unique in a run, and in the upstream's log. */
  readonly tag: number;
  /** What is done with its first attempt, its second …; the last repeats. Default: nothing special. */
  readonly acts?: readonly UpstreamAct[];
  /** In place of `acts` at upstreams' models of these names. */
  readonly actsOf?: Readonly<Record<string, readonly UpstreamAct[]>>;
}

const MARK = "fault-upstream:";

/** The script as a prompt. `padTo` makes all prompts of a run equally long, in characters. */
export function scriptPrompt(script: UpstreamScript, { padTo = 0 } = {}): string {
  return `${MARK}${JSON.stringify(script)}`.padEnd(padTo, ".");
}

/** The script that a request's body carries anywhere in its text; `undefined` if it has none. */
export function readScript(body: string): UpstreamScript | undefined {
  const at = body.lastIndexOf(MARK);
  if (at < 0) return undefined;
  // It is inside a JSON string, up to the quote that ends that.
  const end = /(?<!\\)(?:\\\\)*"/.exec(body.slice(at));
  const text: string = JSON.parse(`"${body.slice(at, at + end!.index)}"`);
  return JSON.parse(text.slice(MARK.length, text.lastIndexOf("}") + 1));
}
