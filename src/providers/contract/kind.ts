/**
 * What a kind of provider is: all that the rest of the gateway has to know of it. A new kind is
 * a folder with such a value and a line in `kinds.ts`.
 *
 * @module
 */

import type * as z from "zod";
import type { DocumentPath, Loose, Report } from "../../documents/problem.ts";
import type { Capability, ModelKind } from "../../domain/capabilities.ts";
import type { VideoWork } from "../../domain/call.ts";
import type {
  Provider as ProviderSettings,
  ProviderAuth,
  Route,
  VideoOffer,
} from "../../domain/catalogue.ts";
import type { Clock, Random } from "../../domain/clock.ts";
import type { DialectName, UpstreamDialectName } from "../../dialects/registry.ts";
import type { KeyRefusal, Provider } from "./provider.ts";
import type { Transport } from "../transport/contract.ts";

/** What providers are made with. */
export interface ProviderOptions {
  readonly transport: Transport;
  /** Gives the value of a reference (`env:NAME`, `file:PATH` …), or `undefined` when there is none. */
  readonly secrets: (reference: string) => string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** Told when an upstream refuses a key, or the key is exhausted; not again while it rests. */
  readonly onKeyRefused?: (refusal: KeyRefusal) => void;
}

/** A route as the file has it, and what it is of. */
export interface LooseRoute {
  readonly route: Loose;
  readonly model: Loose;
  readonly path: DocumentPath;
}

export interface ProviderKind {
  /** Its name, as the catalogue file writes it. */
  readonly name: string;
  /** What it is, for whoever writes the file: a short sentence. */
  readonly about: string;
  /**
   * The kinds of models that its providers can serve. Routes of others are refused in the file, and
   * left out of calls where they are stored all the same.
   */
  readonly serves: readonly ModelKind[];
  /**
   * Dialects that its upstreams speak themselves and that are converted for other kinds, with the loss
   * of what only such upstreams have.
   */
  readonly natively?: readonly DialectName[];
  /** Those of them that a provider with these settings speaks on a route; absent: all. */
  nativelyOf?(settings: ProviderSettings, route: Route): readonly DialectName[];
  /**
   * The dialect in which the upstream of a provider with these settings, as the file has them, is asked
   * for a chat model of that name, where its models differ in how they want to be asked; absent: they
   * do not.
   */
  dialectOf?(provider: Loose, upstreamModel: string): UpstreamDialectName | undefined;
  /**
   * The settings that it has in the file besides what every provider has, each optional or with a
   * default: `UPSTREAM_SETTINGS` of remote kinds, and its own, which it finds in `settings.own`. Where
   * two kinds have a setting of the same name, it is the same schema.
   */
  readonly settings: Readonly<Record<string, z.ZodType>>;
  /** Those of them whose values are not shown: an operator may have put a secret into them all the same. */
  readonly hides?: readonly string[];
  /** How its upstreams want a key where the file does not say; absent where there are no keys. */
  readonly keyAuth?: ProviderAuth;
  /** What its video routes offer where the file does not say; absent: what OpenAI's clients ask for. */
  readonly videoOffer?: VideoOffer;
  /** Why its upstreams make no film of this length in this size, as the rest of "it …"; absent: they may. */
  filmFault?(film: VideoWork): string | undefined;
  /**
   * Why its upstreams' model of a name does not serve a capability that others of its kind do, as the
   * rest of "it …"; absent: it may.
   */
  capabilityFault?(capability: Capability, upstreamModel: string): string | undefined;
  /** Rules for several settings at once, raw as they are in the file. */
  check?(provider: Loose, path: DocumentPath, report: Report): void;
  /** Rules for its routes, raw as they are in the file. */
  checkRoute?(route: LooseRoute, report: Report): void;
  /** @throws {TypeError} When the settings cannot work. */
  create(settings: ProviderSettings, options: ProviderOptions): Provider;
}
