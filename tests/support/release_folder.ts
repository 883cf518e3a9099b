/**
 * A release as `deno task release` lays it out, of whatever executable.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { minisign, readSigningKey } from "../../build/release/minisign.ts";
import { packFolder } from "../../build/release/pack.ts";

/** A key pair in minisign's forms. */
export interface ReleaseKey {
  /** The line that begins with RW. */
  readonly publicLine: string;
  readonly secret: string;
}

/** Makes a key pair. */
export async function makeReleaseKey(): Promise<ReleaseKey> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  const { privateKey, publicKey } = pair as CryptoKeyPair;
  const seed = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey)).slice(-32);
  const own = new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
  const id = crypto.getRandomValues(new Uint8Array(8));
  const ascii = (text: string) => new TextEncoder().encode(text);
  const secret = join(
    ascii("Ed\0\0B2"),
    new Uint8Array(48),
    id,
    seed,
    own,
    new Uint8Array(32),
  );
  return {
    publicLine: join(ascii("Ed"), id, own).toBase64(),
    secret: `untrusted comment: key\n${secret.toBase64()}\n`,
  };
}

/** Lays out a release in `folder`, with one archive; signed where there is a key. */
export async function writeRelease(
  folder: string,
  { version, executable, key, target = Deno.build.target }: {
    readonly version: string;
    /** Path of the program that becomes `tollgate`. */
    readonly executable: string;
    readonly key?: ReleaseKey;
    readonly target?: string;
  },
): Promise<string> {
  const name = `tollgate-${version}-${target}`;
  await Deno.mkdir(`${folder}/${name}/completions`, { recursive: true });
  await Deno.copyFile(executable, `${folder}/${name}/tollgate`);
  await Deno.chmod(`${folder}/${name}/tollgate`, 0o755);
  await Deno.writeTextFile(`${folder}/${name}/completions/tollgate.bash`, "x".repeat(1_000));
  const archive = `${name}.tar.gz`;
  await packFolder(`${folder}/${name}`, `${folder}/${archive}`, 1_700_000_000);
  await Deno.remove(`${folder}/${name}`, { recursive: true });
  const bytes = await Deno.readFile(`${folder}/${archive}`);
  const sums = `${createHash("sha256").update(bytes).digest("hex")}  ${archive}\n`;
  await Deno.writeTextFile(`${folder}/SHA256SUMS`, sums);
  if (key !== undefined) {
    const signature = await minisign(
      new TextEncoder().encode(sums),
      await readSigningKey(key.secret),
      { trusted: `timestamp:1700000000\tfile:SHA256SUMS` },
    );
    await Deno.writeTextFile(`${folder}/SHA256SUMS.minisig`, signature);
  }
  return archive;
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
