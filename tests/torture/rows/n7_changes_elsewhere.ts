/**
 * N7: a key is disabled, a route switched off and a price changed on one node, under load on two
 * others: one that is never told of changes, and one that is. The first may be cut off meanwhile.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { scriptPrompt } from "../../support/fault_upstream/upstream_script.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import type { ServedGateway } from "../../support/served_gateway.ts";
import { until } from "../../support/until.ts";
import { SeveralNodes } from "../nodes/several_nodes.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const CALLS_PER_SECOND = 10;
/** After so long no call may begin with what was changed before it. */
const STALE_MS = 1_000;
/** For so long the node that is cut off hears nothing of the changes. */
const CUT_MS = 2_500;
const TICK_MS = 10;
const ADMINISTERED = 0;
const UNTOLD = 1;
/** What the calls are about: each changes in its own way. */
const SUBJECTS = ["revoked", "disabled", "repriced"] as const;
type Subject = (typeof SUBJECTS)[number];

/** A call, and what became of it. */
interface Sent {
  readonly subject: Subject;
  readonly node: number;
  readonly tag: number;
  readonly sentAt: number;
  /** Whether it was answered in full. */
  isServed?: boolean;
  /** Whether it is refused for another reason than that nothing is known. */
  isRefused?: boolean;
}

