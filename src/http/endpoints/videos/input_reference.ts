/**
 * The image that a film begins with, in whichever form it was sent.
 *
 * @module
 */

import { GatewayError } from "../../../errors.ts";
import type { VideoRequestFields } from "../../schemas/video_request.ts";

const DATA_URL = /^data:[\w.+-]+\/[\w.+-]+;base64,/i;
const PARAM = "input_reference";

/**
 * The image's bytes; whether they are an image is looked at later.
 *
 * @throws {GatewayError} `invalid_value`, or `not_supported` for a file id.
 */
export function referenceBytes(
  reference: VideoRequestFields["input_reference"],
): Uint8Array<ArrayBuffer> | undefined {
  if (reference === undefined || reference === null) return undefined;
  if (reference instanceof Uint8Array) {
    if (reference.length === 0) throw empty();
    return reference as Uint8Array<ArrayBuffer>;
  }
  if (typeof reference === "string") return fromDataUrl(reference);
  if ("file_id" in reference) {
    throw new GatewayError(
      "not_supported",
      "Files by id are not supported here: send the image itself, as a file or a data URL",
      { param: `${PARAM}.file_id` },
    );
  }
  const { image_url: image } = reference;
  return fromDataUrl(typeof image === "string" ? image : image.url);
}

function empty(): GatewayError {
  return new GatewayError(
    "invalid_value",
    "Invalid value for 'input_reference': it is empty: send a file or leave it out",
    { param: PARAM },
  );
}

function fromDataUrl(text: string): Uint8Array<ArrayBuffer> {
  if (text === "") throw empty();
  const head = DATA_URL.exec(text.slice(0, 200))?.[0];
  if (head === undefined) {
    throw new GatewayError(
      "invalid_value",
      "Invalid value for 'input_reference': send the image itself, as a file or as 'data:image/png;base64,…'; nothing is fetched from other addresses",
      { param: PARAM },
    );
  }
  try {
    return Uint8Array.fromBase64(text.slice(head.length));
  } catch (cause) {
    throw new GatewayError(
      "invalid_value",
      "Invalid value for 'input_reference': what follows 'base64,' is not base64",
      { param: PARAM, cause },
    );
  }
}
