/**
 * The open connections of a listener, and who of them goes when there are too many: whoever has
 * waited longest without a request, of those that never had one while they are many; never one that
 * is being served, and no newcomer while there is another.
 *
 * @module
 */
import type { Connection } from "./connection.ts";
import { isLoopback, peerGroup } from "./peer_group.ts";

/** How many there may be. */
export interface ConnectionBounds {
  readonly all: number;
  /** Of one peer; `undefined` for half of all, which does not hold for this machine itself. */
  readonly perAddress: number | undefined;
}

/** Half of a few would be too few for anybody. */
const LEAST_PER_ADDRESS = 64;

/**
 * Where so many of all have not asked for anything yet, one of those goes: a flood of them closes no
 * connection that a client works with. Below it newcomers have time to ask, also where all others
 * have been served.
 */
const NEW_SHARE = 1 / 4;

export class ConnectionSet implements Iterable<Connection> {
  readonly #connections = new Set<Connection>();
  readonly #countByPeer = new Map<string, number>();

  get size(): number {
    return this.#connections.size;
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.#connections.values();
  }

  add(connection: Connection): void {
    this.#connections.add(connection);
    const peer = peerGroup(connection.address);
    this.#countByPeer.set(peer, (this.#countByPeer.get(peer) ?? 0) + 1);
  }

  delete(connection: Connection): void {
    if (!this.#connections.delete(connection)) return;
    const peer = peerGroup(connection.address);
    const count = this.#countByPeer.get(peer)! - 1;
    if (count > 0) this.#countByPeer.set(peer, count);
    else this.#countByPeer.delete(peer);
  }

  /** Makes a place for one more of this address, by closing another if need be; says whether it could. */
  makePlace(address: string, { all, perAddress }: ConnectionBounds): boolean {
    const most = perAddress ??
      (isLoopback(address) ? Number.POSITIVE_INFINITY : Math.max(LEAST_PER_ADDRESS, all / 2));
    const peer = peerGroup(address);
    if (address !== "unix" && (this.#countByPeer.get(peer) ?? 0) >= most) {
      return this.#holding(peer) < most || this.closeLongestWaiting(peer);
    }
    return this.size < all || this.#holding() < all || this.closeLongestWaiting();
  }

  /** Those that hold a descriptor: a closed one stays here until its request is done with. */
  #holding(peer?: string): number {
    let count = 0;
    for (const connection of this.#connections) {
      if (connection.isReleased) continue;
      if (peer === undefined || peerGroup(connection.address) === peer) count++;
    }
    return count;
  }

  /** Closes one that waits, of this peer where one is given; says whether there was one. */
  closeLongestWaiting(peer?: string): boolean {
    let longest: Connection | undefined;
    let longestNew: Connection | undefined;
    let count = 0;
    let newCount = 0;
    for (const connection of this.#connections) {
      if (peer !== undefined && peerGroup(connection.address) !== peer) continue;
      count++;
      if (connection.waitingSinceMs === Number.POSITIVE_INFINITY) continue;
      if (waitsLonger(connection, longest)) longest = connection;
      if (connection.hasServed) continue;
      newCount++;
      if (waitsLonger(connection, longestNew)) longestNew = connection;
    }
    const leaving = newCount >= count * NEW_SHARE ? longestNew : longest;
    if (leaving === undefined) return false;
    this.delete(leaving);
    leaving.giveWay();
    return true;
  }
}

/** Of equals the one that was accepted first, which comes first in the set, goes first. */
function waitsLonger(one: Connection, other: Connection | undefined): boolean {
  return other === undefined || one.waitingSinceMs < other.waitingSinceMs;
}
