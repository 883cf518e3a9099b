import assert from "node:assert/strict";
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
