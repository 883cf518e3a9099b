/**
 * R16: the same request under one Idempotency-Key, fifty times at once and across kills.
 *
 * @module
 */

import {
  type FaultUpstream,
  startFaultUpstream,
} from "../../support/fault_upstream/fault_upstream.ts";
import { scriptPrompt } from "../../support/fault_upstream/upstream_script.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { until } from "../../support/until.ts";
import { checkBookRows } from "../books/check_books.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { FILM_E8, mixedCatalogue, saleOf } from "../model/mixed_catalogue.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const TIMES = 50;
const CREDIT_E8 = 100_000_000_000n;
const USAGE = { prompt: 30, completion: 200 };

/** A kind of request that may be repeated. */
interface Repeatable {
  readonly name: string;
  readonly path: string;
  /** The body of a request; `change` makes it another one. */
  readonly body: (prompt: string, change: number) => object;
  readonly charge: bigint;
  /** Whether an upstream is asked, whose log tells how often. */
  readonly isRemote: boolean;
}

const CHAT_E8 = saleOf("remote/chat", USAGE.prompt, USAGE.completion);

const KINDS: readonly Repeatable[] = [false, true].flatMap((stream): Repeatable[] => [
  {
    name: stream ? "chat stream" : "chat",
    path: "/chat/completions",
    body: (content, change) => ({
      model: "chat",
      stream,
      max_tokens: 400 + change,
      messages: [{ role: "user", content }],
    }),
    charge: CHAT_E8,
    isRemote: true,
  },
  {
    name: stream ? "responses stream" : "responses",
    path: "/responses",
    body: (input, change) => ({ model: "chat", stream, max_output_tokens: 400 + change, input }),
    charge: CHAT_E8,
    isRemote: true,
  },
]).concat([
  {
    name: "embeddings",
    path: "/embeddings",
    body: (input, change) => ({ model: "embed", input: [...Array(change).fill("more"), input] }),
    charge: saleOf("remote/embed", USAGE.prompt, 0),
    isRemote: true,
  },
  {
    name: "films",
    path: "/videos",
    body: (_, change) => ({ model: "film", prompt: `kite ${change}`, size: "64x64", seconds: "1" }),
    charge: FILM_E8,
    isRemote: false,
  },
]);

interface Answer {
  readonly status: number;
  /** Without comments, which only keep a stream alive. */
  readonly text: string;
  readonly isRepeated: boolean;
}

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
      `${TIMES} equal requests at once, ${KINDS.length} kinds, ${rounds} times; kills between`,
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
        post(gateway, kind, { key, name: `key-${tag}`, prompt, change });

      for (let round = 0; round < rounds; round++) {
        for (const kind of KINDS) {
          const prompt = promptOf(++tag, {});
          const answers = await Promise.all(
            Array.from({ length: TIMES }, () => send(kind, prompt)),
          );
          compare(found, kind, answers);
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
          compare(found, kind, [...answers.slice(0, 1), after]);
          found.require(after.isRepeated, `${kind.name}: after a kill it was made anew`);
          await requireOnce(found, upstream, { kind, tag, times: 1 });
        }
        note(`R16 round ${round + 1} of ${rounds}: ${asked} requests`);
      }
      // Killed in mid-call, a request frees its key: the repeat is a call of its own.
      for (const kind of KINDS.filter(({ isRemote }) => isRemote)) {
        const prompt = promptOf(++tag, { delayMs: 500 });
        const lost = Promise.allSettled(Array.from({ length: TIMES }, () => send(kind, prompt)));
        await upstream.received(tag);
        await restart();
        await lost;
        const answers = await Promise.all(Array.from({ length: TIMES }, () => send(kind, prompt)));
        compare(found, kind, answers);
        asked += 2 * TIMES;
        expected += kind.charge;
        await requireOnce(found, upstream, { kind, tag, times: 2 });
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
      found.count("charged calls", settled, { exactly: (rounds + 1) * KINDS.length - 1 });
    } finally {
      await gateway[Symbol.asyncDispose]();
    }
    return found;
  },
};

function promptOf(tag: number, act: { readonly delayMs?: number }): string {
  return scriptPrompt({ tag, acts: [{ delayMs: 30, usage: USAGE, ...act }] });
}

async function post(gateway: ServedGateway, { path, body }: Repeatable, options: {
  readonly key: string;
  readonly name: string;
  readonly prompt: string;
  readonly change: number;
}): Promise<Answer> {
  const { key, name, prompt, change } = options;
  const response = await fetch(`${gateway.url}/v1${path}`, {
    method: "POST",
    headers: {
      "authorization": `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": name,
    },
    body: JSON.stringify(body(prompt, change)),
  });
  return {
    status: response.status,
    text: (await response.text()).replace(/^: keepalive\n\n/gm, ""),
    isRepeated: response.headers.get("idempotent-replayed") === "true",
  };
}

function compare(found: RowFinding, { name }: Repeatable, answers: readonly Answer[]): void {
  const [first] = answers;
  for (const { status, text } of answers) {
    found.require(
      status === 200 && text === first!.text,
      () => `${name}: one is answered ${status} ${text}, another ${first!.status} ${first!.text}`,
    );
  }
}

async function requireOnce(found: RowFinding, upstream: FaultUpstream, { kind, tag, times }: {
  readonly kind: Repeatable;
  readonly tag: number;
  readonly times: number;
}): Promise<void> {
  if (!kind.isRemote) return;
  await found.during("the upstream's attempts", () => upstream.ended());
  const calls = upstream.log.records.filter((record) => record.tag === tag).length;
  found.require(
    calls === times,
    `${kind.name}: the upstream was asked ${calls} times, not ${times}`,
  );
}
