/**
 * Vendors that are known by name: what a provider of theirs is, and what only the operator can say.
 *
 * @module
 */

import known from "./presets.json" with { type: "json" };

/** A setting that a vendor's provider needs, and that nobody but its operator knows. */
export interface AskedSetting {
  /** By its key in the catalogue file. */
  readonly setting: string;
  /** What it is, as the rest of a question. */
  readonly for: string;
}

/** A vendor. */
export interface Preset {
  readonly vendor: string;
  readonly title: string;
  /** The variable that usually holds its key; absent: it wants none. */
  readonly key?: string;
  /** The provider as a catalogue file has it, without its id and what is asked for. */
  readonly provider: { readonly [setting: string]: unknown };
  readonly asks?: readonly AskedSetting[];
  /** What is added where no models are named; absent: those in the list of prices. */
  readonly usual?: readonly string[];
  /** Whether it costs although it wants no key. */
  readonly isPaid?: true;
}

export const PRESETS: readonly Preset[] = known as readonly Preset[];

/** The names of all vendors. */
export const VENDORS: readonly string[] = PRESETS.map(({ vendor }) => vendor);

/** A vendor by its name. */
export function presetOf(vendor: string): Preset | undefined {
  return PRESETS.find((one) => one.vendor === vendor);
}

/**
 * The vendor that a provider is of, by its settings: so its models are found in the list of prices,
 * whoever wrote it. `undefined` where no preset is like it.
 */
export function vendorOf(
  { kind, baseUrl }: { readonly kind: string; readonly baseUrl: string | undefined },
): string | undefined {
  const found = PRESETS.find(({ provider }) =>
    provider.kind === kind &&
    (provider.base_url === undefined || sameHost(String(provider.base_url), baseUrl))
  );
  return found?.vendor;
}

/** A host says whose API it is, but for those of the machine itself. */
function sameHost(one: string, other: string | undefined): boolean {
  if (other === undefined || !URL.canParse(other)) return false;
  const { hostname, host } = new URL(one);
  return hostname === "127.0.0.1"
    ? host === new URL(other).host
    : hostname === new URL(other).hostname;
}
