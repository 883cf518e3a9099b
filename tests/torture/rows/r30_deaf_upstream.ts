/**
 * R30: an upstream that ignores what it is told: how much to write, to count, to stop. Whatever it
 * delivers is in the books, is paid as far as there is money, and never twice.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { scriptPrompt, type UpstreamAct } from "../../support/fault_upstream/upstream_script.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import type { CallRow } from "../books/book_rows.ts";
import { checkBookRows } from "../books/check_books.ts";
import { ledgerDifferences } from "../books/ledger_differences.ts";
import { oraclePrice, tokenUsage } from "../books/price_oracle.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { inParallel } from "../in_parallel.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import { tokensOf } from "../tokens_of.ts";

/** What every caller asks for at most. */
const LIMIT = 1;
/** What the upstream writes instead: chunks of one token each. */
const WRITTEN = 5_000;
/** What a route that sets a limit of its own has sent, and then waits for. */
const SET_LIMIT = 4_000;
/**
 * Tokens that may be delivered before a stream is ended: twice the limit and the margin of 256, by
 * a count that is made now and then, and what the upstream had sent by then.
 */
const MOST_DELIVERED = 2 * (2 * LIMIT + 256) + 500;
/** Less than what is written costs, more than what is held for the limit. */
const THIN_BALANCE = "0.02";

/** Rules of routes that concern the limit. */
const RULES = {
  plain: "",
  dropping: "drop: [max_tokens, max_completion_tokens], ",
  setting: `set: { max_tokens: ${SET_LIMIT} }, `,
  defaulting: "default: { max_completion_tokens: 4000 }, ",
} as const;
type Model = keyof typeof RULES;

const SALE = { kind: "rates", rates: { input: "100000000", output: "500000000" } } as const;

function catalogue(url: string): string {
  const models = Object.entries(RULES).map(([id, rules]) => `
  - id: ${id}
    kind: chat
    routes:
      - { id: remote/${id}, provider: remote, upstream_model: m, ${rules}cost: { input: "0.5", output: "2" }, sale: { input: "1", output: "5" } }`);
  return `
providers:
  - { id: remote, kind: openai_compatible, base_url: "${url}", auth: none }
models:${models.join("")}
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
  - { id: thin, unlimited: false }
`;
}

/** Ways not to listen. */
const MANNERS: Readonly<Record<string, UpstreamAct>> = {
  "writes on, and counts": { chunks: WRITTEN, usage: { prompt: 20, completion: WRITTEN } },
  "writes on, and does not count": { chunks: WRITTEN, usage: "missing" },
  "writes on, and counts what cannot be": { chunks: WRITTEN, usage: "absurd" },
};

/** One call, and what its caller saw. */
interface Asked {
  readonly what: string;
  readonly project: "paying" | "thin";
  readonly isStream: boolean;
  /** Whether the stream is to be ended by us: the upstream writes far more than its limit. */
  readonly isCut: boolean;
  readonly prompt: string;
  readonly act: UpstreamAct;
  readonly requestId: string;
  readonly text: string;
  readonly saleAmount: string | undefined;
  readonly finish: string | undefined;
}

