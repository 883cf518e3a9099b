/**
 * R17: prices of random rates and usages against rational numbers.
 *
 * A database is filled with calls whose amounts the oracle has computed, and the program is asked
 * to add up its books, which prices every call again. Counts that have no price are sent by an
 * upstream.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { scriptPrompt, type UsageManner } from "../../support/fault_upstream/upstream_script.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { readBookRows } from "../books/book_rows.ts";
import { checkBookRows } from "../books/check_books.ts";
import { PRICED_ROUTES, randomRoutes, routesCatalogue } from "../prices/random_routes.ts";
import { fillWithPricedCalls } from "../prices/fill_with_priced_calls.ts";
import { ledgerDifferences } from "../books/ledger_differences.ts";
import type { ScorecardRow, Torture } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

/** Counts that no call can have, or that have no price at the dearest rates. */
const ABSURD: readonly UsageManner[] = [
  "negative",
  "fraction",
  "absurd",
  "text",
  "missing",
  { prompt: 10, completion: 99_999_999 },
  { prompt: 100_000_001, completion: 1 },
];

export const row: ScorecardRow = {
  id: "R17",
  title: "price arithmetic",
  seededBug: {
    name: "half_down",
    says: "half a unit is rounded down",
    edits: [{
      file: "src/domain/money.ts",
      find: "return (2n * numerator + denominator) / (2n * denominator);",
      replace: "return (2n * numerator + denominator - 1n) / (2n * denominator);",
    }],
  },
  async run(torture: Torture) {
    const cases = torture.size.pick({ commit: 50_000, full: 1_000_000 });
    const found = new RowFinding(
      `${cases} usages at the prices of ${PRICED_ROUTES} routes, and ${ABSURD.length} absurd ones`,
    );
    const routes = randomRoutes(torture.random.of("rates"));
    await using upstream = await startFaultUpstream();
    const dataDir = `${torture.folder}/data`;
    const catalogue = routesCatalogue(routes, upstream.url);
    {
      await using gateway = await serveGateway({ catalogue, dataDir });
      await found.during("absurd counts", () => sendAbsurdCounts(gateway, found));
      await gateway.server.stop();
    }
    await fillWithPricedCalls(dataDir, { cases, routes, random: torture.random.of("usages") });
    torture.note(`R17: ${cases} calls are in the database`);
    await using gateway = await serveGateway({ dataDir });
    const differences = await ledgerDifferences(gateway.server.dataDir);
    found.count("differences from the oracle", differences.length, { exactly: 0 });
    found.requireNone(differences.slice(0, 5));
    return found;
  },
};

async function sendAbsurdCounts(gateway: ServedGateway, found: RowFinding): Promise<void> {
  await gateway.credit("paying", "1000000000");
  const key = await gateway.key("paying");
  for (const [tag, usage] of ABSURD.entries()) {
    for (const stream of [false, true]) {
      const response = await gateway.chat(key, {
        model: "dearest",
        stream,
        max_tokens: 1,
        messages: [{ role: "user", content: scriptPrompt({ tag, acts: [{ usage }] }) }],
      });
      const text = await response.text();
      const [, shown] = /"sale_amount":"(.*?)"/.exec(text) ?? [];
      found.require(
        response.status === 200 && /^\d+\.\d{8}$/.test(shown ?? ""),
        () => `counts of ${JSON.stringify(usage)} are answered ${response.status} ${text}`,
      );
    }
  }
  const rows = readBookRows(gateway.server.dataDir);
  const reported = rows.calls.filter(({ usageSource }) => usageSource !== "estimated");
  found.count("absurd counts that were believed", reported.length, { exactly: 0 });
  found.requireNone(checkBookRows(rows));
}
