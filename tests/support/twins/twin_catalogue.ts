/**
 * What twin gateways serve: many models that are alike, so that each case finds routes that have had no
 * trouble yet, and projects that differ in what they may.
 *
 * @module
 */

/** Models of each kind; a case takes the next one. */
export const MODELS = 60;

/** Projects of a catalogue; each has one key. */
const PROJECTS = {
  free: "unlimited: true",
  paying: "unlimited: false",
  /** Has a balance that few calls fit in. */
  slim: "unlimited: false",
  /** Has none. */
  poor: "unlimited: false",
  keeping: "unlimited: true, quotas: { prompt_days: 2 }",
  cached: "unlimited: true, quotas: { cache_seconds: 60 }",
  narrow: "unlimited: true, models: [warm]",
  rate0: "unlimited: true, limits: { requests_per_minute: 2 }",
  rate1: "unlimited: false, limits: { requests_per_minute: 3, concurrent: 1 }",
  tokens0: "unlimited: true, limits: { tokens_per_minute: 400 }",
  tokens1: "unlimited: false, limits: { tokens_per_minute: 3000, concurrent: 1 }",
  single: "unlimited: true, limits: { concurrent: 1 }",
} as const;

export type ProjectName = keyof typeof PROJECTS;
export const PROJECT_NAMES = Object.keys(PROJECTS) as readonly ProjectName[];

/** Which have a balance, and of how much. */
export const CREDITS: { readonly [name in ProjectName]?: string } = {
  paying: "1000",
  rate1: "10",
  tokens1: "10",
  slim: "0.01",
};

/** Secrets of the providers that have keys. */
export const SECRETS: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: MODELS }, (_, at) => [
    [`ONE_${at}`, `upstream-key-one-${at}`],
    [`TWO_${at}`, `upstream-key-two-${at}`],
  ]).flat(),
);

/** Silence that the routes of models `brief-…` bear; those of others bear the usual. */
const BRIEF = "timeouts: { first_byte_ms: 300, idle_ms: 300, total_ms: 900 }";

/**
 * Models `warm`, and `usual-…`, `brief-…` of two routes each, all at one upstream; of every second one
 * the first route has two keys.
 */
export function twinCatalogue(url: string): string {
  const providers = [`  - { id: w, kind: openai_compatible, base_url: "${url}", auth: none }`];
  const models = [modelLine("warm", [routeOf("w", "warm", "1")])];
  for (let at = 0; at < MODELS; at++) {
    for (const [name, more] of [["usual", ""], ["brief", `, ${BRIEF}`]] as const) {
      const keys = at % 2 === 0 ? "auth: none" : `api_key: ["env:ONE_${at}", "env:TWO_${at}"]`;
      const first = `${name}-a${at}`;
      const second = `${name}-b${at}`;
      providers.push(
        `  - { id: ${first}, kind: openai_compatible, base_url: "${url}", ${keys}${more} }`,
        `  - { id: ${second}, kind: openai_compatible, base_url: "${url}", auth: none${more} }`,
      );
      const model = `${name}-${at}`;
      models.push(modelLine(model, [routeOf(first, model, "1"), routeOf(second, model, "3")]));
    }
  }
  const projects = Object.entries(PROJECTS).map(([id, more]) => `  - { id: ${id}, ${more} }`);
  return [
    "currency: USD",
    "providers:",
    ...providers,
    "models:",
    ...models,
    "projects:",
    ...projects,
    "",
  ].join("\n");
}

function modelLine(id: string, routes: readonly string[]): string {
  return `  - { id: ${id}, kind: chat, routes: [${routes.join(", ")}] }`;
}

function routeOf(provider: string, model: string, price: string): string {
  const money =
    `cost: { input: "${price}", output: "${price}" }, sale: { input: "4", output: "8" }`;
  return `{ id: ${provider}/${model}, provider: ${provider}, upstream_model: at-${provider}, ` +
    `priority: ${price}, ${money} }`;
}
