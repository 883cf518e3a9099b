/**
 * R41: images, speech, transcriptions and rankings whose upstreams and callers do what they should not,
 * and a kill in the midst of uploads.
 *
 * @module
 */

import { type Reply, startFakeUpstream, type Step } from "../../support/fake_upstream.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { until } from "../../support/until.ts";
import { checkBookRows } from "../books/check_books.ts";
import { quietBooks } from "../books/quiet_books.ts";
import { inParallel } from "../in_parallel.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const EVENTS = "text/event-stream";
const JSON_TYPE = "application/json";
const BOUNDARY = "edge-of-a-part";
const TEXT = "A text of fifty characters that is spoken as it is";
const TOKENS = { input_tokens: 10, output_tokens: 100, total_tokens: 110 };
const DURATION = { type: "duration", seconds: 2 };
const IMAGE = { b64_json: "iVBORw0K" };

/** What is asked, how a good answer looks, and what it costs in 1e-8 units. */
interface Manner {
  readonly kind: "image" | "speech" | "transcription" | "rerank";
  readonly sale: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whether a file goes with it, in a form. */
  readonly uploads?: boolean;
  readonly type: string;
  readonly answer: Uint8Array | object | readonly object[];
  readonly price: bigint;
}

const SPOKEN = { kind: "speech", sale: `character: "20"`, path: "/audio/speech" } as const;
const PAINTED = { kind: "image", sale: `image_out: "0.04"`, price: 4_000_000n } as const;
const HEARD = {
  kind: "transcription",
  sale: `audio_second: "0.0001"`,
  path: "/audio/transcriptions",
  uploads: true,
  price: 20_000n,
} as const;

const MANNERS: readonly Manner[] = [
  {
    ...SPOKEN,
    fields: { input: TEXT, voice: "alloy" },
    type: "audio/mpeg",
    answer: Uint8Array.from({ length: 5_000 }, (_, index) => index % 251),
    price: 100_000n,
  },
  {
    ...SPOKEN,
    fields: { input: TEXT, voice: "alloy", stream_format: "sse" },
    type: EVENTS,
    answer: [
      { type: "speech.audio.delta", audio: "AAEC" },
      { type: "speech.audio.delta", audio: "AAEC" },
      { type: "speech.audio.done", usage: TOKENS },
    ],
    price: 100_000n,
  },
  {
    ...PAINTED,
    path: "/images/generations",
    fields: { prompt: "A fox" },
    type: JSON_TYPE,
    answer: { created: 1_700_000_000, data: [IMAGE], usage: TOKENS },
  },
  {
    ...PAINTED,
    path: "/images/generations",
    fields: { prompt: "A fox", stream: true, partial_images: 1 },
    type: EVENTS,
    answer: [
      { type: "image_generation.partial_image", partial_image_index: 0, ...IMAGE },
      { type: "image_generation.completed", ...IMAGE, usage: TOKENS },
    ],
  },
  {
    ...PAINTED,
    path: "/images/edits",
    fields: { prompt: "A hat" },
    uploads: true,
    type: JSON_TYPE,
    answer: { created: 1_700_000_000, data: [IMAGE], usage: TOKENS },
  },
  { ...HEARD, fields: {}, type: JSON_TYPE, answer: { text: "Hello", usage: DURATION } },
  {
    ...HEARD,
    fields: { stream: "true" },
    type: EVENTS,
    answer: [
      { type: "transcript.text.delta", delta: "Hello" },
      { type: "transcript.text.done", text: "Hello", usage: DURATION },
    ],
  },
  {
    kind: "rerank",
    sale: `search_unit: "0.002"`,
    path: "/rerank",
    fields: { query: "a", documents: ["a"] },
    type: JSON_TYPE,
    answer: {
      results: [{ index: 0, relevance_score: 1 }],
      meta: { billed_units: { search_units: 1 } },
    },
    price: 200_000n,
  },
];

/** What happens to a call. */
type Trouble =
  | "none"
  | "cut anywhere"
  | "an error"
  | "absurd usage"
  | "a caller that leaves"
  | "half";

const WEIGHTS: Readonly<Record<Trouble, number>> = {
  "none": 3,
  "cut anywhere": 6,
  "an error": 1,
  "absurd usage": 2,
  "a caller that leaves": 2,
  // An upload that its caller gives up.
  "half": 1,
};

