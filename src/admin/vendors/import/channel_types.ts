/**
 * The types of channels of One API and New API, by their numbers: the two went apart after the first.
 *
 * @module
 */

import servers from "../../../vendors/servers.json" with { type: "json" };
import types from "../../../vendors/channel_types.json" with { type: "json" };

/** Whose channels they are. */
export type ChannelForm = keyof typeof types;

/** A type of channels. */
export interface ChannelType {
  /** Its name there. */
  readonly name: string;
  /** One of ours. */
  readonly vendor?: string;
  /** The address of its API, where it has OpenAI's. */
  readonly baseUrl?: string;
  /** It has a dialect of its own, which no kind of provider speaks. */
  readonly lacks?: boolean;
}

interface Row {
  readonly name: string;
  readonly vendor?: string;
  readonly server?: string;
  readonly base_url?: string;
  readonly lacks?: boolean;
}

/** `undefined` for a number that is not known. */
export function channelType(form: ChannelForm, number: number): ChannelType | undefined {
  const known: Readonly<Record<string, Row | undefined>> = types[form];
  const row = Object.hasOwn(known, String(number)) ? known[String(number)] : undefined;
  if (row === undefined) return undefined;
  const { name, vendor, server, base_url, lacks } = row;
  const all: Readonly<Record<string, { readonly base_url: string } | undefined>> = servers;
  const baseUrl = base_url ?? (server === undefined ? undefined : all[server]?.base_url);
  return {
    name,
    ...(vendor !== undefined && { vendor }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(lacks === true && { lacks }),
  };
}
