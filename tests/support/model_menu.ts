/**
 * A catalogue with a model of every sort that a caller can meet, and how to look at it.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { TestGateway } from "./gateway.ts";

/** One model for each rule of the model list. */
export const MODEL_MENU = `
providers:
  - { id: a, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1", auth: none, official: true }
  - { id: b, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1", auth: none }
models:
  - id: chat/paid
    kind: chat
    aliases: [paid]
    routes:
      - { id: a/paid, provider: a, risk_level: medium, sale: { input: "0.25", output: "2", request: "0.01" } }
      - { id: b/paid, provider: b, cost: { input: "0.2", output: "1" }, sale: { markup: "1.1" } }
      - { id: b/cheap-but-off, provider: b, enabled: false, sale: { input: "0.01", output: "0.01" } }
      - { id: b/cheap-but-broken, provider: b, maintenance: true, sale: { input: "0.01", output: "0.01" } }
  - id: chat/hidden-sources
    kind: chat
    manual_selection: false
    routes: [{ id: a/hidden, provider: a, sale: { input: "1", output: "1" } }]
  - id: chat/free
    kind: chat
    routes: [{ id: a/free, provider: a, free: true }]
  - id: chat/free-input
    kind: chat
    routes: [{ id: a/free-input, provider: a, sale: { input: "0", output: "3" } }]
  - id: chat/unpriced
    kind: chat
    routes: [{ id: a/unpriced, provider: a }]
  - id: chat/without-routes
    kind: chat
  - id: embed
    kind: embedding
    routes: [{ id: a/embed, provider: a, sale: { input: "0.02" } }]
  - id: video
    kind: video
    routes:
      - id: a/video
        provider: a
        video: { sizes: [640x360, 1280x720], seconds: [4] }
        sale: { second: { "640x360": "0.01", "1280x720": "0.02" } }
projects:
  - { id: default, unlimited: true, limits: { requests_per_minute: 7, concurrent: 3 } }
  - { id: paying, unlimited: false }
  - { id: narrow, unlimited: true, models: ["chat/*"] }
`;

/** Fetches JSON with a key; every answer has its id. */
export async function getJson(gateway: TestGateway, path: string, key?: string) {
  const response = await fetch(gateway.url + path, {
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  });
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.match(response.headers.get("x-request-id") ?? "", /^req_/);
  return { status: response.status, body: await response.json() };
}
