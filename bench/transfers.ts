/**
 * Requests and answers of many bytes, all open at one time: what is sent or read of one is sent or
 * read of all before more of it is.
 *
 * @module
 */

import type { Server } from "./child_process.ts";

/** One request. */
export interface Transfer {
  /** Method and path. */
  readonly start: string;
  readonly key: string;
  readonly contentType?: string;
  /** Pieces of its body, and how many bytes they are together. */
  readonly body?: { readonly bytes: number; readonly pieces: () => Iterable<Uint8Array> };
  /** Bytes that its answer has at least. */
  readonly answerBytes: number;
}

/** Bytes of one after which the others have their turn. */
const STEP_BYTES = 1024 ** 2;
const MOST_TEXT_BYTES = 16 * 1024;
const STATUS_OK = /^HTTP\/1\.1 200 /;

/**
 * Makes them.
 *
 * @param kept Gives the beginning of each answer, its head too.
 * @throws {Error} When one is not answered with 200, or with less than it should.
 */
export async function transferTogether(
  { port }: Server,
  transfers: readonly Transfer[],
): Promise<readonly string[]> {
  const open = await Promise.all(transfers.map((one) => OpenTransfer.begin(port, one)));
  try {
    await inSteps(open, (one) => one.send());
    await inSteps(open, (one) => one.receive());
    return open.map((one) => one.check());
  } finally {
    for (const one of open) one.close();
  }
}

async function inSteps(
  open: readonly OpenTransfer[],
  step: (one: OpenTransfer) => Promise<boolean>,
): Promise<void> {
  for (let left = open; left.length > 0;) {
    const goesOn = await Promise.all(left.map(step));
    left = left.filter((_, index) => goesOn[index]);
  }
}

class OpenTransfer {
  readonly #connection: Deno.TcpConn;
  readonly #transfer: Transfer;
  readonly #pieces: Iterator<Uint8Array>;
  readonly #buffer = new Uint8Array(64 * 1024);
  #text = "";
  #received = 0;

  private constructor(connection: Deno.TcpConn, transfer: Transfer) {
    this.#connection = connection;
    this.#transfer = transfer;
    this.#pieces = (transfer.body?.pieces() ?? [])[Symbol.iterator]();
  }

  static async begin(port: number, transfer: Transfer): Promise<OpenTransfer> {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const { start, key, contentType, body } = transfer;
    const head = [
      `${start} HTTP/1.1`,
      "host: bench",
      `authorization: Bearer ${key}`,
      "connection: close",
      ...(contentType === undefined ? [] : [`content-type: ${contentType}`]),
      ...(body === undefined ? [] : [`content-length: ${body.bytes}`]),
    ].join("\r\n");
    const opened = new OpenTransfer(connection, transfer);
    await opened.#write(new TextEncoder().encode(`${head}\r\n\r\n`));
    return opened;
  }

  /** Sends a piece; says whether there may be more. */
  async send(): Promise<boolean> {
    const { done, value } = this.#pieces.next();
    if (done === true) return false;
    await this.#write(value);
    return true;
  }

  /** Reads some; says whether there may be more. */
  async receive(): Promise<boolean> {
    for (let step = 0; step < STEP_BYTES;) {
      const count = await this.#connection.read(this.#buffer);
      if (count === null) return false;
      if (this.#text.length < MOST_TEXT_BYTES) {
        this.#text += new TextDecoder("latin1").decode(this.#buffer.subarray(0, count));
      }
      step += count;
      this.#received += count;
    }
    return true;
  }

  /** How the answer begins. */
  check(): string {
    const { start, answerBytes } = this.#transfer;
    if (STATUS_OK.test(this.#text) && this.#received >= answerBytes) return this.#text;
    const begin = this.#text.slice(0, 2_000);
    throw new Error(`Cannot measure: ${start} gave ${this.#received} bytes: ${begin}`);
  }

  close(): void {
    this.#connection.close();
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await this.#connection.write(bytes.subarray(at));
  }
}
