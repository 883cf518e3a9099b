/**
 * Secret references: `env:NAME`, `file:PATH` and `credential:NAME`. Their values
 * live in memory only; nothing here logs, stores or repeats one.
 *
 * @module
 */

import { isAbsolute } from "node:path";
import type { Clock } from "../domain/clock.ts";

/** A secret, or why there is none, naming the reference and never a value. */
export type SecretResult =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly message: string };

/** The secret, if there is one. */
export function secretValue(result: SecretResult): string | undefined {
  return result.ok ? result.value : undefined;
}

/** Turns references into secrets. */
export interface SecretResolver {
  /**
   * The secret behind a reference, without surrounding white space.
   *
   * A variable is what it was when the process started. A file is read once and
   * looked at again at most every 5 seconds, so that a rotated key is used
   * without a restart. Once read, its last value stays in use while it cannot be
   * read, as in the middle of being written anew. A file that was never read is
   * looked at again on every call. A credential is a file in the folder that
   * systemd makes for a service (`LoadCredential=`).
   */
  resolve(reference: string): SecretResult;
  /** Those whose last value stays in use, as their file could not be read when it was looked at. */
  kept(): readonly KeptSecret[];
  /** Reads every file that is in use again, now; all their new values count at once. */
  reread(): RereadSecrets;
}

/** What reading all secret files again has found. */
export interface RereadSecrets {
  readonly files: number;
  /** References of those with another value than before. */
  readonly changed: readonly string[];
}

/** A secret whose file cannot be read any more, so that its last value stays in use. */
export interface KeptSecret {
  readonly reference: string;
  /** Why, without a value. */
  readonly message: string;
}

/** What resolving needs from outside. */
export interface SecretResolverDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Told when a value is kept; not again while the reason stays, unless all are read again. */
  readonly onKept?: (kept: KeptSecret) => void;
}

interface KnownFile {
  readonly reference: string;
  readonly value: string;
  readonly readAtMs: number;
  /** Why the last look at it failed. */
  readonly trouble: string | undefined;
}

const REVISIT_MS = 5_000;
const MAX_FILE_BYTES = 64 * 1024;

/** A resolver with a cache of its own. */
export function createSecretResolver(
  { env, clock, onKept = () => {} }: SecretResolverDeps,
): SecretResolver {
  const files = new Map<string, KnownFile>();

  function resolveFile(path: string, reference: string): SecretResult {
    const known = files.get(path);
    const now = clock.monotonic();
    if (known !== undefined && now - known.readAtMs < REVISIT_MS) {
      return { ok: true, value: known.value };
    }
    const result = readSecretFile(path, reference);
    if (known === undefined && !result.ok) return result;
    return { ok: true, value: take(path, { reference, known, result, readAtMs: now }) };
  }

  /** The value from now on: the file's, or the last one that it had. */
  function take(path: string, { reference, known, result, readAtMs }: {
    readonly reference: string;
    readonly known: KnownFile | undefined;
    readonly result: SecretResult;
    readonly readAtMs: number;
  }): string {
    const value = result.ok ? result.value : known!.value;
    const trouble = result.ok ? undefined : result.message;
    files.set(path, { reference, value, readAtMs, trouble });
    if (trouble !== undefined && trouble !== known?.trouble) {
      onKept({ reference, message: trouble });
    }
    return value;
  }

  return {
    resolve(reference) {
      if (reference.startsWith("env:")) return resolveVariable(reference.slice(4), env);
      if (reference.startsWith("file:")) return resolveFile(reference.slice(5), reference);
      if (reference.startsWith("credential:")) {
        const place = credentialPath(reference, env);
        return place.ok ? resolveFile(place.value, reference) : place;
      }
      // The text may be a secret by mistake: it is not repeated.
      return refuse("A secret is written as env:NAME, file:/path or credential:NAME");
    },
    kept() {
      return [...files.values()].flatMap(({ reference, trouble: message }) =>
        message === undefined ? [] : [{ reference, message }]
      );
    },
    reread() {
      const looks = [...files].map(([path, known]) => ({
        path,
        known: { ...known, trouble: undefined },
        result: readSecretFile(path, known.reference),
      }));
      const readAtMs = clock.monotonic();
      const changed: string[] = [];
      for (const { path, known, result } of looks) {
        const value = take(path, { reference: known.reference, known, result, readAtMs });
        if (value !== known.value) changed.push(known.reference);
      }
      return { files: looks.length, changed };
    },
  };
}

/** The name of a credential: systemd's rule for file names, with fewer characters. */
export const CREDENTIAL_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}$/;

function resolveVariable(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): SecretResult {
  const value = env[name];
  if (value === undefined) {
    return refuse(`env:${name} has no value: set the variable ${name} and start again`);
  }
  return checkSecret(value, `env:${name}`);
}

/** Where systemd has put a credential (systemd.exec(5), CREDENTIALS). */
function credentialPath(
  reference: string,
  { CREDENTIALS_DIRECTORY: folder = "" }: Readonly<Record<string, string | undefined>>,
): SecretResult {
  const name = reference.slice("credential:".length);
  if (!CREDENTIAL_NAME.test(name)) {
    return refuse("A credential's name consists of letters, digits, _, - and .");
  }
  if (!isAbsolute(folder)) {
    return refuse(
      `${reference} has no folder: a service gets one from systemd (LoadCredential=); elsewhere set CREDENTIALS_DIRECTORY`,
    );
  }
  return { ok: true, value: `${folder}/${name}` };
}

function readSecretFile(path: string, reference: string): SecretResult {
  try {
    const { size, isFile } = Deno.statSync(path);
    // A pipe or device could block for ever.
    if (!isFile) return refuse(`${reference} is no regular file`);
    if (size > MAX_FILE_BYTES) return refuse(`${reference} is larger than ${MAX_FILE_BYTES} bytes`);
    return checkSecret(Deno.readTextFileSync(path), reference);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return refuse(`${reference} does not exist`);
    if (error instanceof Deno.errors.PermissionDenied) {
      return refuse(`${reference} may not be read by this user`);
    }
    if (error instanceof Error) return refuse(`${reference} cannot be read: ${error.name}`);
    throw error;
  }
}

function checkSecret(text: string, reference: string): SecretResult {
  const value = text.trim();
  if (value === "") return refuse(`${reference} is empty`);
  if (!/^[\x20-\x7e]+$/.test(value)) {
    return refuse(`${reference} holds characters that a header cannot carry`);
  }
  return { ok: true, value };
}

function refuse(message: string): SecretResult {
  return { ok: false, message };
}
