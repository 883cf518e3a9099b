/**
 * What the worlds of the security tests are made of: every kind of model, built in
 * and at an upstream, and projects that are strangers to each other.
 *
 * @module
 */

/** Where the upstream's secret is. */
export const UPSTREAM_VARIABLE = "SECURITY_UPSTREAM_KEY";

/** Projects of the catalogue; none knows of the others. */
export const WORLD_PROJECTS = ["mine", "theirs"] as const;
/** One of {@linkcode WORLD_PROJECTS}. */
export type WorldProject = typeof WORLD_PROJECTS[number];

/** A chat, a Responses and an embedding model here and at the upstream, and a film. */
export function worldCatalogue(upstreamUrl: string): string {
  const price = `cost: { input: "1", output: "1" }, sale: { input: "2", output: "2" }`;
  return `
providers:
  - { id: builtin, kind: builtin }
  - { id: remote, kind: openai_compatible, base_url: "${upstreamUrl}", api_key: "env:${UPSTREAM_VARIABLE}" }
models:
  - id: echo
    kind: chat
    routes: [{ id: builtin/echo, provider: builtin, upstream_model: echo-1, ${price} }]
  - id: plain
    kind: chat
    routes: [{ id: remote/plain, provider: remote, upstream_model: their-chat, supports: { vision: true }, ${price} }]
  - id: native
    kind: chat
    routes: [{ id: remote/native, provider: remote, upstream_model: their-native, supports: { responses: true, vision: true }, ${price} }]
  - id: vectors
    kind: embedding
    routes: [{ id: builtin/vectors, provider: builtin, upstream_model: hash-embed-1, sale: { input: "1" } }]
  - id: remote-vectors
    kind: embedding
    routes: [{ id: remote/vectors, provider: remote, upstream_model: their-vectors, sale: { input: "1" } }]
  - id: film
    kind: video
    routes:
      - id: builtin/film
        provider: builtin
        upstream_model: video-2
        video: { sizes: ["64x64"], seconds: [1] }
        sale: { second: "0.25" }
projects:
${
    WORLD_PROJECTS.map((id) =>
      `  - { id: ${id}, unlimited: false, limits: { open_video_tasks: 100 } }`
    ).join("\n")
  }
`;
}
