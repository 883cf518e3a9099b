/**
 * The way to a running server: its control socket.
 *
 * @module
 */

import {
  type AdminClient,
  type AdminRequest,
  createAdminClient,
  requestOf,
} from "../../admin/base/client.ts";
import type { Operation } from "../../admin/base/operation.ts";
import { CommandFailure, exitCodeFor } from "./failure.ts";

/** No server answers at the socket: none is there, or the file is left over. */
export class NoServerError extends Error {
  override readonly name = "NoServerError";
}

/** A server and who calls it. */
export interface ServerCall {
  readonly socketPath: string;
  /** Who runs the command, for the audit log. */
  readonly user: string | undefined;
}

/**
 * Runs operations in the server behind `socketPath`; they throw a {@linkcode NoServerError} when
 * nobody listens there, and a {@linkcode CommandFailure} with the server's message when it refuses.
 */
export function serverClient(call: ServerCall): AdminClient {
  return createAdminClient((request) => send(call, request));
}

/** Asked of a path, it is refused with this status where there is one: no operation is a PUT. */
const PATH_KNOWN = 405;

/** Whether a server of whatever version has an operation's path; `false` of one that is gone. */
export async function hasPath(
  { socketPath }: ServerCall,
  { path }: Pick<Operation, "path">,
): Promise<boolean> {
  const place = `/admin/v1${path.replaceAll(/\{\w+\}/g, "x")}`;
  const asked = await ask(socketPath, place, { method: "PUT" }).catch(() => undefined);
  return asked?.status === PATH_KNOWN;
}

/** What became of long work that a server was asked to do while nobody waits. */
export type Begun =
  | { readonly kind: "job"; readonly job: unknown }
  /** It is done: servers of earlier versions know no jobs. */
  | { readonly kind: "answer"; readonly answer: unknown };

/** Has a server begin an operation as a job; throws as {@linkcode serverClient} does. */
export async function beginServed(
  call: ServerCall,
  operation: Operation,
  input: object,
): Promise<Begun> {
  const { status, answer } = await sendAsked(call, requestOf(operation, input), {
    prefer: "respond-async",
  });
  return status === STARTED ? { kind: "job", job: answer } : { kind: "answer", answer };
}

const STARTED = 202;

async function send(call: ServerCall, request: AdminRequest): Promise<unknown> {
  return (await sendAsked(call, request)).answer;
}

async function sendAsked(
  { socketPath, user }: ServerCall,
  { method, path, body }: AdminRequest,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly answer: unknown }> {
  const { ok, status, answer } = await ask(socketPath, path, {
    method,
    headers: {
      ...headers,
      ...(user !== undefined && { "x-tollgate-user": encodeURIComponent(user) }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body }),
  });
  if (!ok) throw refusal(answer, status);
  return { status, answer };
}

/** What `/readyz` answers. */
export interface Readiness {
  readonly status: "ready" | "not_ready";
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  /** How its node is doing; absent where a file has the database. */
  readonly node?: { readonly database_silence_seconds?: number } | undefined;
}

/**
 * Asks the server behind `socketPath` whether it takes calls.
 *
 * @throws {NoServerError} When nobody listens there.
 */
export async function readReadiness(socketPath: string): Promise<Readiness> {
  return (await ask(socketPath, "/readyz")).answer as Readiness;
}

async function ask(
  socketPath: string,
  path: string,
  init: RequestInit = {},
): Promise<{ readonly ok: boolean; readonly status: number; readonly answer: unknown }> {
  const client = Deno.createHttpClient({ proxy: { transport: "unix", path: socketPath } });
  try {
    // Deno looks the host's name up although it is not connected to: an address costs nothing.
    const response = await fetch(`http://127.0.0.1${path}`, { ...init, client }).catch((error) => {
      throw asFailure(error, socketPath);
    });
    return { ok: response.ok, status: response.status, answer: await response.json() };
  } finally {
    client.close();
  }
}

/** Whether anybody listens at `socketPath`. */
export async function isListening(socketPath: string): Promise<boolean> {
  try {
    (await Deno.connect({ transport: "unix", path: socketPath })).close();
    return true;
  } catch (error) {
    const isGone = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.ConnectionRefused;
    // A socket that only its owner may use is there all the same.
    if (!isGone && !(error instanceof Deno.errors.PermissionDenied)) throw error;
    return !isGone;
  }
}

/** Longer than a program of this machine needs to take a connection. */
const PROBE_MS = 500;

/** Whether something of this machine takes connections at a port; it is sent nothing. */
export async function answersAt(
  address: { readonly hostname: string; readonly port: number },
): Promise<boolean> {
  const opened = Deno.connect({ ...address }).then((connection) => {
    connection.close();
    return true;
  }, () => false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), PROBE_MS);
  });
  try {
    return await Promise.race([opened, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The runtime gives no code: the system's words are inside the message, whatever its version. */
function asFailure(error: unknown, socketPath: string): Error {
  const words = error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : "";
  if (/No such file|os error 2\b|refused|os error 111\b/i.test(words)) {
    return new NoServerError(`Nobody listens at ${socketPath}`, { cause: error });
  }
  if (/permission denied|os error 13\b/i.test(words)) {
    return new CommandFailure(
      `Cannot reach the server at ${socketPath}: permission denied. Run this as the user that the server runs as`,
      { cause: error },
    );
  }
  return new CommandFailure(
    `The server at ${socketPath} broke off before it answered: see its log, and look before you repeat a change`,
    { cause: error },
  );
}

function refusal(answer: unknown, status: number): CommandFailure {
  const { error } = answer as { error?: { message?: string; code?: string } };
  return new CommandFailure(error?.message ?? `The server answered with status ${status}`, {
    exitCode: exitCodeFor(error?.code ?? ""),
    status,
  });
}
