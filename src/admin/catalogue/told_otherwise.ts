/**
 * Where a provider's upstream says otherwise of its models than the catalogue does, or than the shipped
 * list does where that says nothing.
 *
 * @module
 */

import { SUPPORTS } from "../../catalog/spelled_fields.ts";
import { providerToFile } from "../../catalog/to_file.ts";
import { isWildcard } from "../../catalog/wildcard.ts";
import type { Catalogue, Route } from "../../domain/catalogue.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Provider } from "../../providers/contract/provider.ts";
import { modelTraits } from "./model_traits.ts";

/** Models that are asked about. */
const MOST_MODELS = 20;

/**
 * One sentence for each route that differs; none where the upstream tells nothing of its models.
 *
 * @throws What is no `UpstreamError`.
 */
export async function toldOtherwise(
  { models, providers }: Catalogue,
  { id, describeModel }: Pick<Provider, "id" | "describeModel">,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const settings = providers.find((one) => one.id === id);
  if (describeModel === undefined || settings === undefined) return [];
  const routes = models.flatMap((model) => isWildcard(model.id) ? [] : model.routes)
    .filter(({ providerId }) => providerId === id);
  const names = [...new Set(routes.map(({ upstreamModel }) => upstreamModel))];
  const told = new Map(
    await Promise.all(
      names.slice(0, MOST_MODELS).map(async (name) =>
        [name, await ifAnswered(describeModel(name, signal))] as const
      ),
    ),
  );
  const written = providerToFile(settings);
  return routes.flatMap((route) => {
    const known = {
      ...modelTraits(written, route.upstreamModel),
      ...SUPPORTS.write(route.supports),
    };
    const other = Object.entries(told.get(route.upstreamModel) ?? {})
      .filter(([name, value]) => known[name] !== undefined && known[name] !== value);
    return other.length === 0 ? [] : [sentence(route, other, known)];
  });
}

/** Others that offer the dialect have no such path. */
async function ifAnswered<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof UpstreamError) return undefined;
    throw error;
  }
}

function sentence(
  { id, upstreamModel }: Route,
  other: readonly (readonly [string, unknown])[],
  known: { readonly [name: string]: unknown },
): string {
  const words = other.map(([name, value]) => `${name} ${value} (here: ${known[name]})`);
  return `it says otherwise of ${upstreamModel} than route ${id}: ${words.join(", ")}; ` +
    `\`tollgate routes set ${id}\` changes its supports`;
}
