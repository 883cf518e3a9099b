/**
 * Who asks, where proxies that are trusted stand in between.
 *
 * @module
 */

import { BlockList, isIP } from "node:net";

/** The address of whoever asks, by its peer's and `X-Forwarded-For`. */
export type ClientAddress = (peer: string, forwarded: string | null) => string;

/**
 * Takes the word of these proxies alone, by their addresses or networks (`10.0.0.0/8`). What they say
 * is read from its end, as each has added whom it was asked by: the first that is no trusted one is who
 * asks. What is no address ends the reading, since whoever comes before it may have made it up.
 */
export function createClientAddress(proxies: readonly string[]): ClientAddress {
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = "", bits] = proxy.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) => {
    const version = isIP(address);
    return version !== 0 && trusted.check(address, version === 6 ? "ipv6" : "ipv4");
  };
  return (peer, forwarded) => {
    let client = peer;
    if (forwarded === null || !isTrusted(peer)) return client;
    for (const part of forwarded.split(",").reverse()) {
      const address = withoutPort(part.trim());
      if (isIP(address) === 0) return client;
      client = address;
      if (!isTrusted(address)) return client;
    }
    return client;
  };
}

/** Some proxies write `192.0.2.1:4711` and `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? [];
  return bracketed ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
}
