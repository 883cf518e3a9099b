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
  if (!URL.canParse(from)) throw new CommandFailure(`${from} is no address`);
  const url = new URL(from);
  const last = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
  const isArchive = ARCHIVE.test(last);
  if (!isArchive && last !== "") url.pathname += "/";
  return {
    archive: isArchive ? decodeURIComponent(last) : undefined,
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
  const response = await fetch(address).catch((error) => {
    throw new CommandFailure(`Cannot fetch ${address}: ${error.message}`);
  });
  if (response.ok && response.body !== null) return response.body;
  await response.body?.cancel();
  const answer = `${address.origin} answered ${response.status}`;
  throw new CommandFailure(
    response.status === 404
      ? `There is no ${name} beside it: ${answer}`
      : `Cannot fetch ${address}: ${answer}`,
  );
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
