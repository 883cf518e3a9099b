/**
 * The measures that make a breed of four-legged animals.
 *
 * @module
 */

/** The build of a breed; lengths are shares of its height. */
export interface Build {
  readonly body: number;
  readonly girth: number;
  readonly leg: number;
  readonly legWidth: number;
  readonly neck: number;
  /** Radians above the back's line. */
  readonly neckAngle: number;
  readonly neckWidth: number;
  readonly head: number;
  /** Length of the snout over the head's. */
  readonly snout: number;
  readonly ears: "pointed" | "round" | "long" | "floppy" | "huge";
  readonly tail: "bushy" | "thin" | "short" | "horse" | "curl" | "raised" | "tuft";
  /** Colour of belly, chest and tip of the tail. */
  readonly belly?: number;
  /** Colour of the lower legs. */
  readonly socks?: number;
  readonly mane?: number;
  readonly marks?: "stripes" | "spots" | "patches" | "wool" | "panda" | "hump";
  readonly horns?: "antlers" | "horns" | "unicorn" | "trunk" | "ossicones";
}

/** Where a neck ends. */
export interface Joint {
  readonly x: number;
  readonly y: number;
}
