/**
 * The way to whom systemd has named in `NOTIFY_SOCKET`: one datagram for each
 * message, in their order.
 *
 * @module
 */

/** How a socket is opened. */
export interface NotifySocketOptions {
  /** Hears, once, that a message could not be sent. */
  readonly onTrouble: (error: Error) => void;
}

/** sd_notify(3) over a socket of this process's own. */
export class NotifySocket {
  readonly #socket: Deno.DatagramConn;
  readonly #address: Deno.UnixAddr;
  readonly #onTrouble: (error: Error) => void;
  #sent: Promise<void> = Promise.resolve();
  #isTroubled = false;

  private constructor(socket: Deno.DatagramConn, path: string, options: NotifySocketOptions) {
    this.#socket = socket;
    this.#address = { transport: "unixpacket", path };
    this.#onTrouble = options.onTrouble;
  }

  /**
   * Opens the way to the socket at `path`. The sending socket has a name only
   * while it is made, because the runtime makes none without: nothing is left behind.
   *
   * @throws {Error} For an abstract socket, which the runtime cannot send to, and
   * where no socket can be made.
   */
  static async open(path: string, options: NotifySocketOptions): Promise<NotifySocket> {
    if (path.startsWith("@")) {
      throw new Error(`Cannot notify ${path}: it is an abstract socket, only a path can be used`);
    }
    const folder = await Deno.makeTempDir({ prefix: "tollgate-notify-" });
    try {
      const address = { transport: "unixpacket", path: `${folder}/socket` } as const;
      return new NotifySocket(Deno.listenDatagram(address), path, options);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  }

  /** Sends `NAME=value` lines as one message; resolves when it is on its way, or can never be. */
  send(lines: readonly string[]): Promise<void> {
    const bytes = new TextEncoder().encode(lines.join("\n"));
    this.#sent = this.#sent.then(async () => {
      try {
        await this.#socket.send(bytes, this.#address);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        if (!this.#isTroubled) this.#onTrouble(error);
        this.#isTroubled = true;
      }
    });
    return this.#sent;
  }

  /** Ends it; what was not sent by then is lost. */
  close(): void {
    this.#socket.close();
  }
}