export const row: ScorecardRow = {
  id: "N7",
  title: "changes on another node",
  tools: ["postgresql"],
  seededBug: {
    name: "always_current",
    says: "a node that hears nothing takes what it knows for what is stored",
    edits: [{
      file: "src/app/changes/followed_changes.ts",
      find: "return this.ageMs <= this.#staleMs;",
      replace: "return this.ageMs <= this.#staleMs || this.#staleMs > 0;",
    }],
  },
  async run({ size, random, folder, note }) {
    const rounds = size.pick({ commit: 1, full: 20 });
    const found = new RowFinding("");
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log` });
    await using nodes = await SeveralNodes.start({
      ...{ folder, upstream, credit: "9000000", untold: [UNTOLD] },
    });
    const a = nodes.at(ADMINISTERED);
    const steady = nodes.key;
    let price = 2;
    let late = 0;
    const sent: Sent[] = [];
    /** What a token of the model whose price changes costs the calls of a phase, before and after it. */
    const priced: { readonly from: number; readonly changedAt: number; readonly price: number }[] =
      [];
    for (let round = 1; round <= rounds; round++) {
      for (const isCut of [false, true]) {
        const { key, id } = await a.admin("POST", "/keys", { project: "paying" });
        await a.apply(catalogue(upstream.url, price));
        await a.admin("POST", "/routes/enable", { route: "remote/disabled" });
        const keys = { revoked: key, disabled: steady, repriced: steady };
        const load = callOthers(nodes, { keys, random });
        const of = (subject: Subject, node: number) =>
          load.calls.filter((call) => call.subject === subject && call.node === node);
        const others = nodes.all.keys().filter((node) => node !== ADMINISTERED).toArray();
        const untilAll = (what: string, isSo: (subject: Subject, node: number) => boolean) =>
          until(
            what,
            () => SUBJECTS.every((subject) => others.every((node) => isSo(subject, node))),
          );
        await untilAll(
          "calls of each kind",
          (subject, node) => of(subject, node).filter(({ isServed }) => isServed).length >= 10,
        );

        if (isCut) nodes.lines[UNTOLD]!.hold("both");
        const changedAt: Record<string, number> = {};
        await a.admin("POST", `/keys/${id}/disable`, {});
        changedAt.revoked = performance.now();
        await a.admin("POST", "/routes/disable", { route: "remote/disabled", reason: "a test" });
        changedAt.disabled = performance.now();
        await a.apply(catalogue(upstream.url, ++price));
        changedAt.repriced = performance.now();
        priced.push({ from: load.calls[0]!.tag, changedAt: changedAt.repriced, price });
        if (isCut) {
          await new Promise((resolve) => setTimeout(resolve, CUT_MS));
          nodes.lines[UNTOLD]!.release();
        }
        const isLate = ({ subject, sentAt }: Sent) => sentAt >= changedAt[subject]! + STALE_MS;
        await found.during(
          "the changes",
          () =>
            untilAll(
              "calls after the changes",
              (subject, node) =>
                of(subject, node).some((call) =>
                  isLate(call) && (subject === "repriced" ? call.isServed : call.isRefused)
                ),
            ),
        );
        await load.over();
        sent.push(...load.calls);
        const after = load.calls.filter(isLate);
        late += after.length;
        await found.during("the upstream's attempts", () => upstream.ended());
        const begun = new Set(upstream.log.records.map(({ tag }) => tag));
        for (const { subject, node, tag, sentAt } of after) {
          if (subject === "repriced") continue;
          found.require(
            !begun.has(tag),
            () =>
              `node ${node} began a call that is ${subject} ` +
              `${(sentAt - changedAt[subject]!).toFixed(0)} ms after it was changed`,
          );
        }
        note(`N7 round ${round} of ${rounds}: ${sent.length} calls`);
      }
    }
    found.tried = `3 changes on another node, ${2 * rounds} times: ${sent.length} calls`;
    const { calls } = await nodes.requireBooks(found);
    const byTag = new Map(
      calls.filter(({ state }) => state === "settled")
        .map((call) => [Number(call.completionTokens), call]),
    );
    for (const { tag, subject, sentAt, isServed } of sent) {
      const charged = byTag.get(tag)?.charged;
      found.require(
        !isServed || charged !== undefined,
        () => `tag ${tag} was answered and is not settled`,
      );
      if (charged === undefined || subject !== "repriced") continue;
      const { changedAt, price } = priced.findLast(({ from }) => from <= tag)!;
      const [before, after] = [price - 1, price].map((one) => BigInt(tag * one * E8_PER_PRICE));
      const isOld = charged === before && sentAt < changedAt + STALE_MS;
      found.require(
        charged === after || isOld,
        () =>
          `tag ${tag} is charged ${charged}, sent ${
            (sentAt - changedAt).toFixed(0)
          } ms after the ` +
          `price went from ${before} to ${after}`,
      );
    }
    found.count("calls later than a second", late);
    return found;
  },
};

/** In 1e-8, of a token, of an amount for a million. */
const E8_PER_PRICE = 100;

/** A model for each subject, of which output alone costs something; one's price is told. */
function catalogue(url: string, price: number): string {
  const models = SUBJECTS.map((model) => `
  - id: ${model}
    kind: chat
    routes:
      - { id: remote/${model}, provider: remote, upstream_model: m, cost: { input: "0", output: "1" }, sale: { input: "0", output: "${
    model === "repriced" ? price : 2
  }" } }`);
  return `
providers:
  - { id: remote, kind: openai_compatible, base_url: "${url}", auth: none }
models:${models.join("")}
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;
}

/** Calls about each subject at a steady pace at all nodes but the one that is administered. */
function callOthers(
  nodes: SeveralNodes,
  { keys, random }: {
    readonly keys: Readonly<Record<Subject, string>>;
    readonly random: SeededRandom;
  },
): { readonly calls: readonly Sent[]; over(): Promise<void> } {
  const calls: Sent[] = [];
  const ends: Promise<void>[] = [];
  const startedAt = performance.now();
  let turns = 0;
  const timer = setInterval(() => {
    const due = (performance.now() - startedAt) / 1_000 * CALLS_PER_SECOND;
    for (; turns < due; turns++) {
      for (const [node, gateway] of nodes.all.entries()) {
        if (node === ADMINISTERED) continue;
        for (const subject of SUBJECTS) {
          const call = { subject, node, tag: nodes.nextTag(), sentAt: performance.now() };
          calls.push(call);
          ends.push(send(gateway, { call, key: keys[subject], random }));
        }
      }
    }
  }, TICK_MS);
  return {
    calls,
    async over() {
      clearInterval(timer);
      await Promise.all(ends);
    },
  };
}

/** Its output tokens are its tag: the books tell of it by them. */
async function send(
  gateway: ServedGateway,
  { call, key, random }: {
    readonly call: Sent;
    readonly key: string;
    readonly random: SeededRandom;
  },
): Promise<void> {
  const { tag, subject } = call;
  const act = {
    delayMs: random.of(`call ${tag}`).integer(0, 60),
    usage: { prompt: 10, completion: tag },
  };
  const response = await gateway.chat(key, {
    model: subject,
    max_tokens: 100_000,
    messages: [{ role: "user", content: scriptPrompt({ tag, acts: [act] }) }],
  });
  const text = await response.text();
  call.isServed = response.status === 200;
  call.isRefused = !call.isServed && !text.includes('"storage_away"');
}
