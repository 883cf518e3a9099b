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
