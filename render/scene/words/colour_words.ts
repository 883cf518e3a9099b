/**
 * Words for colours.
 *
 * @module
 */

/** One colour and its words. */
export interface ColourWords {
  /** 0xRRGGBB. */
  readonly colour: number;
  readonly words: string;
}

/** The colours, by the name the documentation lists them under. */
export const COLOUR_WORDS: Readonly<Record<string, ColourWords>> = {
  red: { colour: 0xd8281e, words: "red reddish rojo roja rot rote roter rotes rouge 红 红色" },
  crimson: { colour: 0xa8142e, words: "crimson scarlet ruby maroon burgundy" },
  orange: { colour: 0xf08020, words: "orange tangerine amber naranja orangefarben 橙色" },
  yellow: { colour: 0xf6d02a, words: "yellow lemon amarillo amarilla gelb gelbe jaune 黄 黄色" },
  gold: { colour: 0xe2ad32, words: "gold golden dorado dorada golden_yellow doré 金色" },
  green: { colour: 0x2f9a3c, words: "green greenish verde grün grüne vert verte 绿 绿色" },
  lime: { colour: 0x9bd62e, words: "lime chartreuse" },
  olive: { colour: 0x7c8436, words: "olive khaki" },
  teal: { colour: 0x14867f, words: "teal petrol" },
  turquoise: { colour: 0x2cc8c0, words: "turquoise cyan aqua aquamarine türkis" },
  blue: { colour: 0x2456d6, words: "blue bluish azul blau blaue blauer bleu bleue 蓝 蓝色" },
  navy: { colour: 0x17265e, words: "navy navy_blue dark_blue indigo" },
  sky_blue: { colour: 0x66b4f0, words: "azure sky_blue light_blue celeste hellblau" },
  purple: { colour: 0x7c36b4, words: "purple violet morado púrpura lila violett 紫 紫色" },
  lavender: { colour: 0xb49ce0, words: "lavender lilac mauve" },
  magenta: { colour: 0xcc2a96, words: "magenta fuchsia" },
  pink: { colour: 0xf48cb4, words: "pink rosy rosado pinke 粉色 粉红" },
  coral: { colour: 0xf4785e, words: "salmon peach coral_pink" },
  brown: {
    colour: 0x7d4c28,
    words: "brown chestnut chocolate bronze copper marrón braun brun 棕色",
  },
  beige: { colour: 0xdcc8a0, words: "beige tan cream ivory sandy" },
  white: { colour: 0xf4f4f2, words: "white blanco blanca weiß weiße blanc blanche 白 白色" },
  silver: { colour: 0xbcc4cc, words: "silver silvery plateado silbern argenté 银色" },
  grey: { colour: 0x868a90, words: "grey gray greyish gris grau graue 灰 灰色" },
  black: { colour: 0x24242a, words: "black negro negra schwarz schwarze noir noire 黑 黑色" },
};
