/**
 * R31: calls in Anthropic's dialect whose upstreams and callers do what they should not, passed through
 * and converted, and a kill in the midst of them.
 *
 * @module
 */

import {
  rawSseReply,
  type Reply,
  startFakeUpstream,
  type Step,
} from "../../support/fake_upstream.ts";
import { eventText, messageBody, messageEvents } from "../../support/message_bodies.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { checkBookRows } from "../books/check_books.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { inParallel } from "../in_parallel.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const CATALOGUE = (url: string, models: number) => `
providers:
  - { id: claude, kind: anthropic, base_url: "${
  url.replace(/\/v1$/, "")
}", auth: none, timeouts: { idle_ms: 2000 } }
models:
${Array.from({ length: models }, (_, tag) => modelText(`m${tag}`)).join("")}projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;

/** A route that has had enough trouble rests: each call has its own. */
function modelText(id: string): string {
  return `
  - id: ${id}
    kind: chat
    routes:
      - { id: claude/${id}, provider: claude, upstream_model: claude-opus-4-6, supports: { context_tokens: 200000 }, cost: { input: "1", output: "2" }, sale: { input: "3", output: "7" } }
`;
}

const USAGE = { input_tokens: 1_000, output_tokens: 100 };
/** 1000 × 3 + 100 × 7, of a million, in 1e-8 units. */
const WHOLE_PRICE = 370_000n;
const TEXT = [{ type: "text", text: "Some words of an answer." }];

/** What happens to a call. */
type Trouble =
  | "none"
  | "cut anywhere"
  | "an error in mid-answer"
  | "absurd usage"
  | "wrong types"
  | "a caller that leaves";

const WEIGHTS: Readonly<Record<Trouble, number>> = {
  "none": 3,
  "cut anywhere": 4,
  "an error in mid-answer": 1,
  "absurd usage": 2,
  "wrong types": 2,
  "a caller that leaves": 2,
};

const ABSURD: readonly unknown[] = [
  { input_tokens: -1, output_tokens: 5 },
  { input_tokens: 1e15, output_tokens: 5 },
  { input_tokens: "9", output_tokens: {} },
  { input_tokens: 1.5, output_tokens: 2 },
  { ...USAGE, cache_read_input_tokens: -5 },
  { ...USAGE, cache_creation: { ephemeral_1h_input_tokens: 1e300 } },
  [],
  "many",
];

const WRONG: readonly unknown[] = [
  { type: "message_start", message: 7 },
  { type: "content_block_start", index: "a", content_block: null },
  { type: "content_block_delta", index: 0, delta: [] },
  { type: "content_block_delta", index: -3, delta: { type: "text_delta", text: 5 } },
  { type: "message_delta", delta: "x", usage: 3 },
  { type: {} },
  [],
  null,
];

interface Plan {
  readonly tag: number;
  readonly trouble: Trouble;
  readonly isStream: boolean;
  readonly isConverted: boolean;
  readonly reply: Reply;
}

