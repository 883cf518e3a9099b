/**
 * The program where descriptors are few and somebody holds connections open: who asks is served,
 * by an upstream, which takes descriptors too.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody } from "../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { RawSocket } from "../support/raw_socket.ts";
import { serveGateway } from "../support/served_gateway.ts";

const IDLE = 400;
const CALLS = 40;

const catalogue = (upstream: string) => `
currency: USD
providers: [{ id: remote, kind: openai_compatible, base_url: "${upstream}", auth: none }]
models:
  - id: m
    kind: chat
    routes: [{ id: remote/m, provider: remote, upstream_model: u, sale: { free: true } }]
projects: [{ id: default, unlimited: true }]
`;

for (const threads of [1, 4]) {
  Deno.test(`idle sockets take no descriptors from calls to upstreams, with ${threads} threads`, async () => {
    await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
    await using gateway = await serveGateway({
      openFiles: 256,
      args: ["--threads", String(threads)],
      catalogue: catalogue(upstream.url),
    });
    const key = await gateway.key("default");
    const { hostname, port } = new URL(gateway.url);
    const sockets: RawSocket[] = [];
    try {
      for (let count = 0; count < IDLE; count++) {
        sockets.push(
          await RawSocket.connect({ transport: "tcp", hostname, port: Number(port) }),
        );
      }
      const body = { model: "m", messages: [{ role: "user", content: "Hello" }] };
      // At the same time, so that each needs a connection of its own to the upstream.
      const answers = await Promise.all(
        Array.from({ length: CALLS }, async () => {
          const response = await gateway.chat(key, body);
          await response.body?.cancel();
          return response.status;
        }),
      );
      assert.deepEqual(answers, Array(CALLS).fill(200));
      assert.equal(upstream.requests.length, CALLS);
      assert.equal(gateway.server.stderr.includes("EMFILE"), false);
    } finally {
      for (const socket of sockets) socket.conn.close();
    }
  });
}
