/**
 * What the scenarios of the official clients may ask for.
 *
 * @module
 */

import type { FakeUpstream } from "../../support/fake_upstream.ts";

/** Models whose faults are the built-in ones, by what they do. */
const ECHOES = [
  ["echo-1", "echo-1"],
  ["slow", "echo-1:slow-60000"],
  ["steady", "echo-1:slow-20"],
  ["cut", "echo-1:cut-3"],
  ["busy", "echo-1:status-503"],
] as const;

/**
 * The catalogue of all scenarios. At the upstream: `plain`, which has only chat, and
 * `native`, which has `/responses`.
 */
export function catalogue(upstream: FakeUpstream): string {
  const price = `sale: { input: "2", output: "4" }, cost: { input: "1", output: "2" }`;
  const echoes = ECHOES.map(([id, upstreamModel]) => `
  - id: ${id}
    kind: chat
    aliases: ["${id}-alias"]
    routes: [{ id: builtin/${id}, provider: builtin, upstream_model: "${upstreamModel}", ${price} }]`);
  return `
providers:
  - { id: builtin, kind: builtin }
  - { id: faulty, kind: openai_compatible, base_url: "${upstream.url}", auth: none }
models:
${echoes.join("")}
  - id: off
    kind: chat
    routes: [{ id: builtin/off, provider: builtin, upstream_model: echo-1, enabled: false, ${price} }]
  - id: native
    kind: chat
    routes: [{ id: faulty/native, provider: faulty, upstream_model: theirs, supports: { responses: true }, ${price} }]
  - id: plain
    kind: chat
    routes: [{ id: faulty/plain, provider: faulty, upstream_model: theirs, ${price} }]
  - id: vectors
    kind: embedding
    routes: [{ id: builtin/vectors, provider: builtin, upstream_model: hash-embed-1, free: true }]
projects:
  - { id: default, unlimited: true }
  - { id: other, unlimited: true }
  - { id: single, unlimited: true, limits: { concurrent: 1 } }
  - { id: broke, unlimited: false }
  - { id: payer, unlimited: false }
`;
}
