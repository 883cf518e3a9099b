import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { Connection } from "../../../src/providers/transport/connection.ts";

const SENT_BYTES = 1024 * 1024;

/** Takes everything that an upstream sends as fast as it can, and gives the largest buffer for it. */
async function largestBuffer(prepare: (connection: Connection) => void): Promise<number> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const sending = (async () => {
    using socket = await listener.accept();
    const bytes = new Uint8Array(SENT_BYTES);
    for (let sent = 0; sent < bytes.length;) sent += await socket.write(bytes.subarray(sent));
  })();
  const connection = new Connection(
    await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port }),
  );
  prepare(connection);
  let largest = 0;
  let received = 0;
  while (await connection.fill()) {
    received += connection.end - connection.start;
    connection.start = connection.end;
    largest = Math.max(largest, connection.buffer.length);
  }
  connection.close();
  await sending;
  assert.equal(received, SENT_BYTES);
  return largest;
}

Deno.test("a connection's buffer grows with a large answer, and stays small for a stream", async () => {
  assert.equal(await largestBuffer(() => {}), 256 * 1024);
  assert.equal(await largestBuffer((connection) => connection.readAsStream()), 32 * 1024);
});

Deno.test("a stream of small pieces waits with a small buffer, and an answer after it has room", async () => {
  const pieces = [900, 300, 300, 200];
  const lengths: number[] = [];
  const conn = {
    read(buffer: Uint8Array): Promise<number> {
      lengths.push(buffer.length);
      return Promise.resolve(pieces.shift() ?? 0);
    },
    unref: () => {},
  } as Partial<Deno.Conn> as Deno.Conn;
  const connection = new Connection(conn);
  await connection.fill();
  connection.readAsStream();
  connection.start += 500;
  await connection.fill();
  assert.equal(connection.end - connection.start, 700);
  connection.start = connection.end;
  await connection.fill();
  connection.start = connection.end;
  await connection.fill();
  connection.start = connection.end;
  connection.becomeIdle();
  assert.deepEqual(lengths, [4_096, 3_196, 4_096, 1_024, 4_096]);
});

Deno.test("a stream lets others have their turn after less of it than an answer", async () => {
  assert.ok(await bytesBeforeTurn(() => {}) >= 512 * 1024);
  assert.ok(await bytesBeforeTurn((connection) => connection.readAsStream()) <= 96 * 1024);
});

/** What a reader takes of bytes that are all there before somebody else has a turn. */
async function bytesBeforeTurn(prepare: (connection: Connection) => void): Promise<number> {
  const conn = {
    read(buffer: Uint8Array): Promise<number> {
      return Promise.resolve(buffer.length);
    },
  } as Partial<Deno.Conn> as Deno.Conn;
  const connection = new Connection(conn);
  prepare(connection);
  let hadTurn = false;
  setImmediate(() => hadTurn = true);
  let taken = 0;
  while (!hadTurn) {
    await connection.fill();
    taken += connection.end - connection.start;
    connection.start = connection.end;
  }
  return taken;
}

Deno.test("a connection takes little for small answers, and keeps some of what a larger one took", async () => {
  let size = 0;
  const conn = {
    read: (buffer: Uint8Array) => Promise.resolve(Math.min(size, buffer.length)),
    ref() {},
    unref() {},
    close() {},
  } as Partial<Deno.Conn> as Deno.Conn;
  const connection = new Connection(conn);
  /** Bytes of the buffer after an answer in pieces of a size. */
  const after = async (pieces: number, bytes: number) => {
    size = bytes;
    for (let piece = 0; piece < pieces; piece++) {
      await connection.fill();
      connection.start = connection.end;
    }
    connection.becomeIdle();
    connection.becomeBusy();
    await connection.fill();
    return connection.buffer.length;
  };
  assert.equal(await after(20, 300), 4 * 1024);
  assert.equal(await after(2, 6_000), 8 * 1024);
  assert.equal(await after(20, 300), 8 * 1024, "it is not made anew for every answer");
  assert.equal(await after(10, 1_000_000), 16 * 1024);
});
