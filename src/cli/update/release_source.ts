/**
 * Where a release is: a folder of this machine or an address, with SHA256SUMS in it.
 *
 * @module
 */

import { basename, dirname, resolve } from "node:path";
import { CommandFailure } from "../base/failure.ts";

/** A release's files by their names. */
export interface ReleaseSource {
  /** The archive that was named; `undefined` where the folder was. */
  readonly archive: string | undefined;
  /** Whether nobody on the way can change what is read, whatever its signature. */
  readonly isPrivate: boolean;
  /** Hands over a file piece by piece. @throws {CommandFailure} where it cannot be read. */
  read(name: string): AsyncIterable<Uint8Array<ArrayBuffer>>;
}

const ARCHIVE = /\.(?:tar\.gz|zip)$/;

/** @param from `https://…` or a path; of a release's folder, or of an archive in it. */
export function releaseSource(from: string, cwd: string): ReleaseSource {
  if (/^https?:/i.test(from)) return addressSource(from);
  const path = resolve(cwd, from.replace(/^file:\/\//, ""));
  const isArchive = ARCHIVE.test(path);
  const folder = isArchive ? dirname(path) : path;
  return {
    archive: isArchive ? basename(path) : undefined,
    isPrivate: true,
    async *read(name) {
      const file = await Deno.open(`${folder}/${name}`).catch((error) => {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
        throw new CommandFailure(`There is no ${name} in ${folder}`);
      });
      yield* file.readable;
    },
  };
}

function addressSource(from: string): ReleaseSource {
  if (!URL.canParse(from)) throw new CommandFailure("What --from names is no address");
  const url = new URL(from);
  const last = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
  const isArchive = ARCHIVE.test(last);
  if (!isArchive && last !== "") url.pathname += "/";
  return {
    archive: isArchive ? decoded(last, from) : undefined,
    isPrivate: url.protocol === "https:",
    async *read(name) {
      const address = new URL(encodeURIComponent(name), url);
      address.search = url.search;
      yield* await download(address, name);
    },
  };
}

async function download(
  address: URL,
  name: string,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const shown = shownAddress(address);
  const response = await fetch(address).catch((error) => {
    // What it says of itself has the whole address in it, with a name and a password.
    const why = String(error.cause?.message ?? error.message).replaceAll(/https?:\S+/g, "…");
    throw new CommandFailure(`Cannot fetch ${shown}: ${why}`);
  });
  if (address.protocol === "https:" && !response.url.startsWith("https:")) {
    await response.body?.cancel();
    throw new CommandFailure(
      `${shown} leads on to ${shownAddress(new URL(response.url))}: anybody can change what http ` +
        "brings. Name an address that stays with https",
    );
  }
  if (response.ok && response.body !== null) return response.body;
  await response.body?.cancel();
  const answer = `${address.origin} answered ${response.status}`;
  throw new CommandFailure(
    response.status === 404
      ? `There is no ${name} beside it: ${answer}`
      : `Cannot fetch ${shown}: ${answer}`,
  );
}

/** Without what may be a secret: the name and password before the host, and the query. */
function shownAddress({ origin, pathname }: URL): string {
  return origin + pathname;
}

function decoded(name: string, from: string): string {
  try {
    return decodeURIComponent(name);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new CommandFailure(
      `${shownAddress(new URL(from))} is no address: a % stands for nothing`,
    );
  }
}

/** Reads a small file whole. @throws {CommandFailure} where it is longer than `most` bytes. */
export async function readSmall(
  source: ReleaseSource,
  name: string,
  most: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const piece of source.read(name)) {
    length += piece.length;
    if (length > most) throw new CommandFailure(`${name} has more than ${most} bytes: it is none`);
    pieces.push(piece);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}
