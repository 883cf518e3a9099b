/**
 * A client that sends exactly the bytes it is told and sees exactly the bytes that come.
 *
 * @module
 */

const encoder = new TextEncoder();

/** A response as it was on the wire. */
export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** One connection. Bytes are read as Latin-1: one character each. */
export class RawSocket implements Disposable {
  readonly conn: Deno.Conn;
  #text = "";

  constructor(conn: Deno.Conn) {
    this.conn = conn;
  }

  static async connect(address: Deno.NetAddr | Deno.UnixAddr): Promise<RawSocket> {
    return new RawSocket(
      "path" in address
        ? await Deno.connect({ transport: "unix", path: address.path })
        : await Deno.connect({ hostname: address.hostname, port: address.port }),
    );
  }

  async send(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === "string" ? encoder.encode(data) : data;
    for (let from = 0; from < bytes.length;) from += await this.conn.write(bytes.subarray(from));
  }

  /** Everything up to and including `end`. */
  async readThrough(end: string): Promise<string> {
    for (;;) {
      const index = this.#text.indexOf(end);
      if (index !== -1) return this.#take(index + end.length);
      if (!await this.#more()) throw new Error(`The connection ended after: ${this.#text}`);
    }
  }

  /** The next response; `bodyless` for the answer to a HEAD. */
  async readResponse({ bodyless = false } = {}): Promise<RawResponse> {
    const [first, ...lines] = (await this.readThrough("\r\n\r\n")).trimEnd().split("\r\n");
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(":");
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    const status = Number(first!.split(" ")[1]);
    let body = "";
    if (!bodyless && headers.get("transfer-encoding") === "chunked") {
      for (;;) {
        const size = Number.parseInt(await this.readThrough("\r\n"), 16);
        body += (await this.readExactly(size + 2)).slice(0, -2);
        if (size === 0) break;
      }
    } else if (!bodyless) {
      body = await this.readExactly(Number(headers.get("content-length") ?? 0));
    }
    return { status, headers, body };
  }

  async readExactly(length: number): Promise<string> {
    while (this.#text.length < length) {
      if (!await this.#more()) throw new Error(`The connection ended after: ${this.#text}`);
    }
    return this.#take(length);
  }

  /** Waits for the server to close; says what came before, and whether it was a reset. */
  async readToEnd(): Promise<{ text: string; reset: boolean }> {
    try {
      while (await this.#more());
      return { text: this.#text, reset: false };
    } catch (error) {
      if (!(error instanceof Deno.errors.ConnectionReset)) throw error;
      return { text: this.#text, reset: true };
    }
  }

  [Symbol.dispose](): void {
    try {
      this.conn.close();
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  }

  #take(length: number): string {
    const taken = this.#text.slice(0, length);
    this.#text = this.#text.slice(length);
    return taken;
  }

  async #more(): Promise<boolean> {
    const buffer = new Uint8Array(64 * 1024);
    const count = await this.conn.read(buffer);
    if (count === null) return false;
    let text = "";
    for (let from = 0; from < count; from += 8192) {
      text += String.fromCharCode(...buffer.subarray(from, Math.min(count, from + 8192)));
    }
    this.#text += text;
    return true;
  }
}
