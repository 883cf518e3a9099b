/**
 * Bodies that are more work than they look: wrong in every element, wide, deep, with very many keys.
 *
 * @module
 */

import { type Hostility, sendAgainAndAgain } from "./hostile_world.ts";

const MEGABYTE = 1024 ** 2;
const JSON_TYPE = { "content-type": "application/json" };
const SENDERS = 2;

/** `[item,item,…]`, so many bytes long. */
function listOf(item: string, megabytes: number): string {
  return `[${`${item},`.repeat(Math.floor(megabytes * MEGABYTE / (item.length + 1)))}${item}]`;
}

/** `{"k0":1,"k1":1,…}`, about so many bytes long. */
function wideObject(megabytes: number): string {
  const count = Math.floor(megabytes * MEGABYTE / 12);
  return `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(",")}}`;
}

function chatWith(field: string, value: string): string {
  return `{"model":"plain","messages":[{"role":"user","content":"hi"}],"${field}":${value}}`;
}

/** A body that a project without a balance sends. */
interface HostileBody {
  readonly name: string;
  readonly path: string;
  readonly text: () => string;
  readonly headers?: Readonly<Record<string, string>>;
}

const BODIES: readonly HostileBody[] = [
  {
    name: "wrong messages",
    path: "chat/completions",
    text: () => `{"model":"plain","messages":${listOf("0", 4)}}`,
  },
  {
    name: "wrong tools",
    path: "chat/completions",
    text: () => chatWith("tools", listOf("0", 4)),
  },
  {
    name: "wrong risk levels",
    path: "chat/completions",
    text: () => chatWith("source_policy", `{"exclude_risk_levels":${listOf("0", 4)}}`),
  },
  {
    name: "messages of wrong parts",
    path: "chat/completions",
    text: () => `{"model":"plain","messages":[{"role":"user","content":${listOf("{}", 4)}}]}`,
  },
  {
    name: "very many keys",
    path: "chat/completions",
    text: () => chatWith("metadata", wideObject(9)),
  },
  {
    name: "very many keys, repeated safely",
    path: "chat/completions",
    text: () => chatWith("metadata", wideObject(9)),
    headers: { "idempotency-key": "hostile" },
  },
  {
    name: "wrong items",
    path: "responses",
    text: () => `{"model":"plain","input":${listOf("0", 4)}}`,
  },
  {
    name: "wrong inputs",
    path: "embeddings",
    text: () => `{"model":"embed","input":${listOf("{}", 4)}}`,
  },
  {
    name: "very many tokens",
    path: "embeddings",
    text: () => `{"model":"embed","input":${listOf("[1]", 8)}}`,
  },
  {
    name: "18 MB of text",
    path: "chat/completions",
    text: () => `{"model":"plain","messages":[{"role":"user","content":"${"x".repeat(18e6)}"}]}`,
  },
];

/** A hostility for each body, and one for forms. */
export const HOSTILE_BODIES: readonly Hostility[] = [
  ...BODIES.map(({ name, path, text, headers }): Hostility => ({
    name,
    async run(world) {
      const body = text();
      const request = () => ({
        key: world.poor,
        path,
        body,
        headers: { ...JSON_TYPE, ...headers },
      });
      await sendAgainAndAgain(world, { senders: SENDERS, request });
    },
  })),
  {
    name: "a form of very many fields",
    async run(world) {
      const boundary = "hostile-boundary";
      const field = (index: number) =>
        `--${boundary}\r\ncontent-disposition: form-data; name="f${index}"\r\n\r\n1\r\n`;
      const fields = Array.from({ length: 100_000 }, (_, index) => field(index)).join("");
      const body = `${fields}--${boundary}--\r\n`;
      const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
      const request = () => ({ key: world.poor, path: "videos", body, headers });
      await sendAgainAndAgain(world, { senders: SENDERS, request });
    },
  },
];
