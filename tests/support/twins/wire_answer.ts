/**
 * Reads answers of any kind from a connection, whole or cut.
 *
 * @module
 */

import type { RawSocket } from "../raw_socket.ts";

/** An answer as one text: its head, then its body without the framing. */
export interface WireAnswer {
  readonly text: string;
  /** Whether the connection may be used for another request. */
  readonly goesOn: boolean;
}

/** Reads the next answer, with those before it that are none yet. */
export async function readAnswer(socket: RawSocket): Promise<WireAnswer> {
  let text = "";
  try {
    let head = "";
    do {
      head = await socket.readThrough("\r\n\r\n");
      text += head;
    } while (/^HTTP\/1\.1 1\d\d /.test(head));
    if (/^transfer-encoding: chunked/im.test(head)) {
      for (let size = Infinity; size > 0;) {
        size = Number.parseInt(await socket.readThrough("\r\n"), 16);
        text += (await socket.readExactly(size + 2)).slice(0, -2);
      }
    } else {
      const length = /^content-length: (\d+)/im.exec(head)?.[1] ?? "0";
      text += await socket.readExactly(Number(length));
    }
    if (!/^connection: close/im.test(head)) return { text, goesOn: true };
    const { text: rest } = await socket.readToEnd();
    return { text: text + rest, goesOn: false };
  } catch (error) {
    const isCut = error instanceof Deno.errors.ConnectionReset ||
      error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted ||
      (error instanceof Error && error.message.startsWith("The connection ended"));
    if (!isCut) throw error;
    return { text: `${text}\n(cut)`, goesOn: false };
  }
}
