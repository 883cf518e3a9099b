/**
 * Calls the administrative operations of a running server over its control
 * socket.
 *
 * @module
 */

import type { Operation } from "../admin/operation.ts";
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
 * Runs an operation in the server behind `socketPath`.
 *
 * @throws {NoServerError} When nobody listens there.
 * @throws {CommandFailure} With the server's message when it refuses.
 */
export async function callServer<Input, Output>(
  { socketPath, user }: ServerCall,
  operation: Operation<Input, Output>,
  input: object,
): Promise<Output> {
  const { method } = operation;
  const { path, rest } = fillPath(operation.path, input);
  // Deno looks the host's name up although it is not connected to: an address costs nothing.
  const url = new URL(`http://127.0.0.1/admin/v1${path}`);
  const isPost = method === "POST";
  if (!isPost) addQuery(url, rest);
  const client = Deno.createHttpClient({ proxy: { transport: "unix", path: socketPath } });
  try {
    const response = await fetch(url, {
      method,
      client,
      headers: {
        ...(user !== undefined && { "x-tollgate-user": encodeURIComponent(user) }),
        ...(isPost && { "content-type": "application/json" }),
      },
      ...(isPost && { body: JSON.stringify(rest) }),
    }).catch((error) => {
      throw asFailure(error, socketPath);
    });
    const answer = await response.json();
    if (!response.ok) throw refusal(answer, response.status);
    return answer as Output;
  } finally {
    client.close();
  }
}

/** What `/readyz` answers. */
export interface Readiness {
  readonly status: "ready" | "not_ready";
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Asks the server behind `socketPath` whether it takes calls.
 *
 * @throws {NoServerError} When nobody listens there.
 */
export async function readReadiness(socketPath: string): Promise<Readiness> {
  const client = Deno.createHttpClient({ proxy: { transport: "unix", path: socketPath } });
  try {
    const response = await fetch("http://127.0.0.1/readyz", { client }).catch((error) => {
      throw asFailure(error, socketPath);
    });
    return await response.json();
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

/** Puts the input's parts into the path; what is left is the query or the body. */
function fillPath(template: string, input: object): { path: string; rest: object } {
  const rest = new Map(Object.entries(input));
  const path = template.replaceAll(/\{(\w+)\}/g, (_part, name: string) => {
    const value = String(rest.get(name));
    rest.delete(name);
    return encodeURIComponent(value);
  });
  return { path, rest: Object.fromEntries(rest) };
}

function addQuery(url: URL, values: object): void {
  for (const [name, value] of Object.entries(values)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) url.searchParams.append(name, String(one));
    }
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
  });
}
