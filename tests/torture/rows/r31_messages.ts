/**
 * R31: calls of Messages and chat to upstreams of each kind that, like their callers, do what they should
 * not, passed through and converted, and a kill in the midst of them.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { type Reply, startFakeUpstream, type Step } from "../../support/fake_upstream.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { UPSTREAM_KINDS, type UpstreamKind } from "../hostile/upstream_kinds.ts";
import { checkBookRows } from "../books/check_books.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { inParallel } from "../in_parallel.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

type KindName = keyof typeof UPSTREAM_KINDS;
const NAMES = Object.keys(UPSTREAM_KINDS) as readonly KindName[];

const CATALOGUE = (url: string, plans: readonly Plan[]) => `
providers:
${
  NAMES.map((name) => {
    const { provider } = UPSTREAM_KINDS[name];
    const settings = provider(url.replace(/\/v1$/, ""));
    return `  - { id: ${name}, ${settings}, timeouts: { idle_ms: 2000 } }\n`;
  }).join("")
}models:
${plans.map(modelText).join("")}projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;

/** A route that has had enough trouble rests: each call has its own. */
function modelText({ tag, kind }: Plan): string {
  const { upstreamModel } = UPSTREAM_KINDS[kind];
  return `
  - id: m${tag}
    kind: chat
    routes:
      - { id: ${kind}/m${tag}, provider: ${kind}, upstream_model: "${upstreamModel}", supports: { context_tokens: 200000 }, cost: { input: "1", output: "2" }, sale: { input: "3", output: "7" } }
`;
}

/** 1000 × 3 + 100 × 7, of a million, in 1e-8 units. */
const WHOLE_PRICE = 370_000n;

/** What happens to a call. */
type Trouble =
  | "none"
  | "cut anywhere"
  | "an error in mid-answer"
  | "absurd usage"
  | "wrong types"
  | "another content type"
  | "a redirect"
  | "a caller that leaves";

const WEIGHTS: Readonly<Record<Trouble, number>> = {
  "none": 3,
  "cut anywhere": 4,
  "an error in mid-answer": 1,
  "absurd usage": 2,
  "wrong types": 2,
  "another content type": 1,
  "a redirect": 1,
  "a caller that leaves": 2,
};

interface Plan {
  readonly tag: number;
  readonly kind: KindName;
  readonly trouble: Trouble;
  readonly isStream: boolean;
  readonly isConverted: boolean;
  readonly reply: Reply;
}

export const row: ScorecardRow = {
  id: "R31",
  title: "upstreams of each kind in trouble",
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
      `${count} calls by Messages and chat to ${NAMES.length} kinds, ${
        Object.keys(WEIGHTS).length
      } fates, and a kill`,
    );
    const plans = Array.from({ length: count }, (_, tag) => planOf(tag, random));
    await using trap = await startFakeUpstream({ steps: [] });
    await using upstream = await startFakeUpstream(({ body }) => {
      const tag = Number(/"tag (\d+)/.exec(body)?.[1]);
      const { reply } = plans[tag]!;
      return reply.status === 302
        ? { ...reply, headers: { ...reply.headers, location: trap.url } }
        : reply;
    });
    let dataDir: string;
    {
      await using gateway = await serveGateway({ catalogue: CATALOGUE(upstream.url, plans) });
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
        if (isBroken && UPSTREAM_KINDS[plan!.kind].countsWithEnd) {
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
    found.count("redirects that were followed", trap.requests.length, { exactly: 0 });
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
  const kind = random.pick(NAMES);
  const trouble = random.weighted(WEIGHTS);
  const isStream = random.integer(0, 3) > 0;
  const isConverted = random.integer(0, 2) === 0;
  const reply = replyTo(trouble, { kind: UPSTREAM_KINDS[kind], isStream, random });
  return { tag, kind, trouble, isStream, isConverted, reply };
}

function replyTo(trouble: Trouble, { kind, isStream, random }: {
  readonly kind: UpstreamKind;
  readonly isStream: boolean;
  readonly random: SeededRandom;
}): Reply {
  const usage = trouble === "absurd usage" ? random.pick(kind.absurd) : kind.usage;
  const events = [...kind.events(usage)];
  if (trouble === "wrong types") {
    events.splice(random.integer(0, events.length - 1), 0, random.pick(kind.wrong));
  }
  if (trouble === "an error in mid-answer") {
    // Once something was said, and before the end.
    const said = events.findIndex((event) => JSON.stringify(event).includes("Some words"));
    events.splice(said + 1, events.length, kind.error);
  }
  const bytes = bytesOf(isStream ? events.map(kind.encode) : [JSON.stringify(kind.whole(usage))]);
  const type = isStream ? kind.streamType : "application/json";
  const replyOf = (...steps: Step[]): Reply => ({ headers: { "content-type": type }, steps });
  switch (trouble) {
    case "cut anywhere": {
      const part = bytes.subarray(0, random.integer(0, bytes.length - 1));
      // Some servers end even what is cut as they should.
      return random.chance(0.5) ? replyOf(part, "cut!") : replyOf(part);
    }
    case "another content type":
      return { headers: { "content-type": "text/html" }, steps: [bytes] };
    case "a redirect":
      return { status: 302, steps: [] };
    case "a caller that leaves":
      return isStream
        ? replyOf(bytesOf(kind.events(kind.usage).slice(0, -2).map(kind.encode)), "stall!")
        : replyOf(bytes);
    default:
      return replyOf(bytes);
  }
}

function bytesOf(pieces: readonly (string | Uint8Array)[]): Uint8Array {
  return new Uint8Array(Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))));
}
