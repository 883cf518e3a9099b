/**
 * What the catalogue needs of the world: prices, secrets, upstreams.
 *
 * @module
 */

import { type ProviderTestRow, testProvider } from "../../admin/catalogue/providers.ts";
import { missingRemedy, missingWords } from "../../admin/catalogue/secret_warnings.ts";
import type { SecretView } from "../../admin/system.ts";
import { secretValue } from "../../config/secrets.ts";
import type { Catalogue } from "../../domain/catalogue.ts";
import { hasNamedPrices, isPriced } from "../../domain/rates_for.ts";
import { type SecretUse, secretUses } from "../../domain/secret_uses.ts";
import { switchedOffWords } from "../../domain/switched_off.ts";
import { createRegistry } from "../../providers/registry.ts";
import { createTransport } from "../../providers/transport/transport.ts";
import { type Finding, listed, ok, problem, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

/** Looks for enabled routes that no call can take, as nobody has said what they cost. */
export function examinePrices({ models }: Catalogue): readonly Finding[] {
  const routes = models.flatMap(({ kind, routes }) => routes.map((route) => ({ kind, route })))
    .filter(({ route }) => route.enabled);
  const unpriced = routes.filter(({ kind, route }) =>
    !isPriced(route, kind) && !hasNamedPrices(route)
  );
  if (unpriced.length === 0) {
    return [ok("prices", `${routes.length} enabled routes, all of them priced`)];
  }
  return [
    warning(
      "prices",
      `Not offered, as there is no price: ${listed(unpriced.map(({ route }) => route.id))}`,
      "Give them sale: in the catalogue (free: true to give them away), or disable them",
    ),
  ];
}

/** Looks for routes that an operator has switched off, which may have been forgotten. */
export function examineSwitches({ models }: Catalogue): readonly Finding[] {
  const routes = models.flatMap(({ routes }) => routes);
  const off = routes.flatMap((route) =>
    switchedOffWords(route).map((words) => `${route.id} is ${words}`)
  );
  if (off.length === 0) return [ok("routes", "none is switched off by an operator")];
  return [
    warning(
      "routes",
      `Switched off: ${listed(off)}`,
      "Once they may serve again: tollgate routes enable ROUTE, or routes maintenance ROUTE --off",
    ),
  ];
}

/** Looks whether secrets have values: as the server sees them, else as this process does. */
export function examineSecrets(
  { server, resolveSecret }: Patient,
  { providers }: Catalogue,
): readonly Finding[] {
  const seen = new Map(
    server?.answers?.system.secrets.map((secret) => [secret.reference, secret]),
  );
  const references = providers.flatMap(secretUses);
  const findings = references.flatMap((use) => {
    const own = resolveSecret(use.reference);
    const isReadable = seen.get(use.reference)?.readable ?? own.ok;
    return [
      ...(isReadable ? [] : [unreadable(use, own.ok ? "" : own.message, seen)]),
      ...openToOthers(use),
    ];
  });
  if (findings.length > 0) return findings;
  const { length } = references;
  return [ok("secrets", length === 0 ? "none" : `${length} references, all of them have values`)];
}

function unreadable(
  use: SecretUse,
  message: string,
  seen: ReadonlyMap<string, SecretView>,
): Finding {
  const { reference, part, provider } = use;
  const view = seen.get(reference);
  if (view !== undefined) {
    const though = message === "" ? ", though this process has one" : "";
    const remedy = missingRemedy(use, view.trouble ?? message);
    return problem("secrets", missingWords(use) + though, capitalised(remedy));
  }
  // The server's environment may well be another than this command's.
  const detail = `${capitalised(part)} of provider ${provider} is not to be had here: ${message}`;
  return reference.startsWith("file:")
    ? problem("secrets", detail, "Put the key there, for the user that the server runs as")
    : warning("secrets", detail, "See that whoever starts the server has it");
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function openToOthers({ reference, part, provider }: SecretUse): readonly Finding[] {
  if (!reference.startsWith("file:")) return [];
  const path = reference.slice("file:".length);
  try {
    const { mode } = Deno.statSync(path);
    if (mode === null || (mode & 0o007) === 0) return [];
  } catch (error) {
    // Whether it can be read is said elsewhere.
    if (error instanceof Error) return [];
    throw error;
  }
  return [
    warning(
      "secrets",
      `Everybody on this machine may open ${reference}, ${part} of provider ${provider}`,
      `chmod o= ${path}`,
    ),
  ];
}

/** Asks every upstream in use something free: through the server, else from here. */
export async function examineUpstreams(
  patient: Patient,
  catalogue: Catalogue,
): Promise<readonly Finding[]> {
  const enabled = catalogue.models.flatMap(({ routes }) => routes).filter((route) => route.enabled);
  const used = new Set(enabled.map(({ providerId }) => providerId));
  if (patient.isOffline) return [ok("upstreams", `${used.size} in use, not asked (--offline)`)];
  const throughServer = patient.server?.testProviders();
  const keyless = throughServer === undefined ? keylessHere(patient, catalogue, used) : [];
  const here = used.difference(new Set(keyless));
  const rows = await (throughServer ?? askFromHere(patient, catalogue, here));
  const asked = rows.filter(({ provider }) => used.has(provider));
  const failed = asked.filter((row) => !row.ok);
  const findings = [
    ...failed.map(({ provider, detail }) =>
      problem(
        "upstreams",
        `${provider} does not answer as it should: ${detail}`,
        `See its base_url, key and network; tollgate providers test ${provider} asks again`,
      )
    ),
    ...(keyless.length === 0 ? [] : [
      warning(
        "upstreams",
        `Not asked, as none of their keys is to be had here: ${listed(keyless)}`,
        "Run doctor while the server runs, which has its own keys, or where they are to be had",
      ),
    ]),
  ];
  if (findings.length > 0) return findings;
  return [ok("upstreams", `${asked.length} in use, all of them answer`)];
}

/** Providers without a key in this process, which says nothing of those that a server has. */
function keylessHere(
  { resolveSecret }: Patient,
  { providers }: Catalogue,
  used: ReadonlySet<string>,
): readonly string[] {
  return providers
    .filter(({ id, apiKeys }) => used.has(id) && apiKeys.length > 0)
    .filter(({ apiKeys }) => apiKeys.every((reference) => !resolveSecret(reference).ok))
    .map(({ id }) => id);
}

async function askFromHere(
  { clock, proxied, resolveSecret }: Patient,
  catalogue: Catalogue,
  used: ReadonlySet<string>,
): Promise<readonly ProviderTestRow[]> {
  const transport = createTransport({ clock, proxied });
  try {
    const registry = createRegistry({
      transport,
      clock,
      random: Math.random,
      secrets: (reference) => secretValue(resolveSecret(reference)),
    });
    registry.update(catalogue.providers);
    const deps = { registry, catalogue: { current: { catalogue } } };
    return await Promise.all([...used].map((id) => testProvider(deps, id)));
  } finally {
    transport.close();
  }
}
