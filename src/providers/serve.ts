/**
 * The one place that puts a caller's dialect and a provider's together: what the
 * provider does not speak itself is converted into what it speaks.
 *
 * @module
 */

import type { Dialect, UpstreamDialect } from "../dialects/base/dialect.ts";
import {
  type DialectName,
  DIALECTS,
  UPSTREAM_DIALECTS,
  type UpstreamDialectName,
} from "../dialects/registry.ts";
import type { Route } from "../domain/catalogue.ts";
import { UpstreamError } from "../domain/upstream_error.ts";
import {
  type Conversion,
  type ConversionParts,
  convertCall,
  convertedExchange,
} from "./converted_exchange.ts";
import type {
  Ask,
  AskStream,
  Conversation,
  Counting,
  Exchange,
  Provider,
} from "./contract/provider.ts";

/** Those of callers first. */
const ALL: readonly (Dialect | UpstreamDialect)[] = [
  ...Object.values<Dialect>(DIALECTS),
  ...Object.values<UpstreamDialect>(UPSTREAM_DIALECTS),
];

/** How a call in one dialect is put to any provider. */
export interface Serving {
  answer(provider: Provider, ...call: Parameters<Ask>): ReturnType<Ask>;
  stream(provider: Provider, ...call: Parameters<AskStream>): ReturnType<AskStream>;
}

/**
 * Serves calls in a dialect by providers that {@linkcode withConversions} has completed. What the
 * provider itself speaks is asked of it as it is: nothing is added to that path.
 */
export function serve(dialect: DialectName): Serving {
  return {
    answer({ id, speaks }, call, signal) {
      const exchange = speaks[dialect];
      if (exchange === undefined) throw lacking(id, dialect);
      return exchange.answer(call, signal);
    },
    stream({ id, speaks }, call, signal) {
      const exchange = speaks[dialect];
      if (exchange?.stream === undefined) throw lacking(id, dialect);
      return exchange.stream(call, signal);
    },
  };
}

/** Has a text spoken by any provider that can. */
export function speakBy(
  { id, speak }: Provider,
  ...call: Parameters<AskStream>
): ReturnType<AskStream> {
  if (speak === undefined) throw lacking(id, "speech");
  return speak(...call);
}

/** Planning leaves such routes out; the catalogue may have changed since. */
function lacking(id: string, what: string): UpstreamError {
  return new UpstreamError("operator", `Provider '${id}' serves no calls of ${what}`);
}

/**
 * The provider with every dialect that can be made of those that it speaks. On each route a caller's
 * own dialect goes before all others, then the first that the upstream speaks there. Made once, not
 * for each call.
 */
export function withConversions(provider: Provider, parts: ConversionParts): Provider {
  const bases = basesOf(provider);
  if (bases.length === 0) return provider;
  const speaks: Record<string, Exchange | undefined> = { ...provider.speaks };
  for (const from of Object.values<Dialect>(DIALECTS)) {
    if (!isCallers(from)) continue;
    const own = provider.speaks[from.name as DialectName];
    const ways = isConversation(own) ? [own] : [];
    for (const [to, upstream] of bases) {
      if (ways.some(isEverywhere)) break;
      if (upstream !== own) ways.push(convertedExchange({ from, to, parts }, upstream));
    }
    speaks[from.name] = byRoute(ways);
  }
  return {
    id: provider.id,
    speaks,
    counts: countsOf(provider),
    compacts: provider.compacts,
    speak: provider.speak,
    videos: provider.videos,
    rendersVideos: provider.rendersVideos,
    check: (signal) => provider.check(signal),
    listModels: provider.listModels,
    unknownModels: provider.unknownModels,
    describeModel: provider.describeModel,
    keyStates: () => provider.keyStates(),
    secretsChanged: () => provider.secretsChanged(),
  };
}

/** Counting in every callers' dialect that can be converted into one in which the upstream counts. */
function countsOf({ counts }: Provider): Provider["counts"] {
  if (counts === undefined) return undefined;
  const all: Record<string, Counting | undefined> = { ...counts };
  for (const from of Object.values<Dialect>(DIALECTS)) {
    if (!isCallers(from)) continue;
    const own = counts[from.name as DialectName];
    const ways = own === undefined ? [] : [own];
    for (const to of ALL) {
      const counting = counts[to.name as UpstreamDialectName];
      if (counting === undefined || counting === own || !isUpstreams(to)) continue;
      ways.push({
        ...counting,
        ask: (call, signal) => counting.ask(convertCall(call, { from, to }).call, signal),
      });
    }
    if (ways.length > 0) all[from.name] = countedByRoute(ways);
  }
  return all;
}

function countedByRoute(ways: readonly Counting[]): Counting {
  const wayOn = (route: Route) => ways.find(({ isOn }) => isOn === undefined || isOn(route));
  return {
    isOn: (route) => wayOn(route) !== undefined,
    ask: async (call, signal) => await wayOn(call.route)?.ask(call, signal),
  };
}

/** What it speaks that others can be converted into. */
function basesOf({ speaks }: Provider): readonly (readonly [Conversion["to"], Conversation])[] {
  return ALL.flatMap((dialect) => {
    const exchange = speaks[dialect.name as UpstreamDialectName];
    return isConversation(exchange) && isUpstreams(dialect) ? [[dialect, exchange]] : [];
  });
}

function isConversation(exchange: Exchange | undefined): exchange is Conversation {
  return exchange?.stream !== undefined;
}

function isCallers(dialect: Dialect): dialect is Conversion["from"] {
  return dialect.callers !== undefined;
}

function isUpstreams(dialect: Dialect | UpstreamDialect): dialect is Conversion["to"] {
  return dialect.upstreams !== undefined;
}

function isEverywhere({ isOn }: Conversation): boolean {
  return isOn === undefined;
}

/** Of one account's models some may have an API that the others lack: the route says so. */
function byRoute(ways: readonly Conversation[]): Conversation {
  const [first] = ways;
  if (first !== undefined && isEverywhere(first)) return first;
  const wayOn = (route: Route) => {
    const way = ways.find(({ isOn }) => isOn === undefined || isOn(route));
    if (way === undefined) throw new UpstreamError("operator", `Nobody speaks on '${route.id}'`);
    return way;
  };
  return {
    answer: (call, signal) => wayOn(call.route).answer(call, signal),
    stream: (call, signal) => wayOn(call.route).stream(call, signal),
  };
}