export const row: ScorecardRow = {
  id: "R31",
  title: "messages in trouble",
  seededBug: {
    name: "message_cut_is_whole",
    says: "a message that is cut before its reason is taken for a whole one",
    edits: [{
      file: "src/providers/anthropic/message_reader.ts",
      find:
        `throw new UpstreamError("broken", "The upstream cut its stream before a stop reason");`,
      replace: `this.#hasReason = true;`,
    }],
  },
  async run({ size, random }) {
    const count = size.pick({ commit: 300, full: 2_000 });
    // Of calls that a kill cuts nothing is known.
    const quiet = new RowFinding("");
    const found = new RowFinding(
      `${count} calls by Messages and chat, ${Object.keys(WEIGHTS).length} fates, and a kill`,
    );
    const plans = Array.from({ length: count }, (_, tag) => planOf(tag, random));
    await using upstream = await startFakeUpstream(({ body }) => {
      const tag = Number(/"tag (\d+)/.exec(body)?.[1]);
      return plans[tag]!.reply;
    });
    let dataDir: string;
    {
      await using gateway = await serveGateway({ catalogue: CATALOGUE(upstream.url, count) });
      dataDir = gateway.server.dataDir;
      await gateway.credit("paying", "1000");
      const key = await gateway.key("paying");
      const expected = new Map<string, Plan>();
      await inParallel(plans, {
        workers: 8,
        work: async (plan) => {
          const requestId = await ask(gateway, key, plan, found);
          if (requestId !== undefined) expected.set(requestId, plan);
        },
      });
      const rows = await quietBooks(dataDir);
      for (const call of rows.calls) {
        const plan = expected.get(call.requestId);
        if (plan?.trouble === "none") {
          found.require(
            call.charged === WHOLE_PRICE,
            `${call.requestId} was answered whole and charged ${call.charged}`,
          );
        }
        const isBroken = plan?.trouble === "cut anywhere" ||
          plan?.trouble === "an error in mid-answer";
        // What was cut behind the last count is whole, all before it is free.
        if (isBroken) {
          found.require(
            call.charged === 0n || call.charged === WHOLE_PRICE,
            `${call.requestId} broke off and was charged ${call.charged}`,
          );
        }
        found.require(call.charged <= call.held, `${call.requestId} was charged beyond its hold`);
      }
      found.count("calls in the books", rows.calls.length, { exactly: count });
      found.requireNone(checkBookRows(rows));
      // Killed with calls under way.
      const before = upstream.requests.length;
      const last = plans.filter((plan) => plan.trouble === "none").slice(0, 16)
        .map((plan) => ask(gateway, key, plan, quiet).catch(() => undefined));
      await upstream.received(before + 4);
      await gateway.server.kill();
      await Promise.all(last);
      await using again = await serveGateway({ dataDir });
      const { differences } = await again.cli("ledger", "verify");
      found.count("differences after the kill", differences.length, { exactly: 0 });
      found.requireNone(checkBookRows(await quietBooks(dataDir)));
    }
    return found;
  },
};

/** @returns The call's id, where its caller was told. */
async function ask(
  { url }: ServedGateway,
  key: string,
  { tag, trouble, isStream, isConverted }: Plan,
  found: RowFinding,
): Promise<string | undefined> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/v1/${isConverted ? "chat/completions" : "messages"}`, {
    method: "POST",
    signal: leaving.signal,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: `m${tag}`,
      max_tokens: 200,
      stream: isStream,
      messages: [{ role: "user", content: `tag ${tag} ` + "word ".repeat(1_200) }],
    }),
  });
  const id = response.headers.get("x-request-id") ?? undefined;
  if (trouble === "a caller that leaves" && isStream && response.ok) {
    const reader = response.body!.getReader();
    await reader.read();
    leaving.abort();
    return id;
  }
  const text = await response.text();
  if (trouble === "none") {
    found.require(
      response.status === 200,
      `tag ${tag} had ${response.status}: ${text.slice(0, 99)}`,
    );
  }
  found.require(!/internal_error/.test(text), `tag ${tag} met a defect: ${text.slice(0, 200)}`);
  const isWhole = isConverted ? /data: \[DONE\]/.test(text) : /event: message_stop/.test(text);
  if (isStream && response.ok && trouble === "an error in mid-answer") {
    found.require(!isWhole, `tag ${tag} was told that a broken answer is whole`);
  }
  return id;
}

function planOf(tag: number, random: SeededRandom): Plan {
  const trouble = random.weighted(WEIGHTS);
  const isStream = random.integer(0, 3) > 0;
  const isConverted = random.integer(0, 2) === 0;
  return { tag, trouble, isStream, isConverted, reply: replyTo(trouble, isStream, random) };
}

function replyTo(trouble: Trouble, isStream: boolean, random: SeededRandom): Reply {
  const usage = trouble === "absurd usage" ? random.pick(ABSURD) : USAGE;
  const body = { ...messageBody(TEXT, { usage: USAGE }), usage };
  const events: unknown[] = messageEvents(TEXT, { usage: USAGE });
  if (trouble === "absurd usage") (events.at(-2) as { usage: unknown }).usage = usage;
  if (trouble === "wrong types") {
    events.splice(random.integer(0, events.length - 1), 0, random.pick(WRONG));
  }
  if (trouble === "an error in mid-answer") {
    const error = { type: "overloaded_error", message: "Overloaded" };
    events.splice(random.integer(4, 5), events.length, { type: "error", error });
  }
  const text = isStream
    ? events.map((event) => event === null ? "data: null\n\n" : eventText(event as object)).join("")
    : JSON.stringify(body);
  const steps: Step[] = [text];
  if (trouble === "cut anywhere") {
    const part = text.slice(0, random.integer(0, text.length - 1));
    // Some servers end even what is cut as they should.
    return replyOf(random.chance(0.5) ? [part, "cut!"] : [part], isStream);
  }
  if (trouble === "a caller that leaves" && isStream) {
    const some = messageEvents(TEXT, { usage: USAGE }).slice(0, 5).map(eventText).join("");
    return replyOf([some, "stall!"], true);
  }
  return replyOf(steps, isStream);
}

function replyOf(steps: readonly Step[], isStream: boolean): Reply {
  return isStream ? rawSseReply(steps) : { headers: { "content-type": "application/json" }, steps };
}
