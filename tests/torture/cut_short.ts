/**
 * A caller that leaves in the middle of its answer.
 *
 * @module
 */

/** How far a call came before its caller left. */
export interface CutShort {
  /** `undefined` when the caller left before the answer's head. */
  readonly requestId: string | undefined;
  readonly chunks: number;
  /** Milliseconds of `performance.now()`. */
  readonly leftAt: number;
}

/** Sends a request; `leave` says when to go. */
export async function cutShort(
  url: string,
  { key, body, leaveWhen, chunks }: {
    readonly key: string;
    readonly body: object;
    /** Leaves when this is over, if it has not seen its chunks by then. */
    readonly leaveWhen: Promise<unknown>;
    /** Leaves after so many chunks with text. */
    readonly chunks: number;
  },
): Promise<CutShort> {
  const leaving = new AbortController();
  let leftAt = 0;
  const leave = () => {
    if (leaving.signal.aborted) return;
    leftAt = performance.now();
    leaving.abort();
  };
  let requestId: string | undefined;
  let seen = 0;
  void leaveWhen.then(leave);
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    requestId = response.headers.get("x-request-id") ?? undefined;
    let text = "";
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      text += part;
      seen = text.match(/"content":"/g)?.length ?? 0;
      if (seen >= chunks) leave();
    }
    throw new Error(`Cannot leave a call that has ended: ${response.status} ${text}`);
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    return { requestId, chunks: seen, leftAt };
  }
}
