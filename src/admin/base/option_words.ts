/**
 * How a field is called on the command line, where that is not its name: the words of
 * `--help` are the field's description.
 *
 * @module
 */

import * as z from "zod";

/** What a schema says of itself to the command line. */
export interface OptionWords {
  /** The option's name without its dashes, such as `daily-budget`. */
  readonly option?: string;
  /** What it is where it stands in place, where that is more than the API's field. */
  readonly argument?: string;
  /** What stands for the value, such as `amount`. */
  readonly placeholder?: string;
  /** The word that takes the setting away, where it is not `none`. */
  readonly none?: string;
  /** That word with what it means, where that is more than that it takes the setting away. */
  readonly orNone?: string;
  /** What `--no-…` of a switch does, where there is one. */
  readonly no?: string;
  /** Set where a switch says that it is not so. */
  readonly isOff?: true;
  /** Set where the option may be given again, for one more. */
  readonly repeats?: true;
}

/** What schemas say of themselves; a schema is looked up with all that it wraps. */
export const optionWords = z.registry<OptionWords>();
