/**
 * Passing a connection on: from a request on, all that its client sends goes to another listener of
 * this process as it comes, and all that this one answers goes back, until either ends it. For a
 * listener whose handler serves some requests alone.
 *
 * @module
 */

import type { RequestHead } from "./request_head.ts";
import { addressOf } from "./peer_group.ts";

/** What is asked of a connection in place of an answer. */
export interface PassageWish {
  /** Whether the other listener is to close the connection once it has answered this request. */
  readonly closes: boolean;
  /** Called where it is answered here all the same. */
  readonly otherwise?: () => void;
}

const wishes = new WeakMap<Response, PassageWish>();

/**
 * Has a request, and with it its connection, passed on.
 *
 * @param instead The answer where that cannot be: part of its body is taken, or its client is gone.
 */
export function passOn(wish: PassageWish, instead: Response): Response {
  wishes.set(instead, wish);
  return instead;
}

/** Whether a response stands for that. */
export function passageWish(response: Response): PassageWish | undefined {
  return wishes.get(response);
}

/** Before anything else of a connection that is passed on: whose it is, filled up with spaces. */
const PEER_BYTES = 64;

/** Opens a passage to the listener of this process that takes what is passed on, at its socket's path. */
export function openPassageTo(path: string): Promise<Deno.Conn> {
  return Deno.connect({ transport: "unix", path });
}

/** The first bytes on a passage: who the client is, then its request as far as it is taken already. */
export function openingBytes(
  peer: string,
  { head, taken, closes }: {
    readonly head: RequestHead;
    /** The whole body, where it was read. */
    readonly taken: Uint8Array | undefined;
    readonly closes: boolean;
  },
): Uint8Array {
  const text = peerText(peer) + headText(head, { closes, hasBody: taken !== undefined });
  const bytes = new Uint8Array(text.length + (taken?.length ?? 0));
  // One character per byte, as it was read.
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  if (taken !== undefined) bytes.set(taken, text.length);
  return bytes;
}

/** The first bytes on a passage where nothing of the request is taken. */
export function peerBytes(peer: string): Uint8Array {
  return new TextEncoder().encode(peerText(peer));
}

function peerText(peer: string): string {
  return peer.slice(0, PEER_BYTES).padEnd(PEER_BYTES);
}

function headText(
  { method, path, host, headers, http10 }: RequestHead,
  { closes, hasBody }: { readonly closes: boolean; readonly hasBody: boolean },
): string {
  let text = `${method} ${path} HTTP/1.${http10 ? 0 : 1}\r\n`;
  for (const [name, value] of headers) {
    const known = name.toLowerCase();
    // Of an absolute target the host goes before the header's.
    if (known === "host") text += `${name}: ${host}\r\n`;
    else if (known === "connection" && closes) continue;
    // It was told to go on.
    else if (known === "expect" && hasBody) continue;
    else text += `${name}: ${value}\r\n`;
  }
  return `${text}${closes ? "connection: close\r\n" : ""}\r\n`;
}

/**
 * Reads whose connection it is that was passed on; the rest of it is as the client has sent it.
 *
 * @returns `undefined` where it ends before that.
 */
export async function readPeer(conn: Deno.Conn): Promise<string | undefined> {
  const bytes = new Uint8Array(PEER_BYTES);
  for (let filled = 0; filled < PEER_BYTES;) {
    const count = await conn.read(bytes.subarray(filled));
    if (count === null) return undefined;
    filled += count;
  }
  return new TextDecoder().decode(bytes).trimEnd() || addressOf(conn);
}

/** Bytes that are under way in one direction. */
const PUMP_BYTES = 16 * 1024;

/** Whose connection is passed on. */
interface Client {
  /** Reads at least a byte of what it sends; 0 at the end. */
  read(target: Uint8Array): Promise<number>;
  readonly conn: Pick<Deno.Conn, "write">;
}

/**
 * Copies both ways until the other listener has said all.
 *
 * @param opening What it gets before anything that the client sends from now on.
 * @returns What is still being copied to it, where the client has not ended; neither is closed.
 */
export async function exchange(
  passage: Deno.Conn,
  opening: Uint8Array,
  { read, conn }: Client,
): Promise<{ readonly left: Promise<void> | undefined }> {
  if (!await writeAll(passage, opening)) return { left: undefined };
  let hasEnded = false;
  const sent = pump(read, passage)
    .then(() => {
      hasEnded = true;
      return passage.closeWrite();
    })
    .catch(() => {}); // the other listener has closed it
  await pump((target) => readSome(passage, target), conn);
  return { left: hasEnded ? undefined : sent };
}

/**
 * Copies until the source ends or the target takes nothing more; neither is closed.
 *
 * @param read Fills the target with at least a byte; 0 at the end.
 */
async function pump(
  read: (target: Uint8Array) => Promise<number>,
  to: Pick<Deno.Conn, "write">,
): Promise<void> {
  const bytes = new Uint8Array(PUMP_BYTES);
  for (;;) {
    const count = await read(bytes);
    if (count === 0 || !await writeAll(to, bytes.subarray(0, count))) return;
  }
}

/** Writes all of it; says whether it could. */
async function writeAll(to: Pick<Deno.Conn, "write">, bytes: Uint8Array): Promise<boolean> {
  try {
    for (let sent = 0; sent < bytes.length;) sent += await to.write(bytes.subarray(sent));
    return true;
  } catch {
    return false; // the peer is gone, or we have closed it
  }
}

/** Reads some bytes of a connection; 0 once it has ended, also by force. */
async function readSome(from: Pick<Deno.Conn, "read">, target: Uint8Array): Promise<number> {
  try {
    return await from.read(target) ?? 0;
  } catch {
    return 0;
  }
}

/** Closes a connection, unless it is closed. */
export function closeConn(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
