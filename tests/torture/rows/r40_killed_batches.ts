/**
 * R40: killed again and again in the middle of a batch whose upstream fails now and then.
 *
 * @module
 */

import { chatLine, type ResultLine } from "../../support/batch_scene.ts";
import type { BatchView } from "../../../src/http/schemas/batch_view.ts";
import { answerBody } from "../../support/chat_bodies.ts";
import { jsonReply, type Reply, startFakeUpstream } from "../../support/fake_upstream.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { until } from "../../support/until.ts";
import { checkBookRows } from "../books/check_books.ts";
import { ledgerDifferences } from "../books/ledger_differences.ts";
import { quietBooks } from "../books/quiet_books.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

/** In 1e-8: 10 tokens in at 1, 5 out at 2 for a million each. */
const LINE_E8 = 2_000n;
const CREDIT_E8 = 900_000_000n;

export const row: ScorecardRow = {
  id: "R40",
  title: "kill -9 in mid-batch",
  seededBug: {
    name: "line_outside_settle",
    says: "what becomes of a line is stored some time after its call is settled",
    edits: [{
      file: "src/storage/sqlite/apply_call.ts",
      find: "if (batchLine !== undefined) batches.putLine(batchLine);",
      replace: "if (batchLine !== undefined) setTimeout(() => batches.putLine(batchLine), 100);",
    }],
  },
  async run({ size, random, folder, note }) {
    const lines = size.pick({ commit: 600, full: 5_000 });
    const kills = size.pick({ commit: 4, full: 40 });
    const found = new RowFinding(`${kills} kills in a batch of ${lines} lines`);
    let answered = 0;
    await using upstream = await startFakeUpstream(() => {
      answered++;
      return replyOf(random.of("upstream"));
    });
    const dataDir = `${folder}/data`;
    const names = Array.from({ length: lines }, (_, index) => `line-${index}`);
    let key = "";
    let id = "";
    for (let kill = 0; kill < kills; kill++) {
      await using gateway = await serveGateway(
        kill === 0 ? { dataDir, catalogue: catalogueOf(upstream.url) } : { dataDir },
      );
      if (kill === 0) {
        await gateway.credit("paying", "9");
        key = await gateway.key("paying");
        id = await createBatch(gateway, key, names);
      }
      const before = answered;
      const more = random.integer(20, Math.floor(lines / kills));
      await until("the upstream to answer", () => answered >= before + more, { everyMs: 1 });
      await gateway.server.kill();
      note(`R40 kill ${kill + 1} of ${kills}: ${answered} answers`);
    }
    await using last = await serveGateway({ dataDir });
    let batch: BatchView | undefined;
    await found.during("working on the batch", async () => {
      batch = await until("the batch to end", async () => {
        const one: BatchView = await last.get(`/v1/batches/${id}`, key);
        const isOpen = ["validating", "in_progress", "finalizing"].includes(one.status);
        return isOpen ? undefined : one;
      }, { withinMs: 120_000, everyMs: 100 });
    });
    if (batch === undefined) return found;
    found.require(batch.status === "completed", `the batch is ${batch.status}`);
    const done = await resultsOf(last, key, batch);
    const times = new Map<string, number>();
    for (const { custom_id: name } of done) times.set(name, (times.get(name) ?? 0) + 1);
    const lost = names.filter((name) => !times.has(name));
    const twice = names.filter((name) => (times.get(name) ?? 0) > 1);
    found.require(lost.length === 0, `${lost.length} lines have no result, such as ${lost[0]}`);
    found.require(twice.length === 0, `${twice.length} lines have several, such as ${twice[0]}`);
    const good = done.filter(({ response }) => response?.status_code === 200).length;
    const rows = await quietBooks(dataDir, 60_000);
    found.requireNone(checkBookRows(rows));
    found.requireNone(await ledgerDifferences(dataDir));
    const project = rows.projects.find(({ id }) => id === "paying")!;
    const charged = CREDIT_E8 - project.avail - project.held;
    found.require(
      charged === BigInt(good) * LINE_E8,
      `${charged} is charged for ${good} lines, not ${BigInt(good) * LINE_E8}`,
    );
    found.count("lines", done.length, { exactly: lines });
    return found;
  },
};

/** Most often an answer; sometimes what passes, sometimes what does not, sometimes nothing. */
function replyOf(random: SeededRandom): Reply {
  const manner = random.weighted({ good: 92, busy: 3, broken: 2, refused: 2, cut: 1 });
  switch (manner) {
    case "busy":
      return jsonReply({ error: { message: "Slow down" } }, {
        status: 429,
        headers: { "retry-after": "0" },
      });
    case "broken":
      return jsonReply({ error: { message: "Broken" } }, { status: 500 });
    case "refused":
      return jsonReply({ error: { message: "No", type: "invalid_request_error" } }, {
        status: 400,
      });
    case "cut":
      return { steps: ['{"id":', "cut!"] };
    default:
      return jsonReply(answerBody("Hi"));
  }
}

function catalogueOf(url: string): string {
  const routes = ["a", "b"].map((id) =>
    `{ id: ${id}/m, provider: ${id}, sale: { input: "1", output: "2" } }`
  );
  return `
providers:
  - { id: a, kind: openai_compatible, base_url: "${url}", auth: none }
  - { id: b, kind: openai_compatible, base_url: "${url}", auth: none }
models: [{ id: m, kind: chat, routes: [${routes.join(", ")}] }]
projects: [{ id: paying, unlimited: false }]
`;
}

async function createBatch(
  { url }: ServedGateway,
  key: string,
  names: readonly string[],
): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("file", new File([names.map((name) => `${chatLine(name)}\n`).join("")], "lines.jsonl"));
  const file = await fetch(`${url}/v1/files`, { method: "POST", headers, body: form });
  const made = await fetch(`${url}/v1/batches`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({
      input_file_id: (await file.json()).id,
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    }),
  });
  return (await made.json()).id;
}

async function resultsOf(
  { url }: ServedGateway,
  key: string,
  batch: Record<"output_file_id" | "error_file_id", string | null>,
): Promise<readonly ResultLine[]> {
  const lines: ResultLine[] = [];
  for (const id of [batch.output_file_id, batch.error_file_id]) {
    if (id === null) continue;
    const headers = { authorization: `Bearer ${key}` };
    const content = await fetch(`${url}/v1/files/${id}/content`, { headers });
    for (const line of (await content.text()).trimEnd().split("\n")) lines.push(JSON.parse(line));
  }
  return lines;
}
