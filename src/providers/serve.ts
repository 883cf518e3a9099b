/**
 * The one place that puts a caller's dialect and a provider's together: what the
 * provider does not speak itself is converted into what it speaks.
 *
 * @module
 */

import type { Dialect } from "../dialects/base/dialect.ts";
import { type DialectName, DIALECTS } from "../dialects/registry.ts";
import type { AnswerParts } from "../dialects/base/turns_format.ts";
import { UpstreamError } from "../domain/upstream_error.ts";
import { type Conversion, convertedExchange } from "./converted_exchange.ts";
import type { Ask, AskStream, Conversation, Exchange, Provider } from "./contract/provider.ts";

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

/** Planning leaves such routes out; the catalogue may have changed since. */
function lacking(id: string, what: string): UpstreamError {
  return new UpstreamError("operator", `Provider '${id}' serves no calls of ${what}`);
}

/**
 * The provider with every dialect that can be made of the first one that it speaks on all of its
 * routes. Made once, not for each call.
 */
export function withConversions(provider: Provider, parts: AnswerParts): Provider {
  const base = baseOf(provider);
  if (base === undefined) return provider;
  const [to, upstream] = base;
  const speaks: Record<string, Exchange | undefined> = { ...provider.speaks };
  for (const from of Object.values<Dialect>(DIALECTS)) {
    const own = speaks[from.name];
    if (own === upstream || !isCallers(from)) continue;
    const converted = convertedExchange({ from, to, parts }, upstream);
    speaks[from.name] = isConversation(own) ? ownWhereItIs(own, converted) : converted;
  }
  return {
    id: provider.id,
    speaks,
    countTokens: provider.countTokens,
    videos: provider.videos,
    rendersVideos: provider.rendersVideos,
    check: (signal) => provider.check(signal),
    keyStates: () => provider.keyStates(),
    secretsChanged: () => provider.secretsChanged(),
  };
}

function baseOf({ speaks }: Provider): readonly [Conversion["to"], Conversation] | undefined {
  for (const dialect of Object.values<Dialect>(DIALECTS)) {
    const exchange = speaks[dialect.name as DialectName];
    if (!isConversation(exchange) || exchange.isOn !== undefined) continue;
    if (isUpstreams(dialect)) return [dialect, exchange];
  }
  return undefined;
}

function isConversation(exchange: Exchange | undefined): exchange is Conversation {
  return exchange?.stream !== undefined;
}

function isCallers(dialect: Dialect): dialect is Conversion["from"] {
  return dialect.callers !== undefined;
}

function isUpstreams(dialect: Dialect): dialect is Conversion["to"] {
  return dialect.upstreams !== undefined;
}

/** Of one account's models some may have an API that the others lack: the route says so. */
function ownWhereItIs(own: Conversation, converted: Conversation): Conversation {
  const { isOn } = own;
  if (isOn === undefined) return own;
  return {
    answer: (call, signal) => (isOn(call.route) ? own : converted).answer(call, signal),
    stream: (call, signal) => (isOn(call.route) ? own : converted).stream(call, signal),
  };
}
