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

/** Turns references into secrets. */
export interface SecretResolver {
  /**
   * The secret behind a reference, without surrounding white space.
   *
   * A variable is what it was when the process started. A file is read once and
   * looked at again at most every 5 seconds, so that a rotated key is used
   * without a restart; a file that vanished or became empty is a failure at the
   * next look. Failures are looked at again on every call. A credential is a file
   * in the folder that systemd makes for a service (`LoadCredential=`).
   */
  resolve(reference: string): SecretResult;
}

/** What resolving needs from outside. */
export interface SecretResolverDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

const REVISIT_MS = 5_000;
const MAX_FILE_BYTES = 64 * 1024;

/** A resolver with a cache of its own. */
export function createSecretResolver({ env, clock }: SecretResolverDeps): SecretResolver {
  const files = new Map<string, { readonly value: string; readonly readAtMs: number }>();

  function resolveFile(path: string, reference: string): SecretResult {
    const cached = files.get(path);
    const now = clock.monotonic();
    if (cached !== undefined && now - cached.readAtMs < REVISIT_MS) {
      return { ok: true, value: cached.value };
    }
    const result = readSecretFile(path, reference);
    if (result.ok) files.set(path, { value: result.value, readAtMs: now });
    else files.delete(path);
    return result;
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
  };
}

/** Whether a text is a reference rather than a secret. */
export function isSecretReference(text: string): boolean {
  return /^(?:env|file|credential):/.test(text);
}

/** The name of a credential: systemd's rule for file names, with fewer characters. */
export const CREDENTIAL_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}$/;

function resolveVariable(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): SecretResult {
  const value = env[name];
  if (value === undefined) {
    return refuse(`env:${name} has no value: set the variable ${name} and restart`);
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
