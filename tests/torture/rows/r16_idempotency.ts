/**
 * R16: the same request under one Idempotency-Key, fifty times at once and across kills.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { until } from "../../support/until.ts";
import { checkBookRows } from "../books/check_books.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { mixedCatalogue } from "../model/mixed_catalogue.ts";
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

const TIMES = 50;
const CREDIT_E8 = 100_000_000_000n;

export const row: ScorecardRow = {
  id: "R16",
  title: "Idempotency-Key",
  seededBug: {
    name: "followers_do_not_wait",
    says: "a request does not look whether an equal one is under way",
    edits: [{
      file: "src/idempotency/repeated_requests.ts",
      find: "const leader = this.#leaders.get(place);",
      replace: "const leader = undefined as Leader | undefined;",
    }],
  },
  async run({ size, folder, note }) {
    const rounds = size.pick({ commit: 2, full: 10 });
    const found = new RowFinding(
      `${TIMES} equal requests at once, ${REPEATABLE.length} kinds, ${rounds} times; kills between`,
    );
    await using upstream = await startFaultUpstream();
    const dataDir = `${folder}/data`;
    let gateway = await serveGateway({ dataDir, catalogue: mixedCatalogue(upstream.url) });
    const restart = async () => {
      await gateway.server.kill();
      await gateway[Symbol.asyncDispose]();
      gateway = await serveGateway({ dataDir });
    };
    let tag = 0;
    let asked = 0;
    let expected = 0n;
    try {
      await gateway.credit("north", "1000");
      const key = await gateway.key("north");
      const send = (kind: Repeatable, prompt: string, change = 0) =>
        postRepeatable(gateway, kind, { key, name: `key-${tag}`, prompt, change });

      for (let round = 0; round < rounds; round++) {
        for (const kind of REPEATABLE) {
          const prompt = repeatablePrompt(++tag);
          const answers = await Promise.all(
            Array.from({ length: TIMES }, () => send(kind, prompt)),
          );
          requireEqual(found, kind, answers);
          const changed = await send(kind, prompt, 1);
          found.require(
            changed.status === 400 && changed.text.includes("idempotency_key_reused"),
            () => `${kind.name}: another body is answered ${changed.status} ${changed.text}`,
          );
          asked += TIMES;
          expected += kind.charge;
          if (round > 0) continue;
          await restart();
          const after = await send(kind, prompt);
          requireEqual(found, kind, [...answers.slice(0, 1), after]);
          found.require(after.isRepeated, `${kind.name}: after a kill it was made anew`);
          await requireAsked(found, upstream, { kind, tag, times: 1 });
        }
        note(`R16 round ${round + 1} of ${rounds}: ${asked} requests`);
      }
      // Killed in mid-call, a request frees its key: the repeat is a call of its own.
      for (const kind of REPEATABLE.filter(({ isRemote }) => isRemote)) {
        const prompt = repeatablePrompt(++tag, [{ delayMs: 500 }]);
        const lost = Promise.allSettled(Array.from({ length: TIMES }, () => send(kind, prompt)));
        await upstream.received(tag);
        await restart();
        await lost;
        const answers = await Promise.all(Array.from({ length: TIMES }, () => send(kind, prompt)));
        requireEqual(found, kind, answers);
        asked += 2 * TIMES;
        expected += kind.charge;
        await requireAsked(found, upstream, { kind, tag, times: 2 });
      }
      await until("films to be made", async () => {
        const shown = await gateway.get("/v1/videos?limit=100", key);
        return shown.data.every(({ status }: { status: string }) => status === "completed");
      }, { everyMs: 200 });
      const rows = await quietBooks(dataDir);
      found.requireNone(checkBookRows(rows));
      const { avail } = rows.projects.find(({ id }) => id === "north")!;
      const charged = CREDIT_E8 - avail;
      found.require(charged === expected, `${charged} was charged, not ${expected}`);
      const settled = rows.calls.filter(({ state }) => state === "settled").length;
      found.count("requests", asked);
      found.count("charged calls", settled, { exactly: (rounds + 1) * REPEATABLE.length - 1 });
    } finally {
      await gateway[Symbol.asyncDispose]();
    }
    return found;
  },
};
