/**
 * Non-blocking TCP sockets and epoll straight from libc, for the load generator and the fake
 * upstream: a send costs the system call and little else, so that neither of them is what limits a
 * measurement on two cores. Linux only, like the accounting in `/proc` that the benchmark reads.
 *
 * @module
 */

const libc = Deno.dlopen("libc.so.6", {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  listen: { parameters: ["i32", "i32"], result: "i32" },
  getsockname: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  connect: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  accept4: { parameters: ["i32", "pointer", "pointer", "i32"], result: "i32" },
  fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
  // Results here are far below 2 GB, and reading them as i64 would make a bigint of each.
  recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "i32" },
  send: { parameters: ["i32", "buffer", "usize", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  epoll_create1: { parameters: ["i32"], result: "i32" },
  epoll_ctl: { parameters: ["i32", "i32", "i32", "buffer"], result: "i32" },
  epoll_wait: { parameters: ["i32", "buffer", "i32", "i32"], result: "i32" },
  clock_gettime: { parameters: ["i32", "buffer"], result: "i32" },
  __errno_location: { parameters: [], result: "pointer" },
}).symbols;

const AF_INET = 2;
const SOCK_STREAM = 1;
const SOCK_NONBLOCK = 0o4000;
const O_NONBLOCK = 0o4000;
const F_SETFL = 4;
const SOL_SOCKET = 1;
const SO_REUSEADDR = 2;
const IPPROTO_TCP = 6;
const TCP_NODELAY = 1;
const MSG_NOSIGNAL = 0x4000;
const EPOLL_CTL_ADD = 1;
const EPOLLIN = 1;
const CLOCK_MONOTONIC = 1;
const CLOCK_PROCESS_CPUTIME_ID = 2;
const EAGAIN = 11;
const ECONNRESET = 104;
const EINTR = 4;
/** What the system has more of than it allows, it cuts. */
const BACKLOG = 16_384;

/** `struct epoll_event` is packed on x86-64 alone. */
const EVENT = Deno.build.arch === "x86_64" ? { bytes: 12, fdAt: 4 } : { bytes: 16, fdAt: 8 };

const ONE = new Int32Array([1]);
const clock = new BigInt64Array(2);

function errno(): number {
  return new Deno.UnsafePointerView(libc.__errno_location()!).getInt32();
}

function check(result: number, call: string): number {
  if (result >= 0) return result;
  throw new Error(`Cannot ${call}: errno is ${errno()}`);
}

/** `struct sockaddr_in` of 127.0.0.1: the benchmark talks to nobody else. */
function loopback(port: number): Uint8Array<ArrayBuffer> {
  const address = new Uint8Array(16);
  const view = new DataView(address.buffer);
  view.setUint16(0, AF_INET, true);
  view.setUint16(2, port);
  address.set([127, 0, 0, 1], 4);
  return address;
}

function sendAtOnce(fd: number): void {
  check(libc.setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, ONE, 4), "set TCP_NODELAY");
}

/** Listens on a free port of 127.0.0.1. */
export function listenOnLoopback(): { readonly fd: number; readonly port: number } {
  const fd = check(libc.socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), "make a socket");
  check(libc.setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, ONE, 4), "set SO_REUSEADDR");
  check(libc.bind(fd, loopback(0), 16), "bind");
  check(libc.listen(fd, BACKLOG), "listen");
  const bound = new Uint8Array(16);
  check(libc.getsockname(fd, bound, new Uint32Array([16])), "read the port");
  return { fd, port: new DataView(bound.buffer).getUint16(2) };
}

/** Takes one waiting connection; `undefined` when there is none. */
export function acceptConnection(listener: number): number | undefined {
  const fd = libc.accept4(listener, null, null, SOCK_NONBLOCK);
  if (fd < 0 && errno() === EAGAIN) return undefined;
  sendAtOnce(check(fd, "accept"));
  return fd;
}

/** Connects to 127.0.0.1; blocks for as long as that takes. */
export function connectToLoopback(port: number): number {
  const fd = check(libc.socket(AF_INET, SOCK_STREAM, 0), "make a socket");
  check(libc.connect(fd, loopback(port), 16), `connect to port ${port}`);
  check(libc.fcntl(fd, F_SETFL, O_NONBLOCK), "set O_NONBLOCK");
  sendAtOnce(fd);
  return fd;
}

/** Bytes read into `into`; 0 when the other side is gone, -1 when nothing waits. */
export function receive(fd: number, into: Uint8Array<ArrayBuffer>): number {
  const bytes = libc.recv(fd, into, BigInt(into.length), 0);
  if (bytes >= 0) return bytes;
  const error = errno();
  if (error === EAGAIN) return -1;
  if (error === ECONNRESET) return 0;
  throw new Error(`Cannot receive: errno is ${error}`);
}

/**
 * Sends everything at once; `false` when the other side is gone. What is sent here is far smaller
 * than a socket's buffer, so a buffer that is full is an error.
 */
export function send(fd: number, bytes: Uint8Array<ArrayBuffer>): boolean {
  const sent = libc.send(fd, bytes, BigInt(bytes.length), MSG_NOSIGNAL);
  if (sent === bytes.length) return true;
  if (sent >= 0 || errno() === EAGAIN) throw new Error("Cannot send: the reader does not read");
  return false;
}

/** Gives a socket back. */
export function closeSocket(fd: number): void {
  libc.close(fd);
}

/** Nanoseconds of the clock that every process of this machine shares. */
export function monotonicNs(): number {
  return readClock(CLOCK_MONOTONIC);
}

/** CPU time of this process so far, nanoseconds. */
export function ownCpuNs(): number {
  return readClock(CLOCK_PROCESS_CPUTIME_ID);
}

function readClock(id: number): number {
  check(libc.clock_gettime(id, clock), "read the clock");
  return Number(clock[0]) * 1e9 + Number(clock[1]);
}

/** Waits for sockets to become readable. */
export class Poller {
  readonly #epoll = check(libc.epoll_create1(0), "make an epoll");
  readonly #events = new DataView(new ArrayBuffer(EVENT.bytes * 256));

  watch(fd: number): void {
    const event = new DataView(new ArrayBuffer(EVENT.bytes));
    event.setUint32(0, EPOLLIN, true);
    event.setInt32(EVENT.fdAt, fd, true);
    const bytes = new Uint8Array(event.buffer);
    check(libc.epoll_ctl(this.#epoll, EPOLL_CTL_ADD, fd, bytes), "watch a socket");
  }

  /** The readable sockets; none when `timeoutMs` passed. -1 waits for ever, 0 not at all. */
  wait(timeoutMs: number): readonly number[] {
    const events = new Uint8Array(this.#events.buffer);
    const count = libc.epoll_wait(this.#epoll, events, 256, timeoutMs);
    if (count < 0 && errno() === EINTR) return [];
    check(count, "wait for sockets");
    return Array.from(
      { length: count },
      (_, index) => this.#events.getInt32(index * EVENT.bytes + EVENT.fdAt, true),
    );
  }
}
