/**
 * Nodes of one database, as the console and the command line show them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runTollgate } from "../../support/executable.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { until } from "../../support/until.ts";
import { chromiumPath, startBrowser } from "../videos/browser.ts";
import { assertFits, assertQuiet, enterConsole, textOf } from "./console_page.ts";

const HELLO = [{ role: "user", content: "Hello" }];
const CATALOGUE = `
providers: [{ id: builtin, kind: builtin }]
models:
  - id: sold
    kind: chat
    routes:
      - { id: builtin/sold, provider: builtin, upstream_model: echo-1, sale: { input: "1", output: "1" } }
projects: [{ id: buyer }]
`;

/** The key of a project that has a balance. */
async function paying(gateway: ServedGateway): Promise<string> {
  await gateway.apply(CATALOGUE);
  await gateway.credit("buyer", "5");
  return await gateway.key("buyer");
}

const server = postgresOfFile({ isSynced: true });

Deno.test("both nodes of a database are on the page of the system, and what its server promises", {
  ignore: NEEDS_POSTGRES.ignore ||
    (chromiumPath === undefined && Deno.env.get("CI") !== "true"),
}, async (test) => {
  await server.create("shown");
  const env = { TOLLGATE_DATABASE_URL: server.url("shown") };
  await using gateway = await serveGateway({ env, args: ["--metrics", "127.0.0.1:0"] });
  await using second = await serveGateway({ env, expectKey: false });
  await using page = await startBrowser();
  await enterConsole(gateway, page);
  const named = (one: typeof gateway) =>
    `the server with process id ${one.server.process.pid}.*\\(Tollgate .*data dir ${one.server.dataDir}\\)`;

  await test.step("in a browser", async () => {
    await page.open(`${gateway.url}/console/system`);
    const shown = await textOf(page);
    assert.match(shown, new RegExp(`${named(gateway)}, which you see`));
    assert.match(shown, new RegExp(named(second)));
    assert.match(shown, /Database server\s+PostgreSQL \d/);
    assert.match(shown, /Confirms\s+synchronous_commit on, no standby has to have it/);
    assert.doesNotMatch(shown, /Switched off/);
    await assertFits(page);
    assertQuiet(gateway, page);
  });

  await test.step("as a command, and to doctor", async () => {
    const rows: { name: string; is_this: boolean; changes_behind: number }[] = await gateway.cli(
      ...["nodes", "list"],
    );
    assert.deepEqual(rows.map(({ is_this }) => is_this), [true, false]);
    assert.match(rows[1]!.name, new RegExp(named(second)));
    const table = await runTollgate(["nodes", "list", "--data-dir", gateway.server.dataDir], {
      env,
    });
    assert.match(table.stdout, /^SESSION +SLOT +VERSION +STARTED +BEAT +LEASED +HELD/);
    const done = await runTollgate(
      ["doctor", "--offline", "--data-dir", gateway.server.dataDir],
      { env },
    );
    assert.match(done.stdout, new RegExp(`In use by ${named(second)}: session \\d+ since `));
    assert.match(done.stdout, /No standby has a copy/);
  });

  await test.step("in numbers", async () => {
    const key = await paying(gateway);
    const answer = await gateway.chat(key, { model: "sold", messages: HELLO });
    assert.equal(answer.status, 200, await answer.text());
    const url = /^ *Metrics +(http:\S+)$/m.exec(gateway.server.stdout)![1]!;
    let text = "";
    await until("both nodes to be counted", async () => {
      text = await (await fetch(url)).text();
      return /^tollgate_nodes 2$/m.test(text);
    });
    assert.match(text, /^tollgate_lease_asks [1-9]\d*$/m);
    for (
      const [name, labels] of [
        ["leased", '{currency="USD"}'],
        ["changes_age_seconds", ""],
        ["database_unconfirmed_seconds", ""],
      ] as const
    ) {
      assert.match(
        text,
        new RegExp(`^tollgate_${name}${labels} \\d+(?:\\.\\d+)?(?:e-\\d+)?$`, "m"),
      );
    }
  });

  await test.step("one that was stopped is there no more", async () => {
    await second.server.stop();
    await page.open(`${gateway.url}/console/system`);
    assert.doesNotMatch(await textOf(page), new RegExp(named(second)));
    assert.equal((await gateway.cli("nodes", "list")).length, 1);
  });
});

Deno.test("a data dir with a database of its own has no nodes to list", async () => {
  await using gateway = await serveGateway();
  const done = await runTollgate(["nodes", "list", "--data-dir", gateway.server.dataDir]);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stderr + done.stdout, /The database is a file of the data dir/);
  assert.equal((await gateway.admin("GET", "/system")).database_server, null);
});
