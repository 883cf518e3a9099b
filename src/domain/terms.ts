/**
 * What a price may depend on besides counts.
 *
 * @module
 */

/** What conditions compare, by its name here, with its name in the catalogue file. */
export const CONDITIONS = {
  /** Of a film, `<width>x<height>`. */
  size: "size",
} as const;

/** Facts of a call that conditions are decided by; an absent one is not known. */
export type Terms = { readonly [name in keyof typeof CONDITIONS]?: string };

/** What has to be so, all of it. */
export type Condition = Terms;
