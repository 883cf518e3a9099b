/**
 * The way between the program and its database's server goes silent, and nothing is closed.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody } from "../support/chat_bodies.ts";
import { callAlways, chargedCalls } from "../support/calls_without_end.ts";
import { cutLine } from "../support/cutting_line.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { ask, assertBooksAddUp, pricedCatalogue } from "../support/paying_gateway.ts";
import { NEEDS_POSTGRES, startPostgres } from "../support/postgres_server.ts";
import { RawSocket } from "../support/raw_socket.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";

for (const silence of ["both", "to_client"] as const) {
  Deno.test(
    `a line that is silent for a while loses nothing and charges nothing twice (${silence})`,
    NEEDS_POSTGRES,
    async () => {
      await using server = await startPostgres();
      await server.create("tollgate");
      using line = cutLine(server.port);
      await using upstream = await startFakeUpstream(() => jsonReply(answerBody("Hi")));
      await using gateway = await serveGateway({
        env: { TOLLGATE_DATABASE_URL: `postgres://tollgate@127.0.0.1:${line.port}/tollgate` },
      });
      await gateway.apply(pricedCatalogue(upstream.url));
      await gateway.credit("paying", "10");
      const key = await gateway.key("paying");
      const calls = callAlways(gateway, key);
      await until("some calls", () => calls.answered > 100);

      line.hold(silence);
      const ready = () => fetch(`${gateway.url}/readyz`);
      await until("what is said of it", async () => (await ready()).status === 503);
      const asked = upstream.requests.length;
      const refused = await gateway.chat(key, ask);
      assert.equal(refused.status, 503);
      assert.equal((await refused.json()).error.code, "storage_away");
      assert.equal(upstream.requests.length, asked);
      line.release();

      const before = calls.answered;
      await until("calls again", () => calls.answered > before + 100);
      await calls.end();
      assert.equal(await chargedCalls(gateway), calls.answered);
      assert.equal(upstream.requests.length, calls.answered);
      const sessions = "SELECT count(*) FROM node_sessions WHERE node <> ''";
      assert.equal(await server.ask("tollgate", sessions), "1");
      await assertBooksAddUp(gateway);
    },
  );
}

Deno.test(
  "an upload during which the database falls silent is refused in a caller's words, and keeps nothing",
  NEEDS_POSTGRES,
  async () => {
    await using server = await startPostgres();
    await server.create("tollgate");
    using line = cutLine(server.port);
    await using gateway = await serveGateway({
      env: { TOLLGATE_DATABASE_URL: `postgres://tollgate@127.0.0.1:${line.port}/tollgate` },
    });
    const key = await gateway.key("default");
    const part = "--xyz\r\ncontent-disposition: form-data; name=";
    const begun = `${part}"purpose"\r\n\r\nbatch\r\n${part}"file"; filename="a.jsonl"\r\n\r\n{`;
    const rest = "}\r\n--xyz--\r\n";
    const { hostname, port } = new URL(gateway.url);
    using socket = await RawSocket.connect({ transport: "tcp", hostname, port: Number(port) });
    await socket.send([
      "POST /v1/files HTTP/1.1",
      "host: x",
      `authorization: Bearer ${key}`,
      "content-type: multipart/form-data; boundary=xyz",
      `content-length: ${begun.length + rest.length}`,
      "",
      begun,
    ].join("\r\n"));
    const spooled = () => [...Deno.readDirSync(`${gateway.server.dataDir}/uploads`)].length;
    await until("the upload to be under way", () => spooled() === 1);
    line.hold("to_client");
    const ready = async () => await (await fetch(`${gateway.url}/readyz`)).json();
    // From then on nothing is asked of it that would have to wait for its answer.
    await until("it to be away", async () => (await ready()).node.database_silence_seconds > 3);
    await socket.send(rest);
    const { status, body } = await socket.readResponse();
    assert.deepEqual([status, JSON.parse(body).error.code], [503, "storage_away"], body);
    await until("nothing to be left of it", () => spooled() === 0);
    line.release();
    await until("the database to be back", async () => (await ready()).status === "ready");
    assert.deepEqual((await gateway.get("/v1/files", key)).data, []);
  },
);
