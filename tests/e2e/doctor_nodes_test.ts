/**
 * `doctor` beside a node over a database server: from a shell that knows the server and from one that does
 * not, while it answers and while it does not.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runTollgate, startTollgate } from "../support/executable.ts";
import { NEEDS_POSTGRES, startPostgres } from "../support/postgres_server.ts";
import { until } from "../support/until.ts";

Deno.test(
  "doctor looks at a node's database server without its variables, and in an outage blames the database",
  NEEDS_POSTGRES,
  async () => {
    await using database = await startPostgres({ isSynced: true });
    await database.create("tollgate");
    const env = { TOLLGATE_DATABASE_URL: database.url("tollgate") };
    await using node = await startTollgate({ env });
    const doctor = (env: Record<string, string> = {}) =>
      runTollgate(["doctor", "--offline", "--data-dir", node.dataDir], { env });

    const told = await doctor(env);
    assert.equal(told.code, 0, told.stdout);
    const untold = await doctor();
    assert.equal(untold.code, 0, untold.stdout);
    for (const { stdout } of [told, untold]) {
      assert.match(stdout, /^ok +server +Process \d+, version .*: takes calls$/m);
      assert.match(stdout, /^ok +database +PostgreSQL \d.*: tollgate on .* answers in /m);
      assert.match(stdout, /^ok +database +No standby has a copy/m);
      assert.match(stdout, /^ok +database +In use by the server with process id \d+/m);
      assert.equal(stdout.match(/^\w+ +(files|disk|server) /gm)?.length, 3, stdout);
      assert.doesNotMatch(stdout, /The next start makes one/);
    }

    await database.lose();
    await until("the node to miss its database", async () => {
      const response = await fetch(`${node.baseUrl}/readyz`);
      const { reasons } = await response.json();
      return reasons.some((reason: string) => reason.startsWith("the database server"));
    });
    for (const { code, stdout } of [await doctor(env), await doctor()]) {
      assert.equal(code, 1, stdout);
      assert.match(
        stdout,
        new RegExp(
          `^problem +server +The server with process id ${node.process.pid} does not answer what ` +
            "doctor asks, as its database does not$",
          "m",
        ),
      );
      assert.match(stdout, /^problem +database +Cannot .*\n +→ Nothing can be served until/m);
      assert.doesNotMatch(stdout, /older|Restart it|The next start makes one/);
    }

    await node.stop();
    const left = await doctor();
    assert.equal(left.code, 1, left.stdout);
    assert.match(
      left.stdout,
      /^problem +database +There is none in .*last served with a database/m,
    );
  },
);
