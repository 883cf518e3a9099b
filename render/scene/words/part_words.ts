/**
 * Words for what people wear, what rooms have, and fire that is breathed.
 *
 * @module
 */

/** What is seen of somebody from afar, and what is not. */
export const GARMENT_WORDS: Readonly<Record<"body" | "part", string>> = {
  body:
    "dress dresses coat coats raincoat jacket shirt t_shirt blouse sweater jumper hoodie suit " +
    "spacesuit robe robes cloak cape gown kimono uniform vest tunic outfit clothes clothing armor " +
    "armour sari hat hats cap scarf helmet apron vestido kleid robe_longue",
  part: "shoes shoe boots socks gloves glove trousers pants jeans shorts belt tie hair beard " +
    "eyes eye collar crown mask backpack necklace earrings sunglasses saddle with_glasses wearing_glasses",
};

/** What implies a room and is drawn with it. */
export const INDOOR_WORDS = "window windows windowsill window_sill carpet rug curtain curtains " +
  "ceiling wallpaper pillow cushion blanket by_the_window";

/** Of a dragon. */
export const BREATH_WORDS = "breathes_fire breathing_fire breathe_fire fire_breathing " +
  "breathes_flames breathing_flames spits_fire spitting_fire spewing_fire spews_fire " +
  "breathing_out_fire breathes_out_fire breath_of_fire";
