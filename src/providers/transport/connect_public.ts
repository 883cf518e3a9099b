/**
 * Opens connections to hosts that a stranger named: only to addresses of the
 * open internet, and to the very addresses that were checked, because a second
 * lookup may give others.
 *
 * @module
 */

import { lookup } from "node:dns";
import { secureConnection, type Target } from "./connect.ts";
import type { Connection } from "./connection.ts";
import { isPublicAddress, kindOfHost } from "../../domain/public_address.ts";

/** The network as `connectPublic` uses it. */
export interface PublicNet {
  /** Every address of a name, as the system resolves it; rejects when there is none. */
  readonly lookup: (hostname: string) => Promise<readonly string[]>;
  /** Connects to an address. */
  readonly dial: (address: string, port: number) => Promise<Deno.TcpConn>;
}

/** Says that a host is, or has, an address that is not public; it does not say which. */
export class RefusedAddress extends Error {
  override readonly name = "RefusedAddress";

  constructor() {
    super("the host has an address that is not on the public internet");
  }
}

const SYSTEM_NET: PublicNet = {
  lookup: (hostname) =>
    new Promise((resolve, reject) =>
      lookup(hostname, { all: true }, (error, addresses) => {
        if (error === null) resolve(addresses.map(({ address }) => address));
        else reject(error);
      })
    ),
  dial: (hostname, port) => Deno.connect({ hostname, port }),
};

/** Whether a host may be asked on the open internet alone; a name is looked up. */
export async function isPublicHost(
  hostname: string,
  lookup: PublicNet["lookup"] = SYSTEM_NET.lookup,
): Promise<boolean> {
  const kind = kindOfHost(hostname);
  if (kind !== "name") return kind === "public";
  const addresses = await lookup(hostname);
  return addresses.length > 0 && addresses.every(isPublicAddress);
}

/**
 * Opens a connection to a host all of whose addresses are public, trying them in
 * turn. A single address that is not public refuses the host: whoever mixes them
 * is probing.
 *
 * @throws {RefusedAddress}
 */
export async function connectPublic(
  target: Target,
  options: { readonly caCerts: readonly string[]; readonly net?: PublicNet | undefined },
): Promise<Connection> {
  const { lookup, dial } = options.net ?? SYSTEM_NET;
  const { hostname, port } = target;
  const kind = kindOfHost(hostname);
  if (kind === "private") throw new RefusedAddress();
  const addresses = kind === "public" ? [hostname] : await lookup(hostname);
  if (addresses.length === 0 || !addresses.every(isPublicAddress)) throw new RefusedAddress();
  let failure: unknown;
  for (const address of new Set(addresses)) {
    let plain: Deno.TcpConn;
    try {
      plain = await dial(address, port);
    } catch (error) {
      failure = error;
      continue;
    }
    if (!isPublicAddress(plain.remoteAddr.hostname)) {
      plain.close();
      throw new RefusedAddress();
    }
    return await secureConnection(plain, target, options.caCerts);
  }
  throw failure;
}
