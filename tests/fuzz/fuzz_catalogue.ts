/**
 * What is fuzzed: a catalogue with every kind of model, its faults scripted, and projects that can
 * pay, cannot, and may do little.
 *
 * @module
 */

/** Models by the path that serves them; all are cheap, quick and of few bytes. */
export const MODELS = {
  chat: ["echo", "echo-alias", "steady", "plain", "busy", "cut", "closed"],
  embedding: ["vectors", "remote-vectors"],
  video: ["film"],
  completion: ["completer"],
  image: ["painter"],
  speech: ["speaker"],
  transcription: ["hearer"],
  moderation: ["judge", "omni-moderation-latest"],
  rerank: ["ranker"],
} as const;

/** Models whose upstream is scripted to fail: the only ones that may be answered 502 or 503. */
export const FAILING_MODELS: readonly string[] = ["busy", "cut", "closed"];

/** Routes and providers, for the fields that name them. */
export const ROUTES = ["builtin/echo", "remote/plain", "builtin/vectors", "builtin/film"] as const;
/** See {@linkcode ROUTES}. */
export const PROVIDERS = ["builtin", "remote"] as const;

/** What the paying project has at first. */
export const CREDIT = "1000000";

/** The catalogue; the upstream is a fault upstream without a script, which answers everything. */
export function fuzzCatalogue(upstreamUrl: string): string {
  const price = `sale: { input: "2", output: "4" }, cost: { input: "1", output: "2" }`;
  const echoes = [["echo", "echo-1"], ["steady", "echo-1:slow-2"], ["slow", "echo-1:slow-60000"], [
    "busy",
    "echo-1:status-503",
  ], [
    "cut",
    "echo-1:cut-3",
  ]];
  const echoModels = echoes.map(([id, upstreamModel]) => `
  - id: ${id}
    kind: chat
    ${id === "echo" ? "aliases: [echo-alias]" : "aliases: []"}
    routes: [{ id: builtin/${id}, provider: builtin, upstream_model: "${upstreamModel}", ${price} }]`)
    .join("");
  return `
providers:
  - { id: builtin, kind: builtin }
  - { id: remote, kind: openai_compatible, base_url: "${upstreamUrl}", auth: none }
models:${echoModels}
  - id: closed
    kind: chat
    routes: [{ id: builtin/closed, provider: builtin, upstream_model: echo-1, enabled: false, ${price} }]
  - id: plain
    kind: chat
    routes: [{ id: remote/plain, provider: remote, upstream_model: theirs, ${price} }]
  - id: vectors
    kind: embedding
    routes: [{ id: builtin/vectors, provider: builtin, upstream_model: hash-embed-1, sale: { input: "1" } }]
  - id: remote-vectors
    kind: embedding
    routes: [{ id: remote/vectors, provider: remote, upstream_model: theirs, sale: { input: "1" } }]
  - id: completer
    kind: chat
    routes: [{ id: remote/completer, provider: remote, upstream_model: theirs, supports: { completions: true }, ${price} }]
  - id: painter
    kind: image
    routes: [{ id: remote/painter, provider: remote, upstream_model: theirs, sale: { image_out: "0.01" } }]
  - id: speaker
    kind: speech
    routes: [{ id: remote/speaker, provider: remote, upstream_model: theirs, sale: { character: "15" } }]
  - id: hearer
    kind: transcription
    routes: [{ id: remote/hearer, provider: remote, upstream_model: theirs, sale: { audio_second: "0.0001" } }]
  - id: judge
    kind: moderation
    aliases: [omni-moderation-latest]
    routes: [{ id: remote/judge, provider: remote, upstream_model: theirs, sale: { input: "1" } }]
  - id: ranker
    kind: rerank
    routes: [{ id: remote/ranker, provider: remote, upstream_model: theirs, sale: { search_unit: "0.001" } }]
  - id: film
    kind: video
    routes:
      - id: builtin/film
        provider: builtin
        upstream_model: video-2
        video: { sizes: ["64x64"], seconds: [1] }
        sale: { second: "0.25" }
  - id: hidden
    kind: chat
    routes: [{ id: builtin/hidden, provider: builtin, upstream_model: echo-1, ${price} }]
projects:
  - id: paying
    unlimited: false
    models: [echo, steady, slow, busy, cut, closed, plain, vectors, remote-vectors, film, completer, painter, speaker, hearer, judge, ranker]
    limits: { open_video_tasks: 8 }
  - { id: poor, unlimited: false }
  - { id: hurried, unlimited: true, limits: { requests_per_minute: 20, tokens_per_minute: 400 } }
`;
}
