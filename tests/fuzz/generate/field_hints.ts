/**
 * Values that exist here, by the name of the field that takes them.
 *
 * @module
 */

import { greyRows, pngFile } from "../../../render/tests/images/png_file.ts";
import { FAILING_MODELS, MODELS, PROVIDERS, ROUTES } from "../fuzz_catalogue.ts";
import type { KnownIds } from "../known_ids.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import type { Hints } from "./schema_values.ts";

/** A picture that a film may begin with. */
export const PNG: Uint8Array<ArrayBuffer> = pngFile(8, 8, greyRows(8, 8));
const PNG_URL = `data:image/png;base64,${PNG.toBase64()}`;

/** Hints for the body of the operation at `path`. */
export function fieldHints(path: string, ids: KnownIds): Hints {
  const kind = path.endsWith("/videos")
    ? "video"
    : path.endsWith("/embeddings")
    ? "embedding"
    : path.endsWith("v1/completions")
    ? "completion"
    : path.includes("/images/")
    ? "image"
    : /\/audio\/trans/.test(path)
    ? "transcription"
    : path.endsWith("/audio/speech")
    ? "speech"
    : path.endsWith("/moderations")
    ? "moderation"
    : path.endsWith("/rerank")
    ? "rerank"
    : "chat";
  const models = [
    ...MODELS[kind].filter((model) => !FAILING_MODELS.includes(model)),
    ...MODELS[kind],
  ];
  return (field, random) => {
    switch (field) {
      case "model":
        return random.chance(0.94) ? random.pick(models) : random.pick(["hidden", "film", "echo"]);
      case "role":
        return random.pick(["user", "user", "system", "assistant", "tool", "developer"]);
      case "previous_response_id":
        return ids.pick("resp", random);
      case "route":
        return random.chance(0.6) ? null : random.pick(ROUTES);
      case "provider":
        if (random.chance(0.6)) return null;
        return random.chance(0.5) ? random.pick(PROVIDERS) : wishesOfProviders(random);
      case "models":
        return random.chance(0.8) ? null : [random.pick(models), random.pick(models)];
      case "tags":
        return random.chance(0.8) ? null : { team: "a", "user.id": random.pick(["1", "Zoë"]) };
      case "transforms":
      case "plugins":
        return random.chance(0.9) ? null : random.pick([[], ["middle-out"], [{ id: "web" }]]);
      case "max_tokens":
      case "max_completion_tokens":
      case "max_output_tokens":
        return random.chance(0.8) ? random.integer(1, 40) : undefined;
      case "dimensions":
        return random.chance(0.7) ? random.pick([64, 256, 1_536]) : undefined;
      case "n":
        return random.chance(0.9) ? random.integer(1, 2) : undefined;
      case "messages":
        return random.chance(0.5) ? conversation(random.integer(1, 3)) : undefined;
      case "input":
        if (kind === "speech" && random.chance(0.8)) return "Hello there";
        if (kind === "moderation") {
          return random.pick(["a text", ["one", "two"], [{ type: "text", text: "one" }]]);
        }
        if (kind === "embedding") {
          return random.pick(["a text", ["one", "two"], [1, 2, 3], [[4], [5]]]);
        }
        return random.pick(["Hello there", conversation(1), [{
          role: "user",
          content: [{
            type: "input_text",
            text: "Hello",
          }],
        }]]);
      case "documents":
        return random.chance(0.7) ? ["one", { text: "two" }] : undefined;
      case "top_n":
        return random.chance(0.7) ? random.integer(1, 3) : undefined;
      case "response_format":
        return kind === "transcription" ? random.pick(["json", "text", "verbose_json"]) : undefined;
      case "images":
        return random.chance(0.8) ? [{ image_url: PNG_URL }] : undefined;
      case "prompt":
        if (kind === "image" && random.chance(0.8)) return "A red fox";
        if (kind === "completion") {
          return random.pick(["a text", ["one", "two"], [1, 2, 3], [[4], [5]]]);
        }
        return kind === "video" && random.chance(0.7) ? "A red fox runs" : undefined;
      case "size":
        return random.chance(0.8) ? "64x64" : undefined;
      case "seconds":
        return random.chance(0.8) ? random.pick(["1", 1]) : undefined;
      case "input_file_id":
        return random.chance(0.9) ? ids.kept("file") : undefined;
      case "endpoint":
        return random.chance(0.9) ? "/v1/chat/completions" : undefined;
      case "completion_window":
        return random.chance(0.9) ? "24h" : undefined;
      case "output_expires_after":
      case "expires_after":
        return random.chance(0.7) ? null : undefined;
      case "input_reference":
        return random.pick([null, PNG_URL, { image_url: PNG_URL }]);
      case "callback_url":
        return random.pick([null, "https://hooks.example/", "http://127.0.0.1:1/x"]);
      case "exclude_risk_levels":
        return random.chance(0.7) ? [] : undefined;
      default:
        return undefined;
    }
  };
}

function conversation(length: number): object[] {
  return Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Words number ${index}`,
  }));
}

/** `provider` as an object. */
function wishesOfProviders(random: SeededRandom): object {
  const names = () => [random.pick(PROVIDERS), random.pick(["nobody", ...ROUTES])];
  return {
    ...(random.chance(0.5) && { order: names() }),
    ...(random.chance(0.2) && { only: names() }),
    ...(random.chance(0.2) && { ignore: names() }),
    ...(random.chance(0.3) && { sort: random.pick(["price", "latency", "throughput"]) }),
    ...(random.chance(0.2) && { allow_fallbacks: false }),
    ...(random.chance(0.2) && { require_parameters: true }),
    ...(random.chance(0.3) && { max_price: { prompt: random.pick([0, 1.5, "2.50", 1e9, -1]) } }),
  };
}
