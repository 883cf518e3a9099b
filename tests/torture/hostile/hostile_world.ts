/**
 * Where one project is hostile to the others: its keys, and how it sends what it sends.
 *
 * @module
 */

import { RawSocket } from "../../support/raw_socket.ts";
import type { ServedGateway } from "../../support/served_gateway.ts";

/** What every hostility is given. */
export interface HostileWorld {
  readonly gateway: ServedGateway;
  /** Of a project that has no balance, and never had. */
  readonly poor: string;
  /** Of a project with a balance of its own, and none of the others' limits. */
  readonly rich: string;
  /** Ends the hostility. */
  readonly signal: AbortSignal;
}

/** One way to be hostile, until the signal of its world fires. */
export interface Hostility {
  /** In the words of the table. */
  readonly name: string;
  /** Resolves once the signal has fired and everything that was opened is closed. */
  run(world: HostileWorld): Promise<void>;
}

/** A request of the hostile project. */
export interface HostileRequest {
  readonly key: string;
  readonly path: string;
  /** `GET` when there is none. */
  readonly body?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends the request again and again from so many senders. What comes back, or whether anything
 * does, is not its concern: a sender that is refused just goes on.
 */
export async function sendAgainAndAgain(
  { gateway, signal }: HostileWorld,
  { senders, request }: { readonly senders: number; readonly request: () => HostileRequest },
): Promise<void> {
  await Promise.all(Array.from({ length: senders }, async () => {
    while (!signal.aborted) {
      const { key, path, body, headers } = request();
      try {
        const response = await fetch(`${gateway.url}/v1/${path}`, {
          method: body === undefined ? "GET" : "POST",
          headers: { authorization: `Bearer ${key}`, ...headers },
          body: body ?? null,
          signal,
        });
        for await (const _part of response.body ?? []);
      } catch (error) {
        if (!isRefusedOrOver(error)) throw error;
      }
      // Sent over loopback a refusal takes no time at all: leave the other senders their turn.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }));
}

/** Opens connections, has each say something, keeps them as they are until the end. */
export async function keepOpen(
  { gateway, signal }: HostileWorld,
  { connections, says }: { readonly connections: number; readonly says: Uint8Array | string },
): Promise<void> {
  const port = Number(new URL(gateway.url).port);
  const over = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  await Promise.all(Array.from({ length: connections }, async () => {
    try {
      using socket = await RawSocket.connect({ transport: "tcp", hostname: "127.0.0.1", port });
      const ended = socket.readToEnd().catch(ignoreRefusal);
      const sent = socket.send(says).catch(ignoreRefusal);
      await over;
      socket[Symbol.dispose]();
      await Promise.all([ended, sent]);
    } catch (error) {
      ignoreRefusal(error);
    }
  }));
  if (!signal.aborted) await over;
}

/** The program is free to close what it has no place for. */
function ignoreRefusal(error: unknown): void {
  if (!isRefusedOrOver(error)) throw error;
}

function isRefusedOrOver(error: unknown): boolean {
  return error instanceof TypeError || error instanceof DOMException ||
    error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe ||
    error instanceof Deno.errors.ConnectionRefused || error instanceof Deno.errors.BadResource ||
    error instanceof Deno.errors.Interrupted || error instanceof Deno.errors.NotConnected;
}
