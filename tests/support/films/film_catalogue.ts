/**
 * Video models with a price, here and at an upstream, and the projects that pay.
 *
 * @module
 */

/** What each project is credited with. */
export const CREDIT = "100";

/** Keys of the upstream provider, by the variables that hold them. */
export const UPSTREAM_KEYS = {
  UPSTREAM_KEY_A: "sk-upstream-aaaaaaaaaaaaaaaa",
  UPSTREAM_KEY_B: "sk-upstream-bbbbbbbbbbbbbbbb",
} as const;

/** Price of a second of film, the same on every route. */
export const PRICE_PER_SECOND = "0.25000000";

const OFFER = "video: { sizes: [64x64, 640x360], seconds: [1, 2, 4] }";
const PRICE = `cost: { second: "0.10" }, sale: { second: "${PRICE_PER_SECOND}" }`;

/**
 * `film` is rendered here, `slow` too but lasts a while; `crash`, `stall` and
 * `fail` befall what the renderer's faults of these names say; `remote` is made
 * by the upstream, if there is one. `talk` is a chat model of another upstream, if
 * there is that.
 */
export function filmCatalogue(
  upstreamUrl?: string,
  { chatUrl }: { readonly chatUrl?: string } = {},
): string {
  const local = {
    film: "video-2",
    slow: "video-2:slow-100",
    crash: "video-2:crash",
    stall: "video-2:stall",
    fail: "video-2:fail",
  };
  const remote = upstreamUrl !== undefined;
  return `
providers:
  - { id: builtin, kind: builtin }
${
    remote
      ? `  - { id: remote, kind: openai_compatible, base_url: "${upstreamUrl}", api_key: [${
        Object.keys(UPSTREAM_KEYS).map((name) => `"env:${name}"`).join(", ")
      }] }`
      : ""
  }
${
    chatUrl === undefined
      ? ""
      : `  - { id: chat, kind: openai_compatible, base_url: "${chatUrl}", auth: none }`
  }
models:
${
    Object.entries(local).map(([model, upstreamModel]) =>
      `  - id: ${model}
    kind: video
    routes:
      - { id: builtin/${model}, provider: builtin, upstream_model: "${upstreamModel}", ${OFFER}, ${PRICE} }`
    )
      .join("\n")
  }
${
    remote
      ? `  - id: remote
    kind: video
    routes:
      - { id: remote/wan, provider: remote, upstream_model: wan-2, ${OFFER}, ${PRICE} }`
      : ""
  }
${
    chatUrl === undefined ? "" : `  - id: talk
    kind: chat
    routes:
      - { id: chat/m, provider: chat, upstream_model: m, cost: { input: "0", output: "1" }, sale: { input: "0", output: "2" } }`
  }
projects:
  - { id: shop, unlimited: false }
  - { id: studio, unlimited: false }
  - { id: staff, unlimited: true }
`;
}
