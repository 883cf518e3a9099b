// deno-lint-ignore-file no-console -- a task talks to the person who waits for it

/**
 * `deno task docs:picture`: the console's overview as the executable shows it in Chromium, for the
 * README. The calls of a month are made up and written beforehand; nobody is called.
 *
 * @module
 */

import { workOfTokens } from "../../src/domain/work.ts";
import { priceWork } from "../../src/pricing/price_work.ts";
import { openTestAdmin, type TestAdmin } from "../admin/test_admin.ts";
import { enterConsole } from "../e2e/console/console_page.ts";
import { startBrowser } from "../e2e/videos/browser.ts";
import { writeNewDatabase } from "../support/new_database.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import { serveGateway } from "../support/served_gateway.ts";

/** Where the README looks for it. */
const PICTURE = "docs/console.png";
const DAYS = 30;
const DAY_MS = 86_400_000;
/** By weight, and so the share of the calls. */
const MODELS = { "gpt-5-mini": 5, "claude-opus-5-5": 2, "qwen3:8b": 4 } as const;
const CATALOGUE = `
currency: USD
providers:
  - { id: openai, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1", auth: none }
  - { id: anthropic, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1", auth: none }
  - { id: gpu, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1", auth: none }
models:
  - id: gpt-5-mini
    kind: chat
    routes:
      - { id: openai/gpt-5-mini, provider: openai, sale: { markup: "1.10" }, cost: { input: "0.25", output: "2.00" } }
  - id: claude-opus-5-5
    kind: chat
    routes:
      - { id: anthropic/claude-opus-5-5, provider: anthropic, sale: { markup: "1.10" }, cost: { input: "5", output: "25" } }
  - id: "qwen3:8b"
    kind: chat
    routes:
      - { id: "gpu/qwen3:8b", provider: gpu, sale: { markup: "1.10" }, cost: { input: "0.05", output: "0.20" } }
projects:
  - { id: search, unlimited: true }
  - { id: support, unlimited: true }
`;

const folder = await Deno.makeTempDir({ prefix: "tollgate-picture-" });
try {
  await writeNewDatabase(`${folder}/tollgate.db`);
  {
    await using admin = await openTestAdmin({
      path: `${folder}/tollgate.db`,
      catalogue: CATALOGUE,
    });
    await liveThroughDays(admin);
  }
  await using gateway = await serveGateway({ dataDir: folder, expectKey: false });
  await using page = await startBrowser();
  await page.resize(1440, 760);
  await enterConsole(gateway, page);
  // Sums of the past are added up after the start; the page looks again by itself until then.
  while (!(await gateway.admin("GET", `/usage/recent?days=${DAYS}`)).whole);
  await page.open(`${gateway.url}/console`);
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 300)))");
  const png = await page.screenshot();
  await Deno.writeFile(PICTURE, png);
  console.log(`${PICTURE}: ${png.length} bytes`);
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** Calls up to now, more on working days, some of which failed. */
async function liveThroughDays({ deps, clock }: TestAdmin): Promise<void> {
  const random = new SeededRandom(14);
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  let callId = 0;
  for (let day = today - (DAYS - 1) * DAY_MS; day <= today; day += DAY_MS) {
    const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
    const calls = random.integer(60, 110) * (isWeekend ? 0.3 : 1);
    const endMs = day === today ? Date.now() - day : DAY_MS;
    clock.setWall(day);
    for (let at = 0; at < calls; at++) {
      clock.setWall(day + Math.floor(at * endMs / calls));
      const model = random.weighted(MODELS);
      const route = deps.catalogue.current.model(model)!.routes[0]!;
      const hold = deps.ledger.hold({
        callId: ++callId,
        requestId: `req_${"a".repeat(12)}${callId.toString(36)}`,
        projectId: random.pick(["search", "support"]),
        keyId: "key_1",
        capability: "chat",
        model,
        provider: route.providerId,
        route: route.id,
        priceVersion: route.prices.version,
        heldE8: 0n,
        unlimited: true,
        stream: true,
        openedAt: clock.now(),
      })!;
      clock.advance(random.integer(400, 4000));
      const isFailed = random.chance(0.01);
      const work = workOfTokens({
        promptTokens: random.integer(500, 20_000),
        completionTokens: random.integer(100, 3000),
        cachedTokens: 0,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
      });
      await deps.ledger.close(hold, {
        result: isFailed ? "upstream_failed" : "completed",
        billable: !isFailed,
        work,
        usageSource: "reported",
        ...(isFailed ? { costE8: 0n, saleE8: 0n } : priceWork(route.prices, { work })),
        firstByteMs: random.integer(150, 700),
        attempts: 1,
        errorCode: isFailed ? "upstream_error" : undefined,
      });
    }
  }
}
