/**
 * The providers that are configured now, by id. One line per kind.
 *
 * @module
 */

import type { Clock, Random } from "../domain/clock.ts";
import type { Provider as ProviderSettings, ProviderKind } from "../domain/catalogue.ts";
import { createBuiltin } from "./builtin/provider.ts";
import { createOpenAiCompatible } from "./openai_compatible/provider.ts";
import { createCompletionIds } from "../dialects/completion_ids.ts";
import type { KeyRefusal, Provider } from "./provider.ts";
import { withConversions } from "./serve.ts";
import type { Transport } from "./transport.ts";

/** What providers are made with. */
export interface RegistryOptions {
  readonly transport: Transport;
  /** Gives the value of a reference (`env:NAME`, `file:PATH` …), or `undefined` when there is none. */
  readonly secrets: (reference: string) => string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** Told when an upstream refuses a key, or the key is exhausted; not again while it rests. */
  readonly onKeyRefused?: (refusal: KeyRefusal) => void;
}

/** Looks providers up and follows changes of the catalogue. */
export interface Registry {
  provider(providerId: string): Provider | undefined;
  /**
   * Makes the registry hold exactly these providers. One whose settings are
   * unchanged keeps its instance, and calls under way keep theirs.
   *
   * @throws {TypeError} When settings cannot work; the registry is then unchanged.
   */
  update(providers: readonly ProviderSettings[]): void;
  /** Has every provider look its secrets up again before its next request. */
  secretsChanged(): void;
}

type Create = (settings: ProviderSettings, options: RegistryOptions) => Provider;

const KINDS: { readonly [kind in ProviderKind]: Create } = {
  openai_compatible: createOpenAiCompatible,
  builtin: createBuiltin,
};

interface Registered {
  readonly fingerprint: string;
  readonly provider: Provider;
}

/** Creates an empty registry. */
export function createRegistry(options: RegistryOptions): Registry {
  let registered = new Map<string, Registered>();
  const conversion = { clock: options.clock, ids: createCompletionIds(options.random) };
  return {
    provider: (providerId) => registered.get(providerId)?.provider,
    update(providers) {
      const next = new Map<string, Registered>();
      for (const settings of providers) {
        const fingerprint = JSON.stringify(settings);
        const known = registered.get(settings.id);
        next.set(
          settings.id,
          known?.fingerprint === fingerprint ? known : {
            fingerprint,
            provider: withConversions(KINDS[settings.kind](settings, options), conversion),
          },
        );
      }
      registered = next;
    },
    secretsChanged() {
      for (const { provider } of registered.values()) provider.secretsChanged();
    },
  };
}
