/**
 * Who counts as one peer: an IPv4 address, or the network of an IPv6 address, as whoever has one
 * of its addresses has 2^64.
 *
 * @module
 */

/** The address at the other end of a connection, or `"unix"`. */
export function addressOf({ remoteAddr }: Deno.Conn): string {
  return "hostname" in remoteAddr ? remoteAddr.hostname : "unix";
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** The address itself, of IPv6 the first 64 bits, in one way of writing. */
export function peerGroup(address: string): string {
  if (!address.includes(":")) return address;
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [before = "", after] = address.replace(/%.*$/, "").split("::");
  const groups = before === "" ? [] : before.split(":");
  if (after !== undefined) {
    const last = after === "" ? 0 : after.split(":").length;
    while (groups.length + last < 8) groups.push("0");
    if (after !== "") groups.push(...after.split(":"));
  }
  return `${
    groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16)).join(":")
  }::`;
}

/** Whether an address is this machine's own: everybody behind a proxy of this machine has it. */
export function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1" || address.startsWith("::ffff:127.");
}
