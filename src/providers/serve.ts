/**
 * The one place that puts a caller's dialect and a provider's together: what the
 * provider does not speak itself is converted into what it speaks.
 *
 * @module
 */

import type { Capability } from "../domain/capabilities.ts";
import type { Answer, AnswerStream } from "../dialects/base/answer.ts";
import type { Dialect } from "../dialects/base/dialect.ts";
import { type DialectName, DIALECTS } from "../dialects/registry.ts";
import type { AnswerParts } from "../dialects/base/turns_format.ts";
import { UpstreamError } from "../domain/upstream_error.ts";
import { type Conversion, convertedExchange } from "./converted_exchange.ts";
import type { Exchange, Provider, ProviderCall } from "./contract/provider.ts";

/** How a call in one dialect is put to any provider. */
export interface Serving {
  /** @throws {UpstreamError} */
  answer(provider: Provider, call: ProviderCall, signal: AbortSignal): Promise<Answer>;
  /** @throws {UpstreamError} */
  stream(provider: Provider, call: ProviderCall, signal: AbortSignal): Promise<AnswerStream>;
}

/**
 * Serves calls in a dialect by providers that {@linkcode withConversions} has completed. What the
 * provider itself speaks is asked of it as it is: nothing is added to that path.
 */
export function serve(dialect: DialectName): Serving {
  return {
    answer: (provider, call, signal) => exchangeOf(provider, dialect).answer(call, signal),
    stream: (provider, call, signal) => exchangeOf(provider, dialect).stream(call, signal),
  };
}

/** Serves calls of a capability that has one wire format. */
export function answerOf(capability: Capability): Serving["answer"] {
  return ({ id, answers }, call, signal) => {
    const ask = answers[capability];
    if (ask === undefined) throw lacking(id, capability);
    return ask(call, signal);
  };
}

function exchangeOf({ id, speaks }: Provider, dialect: DialectName): Exchange {
  const exchange = speaks[dialect];
  if (exchange === undefined) throw lacking(id, dialect);
  return exchange;
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
    speaks[from.name] = own === undefined ? converted : ownWhereItIs(own, converted);
  }
  return {
    id: provider.id,
    speaks,
    answers: provider.answers,
    videos: provider.videos,
    rendersFilms: provider.rendersFilms,
    check: (signal) => provider.check(signal),
    keyStates: () => provider.keyStates(),
    secretsChanged: () => provider.secretsChanged(),
  };
}

function baseOf({ speaks }: Provider): readonly [Conversion["to"], Exchange] | undefined {
  for (const dialect of Object.values<Dialect>(DIALECTS)) {
    const exchange = speaks[dialect.name as DialectName];
    if (exchange === undefined || exchange.isOn !== undefined) continue;
    if (isUpstreams(dialect)) return [dialect, exchange];
  }
  return undefined;
}

function isCallers(dialect: Dialect): dialect is Conversion["from"] {
  return dialect.callers !== undefined;
}

function isUpstreams(dialect: Dialect): dialect is Conversion["to"] {
  return dialect.upstreams !== undefined;
}

/** Of one account's models some may have an API that the others lack: the route says so. */
function ownWhereItIs(own: Exchange, converted: Exchange): Exchange {
  const { isOn } = own;
  if (isOn === undefined) return own;
  return {
    answer: (call, signal) => (isOn(call.route) ? own : converted).answer(call, signal),
    stream: (call, signal) => (isOn(call.route) ? own : converted).stream(call, signal),
  };
}
