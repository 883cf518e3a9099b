/**
 * What Prometheus gets from the program, read by its own tools, and the dashboard and alerts that are
 * shipped for it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { parse } from "yaml";
import { ROOT } from "../../build/paths.ts";
import { checkByPromtool, hasPrometheusTools, parseOpenMetrics } from "../support/prometheus.ts";
import { serveGateway } from "../support/served_gateway.ts";

const OPEN = "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.4";
const FOLDER = `${ROOT}/deploy/prometheus`;
const HELLO = { model: "echo-1", messages: [{ role: "user", content: "A secret prompt" }] };

const CATALOGUE = `
currency: EUR
providers:
  - { id: builtin, kind: builtin }
  - { id: broken, kind: builtin }
models:
  - id: echo-1
    kind: chat
    routes:
      - { id: broken/echo-1, provider: broken, upstream_model: "echo-1:status-500", priority: 0, sale: { free: true } }
      - { id: builtin/echo-1, provider: builtin, upstream_model: echo-1, priority: 1, cost: { input: "1.00", output: "1.00" }, sale: { input: "2.00", output: "2.00" } }
projects:
  - { id: team, budgets: { daily: "10" } }
`;

Deno.test({
  name: "promtool and the parser of OpenMetrics read what is told at an address of its own",
  ignore: !hasPrometheusTools,
  async fn(test) {
    await using gateway = await serveGateway({
      args: ["--metrics", "127.0.0.1:0"],
      catalogue: CATALOGUE,
    });
    await gateway.credit("team", "5");
    const key = await gateway.key("team");
    const url = /^ *Metrics +(http:\S+)$/m.exec(gateway.server.stdout)![1]!;
    await (await gateway.chat(key, HELLO)).text();
    await (await gateway.chat(key, { ...HELLO, stream: true })).text();
    await (await gateway.chat(key, { ...HELLO, model: "no-such-model" })).text();
    await (await gateway.chat("sk-tg-wrong", HELLO)).text();

    const plain = await fetch(url);
    const text = await plain.text();
    assert.equal(plain.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    await test.step("promtool", () => checkByPromtool(["check", "metrics"], text));

    const open = await fetch(url, { headers: { accept: OPEN } });
    const openText = await open.text();
    assert.match(open.headers.get("content-type")!, /^application\/openmetrics-text; version=1/);
    const samples = await parseOpenMetrics(openText);
    const values = (name: string, labels: Record<string, string> = {}) =>
      samples.filter((sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
      ).map(({ value }) => value);
    const route = { route: "builtin/echo-1", model: "echo-1", capability: "chat" };

    await test.step("what has happened stands in it", () => {
      assert.deepEqual(values("tollgate_calls_total", { ...route, status: "2xx" }), [2]);
      assert.deepEqual(values("tollgate_call_duration_seconds_count", route), [2]);
      assert.deepEqual(values("tollgate_time_to_first_token_seconds_count", route), [1]);
      assert.deepEqual(
        values("tollgate_attempt_failures_total", { route: "broken/echo-1", failure: "broken" }),
        [2],
      );
      const [charged] = values("tollgate_charged_total", { ...route, currency: "EUR" });
      assert.ok(charged! > 0);
      assert.deepEqual(values("tollgate_project_charged_total", { project: "team" }), [charged]);
      assert.ok(
        Math.abs(values("tollgate_project_balance", { project: "team" })[0]! + charged! - 5) < 1e-9,
      );
      const [used] = values("tollgate_project_budget_used_ratio", {
        project: "team",
        period: "day",
      });
      assert.ok(Math.abs(used! - charged! / 10) < 1e-9);
      assert.deepEqual(values("tollgate_refusals_total", { reason: "model_not_found" }), [1]);
      assert.deepEqual(values("tollgate_refusals_total", { reason: "PROJECT_KEY_INVALID" }), [1]);
      assert.deepEqual(values("tollgate_ready"), [1]);
      assert.deepEqual(values("tollgate_open_calls"), [0]);
      assert.deepEqual(values("tollgate_held"), [0]);
      assert.deepEqual(values("tollgate_route_up", { route: "builtin/echo-1" }), [1]);
      assert.ok(values("tollgate_commit_duration_seconds_count")[0]! > 0);
      assert.ok(values("tollgate_database_size_bytes")[0]! > 0);
    });

    await test.step("no key, prompt or name of a caller does", async () => {
      const { data } = await gateway.admin("GET", "/keys");
      const keyIds: string[] = data.map(({ id }: { id: string }) => id);
      assert.notEqual(keyIds.length, 0);
      for (const secret of [key, "sk-tg-", "secret prompt", "no-such-model", ...keyIds]) {
        assert.ok(!openText.includes(secret) && !text.includes(secret), secret);
      }
    });

    await test.step("the dashboard and the alerts ask for what there is", async () => {
      const told = new Set(
        [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
          type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!]
        ),
      );
      const dashboard = await Deno.readTextFile(`${FOLDER}/tollgate_dashboard.json`);
      const rules = await Deno.readTextFile(`${FOLDER}/tollgate_rules.yaml`);
      const asked = { dashboard: namesIn(JSON.parse(dashboard)), rules: namesIn(parse(rules)) };
      for (const [file, names] of Object.entries(asked)) {
        assert.ok(names.size > 10, `${file} names ${names.size} metrics`);
        assert.deepEqual([...names].filter((name) => !told.has(name)), [], file);
      }
      const shown = [...asked.dashboard].map((name) => name.replace(/_(bucket|sum|count)$/, ""));
      const families = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
      assert.deepEqual(families.filter((name) => !shown.includes(name)), []);
      await checkByPromtool(["check", "rules", `${FOLDER}/tollgate_rules.yaml`]);
    });

    await test.step("every metric is explained, and named after its unit", () => {
      for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
        assert.match(text, new RegExp(`^# HELP ${name} \\S.+$`, "m"), name);
        if (type === "counter") assert.match(name!, /_total$/);
        if (/seconds|bytes|ratio/.test(name!)) {
          assert.match(name!, /_(seconds|bytes|ratio)(_total)?$/);
        }
        assert.match(name!, /^(tollgate|process)_/);
      }
    });

    await test.step("the API has no such page", async () => {
      const answer = await fetch(`${gateway.url}/metrics`);
      assert.equal(answer.status, 404);
      await answer.text();
    });
  },
});

Deno.test("metrics beside the API want the token or the admin key, and on the control socket nothing", async () => {
  const token = "a-metrics-token-of-many-letters";
  const adminKey = "an-admin-key-of-many-letters";
  await using gateway = await serveGateway({
    args: ["--metrics", "on"],
    env: { TOLLGATE_METRICS_TOKEN: token, TOLLGATE_ADMIN_KEY: adminKey },
  });
  const statusWith = async (bearer: string | undefined, path = "/metrics") => {
    const headers = new Headers(
      bearer === undefined ? [] : [["authorization", `Bearer ${bearer}`]],
    );
    const answer = await fetch(`${gateway.url}${path}`, { headers });
    const text = await answer.text();
    assert.equal(text.includes("tollgate_ready 1"), answer.status === 200);
    assert.ok(!text.includes(token) && !text.includes(adminKey));
    return answer.status;
  };
  assert.equal(await statusWith(token), 200);
  assert.equal(await statusWith(adminKey), 200);
  assert.equal(await statusWith(undefined), 401);
  assert.equal(await statusWith(gateway.server.key), 401);
  assert.equal(await statusWith(`${token}x`), 401);
  // The token is for metrics alone.
  assert.equal(await statusWith(token, "/admin/v1/projects"), 401);
  const unix = { transport: "unix", path: `${gateway.server.dataDir}/control.sock` } as const;
  using client = Deno.createHttpClient({ proxy: unix });
  const answer = await fetch("http://127.0.0.1/metrics", { client });
  assert.match(await answer.text(), /^tollgate_ready 1$/m);
});

Deno.test("without --metrics there are none", async () => {
  await using gateway = await serveGateway({
    env: { TOLLGATE_ADMIN_KEY: "an-admin-key-of-letters" },
  });
  const headers = { authorization: "Bearer an-admin-key-of-letters" };
  const answer = await fetch(`${gateway.url}/metrics`, { headers });
  assert.equal(answer.status, 404);
  await answer.text();
});

/** Names of metrics in the expressions of a document. */
function namesIn(value: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const walk = (part: unknown, key = ""): void => {
    if (typeof part === "string") {
      if (!["expr", "query"].includes(key)) return;
      for (const [name] of part.matchAll(/\b(?:tollgate|process)_\w+/g)) names.add(name);
    } else if (part !== null && typeof part === "object") {
      for (const [name, inner] of Object.entries(part)) walk(inner, name);
    }
  };
  walk(value);
  return names;
}
