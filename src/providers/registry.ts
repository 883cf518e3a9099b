/**
 * The providers that are configured now, by id.
 *
 * @module
 */

import type { Provider as ProviderSettings } from "../domain/catalogue.ts";
import { createCompletionIds } from "../dialects/base/completion_ids.ts";
import type { ThoughtSeals } from "../dialects/turns/thought_seals.ts";
import type { ProviderOptions } from "./contract/kind.ts";
import { kindNamed } from "./kinds.ts";
import type { Provider } from "./contract/provider.ts";
import { withConversions } from "./serve.ts";

interface RegistryOptions extends ProviderOptions {
  /** Of thoughts that are converted; absent: believed for as long as this process lives. */
  readonly seals?: ThoughtSeals;
}

interface Registered {
  readonly fingerprint: string;
  readonly provider: Provider;
}

/** Creates an empty registry, which looks providers up and follows changes of the catalogue. */
export function createRegistry({ seals, ...options }: RegistryOptions) {
  let registered = new Map<string, Registered>();
  const conversion = {
    clock: options.clock,
    ids: createCompletionIds(options.random),
    seals,
  };
  return {
    provider: (providerId: string) => registered.get(providerId)?.provider,
    /**
     * Makes the registry hold exactly these providers, but for those of a kind that this version
     * does not know. One whose settings are unchanged keeps its instance, and calls under way keep theirs.
     *
     * @throws {TypeError} When settings cannot work; the registry is then unchanged.
     */
    update(providers: readonly ProviderSettings[]): void {
      const next = new Map<string, Registered>();
      for (const settings of providers) {
        const kind = kindNamed(settings.kind);
        if (kind === undefined) continue;
        const fingerprint = JSON.stringify(settings);
        const known = registered.get(settings.id);
        next.set(
          settings.id,
          known?.fingerprint === fingerprint ? known : {
            fingerprint,
            provider: withConversions(kind.create(settings, options), conversion),
          },
        );
      }
      registered = next;
    },
    /** Has every provider look its secrets up again before its next request. */
    secretsChanged(): void {
      for (const { provider } of registered.values()) provider.secretsChanged();
    },
  };
}

/** The providers by id. */
export type Registry = ReturnType<typeof createRegistry>;
