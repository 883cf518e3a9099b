/**
 * What an operator asks of calls that were made: by command, and over the admin API.
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
  - id: broken
    kind: chat
    routes:
      - id: builtin/broken
        provider: builtin
        upstream_model: "echo-1:status-503"
        sale: { input: "1.00", output: "2.00" }
projects: [{ id: shop, unlimited: true }, { id: lab, unlimited: true }]
`;

Deno.test("calls are found by what is known of them, by command and over the admin API", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-reports-" });
  const dataDir = `${folder}/data`;
  const catalogue = `${folder}/tollgate.yaml`;
  await Deno.writeTextFile(catalogue, CATALOGUE);
  try {
    await using server = await startTollgate({
      dataDir,
      args: ["--catalog", catalogue],
      env: { TOLLGATE_ADMIN_KEY: ADMIN_KEY },
    });
    const tollgate = async (...args: string[]) => {
      const done = await runTollgate([...args, "--data-dir", dataDir]);
      assert.equal(done.code, 0, `${args.join(" ")}: ${done.stderr}`);
      return done;
    };
    const json = async (...args: string[]) =>
      JSON.parse((await tollgate(...args, "--json")).stdout);
    const ids = async (...args: string[]) =>
      (await json("calls", "list", ...args)).map((
        { request_id }: { readonly request_id: string },
      ) => request_id);
    const keyOf = async (project: string) => await json("keys", "create", "--project", project);
    const shop = await keyOf("shop");
    const lab = await keyOf("lab");
    const call = async (key: string, model: string, tags?: string) => {
      const response = await fetch(`${server.baseUrl}/v1/chat/completions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          ...(tags !== undefined && { "x-tollgate-tags": tags }),
        },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "secret words" }] }),
      });
      await response.text();
      return response.headers.get("x-request-id")!;
    };
    const first = await call(shop.key, "echo-1", "team=search");
    const second = await call(lab.key, "echo-1");
    const failed = await call(lab.key, "broken");

    const shown = await json("calls", "show", failed);
    assert.equal(shown.attempts, shown.failed_attempts.length);
    const { milliseconds, message, ...attempt } = shown.failed_attempts[0];
    assert.deepEqual(attempt, { route: "builtin/broken", failure: "busy", status: 503 });
    assert.equal(Number.isInteger(milliseconds) && message !== "", true);
    const facts = (await tollgate("calls", "show", failed)).stdout;
    assert.match(facts, /^failed +builtin\/broken after \d+ ms \(busy, status 503\): /m);
    assert.doesNotMatch(facts, /secret words/);
    assert.equal("failed_attempts" in await json("calls", "show", first), false);

    assert.deepEqual(await ids(), [failed, second, first]);
    assert.deepEqual(await ids("--project", "lab", "--from", "today"), [failed, second]);
    assert.deepEqual(await ids("--from", "-1d", "--to", "yesterday"), []);
    assert.deepEqual(await ids("--status", "failed"), [failed]);
    assert.deepEqual(await ids("--tag", "team=search"), [first]);
    assert.deepEqual(await ids("--key", shop.id, "--route", "builtin/echo-1"), [first]);
    assert.deepEqual(await ids("--id", second.slice(-6)), [second]);
    assert.deepEqual(await ids("--dearer-than", "0.00000001", "--model", "echo-1"), [
      second,
      first,
    ]);
    const two = await tollgate("calls", "list", "--limit", "2");
    assert.match(two.stderr, new RegExp(`There are more: --after ${second}`));
    assert.deepEqual(await ids("--after", second), [first]);
    assert.doesNotMatch(two.stdout, /secret words|sk-tg-/);

    const report = async (...args: string[]) => await json("usage", "report", ...args);
    const [{ calls, ...line }] = await report("--by", "key,endpoint,month", "--key", lab.id);
    assert.equal(calls, 2);
    assert.deepEqual([line.key, line.endpoint, line.failed_calls], [lab.id, "chat", 1]);
    assert.equal(line.month, new Date().toISOString().slice(0, 7));
    const csv = await tollgate("usage", "export", "--by", "project,hour", "--details");
    const lines = csv.stdout.split("\r\n");
    assert.match(lines[0]!, /^project,hour,calls,prompt_tokens,completion_tokens,currency,cost,/);
    assert.match(lines[1]!, /^lab,20\d\d-\d\d-\d\dT\d\d:00:00Z,/);
    assert.equal(csv.stdout.match(/^shop,/gm)?.length, 1);
    const jsonl = await tollgate("usage", "export", "--format", "jsonl", "--from", "today");
    const projects = jsonl.stdout.trim().split("\n").map((one) => JSON.parse(one).project);
    assert.deepEqual(projects, ["lab", "lab", "shop"]);
    assert.doesNotMatch(csv.stdout + jsonl.stdout, /secret words|sk-tg-/);

    const ask = async (query: string, key = ADMIN_KEY) =>
      await fetch(`${server.baseUrl}/admin/v1/calls${query}`, {
        headers: { authorization: `Bearer ${key}` },
      });
    const page = await (await ask("?project=shop")).json();
    assert.deepEqual(page.data.map(({ request_id }: { request_id: string }) => request_id), [
      first,
    ]);
    assert.equal((await ask("", shop.key)).status, 401);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