export const row: ScorecardRow = {
  id: "R30",
  title: "an upstream that ignores what it is told",
  seededBug: {
    name: "excess_is_a_gift",
    says: "what goes beyond a hold is never charged",
    edits: [{
      file: "src/accounts/close_call.ts",
      find: "if (more <= 0n || availE8 <= 0n || !billable || call.unlimited) return call;",
      replace: "if (more <= 0n || availE8 >= 0n || !billable || call.unlimited) return call;",
    }],
  },
  async run({ size }) {
    const times = size.pick({ commit: 1, full: 20 });
    const found = new RowFinding("");
    await using upstream = await startFaultUpstream();
    await using gateway = await serveGateway({ catalogue: catalogue(upstream.url) });
    await gateway.credit("paying", "1000");
    const keys = { paying: await gateway.key("paying"), thin: await gateway.key("thin") };
    const asked: Asked[] = [];
    let tag = 0;
    const plans = Object.keys(RULES).flatMap((model) =>
      Object.entries(MANNERS).flatMap(([manner, act]) =>
        [false, true].map((isStream) => ({ model: model as Model, manner, act, isStream }))
      )
    );
    // Their balance is enough for the hold of a limit that is kept, and for no other.
    const thin = plans.filter(({ model }) => model === "plain");
    found.tried = `${times * plans.length} calls with a limit of ${LIMIT} token, ` +
      `of which ${WRITTEN} come, and ${thin.length} from a thin balance`;
    const askOne = async (project: Asked["project"], plan: typeof plans[number]) => {
      const { model, manner, act, isStream } = plan;
      const what = `${project}: ${model}, ${isStream ? "stream" : "plain"}, ${manner}`;
      await found.during(what, async () => {
        const script = scriptPrompt({ tag: ++tag, acts: [act] });
        const answer = await ask(gateway, { key: keys[project], model, isStream, prompt: script });
        const isCut = isStream && model !== "setting";
        asked.push({ what, project, isStream, isCut, prompt: script, act, ...answer });
      });
    };
    await inParallel(Array(times).fill(plans).flat() as typeof plans, {
      workers: 4,
      work: (plan) => askOne("paying", plan),
    });
    // One at a time, so that each finds just so much.
    for (const plan of thin) {
      await gateway.credit("thin", THIN_BALANCE);
      await askOne("thin", plan);
    }
    await upstream.ended();
    const rows = await quietBooks(gateway.server.dataDir);
    const calls = new Map(rows.calls.map((call) => [call.requestId, call]));
    let lost = 0;
    for (const one of asked) {
      const call = calls.get(one.requestId);
      found.require(call !== undefined, `${one.what} is in no book`);
      if (call === undefined) continue;
      found.requireNone(faultsOf(one, call));
      if (one.project === "paying" && call.loss > 0n) lost++;
    }
    found.count("lost although there was money", lost, { exactly: 0 });
    found.count("calls in the books", rows.calls.length, { exactly: asked.length });
    found.requireNone(checkBookRows(rows));
    found.requireNone(await ledgerDifferences(gateway.server.dataDir));
    return found;
  },
};

/** What is wrong with how a call was delivered and charged, a sentence each. */
function faultsOf(one: Asked, call: CallRow): string[] {
  const { what, isCut, prompt, act, text, saleAmount, finish } = one;
  const wrong: string[] = [];
  const delivered = tokensOf(text);
  // The counts come last, and a stream that was ended never had them.
  const usage = typeof act.usage === "object" && !isCut
    ? { promptTokens: act.usage.prompt, completionTokens: act.usage.completion }
    : { promptTokens: tokensOf(prompt), completionTokens: delivered };
  const sale = oraclePrice(
    { cost: undefined, sale: SALE },
    tokenUsage(BigInt(usage.promptTokens), BigInt(usage.completionTokens)),
  ).sale;
  if (isCut && delivered > MOST_DELIVERED) {
    wrong.push(`${what}: ${delivered} tokens were delivered of a stream limited to ${LIMIT}`);
  }
  if (isCut && finish !== "length") wrong.push(`${what}: the stream ended with '${finish}'`);
  if (call.sale !== sale) wrong.push(`${what}: it is priced at ${call.sale}, not at ${sale}`);
  if (call.charged + call.loss !== sale) {
    wrong.push(`${what}: ${call.charged} charged and ${call.loss} lost are not ${sale}`);
  }
  const shown = saleAmount?.replace(".", "").replace(/^0+(?=\d)/, "");
  if (shown !== String(call.charged)) {
    wrong.push(`${what}: the answer says ${saleAmount}, and ${call.charged} was charged`);
  }
  return wrong;
}

/** Asks for next to nothing, and takes all that comes. */
async function ask(
  gateway: ServedGateway,
  { key, model, isStream, prompt }: {
    readonly key: string;
    readonly model: Model;
    readonly isStream: boolean;
    readonly prompt: string;
  },
): Promise<Pick<Asked, "requestId" | "text" | "saleAmount" | "finish">> {
  const response = await gateway.chat(key, {
    model,
    stream: isStream,
    ...(isStream ? { stream_options: { include_usage: true } } : {}),
    max_completion_tokens: LIMIT,
    messages: [{ role: "user", content: prompt }],
  });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`it is answered ${response.status}: ${body}`);
  const events = isStream
    ? [...body.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json!))
    : [JSON.parse(body)];
  const choices = events.flatMap((event) => event.choices ?? []);
  return {
    requestId: response.headers.get("x-request-id")!,
    text: choices.map(({ delta, message }) => (delta ?? message).content ?? "").join(""),
    saleAmount: events.findLast(({ pricing }) => pricing !== undefined)?.pricing.sale_amount,
    finish: choices.findLast(({ finish_reason }) => finish_reason)?.finish_reason,
  };
}
