/**
 * Who was refused calls, and why: by command and over the admin API, and after a restart.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runTollgate, startTollgate } from "../support/executable.ts";

const ADMIN_KEY = "an-admin-key-for-tests";
const CATALOGUE = `
providers: [{ id: builtin, kind: builtin }]
models:
  - id: echo-1
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, sale: { input: "1.00", output: "2.00" } }]
projects:
  - { id: slow, unlimited: true, limits: { requests_per_minute: 1 } }
  - { id: poor }
  - { id: lab, unlimited: true }
`;

Deno.test("operators see who was refused and why, also after a restart", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-refusals-" });
  const dataDir = `${folder}/data`;
  const catalogue = `${folder}/tollgate.yaml`;
  await Deno.writeTextFile(catalogue, CATALOGUE);
  const serve = () =>
    startTollgate({
      dataDir,
      args: ["--catalog", catalogue],
      env: { TOLLGATE_ADMIN_KEY: ADMIN_KEY },
    });
  const tollgate = async (...args: string[]) => {
    const done = await runTollgate([...args, "--data-dir", dataDir]);
    assert.equal(done.code, 0, `${args.join(" ")}: ${done.stderr}`);
    return done.stdout;
  };
  const json = async (...args: string[]) => JSON.parse(await tollgate(...args, "--json"));
  const refusals = async (...args: string[]) =>
    (await json("usage", "refusals", ...args)).map((
      { last_at, ...row }: { readonly last_at: string },
    ) => {
      assert.match(last_at, /^20/);
      return row;
    });
  const throttled = {
    project: "slow",
    reason: "POOL_LIMIT_EXCEEDED",
    why: "project_requests_per_minute",
    refusals: 3,
  };
  try {
    const ids: string[] = [];
    let served = "";
    {
      await using server = await serve();
      const keyOf = async (project: string) => await json("keys", "create", "--project", project);
      const slow = await keyOf("slow");
      const poor = await keyOf("poor");
      const call = async (key: string, model = "echo-1", path = "chat/completions") => {
        const response = await fetch(`${server.baseUrl}/v1/${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ model, messages: [{ role: "user", content: "secret words" }] }),
        });
        await response.text();
        return { status: response.status, id: response.headers.get("x-request-id")! };
      };
      served = (await call(slow.key)).id;
      for (let at = 0; at < 3; at++) {
        const { status, id } = await call(slow.key);
        assert.equal(status, 429);
        ids.push(id);
      }
      assert.equal((await call(poor.key)).status, 402);
      assert.equal((await call(poor.key, "no-such-model")).status, 404);
      assert.equal((await call("sk-tg-nobody")).status, 401);
      assert.equal((await call(poor.key, "echo-1", "nowhere")).status, 404);

      assert.deepEqual(await refusals("--project", "slow", "--from", "1h"), [throttled]);
      assert.deepEqual(await refusals("--by", "project", "--from", "today"), [
        { project: "slow", refusals: 3 },
        { project: "poor", refusals: 2 },
        { project: null, refusals: 1 },
      ]);
      const ofPoor = await refusals("--project", "poor", "--by", "reason,model,key");
      assert.deepEqual(
        ofPoor.map(({ reason, why, model, key }: Record<string, unknown>) => [
          reason,
          why,
          model,
          key === poor.id,
        ]).sort(),
        [
          ["INSUFFICIENT_BALANCE", "balance_too_low", "echo-1", true],
          ["model_not_found", null, null, true],
        ],
      );

      const list = await json("calls", "list", "--project", "slow");
      assert.deepEqual(
        list.map(({ request_id, state }: Record<string, string>) => [request_id, state]),
        [...ids.toReversed().map((id) => [id, "refused"]), [served, "settled"]],
      );
      const onlyRefused = await json("calls", "list", "--project", "slow", "--status", "refused");
      assert.equal(onlyRefused.length, 3);
      assert.deepEqual(await json("calls", "list", "--project", "slow", "--status", "served"), [
        list.at(-1),
      ]);
      // A page that ends between refused requests goes on with the next one.
      const next = await json("calls", "list", "--project", "slow", "--after", ids[1]!);
      assert.equal(next[0].request_id, ids[0]);
      const shown = await tollgate("calls", "show", ids[0]!);
      assert.match(shown, /^state +refused with 429 POOL_LIMIT_EXCEEDED$/m);
      assert.match(shown, /^told +This project's limit of 1 requests per minute is reached/m);
      const table = await tollgate("calls", "list");
      assert.match(table, /refused POOL_LIMIT_EXCEEDED project_requests_per_minute/);
      assert.doesNotMatch(table + shown, /secret words|sk-tg-/);

      const ask = async (path: string, key = ADMIN_KEY) =>
        await fetch(`${server.baseUrl}/admin/v1/${path}`, {
          headers: { authorization: `Bearer ${key}` },
        });
      const answer = await (await ask("refusals?project=slow")).json();
      assert.deepEqual([answer.object, answer.has_more, answer.data.length], [
        "refusal_report",
        false,
        1,
      ]);
      assert.equal((await ask("refusals", slow.key)).status, 401);
      assert.equal((await ask("refusals?by=colour")).status, 400);
      // Nobody looks at this one before the server stops.
      ids.push((await call(slow.key)).id);
      assert.equal((await server.stop()).code, 0);
    }
    await using _again = await serve();
    assert.deepEqual(await refusals("--project", "slow"), [{ ...throttled, refusals: 4 }]);
    assert.equal((await json("calls", "show", ids[3]!)).refusal.status, 429);
    assert.deepEqual(await refusals("--project", "lab"), []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
