/**
 * R23: more connections than the program has descriptors, and connections that never finish their
 * request.
 *
 * @module
 */

import { RawSocket } from "../../support/raw_socket.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { checkBooks } from "../books/check_books.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const OPEN_FILES = 256;
const SOCKETS = 400;
const SLOW = 200;
/** What does not come within that time does not come. */
const PATIENCE_MS = 30_000;
const HALF_A_HEAD = "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Le";

export const row: ScorecardRow = {
  id: "R23",
  title: "descriptors",
  tools: ["bash"],
  seededBug: {
    name: "heads_may_take_for_ever",
    says: "a head may take as long as it likes to arrive",
    edits: [{
      file: "src/http/listener/connection_phase.ts",
      find: "return ageMs > headerTimeoutMs ?",
      replace: "        return ageMs > 100 * headerTimeoutMs ?",
    }],
  },
  async run({ size, note }) {
    const headerMs = size.pick({ commit: 3_000, full: 15_000 });
    const rounds = size.pick({ commit: 1, full: 3 });
    const found = new RowFinding(
      `${SOCKETS} connections at ulimit -n ${OPEN_FILES}, ${SLOW} half heads, ${rounds} times`,
    );
    await using gateway = await serveGateway({
      openFiles: OPEN_FILES,
      args: ["--header-timeout-ms", String(headerMs)],
    });
    const { server } = gateway;
    const address = {
      transport: "tcp",
      hostname: "127.0.0.1",
      port: Number(new URL(gateway.url).port),
    } as const;
    let recoveredMs = 0;
    let slowest = 0;
    let closed = 0;
    for (let round = 0; round < rounds; round++) {
      await found.during("the release", async () => {
        const sockets = await connectAll(address, SOCKETS);
        // Those with a place send something: they are connections, not just knocks.
        await Promise.all(sockets.map((socket) => socket.send("G").catch(ignoreClosed)));
        for (const socket of sockets) socket[Symbol.dispose]();
        recoveredMs = Math.max(recoveredMs, await untilServed(gateway.url, server.key));
      });
      await found.during("half heads", async () => {
        const sockets = await connectAll(address, SLOW);
        const startedAt = performance.now();
        await Promise.all(sockets.map((socket) => socket.send(HALF_A_HEAD).catch(ignoreClosed)));
        const ends = await Promise.all(sockets.map((socket) => endOf(socket, startedAt)));
        closed += ends.length;
        slowest = Math.max(slowest, ...ends);
        for (const socket of sockets) socket[Symbol.dispose]();
        recoveredMs = Math.max(recoveredMs, await untilServed(gateway.url, server.key));
      });
      note(`R23 round ${round + 1} of ${rounds}: served again in ${recoveredMs.toFixed(0)} ms`);
    }
    const stopped = await server.stop();
    found.require(stopped.code === 0, `the program ended with ${stopped.code}: ${stopped.stderr}`);
    found.count("half heads closed", closed, { exactly: SLOW * rounds });
    found.time("the last after", slowest, { atMost: 30_000 });
    found.time("served again after", recoveredMs, { atMost: 2_000 });
    found.requireNone(checkBooks(server.dataDir));
    return found;
  },
};

/** A listener that is full closes connections, or leaves them where they are. */
async function connectAll(address: Deno.NetAddr, count: number): Promise<RawSocket[]> {
  return await Promise.all(Array.from({ length: count }, () => RawSocket.connect(address)));
}

/** Until a call is answered, milliseconds. */
async function untilServed(url: string, key: string): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const status = await callOnce(url, key);
    const tookMs = performance.now() - startedAt;
    if (status === 200) return tookMs;
    if (tookMs > PATIENCE_MS) {
      throw new Error(`Cannot be served again: the last answer is ${status}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function callOnce(url: string, key: string): Promise<number | string> {
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        "authorization": `Bearer ${key}`,
        "content-type": "application/json",
        "connection": "close",
      },
      body: JSON.stringify({ model: "echo-1", messages: [{ role: "user", content: "hello" }] }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    // Until the closed ones are noticed there may be no place for this one.
    return error instanceof Error ? error.message : String(error);
  }
}

/** When the program closed it, milliseconds since then. */
async function endOf(socket: RawSocket, startedAt: number): Promise<number> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("a connection stays open")), PATIENCE_MS);
  });
  try {
    await Promise.race([socket.readToEnd(), late]);
  } finally {
    clearTimeout(timer);
  }
  return performance.now() - startedAt;
}

/** The program is free to close what it has no place for. */
function ignoreClosed(): void {}
