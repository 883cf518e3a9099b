/**
 * The program moves from a file to a server and back: calls, balances, keys and films go along, and
 * whoever serves from the wrong side is told.
 *
 * @module
 */

import assert from "node:assert/strict";
import { chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import { commandOf, runTollgate } from "../support/executable.ts";
import { sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import {
  assertBooksAddUp,
  balanceOf,
  NONE,
  pricedCatalogue,
  startStream,
} from "../support/paying_gateway.ts";
import { NEEDS_POSTGRES, startPostgres } from "../support/postgres_server.ts";
import { serveGateway } from "../support/served_gateway.ts";

const streamed = () =>
  sseReply([
    chunk({ role: "assistant", content: "Hi" }),
    finishChunk(),
    usageChunk(1000, 500),
    "[DONE]",
  ]);

Deno.test(
  "from a file to a server, ahead while it is served: every call stays charged once",
  NEEDS_POSTGRES,
  async () => {
    await using server = await startPostgres({ password: "a very/secret" });
    await server.create("tollgate");
    await using upstream = await startFakeUpstream(streamed);
    const url = server.url("tollgate");
    const gateway = await serveGateway();
    await using _ = gateway;
    const { dataDir } = gateway.server;
    await gateway.apply(pricedCatalogue(upstream.url));
    await gateway.credit("paying", "10");
    const key = await gateway.key("paying");
    await (await startStream(gateway, key)).rest();
    const move = (...args: readonly string[]) =>
      runTollgate(["move", ...args, "--data-dir", dataDir], { env: { THERE: url } });

    const ahead = await move("--to", "env:THERE");
    assert.equal(ahead.code, 0, ahead.stderr);
    assert.match(ahead.stderr, /Copied ahead: \d+ rows\. .* is served, so this is not the end/);
    await (await startStream(gateway, key)).rest();
    assert.deepEqual(await balanceOf(gateway), { balance: "9.99200000", held: NONE });
    const refused = await runTollgate(["serve", "--data-dir", `${dataDir}/spare`], {
      env: { TOLLGATE_DATABASE_URL: url },
    });
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /what is moved there from .* is not whole\. Run `tollgate move --to`/,
    );

    await gateway.server.stop();
    // Killed in the midst of it, whatever it does then.
    for (const ms of [150, 300, 450]) {
      const [command, ...args] = commandOf(["move", "--to", url, "--data-dir", dataDir]);
      const child = new Deno.Command(command!, { args, stdout: "null", stderr: "null" }).spawn();
      setTimeout(() => {
        try {
          child.kill("SIGKILL");
        } catch (error) {
          // It was quicker.
          if (!(error instanceof TypeError)) throw error;
        }
      }, ms);
      await child.status;
    }
    const moved = await move("--to", "env:THERE");
    assert.equal(moved.code, 0, moved.stderr);
    assert.match(moved.stderr, /Of the earlier move: it goes on from the move of/);
    assert.match(moved.stderr, /the books in tollgate on 127\.0\.0\.1:\d+ add up/);
    assert.match(moved.stdout, /calls +2 +2\n/);
    assert.match(moved.stdout, /balances of all projects +9\.99200000 +9\.99200000\n/);
    assert.doesNotMatch(moved.stdout + moved.stderr, /secret/);
    const stale = await runTollgate(["serve", "--data-dir", dataDir]);
    assert.equal(stale.code, 1);
    assert.match(stale.stderr, /was moved to tollgate on 127\.0\.0\.1:\d+ at/);

    {
      await using there = await serveGateway({
        env: { TOLLGATE_DATABASE_URL: url },
        ...{ dataDir, expectKey: false },
      });
      const served = await move("--from", "env:THERE", "--yes");
      assert.equal(served.code, 1);
      assert.match(served.stderr, /a tollgate server with process id \d+ has it/);
      await (await startStream(there, key)).rest();
      // Another node writes a book of its own.
      const spare = await Deno.makeTempDir({ prefix: "tollgate-node-" });
      try {
        await using second = await serveGateway({
          env: { TOLLGATE_DATABASE_URL: url },
          ...{ dataDir: spare, expectKey: false },
        });
        await (await startStream(second, key)).rest();
        const early = await runTollgate(
          ["move", "--from", "env:THERE", "--data-dir", `${spare}/x`],
          {
            env: { THERE: url },
          },
        );
        assert.equal(early.code, 1, early.stdout);
        assert.match(early.stderr, /The database is in use by /);
        await there.credit("paying", "1");
        await (await startStream(there, key)).rest();
        await second.server.stop();
      } finally {
        await Deno.remove(spare, { recursive: true });
      }
      assert.deepEqual(await balanceOf(there), { balance: "10.98000000", held: NONE });
      await there.server.stop();
      await assertBooksAddUp(there);
    }
    assert.equal(await server.ask("tollgate", "SELECT count(DISTINCT book) FROM ledger"), "3");
    const over = await move("--to", "env:THERE");
    assert.equal(over.code, 1);
    assert.match(over.stderr, /has been served from since the move of/);

    // Rows of several books are written anew for a file: what was altered would not be seen there.
    const spoil = (sign: string) =>
      server.ask(
        "tollgate",
        `ALTER TABLE ledger DISABLE TRIGGER ALL; UPDATE ledger SET amount_e8 = amount_e8 ${sign} 1
         WHERE book <> 0 AND seq = 1; ALTER TABLE ledger ENABLE TRIGGER ALL`,
      );
    await spoil("+");
    const spoilt = await move("--from", "env:THERE", "--yes");
    assert.equal(spoilt.code, 1);
    assert.match(spoilt.stderr, /have \d+ differences, such as ledger .*Nothing is moved/);
    await spoil("-");
    const back = await move("--from", "env:THERE", "--yes");
    assert.equal(back.code, 0, back.stderr);
    assert.match(back.stdout, /calls +5 +5\n/);
    assert.match(back.stdout, /balances of all projects +10\.98000000 +10\.98000000\n/);
    {
      await using here = await serveGateway({ dataDir, expectKey: false });
      await (await startStream(here, key)).rest();
      assert.deepEqual(await balanceOf(here), { balance: "10.97600000", held: NONE });
      const report = await runTollgate(["usage", "report", "--data-dir", dataDir, "--json"]);
      assert.equal(JSON.parse(report.stdout)[0].calls, 6, report.stdout);
      await here.server.stop();
      await assertBooksAddUp(here);
    }
    // And there once more, over what nodes have left.
    const again = await move("--to", "env:THERE");
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stderr, /it begins anew: what the database had was moved to/);
    await using anew = await serveGateway({
      env: { TOLLGATE_DATABASE_URL: url },
      ...{ dataDir, expectKey: false },
    });
    await (await startStream(anew, key)).rest();
    assert.deepEqual(await balanceOf(anew), { balance: "10.97200000", held: NONE });
    await anew.server.stop();
    await assertBooksAddUp(anew);
  },
);

