/**
 * Sends a case and reads what comes back.
 *
 * @module
 */

import { RawSocket } from "../support/raw_socket.ts";
import type { FuzzCase } from "./fuzz_case.ts";

/** How long an unfinished request is left open before our half of the connection is closed. */
const QUIET_MS = 150;
/** Only a guard: an answer that takes longer never comes. */
const ANSWER_WITHIN_MS = 30_000;

/** An answer. */
export interface FuzzAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Bytes as Latin-1: one character each. */
  readonly body: string;
}

/** What came back. */
export interface Returned {
  /** In order; several where the bytes were several requests. */
  readonly answers: readonly FuzzAnswer[];
  /** What is wrong with the bytes themselves; `undefined` where they are proper HTTP. */
  readonly fault: string | undefined;
}

/** Sends the bytes on a connection of their own, then reads until the server closes it. */
export async function sendCase(
  { bytes, isWhole }: FuzzCase,
  server: Deno.NetAddr,
): Promise<Returned> {
  using socket = await RawSocket.connect(server);
  const answers: FuzzAnswer[] = [];
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let isSilent = false;
  const guard = setTimeout(() => {
    isSilent = true;
    socket[Symbol.dispose]();
  }, ANSWER_WITHIN_MS);
  const finish = () => void socket.conn.closeWrite().catch(() => {});
  const isHead = bytes[0] === 72 && bytes[1] === 69;
  try {
    const sending = socket.send(bytes);
    // A refusal comes before all of a request is sent; then the rest cannot be sent.
    sending.catch(() => {});
    if (!isWhole) quiet = setTimeout(finish, QUIET_MS);
    for (;;) {
      const answer = await socket.readResponse({ bodyless: isHead && answers.length === 0 });
      if (answer.status === 100) continue;
      answers.push(answer);
      clearTimeout(quiet);
      finish();
    }
  } catch (error) {
    if (isSilent) return { answers, fault: `there was no end within ${ANSWER_WITHIN_MS} ms` };
    return { answers, fault: faultOf(error, answers) };
  } finally {
    clearTimeout(quiet);
    clearTimeout(guard);
  }
}

function faultOf(error: unknown, answers: readonly FuzzAnswer[]): string | undefined {
  const { message } = error as Error;
  const [, rest] = /^The connection ended after: ([\s\S]*)$/.exec(message) ?? [];
  if (rest === "") return undefined;
  // To HTTP/1.0 a stream is answered without a length: it ends with the connection.
  const headers = answers.at(-1)?.headers;
  const isEndless = headers !== undefined && !headers.has("content-length") &&
    !headers.has("transfer-encoding");
  if (rest !== undefined && isEndless) return undefined;
  if (rest !== undefined) return `an answer broke off: ${rest.slice(0, 300)}`;
  const isReset = error instanceof Deno.errors.ConnectionReset ||
    error instanceof Deno.errors.BrokenPipe;
  // After an answer, or where none is owed, the server may drop what it does not want to read.
  if (isReset && answers.length > 0) return undefined;
  return message;
}
