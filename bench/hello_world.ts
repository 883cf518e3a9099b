/**
 * The yardstick for starts: the least that a compiled program can do, which is to answer. Its
 * argument is the port; it answers whatever comes first on a connection.
 *
 * @module
 */

const listener = Deno.listen({ hostname: "127.0.0.1", port: Number(Deno.args[0]) });
const ANSWER = new TextEncoder().encode(
  "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok",
);

async function answer(connection: Deno.TcpConn): Promise<void> {
  await connection.read(new Uint8Array(4096));
  await connection.write(ANSWER);
  connection.close();
}

for await (const connection of listener) answer(connection);
