/**
 * A server that nobody may call: it listens on every address of this machine and
 * remembers whoever came.
 *
 * @module
 */

/** `await using` ends it. */
export class Canary implements AsyncDisposable {
  readonly port: number;
  readonly #listener: Deno.TcpListener;
  readonly #seen: string[] = [];
  readonly #accepting: Promise<void>;

  private constructor(listener: Deno.TcpListener) {
    this.#listener = listener;
    this.port = listener.addr.port;
    this.#accepting = this.#accept();
  }

  /** Listens over IPv4 and, where this machine has it, IPv6. */
  static start(): Canary {
    try {
      return new Canary(Deno.listen({ hostname: "::", port: 0 }));
    } catch {
      return new Canary(Deno.listen({ hostname: "0.0.0.0", port: 0 }));
    }
  }

  /** What came first on each connection; empty as it should be. */
  get seen(): readonly string[] {
    return this.#seen;
  }

  /** Whether the canary itself can be reached, so that silence means something. */
  async isAlive(): Promise<boolean> {
    const before = this.#seen.length;
    using conn = await Deno.connect({ hostname: "127.0.0.1", port: this.port });
    await conn.write(new TextEncoder().encode("alive?"));
    await conn.read(new Uint8Array(1));
    const isAlive = this.#seen[before] === "alive?";
    this.#seen.splice(before, 1);
    return isAlive;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#accepting;
  }

  async #accept(): Promise<void> {
    for await (const conn of this.#listener) {
      try {
        const bytes = new Uint8Array(2_048);
        const at = this.#seen.push("a connection without a word") - 1;
        const count = await conn.read(bytes);
        if (count !== null) {
          this.#seen[at] = new TextDecoder().decode(bytes.subarray(0, count));
        }
        await conn.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"));
      } catch (error) {
        if (!(error instanceof Deno.errors.ConnectionReset)) throw error;
      } finally {
        conn.close();
      }
    }
  }
}
