/**
 * The drawing of every thing that is not part of the sky.
 *
 * @module
 */
import { AIRCRAFT } from "./aircraft.ts";
import { BIRDS } from "./birds.ts";
import { BOATS } from "./boats.ts";
import { CREATURES } from "./creatures.ts";
import { FIGURES } from "./figures.ts";
import { FURNITURE } from "./furniture.ts";
import { FISHES } from "./fishes.ts";
import { GLASSWARE } from "./glassware.ts";
import { LANDMARKS } from "./landmarks.ts";
import { LEGENDS } from "./legends.ts";
import { LIGHTS } from "./lights.ts";
import { OBJECTS } from "./objects.ts";
import type { DrawThing } from "./pen.ts";
import { PEOPLE } from "./people.ts";
import { PLANTS } from "./plants.ts";
import { SEA_LIFE } from "./sea_life.ts";
import { SHAPES } from "./shapes.ts";
import { SMALL_CREATURES } from "./small_creatures.ts";
import { VEHICLES } from "./vehicles.ts";

/** By the name that the vocabulary gives the thing. */
export const DRAWINGS: ReadonlyMap<string, DrawThing> = new Map(
  Object.entries({
    ...CREATURES,
    ...BIRDS,
    ...SMALL_CREATURES,
    ...FISHES,
    ...SEA_LIFE,
    ...PEOPLE,
    ...FIGURES,
    ...LEGENDS,
    ...BOATS,
    ...VEHICLES,
    ...AIRCRAFT,
    ...LANDMARKS,
    ...PLANTS,
    ...LIGHTS,
    ...OBJECTS,
    ...FURNITURE,
    ...GLASSWARE,
    ...SHAPES,
  }),
);