Deno.test("a move says what it cannot do, and has changed nothing", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-move-" });
  const move = (...args: readonly string[]) =>
    runTollgate(["move", ...args, "--data-dir", dataDir]);
  try {
    for (
      const [args, code, words] of [
        [[], 2, /Say where to with --to/],
        [["--to", "postgres://a@b/c", "--from", "postgres://a@b/c"], 2, /Say where to/],
        [["--to", "mysql://user:word@host/x"], 2, /Expected an address such as postgres:/],
        [["--to", "env:NOT_THERE"], 2, /NOT_THERE/],
        [["--to", "postgres://a@b/c", "--yes"], 2, /--yes is for --from/],
        [["--to", "postgres://a@127.0.0.1:1/c"], 1, /There is no database in/],
        [
          ["--from", "postgres://a@127.0.0.1:1/c"],
          1,
          /Cannot use the database c on 127\.0\.0\.1:1/,
        ],
      ] as const
    ) {
      const done = await move(...args);
      assert.equal(done.code, code, `${args}: ${done.stderr}`);
      assert.match(done.stderr, words);
      assert.doesNotMatch(done.stderr, /word/);
    }
    const names = [...Deno.readDirSync(dataDir)].map(({ name }) => name);
    assert.deepEqual(names.filter((name) => name.includes(".db")), []);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
