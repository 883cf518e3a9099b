/**
 * What is counted of calls, how it is written, and that labels stay few whatever callers send.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { ClosedCall } from "../../src/domain/call.ts";
import type { CallRecord } from "../../src/metering/call_record.ts";
import { writeMetrics } from "../../src/telemetry/metrics/exposition.ts";
import { MOST_PROJECTS } from "../../src/telemetry/metrics/families.ts";
import { Histogram } from "../../src/telemetry/metrics/histogram.ts";
import { Metrics } from "../../src/telemetry/metrics/metrics.ts";

const CALL: ClosedCall = {
  callId: 7,
  requestId: "req_aaaaaaaaaaaa7",
  projectId: "default",
  keyId: "key_1",
  capability: "chat",
  model: "small",
  provider: "openai",
  route: "openai/small",
  priceVersion: 1,
  heldE8: 500n,
  unlimited: false,
  stream: true,
  openedAt: 0,
  state: "settled",
  result: "completed",
  closedAt: 12,
  firstByteMs: 5,
  attempts: 2,
  work: { input: 10, cachedInput: 4, output: 20 },
  usageSource: "reported",
  costE8: 123_456_789n,
  saleE8: 200_000_000n,
  chargedE8: 150_000_000n,
  lossE8: 50_000_000n,
  errorCode: undefined,
  tags: { team: "tag-value" },
};

function setUp(routes: Record<string, string> = { "openai/small": "small" }) {
  const metrics = new Metrics({
    modelOfRoute: (route) => routes[route],
    hasModel: (model) => Object.values(routes).includes(model),
  });
  const take = (call: Partial<ClosedCall> = {}, record: Partial<CallRecord> = {}) =>
    metrics.call({ call: { ...CALL, ...call }, status: 200, milliseconds: 30, ...record });
  const text = (format: "prometheus" | "openmetrics" = "prometheus") =>
    writeMetrics(metrics.readings("USD"), format);
  const linesOf = (name: string) => text().split("\n").filter((line) => line.startsWith(name));
  return { metrics, take, text, linesOf, routes };
}

const ROUTE = `model="small",provider="openai",route="openai/small",capability="chat"`;

Deno.test("Metrics counts a call by its route: calls, seconds, units and exact money", () => {
  const { take, text, linesOf } = setUp();
  take();
  take({}, { status: 502, milliseconds: 90_000 });
  assert.deepEqual(linesOf("tollgate_calls_total"), [
    `tollgate_calls_total{${ROUTE},status="2xx",result="completed"} 1`,
    `tollgate_calls_total{${ROUTE},status="5xx",result="completed"} 1`,
  ]);
  assert.deepEqual(linesOf("tollgate_units_total"), [
    `tollgate_units_total{${ROUTE},unit="input"} 20`,
    `tollgate_units_total{${ROUTE},unit="cached_input"} 8`,
    `tollgate_units_total{${ROUTE},unit="output"} 40`,
  ]);
  const money = ["cost", "sales", "charged", "loss"].flatMap((name) =>
    linesOf(`tollgate_${name}_total`)
  );
  assert.deepEqual(money, [
    `tollgate_cost_total{${ROUTE},currency="USD"} 2.46913578`,
    `tollgate_sales_total{${ROUTE},currency="USD"} 4`,
    `tollgate_charged_total{${ROUTE},currency="USD"} 3`,
    `tollgate_loss_total{${ROUTE},currency="USD"} 1`,
  ]);
  const durations = linesOf("tollgate_call_duration_seconds");
  assert.deepEqual(
    durations.filter((line) => /le="(0.02|0.04|81.92|\+Inf)"|_sum|_count/.test(line)),
    [
      `tollgate_call_duration_seconds_bucket{${ROUTE},le="0.02"} 0`,
      `tollgate_call_duration_seconds_bucket{${ROUTE},le="0.04"} 1`,
      `tollgate_call_duration_seconds_bucket{${ROUTE},le="81.92"} 1`,
      `tollgate_call_duration_seconds_bucket{${ROUTE},le="+Inf"} 2`,
      `tollgate_call_duration_seconds_sum{${ROUTE}} 90.03`,
      `tollgate_call_duration_seconds_count{${ROUTE}} 2`,
    ],
  );
  assert.deepEqual(linesOf("tollgate_attempts_total"), [`tollgate_attempts_total{${ROUTE}} 4`]);
  assert.deepEqual(linesOf("tollgate_project_tokens_total"), [
    `tollgate_project_tokens_total{project="default",side="prompt"} 28`,
    `tollgate_project_tokens_total{project="default",side="completion"} 40`,
  ]);
  assert.doesNotMatch(text(), /key_1|req_|tag-value|team/);
});

Deno.test("Metrics takes a first token of streams alone, and a film for its seconds", () => {
  const { take, linesOf } = setUp();
  take({ stream: false });
  assert.match(linesOf("tollgate_time_to_first_token_seconds_count").join(), / 0$/);
  take({ capability: "videos", video: { size: "640x360", seconds: 8, percent: 25 }, work: {} });
  assert.match(linesOf("tollgate_units_total").join("\n"), /capability="videos",unit="second"} 2$/);
  const films = linesOf("tollgate_call_duration_seconds_count").filter((line) =>
    line.includes("videos")
  );
  assert.match(films.join(), / 0$/);
});

Deno.test("Metrics has few labels whatever callers send", () => {
  const { metrics, take, text, linesOf } = setUp();
  for (let number = 0; number < MOST_PROJECTS + 50; number++) {
    take({
      projectId: `project-${number}`,
      model: `any-name-${number}`,
      errorCode: `odd_${number}`,
    });
    take({ route: "(cache)", provider: "(cache)", model: `name-${number}` });
  }
  assert.equal(linesOf("tollgate_project_calls_total").length, MOST_PROJECTS + 1);
  assert.equal(linesOf(`tollgate_project_calls_total{project="other"}`).length, 1);
  // What a wildcard stands for is counted for the route of it.
  assert.equal(linesOf("tollgate_calls_total").length, 2);
  assert.match(text(), /model="other",provider="\(cache\)"/);
  assert.deepEqual(linesOf("tollgate_refusals_total"), [
    `tollgate_refusals_total{reason="other"} ${MOST_PROJECTS + 50}`,
  ]);
  assert.doesNotMatch(text(), /any-name|name-3|odd_/);
  metrics.request(429, "POOL_LIMIT_EXCEEDED");
  assert.match(text(), /tollgate_refusals_total{reason="POOL_LIMIT_EXCEEDED"} 1/);
});

Deno.test("Metrics forgets the routes that the catalogue has no more", () => {
  const { metrics, take, linesOf, routes } = setUp({ "a/small": "small", "b/small": "small" });
  take({ route: "a/small" });
  take({ route: "b/small" });
  delete routes["a/small"];
  metrics.calls.retain();
  assert.equal(linesOf("tollgate_calls_total").length, 1);
  routes["b/small"] = "large";
  metrics.calls.retain();
  assert.equal(linesOf("tollgate_calls_total").length, 0);
});

Deno.test("writeMetrics() writes OpenMetrics with units, counters without _total, and an end", () => {
  const { take, text } = setUp({ 'a"\\\n': "small" });
  take({ route: 'a"\\\n' });
  const open = text("openmetrics");
  assert.match(open, /^# TYPE tollgate_calls counter$/m);
  assert.match(open, /^# UNIT tollgate_call_duration_seconds seconds$/m);
  assert.match(open, /^tollgate_calls_total\{.*route="a\\"\\\\\\n".*\} 1$/m);
  assert.ok(open.endsWith("# EOF\n"));
  const old = text();
  assert.match(old, /^# TYPE tollgate_calls_total counter$/m);
  assert.doesNotMatch(old, /# UNIT|# EOF/);
});

Deno.test("Histogram counts what is just a bound as at most that", () => {
  const histogram = new Histogram([1, 2]);
  for (const value of [0, 1, 1.5, 2, 3]) histogram.observe(value);
  assert.deepEqual([...histogram.counts], [2, 2, 1]);
  assert.equal(histogram.sum, 7.5);
});
