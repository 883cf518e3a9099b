/**
 * N11: the same request under one Idempotency-Key, fifty times at once on three nodes; the one that
 * answers it is killed.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { mixedCatalogue } from "../model/mixed_catalogue.ts";
import { SeveralNodes } from "../nodes/several_nodes.ts";
import {
  postRepeatable,
  REPEATABLE,
  type Repeatable,
  repeatablePrompt,
  requireAsked,
  requireEqual,
} from "../repeatable_requests.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import { quickReap } from "../test_build/quick_reap.ts";

const TIMES = 50;
const CREDIT_E8 = 100_000_000_000n;
const KINDS = REPEATABLE.filter(({ isRemote }) => isRemote);

export const row: ScorecardRow = {
  id: "N11",
  title: "Idempotency-Key over nodes",
  tools: ["postgresql"],
  testBuild: [quickReap],
  seededBug: {
    name: "claims_of_others_do_not_count",
    says: "a request is answered though another node answers an equal one",
    edits: [{
      file: "src/storage/postgres/key_claims.ts",
      find: "if (row!.claimed === 1) return undefined;",
      replace: "if (row!.claimed === 1 || row!.lives === 1) return undefined;",
    }],
  },
  async run({ size, random, folder, note }) {
    const rounds = size.pick({ commit: 1, full: 10 });
    const found = new RowFinding(
      `${TIMES} equal requests at once on three nodes, ${KINDS.length} kinds, ${rounds} times; ` +
        `as often with the node killed that answers them`,
    );
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log` });
    await using nodes = await SeveralNodes.start({ folder, upstream });
    await nodes.at(0).apply(mixedCatalogue(upstream.url));
    await nodes.at(0).credit("north", "1000");
    const key = await nodes.newKey("north");
    let expected = 0n;
    /** Sends one at a node, or at any. */
    const send = (
      kind: Repeatable,
      { tag, prompt, node = random.integer(0, nodes.all.length - 1), change = 0 }: {
        readonly tag: number;
        readonly prompt: string;
        readonly node?: number;
        readonly change?: number;
      },
    ) => postRepeatable(nodes.at(node), kind, { key, name: `key-${tag}`, prompt, change });

    for (let round = 1; round <= rounds; round++) {
      for (const kind of KINDS) {
        const tag = nodes.nextTag();
        const prompt = repeatablePrompt(tag);
        const answers = await Promise.all(
          Array.from({ length: TIMES }, () => send(kind, { tag, prompt })),
        );
        requireEqual(found, kind, answers);
        await requireAsked(found, upstream, { kind, tag, times: 1 });
        for (const node of nodes.all.keys()) {
          const changed = await send(kind, { tag, prompt, node, change: 1 });
          found.require(
            changed.status === 400 && changed.text.includes("idempotency_key_reused"),
            () => `${kind.name}: another body is answered ${changed.status} ${changed.text}`,
          );
        }
        expected += kind.charge;
      }

      const victim = random.integer(0, nodes.all.length - 1);
      const survivors = [...nodes.all.keys()].filter((node) => node !== victim);
      const asked = KINDS.map((kind) => {
        const tag = nodes.nextTag();
        return { kind, tag, prompt: repeatablePrompt(tag, [{ isSilent: true }, {}]) };
      });
      const lost = asked.map(({ kind, ...request }) => send(kind, { ...request, node: victim }));
      const ended = Promise.allSettled(lost);
      await Promise.all(asked.map(({ tag }) => upstream.received(tag)));
      const waiting = asked.map(({ kind, ...request }) =>
        Promise.all(
          Array.from(
            { length: TIMES - 1 },
            () => send(kind, { ...request, node: random.pick(survivors) }),
          ),
        )
      );
      await nodes.at(victim).server.kill();
      await ended;
      for (const [at, { kind, tag }] of asked.entries()) {
        await found.during(`${kind.name} after the kill`, async () => {
          requireEqual(found, kind, await waiting[at]!);
        });
        await requireAsked(found, upstream, { kind, tag, times: 2 });
        expected += kind.charge;
      }
      await nodes.startNode(victim);
      for (const [at, { kind, ...request }] of asked.entries()) {
        const after = await send(kind, { ...request, node: victim });
        requireEqual(found, kind, [...(await waiting[at]!).slice(0, 1), after]);
        found.require(after.isRepeated, `${kind.name}: after the kill it was made anew`);
      }
      note(`N11 round ${round} of ${rounds}: ${nodes.sent} keys`);
    }
    const { calls, projects } = await nodes.requireBooks(found);
    const { avail } = projects.find(({ id }) => id === "north")!;
    const charged = CREDIT_E8 - avail;
    found.require(charged === expected, `${charged} was charged, not ${expected}`);
    const settled = calls.filter(({ state }) => state === "settled").length;
    found.count("requests", nodes.sent * TIMES);
    found.count("charged calls", settled, { exactly: nodes.sent });
    return found;
  },
};
