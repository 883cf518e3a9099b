/**
 * Which addresses belong to the open internet. Everything that is not plainly
 * there is not public: the machine itself, its networks, its cloud's metadata.
 *
 * Sources: the IANA special-purpose address registries (RFC 6890 and what has
 * been added since), RFC 6052 for NAT64, RFC 6761 for `localhost`.
 *
 * @module
 */

/** What a URL's host is: an address that may be called or may not, or a name to be looked up. */
export type HostKind = "public" | "private" | "name";

/** IPv4 networks that are not public, as first address and prefix length. */
const PRIVATE_V4: readonly (readonly [first: string, bits: number])[] = [
  ["0.0.0.0", 8], // this network
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT, and one cloud's metadata
  ["127.0.0.0", 8], // loopback
  ["168.63.129.16", 32], // a cloud's control plane on an address that looks public
  ["169.254.0.0", 16], // link-local, and most clouds' metadata
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // relays of 6to4
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 3], // multicast, reserved, broadcast
];

/** IPv6 networks that are not public although they lie in `2000::/3`, the only one that can be. */
const PRIVATE_V6: readonly (readonly [first: string, bits: number])[] = [
  ["2001::", 23], // protocol assignments: Teredo, ORCHID, benchmarks
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4, which wraps any IPv4 address
  ["3fff::", 20], // documentation
];

const PRIVATE_V4_NETWORKS = PRIVATE_V4.map(([first, bits]) => network(first, bits));
const PRIVATE_V6_NETWORKS = PRIVATE_V6.map(([first, bits]) => network(first, bits));
const GLOBAL_V6 = network("2000::", 3);
/** Address families that wrap an IPv4 address in the last 32 bits: mapped, and NAT64. */
const WRAPPING_V6 = [network("::ffff:0:0", 96), network("64:ff9b::", 96)];

/**
 * Whether an address, as a resolver or a socket spells it, is on the open
 * internet. Anything that is not an address (a name, a zone id) is not.
 */
export function isPublicAddress(text: string): boolean {
  const bytes = parseAddress(text);
  if (bytes === undefined) return false;
  if (bytes.length === 4) return !PRIVATE_V4_NETWORKS.some((one) => contains(one, bytes));
  if (WRAPPING_V6.some((one) => contains(one, bytes))) {
    return isPublicAddress(bytes.slice(12).join("."));
  }
  return contains(GLOBAL_V6, bytes) && !PRIVATE_V6_NETWORKS.some((one) => contains(one, bytes));
}

/**
 * What the host of a URL is, however it is spelled: resolvers take `0x7f.1`,
 * `017700000001` and `2130706433` for addresses too. A name still has to be
 * looked up, and what it gives looked at with {@linkcode isPublicAddress}.
 */
export function kindOfHost(text: string): HostKind {
  const host = text.toLowerCase().replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  if (host === "" || host.includes("%")) return "private";
  if (host === "localhost" || host.endsWith(".localhost")) return "private";
  if (host.includes(":")) return isPublicAddress(host) ? "public" : "private";
  const parts = host.split(".");
  // A last part that is a number makes the whole an address, or a malformed one (WHATWG URL).
  if (!/^(?:\d+|0x[0-9a-f]*)$/.test(parts.at(-1)!)) return "name";
  const address = readLooseV4(parts);
  return address !== undefined && isPublicAddress(address) ? "public" : "private";
}

/** Dotted decimal of one to four numbers in C's notations, the last filling what is left. */
function readLooseV4(parts: readonly string[]): string | undefined {
  if (parts.length > 4) return undefined;
  const numbers = parts.map(readCNumber);
  if (numbers.some((value) => value === undefined)) return undefined;
  const last = numbers.pop()!;
  if (numbers.some((value) => value! > 255) || last >= 256 ** (4 - numbers.length)) {
    return undefined;
  }
  const value = numbers.reduce<number>((sum, part, at) => sum + part! * 256 ** (3 - at), last);
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}

function readCNumber(text: string): number | undefined {
  if (/^0x[0-9a-f]{0,12}$/.test(text)) return text === "0x" ? 0 : Number(text);
  if (/^0[0-7]{0,15}$/.test(text)) return Number.parseInt(text, 8);
  return /^[1-9]\d{0,11}$/.test(text) ? Number(text) : undefined;
}

/** The 4 or 16 bytes of an address in its usual spelling. */
function parseAddress(text: string): readonly number[] | undefined {
  return text.includes(":") ? parseV6(text) : parseV4(text);
}

function parseV4(text: string): readonly number[] | undefined {
  const parts = text.split(".");
  const isSound = parts.length === 4 &&
    parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
  return isSound ? parts.map(Number) : undefined;
}

function parseV6(text: string): readonly number[] | undefined {
  const [left, right, ...more] = text.split("::");
  if (more.length > 0) return undefined;
  const head = bytesOfGroups(left!);
  const tail = right === undefined ? [] : bytesOfGroups(right);
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  if (right === undefined ? missing !== 0 : missing < 2) return undefined;
  return [...head, ...new Array<number>(missing).fill(0), ...tail];
}

/** Groups of hexadecimal digits; the last may be an IPv4 address. */
function bytesOfGroups(text: string): readonly number[] | undefined {
  if (text === "") return [];
  const groups = text.split(":");
  const bytes: number[] = [];
  for (const [at, group] of groups.entries()) {
    if (at === groups.length - 1 && group.includes(".")) {
      const last = parseV4(group);
      if (last === undefined) return undefined;
      bytes.push(...last);
    } else if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 255);
    } else return undefined;
  }
  return bytes.length <= 16 ? bytes : undefined;
}

interface Network {
  readonly bytes: readonly number[];
  readonly bits: number;
}

function network(first: string, bits: number): Network {
  return { bytes: parseAddress(first)!, bits };
}

function contains({ bytes, bits }: Network, address: readonly number[]): boolean {
  if (bytes.length !== address.length) return false;
  for (let at = 0; at * 8 < bits; at++) {
    const mask = 0xff & (0xff00 >> Math.min(8, bits - at * 8));
    if (((bytes[at]! ^ address[at]!) & mask) !== 0) return false;
  }
  return true;
}
