/**
 * Orders for films, and a provider to place them at, for tests.
 *
 * @module
 */

import type { Clock } from "../../src/domain/clock.ts";
import type { Provider as ProviderSettings, Route } from "../../src/domain/catalogue.ts";
import type { UpstreamError } from "../../src/domain/upstream_error.ts";
import type {
  VideoContent,
  VideoOrder,
  VideoUpstream,
} from "../../src/providers/contract/video_upstream.ts";
import type { Transport } from "../../src/providers/transport/contract.ts";
import { chatRoute, failureOf, openAiCompatible } from "./provider_parts.ts";

/** The bytes of a reference image, which no upstream of the tests looks at. */
export const REFERENCE = {
  bytes: Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 13, 10, 255),
  mediaType: "image/png",
} as const;

/** A video route; body rules may be given in part. */
export function videoRoute(changes: Parameters<typeof chatRoute>[0] = {}): Route {
  return chatRoute({
    id: "acme/film",
    modelId: "film",
    upstreamModel: "wan-2",
    video: { sizes: ["1280x720"], seconds: [4, 8], passFields: [] },
    ...changes,
  });
}

/** An order without further fields and without an image. */
export function videoOrder(changes: Partial<VideoOrder> = {}): VideoOrder {
  return {
    idempotencyKey: "video_q-acme%2Ffilm-0",
    route: videoRoute(),
    prompt: "A café at dawn, 雨",
    size: "1280x720",
    seconds: 4,
    fields: {},
    reference: undefined,
    ...changes,
  };
}

/** The videos of a provider against an upstream. */
export function videosAt(baseUrl: string, options: {
  readonly settings?: Partial<ProviderSettings>;
  readonly secrets?: (reference: string) => string | undefined;
  readonly clock?: Clock;
  readonly transport?: Transport;
} = {}): VideoUpstream {
  const { videos } = openAiCompatible(baseUrl, options);
  if (videos === undefined) throw new Error("The provider has no videos");
  return videos;
}

/** Every byte until the end; the film is told from where it came. */
export async function readFilm(content: VideoContent): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let bytes = await content.read(); bytes !== undefined; bytes = await content.read()) {
    parts.push(bytes.slice());
  }
  return await new Blob(parts as BlobPart[]).bytes();
}

/** The bytes until the failure that must come. */
export async function readFilmUntilFailure(
  content: VideoContent,
): Promise<{ readonly bytes: Uint8Array; readonly error: UpstreamError }> {
  const parts: Uint8Array[] = [];
  const error = await failureOf((async () => {
    for (let bytes = await content.read(); bytes !== undefined; bytes = await content.read()) {
      parts.push(bytes.slice());
    }
  })());
  return { bytes: await new Blob(parts as BlobPart[]).bytes(), error };
}