const ABSURD: readonly unknown[] = [
  { input_tokens: -1, output_tokens: 5 },
  { input_tokens: 1e15, output_tokens: 1e300 },
  { input_tokens: "9", output_tokens: {} },
  { type: "duration", seconds: -4 },
  { type: "duration", seconds: 1e12 },
  { search_units: 1e9 },
  [],
  "many",
];

interface Plan {
  readonly tag: number;
  readonly manner: Manner;
  readonly trouble: Trouble;
  readonly reply: Reply;
}

export const row: ScorecardRow = {
  id: "R41",
  title: "media in trouble",
  seededBug: {
    name: "speech_cut_is_whole",
    says: "speech in events that is cut before its last one is taken for a whole one",
    edits: [{
      file: "src/providers/openai_compatible/other/speak.ts",
      find: `if (by === "body" && this.#hasSound) {`,
      replace: `if (by === "body" && this.#hasSound && Math.abs(1) > 1) {`,
    }],
  },
  async run({ size, random, folder }) {
    const count = size.pick({ commit: 320, full: 2_400 });
    const found = new RowFinding(
      `${count} calls for images, speech, its words and rankings, ${
        Object.keys(WEIGHTS).length
      } fates, and a kill in mid-upload`,
    );
    const plans = Array.from({ length: count }, (_, tag) => planOf(tag, random));
    await using upstream = await startFakeUpstream(({ body }) => {
      const tag = Number(/"model"(?::"|\r\n\r\n)m(\d+)/.exec(body)?.[1]);
      return plans[tag]!.reply;
    });
    const dataDir = `${folder}/data`;
    {
      await using gateway = await serveGateway({
        dataDir,
        catalogue: catalogueOf(upstream.url, plans),
      });
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
      for (const { requestId, charged, held } of rows.calls) {
        const { trouble, manner: { price, path, type } } = expected.get(requestId) ?? {
          ...plans[0]!,
          trouble: "absurd usage",
        };
        const about = `${path} as ${type}, ${trouble}: ${requestId} was charged ${charged}`;
        if (trouble === "none") found.require(charged === price, `${about}, not ${price}`);
        if (trouble === "cut anywhere" || trouble === "an error") {
          found.require(charged === 0n, about);
        }
        found.require(charged <= held, `${about} of ${held}`);
      }
      const begun = plans.filter(({ trouble }) => trouble !== "half").length;
      found.count("calls in the books", rows.calls.length, { exactly: begun });
      found.count("files left", await filesIn(dataDir), { exactly: 0 });
      found.requireNone(checkBookRows(rows));
      // Killed with uploads under way.
      const model = plans.find(({ manner }) => manner.kind === "transcription")!;
      const held = Array.from(
        { length: 8 },
        () => post(gateway, key, model, { body: endless() }).catch(() => undefined),
      );
      await until("the uploads to be on the disk", async () => await filesIn(dataDir) === 8);
      await gateway.server.kill();
      await Promise.all(held);
    }
    await using again = await serveGateway({ dataDir });
    const { differences } = await again.cli("ledger", "verify");
    found.count("differences after the kill", differences.length, { exactly: 0 });
    found.count("files left by the kill", await filesIn(dataDir), { exactly: 0 });
    found.requireNone(checkBookRows(await quietBooks(dataDir)));
    return found;
  },
};

/** A route that has had enough trouble rests: each call has its own. */
function catalogueOf(url: string, plans: readonly Plan[]): string {
  const models = plans.map(({ tag, manner: { kind, sale } }) =>
    `  - { id: m${tag}, kind: ${kind}, routes: [{ id: up/m${tag}, provider: up, ` +
    `sale: { ${sale} } }] }`
  );
  return `
providers:
  - { id: up, kind: openai_compatible, base_url: "${url}", auth: none }
models:
${models.join("\n")}
projects: [{ id: paying, unlimited: false }]
`;
}

async function filesIn(dataDir: string): Promise<number> {
  return (await Array.fromAsync(Deno.readDir(`${dataDir}/uploads`))).length;
}

/** @returns The call's id, where its caller was told. */
async function ask(
  gateway: ServedGateway,
  key: string,
  plan: Plan,
  found: RowFinding,
): Promise<string | undefined> {
  const { tag, trouble, manner } = plan;
  const leaving = new AbortController();
  if (trouble === "half") {
    const body = endless(() => leaving.abort());
    await post(gateway, key, plan, { body, signal: leaving.signal }).catch(() => undefined);
    return undefined;
  }
  const body = manner.uploads === true ? formOf(plan) : JSON.stringify({
    model: `m${tag}`,
    ...manner.fields,
  });
  const response = await post(gateway, key, plan, { body, signal: leaving.signal });
  const id = response.headers.get("x-request-id") ?? undefined;
  if (trouble === "a caller that leaves" && manner.type !== JSON_TYPE && response.ok) {
    await response.body!.getReader().read();
    leaving.abort();
    return id;
  }
  const about = `tag ${tag}, ${manner.path}, ${trouble}`;
  let text: string | undefined;
  try {
    text = await response.text();
  } catch {
    found.require(response.ok && trouble === "cut anywhere", `${about}: its answer broke off`);
  }
  if (trouble === "none") {
    found.require(response.ok, `${about} had ${response.status}: ${text?.slice(0, 99)}`);
  }
  found.require(
    !/internal_error/.test(text ?? ""),
    `${about} met a defect: ${text?.slice(0, 200)}`,
  );
  return id;
}

function post(
  { url }: ServedGateway,
  key: string,
  { manner: { path, uploads } }: Plan,
  init: { readonly body: string | ReadableStream<Uint8Array>; readonly signal?: AbortSignal },
): Promise<Response> {
  const isForm = uploads === true || typeof init.body !== "string";
  return fetch(`${url}/v1${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": isForm ? `multipart/form-data; boundary=${BOUNDARY}` : JSON_TYPE,
    },
    ...init,
  });
}

function formOf({ tag, manner: { fields, path } }: Plan): string {
  const parts = Object.entries({ model: `m${tag}`, ...fields }).map(([name, value]) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  );
  const file = path === "/images/edits" ? "image" : "file";
  return `${parts.join("")}${fileHead(file)}${"sound ".repeat(10_000)}\r\n--${BOUNDARY}--\r\n`;
}

function fileHead(name: string): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="a.mp3"\r\n` +
    `Content-Type: audio/mpeg\r\n\r\n`;
}

/** A form whose file never ends. */
function endless(onSecond: () => void = () => {}): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let pulls = 0;
  return new ReadableStream({
    pull(controller) {
      pulls++;
      if (pulls > 1) {
        onSecond();
        return new Promise(() => {});
      }
      controller.enqueue(encoder.encode(`${fileHead("file")}${"x".repeat(100_000)}`));
      return undefined;
    },
  }, { highWaterMark: 0 });
}

function planOf(tag: number, random: SeededRandom): Plan {
  const manner = MANNERS[tag % MANNERS.length]!;
  const trouble = random.weighted(WEIGHTS);
  // Only forms are uploaded.
  const fits = trouble !== "half" || manner.uploads === true;
  const chosen = fits ? trouble : "none";
  return { tag, manner, trouble: chosen, reply: replyTo(chosen, manner, random) };
}

function replyTo(trouble: Trouble, { type, answer }: Manner, random: SeededRandom): Reply {
  const headers = { "content-type": type };
  const isSound = answer instanceof Uint8Array;
  let parts = (Array.isArray(answer) ? answer : [answer]) as readonly object[];
  if (trouble === "absurd usage" && !isSound) {
    const usage = random.pick(ABSURD);
    parts = parts.with(-1, { ...parts.at(-1), usage, meta: { billed_units: usage } });
  }
  if (trouble === "an error") {
    if (isSound) return { headers, steps: ["reset!"] };
    parts = [...parts.slice(0, -1), { error: { message: "Overloaded", type: "server_error" } }];
  }
  const text = type === EVENTS
    ? parts.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
    : JSON.stringify(parts[0]);
  const bytes = isSound ? answer : new TextEncoder().encode(text);
  if (trouble === "cut anywhere") {
    // Between two events everything looks whole.
    const isBetween = type === EVENTS && random.chance(0.5);
    const at = isBetween
      ? new TextEncoder().encode(text.slice(0, text.indexOf("\n\n") + 2)).length
      : random.integer(0, bytes.length - 3);
    const cut = bytes.slice(0, at);
    // Some servers end even what is cut as they should; of sound nobody could tell.
    const steps: Step[] = isSound || random.chance(0.5) ? [cut, "cut!"] : [cut];
    return { headers, steps };
  }
  if (trouble === "a caller that leaves" && type !== JSON_TYPE) {
    return { headers, steps: [bytes.slice(0, Math.ceil(bytes.length / 2)), "stall!"] };
  }
  return { headers, steps: [bytes] };
}
