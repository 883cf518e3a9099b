/**
 * Takes out of texts what should be kept nowhere: addresses, numbers of accounts, cards and phones,
 * keys, and what a project has named. Every pattern takes time in proportion to the text.
 *
 * @module
 */

import { OwnPattern } from "./own_pattern.ts";

/** What was taken out, how often, by the name that stands in its place. */
export type Redacted = Readonly<Record<string, number>>;

interface Rule {
  readonly name: string;
  readonly find: RegExp;
  /** Whether what was found is one; absent: it is. */
  isOne?(found: string): boolean;
  /** What of it stays in front; absent: nothing. */
  keep?(found: string): string;
}

/** Text before what is secret, which says what that is. */
const NAMED_SECRET =
  /(?:api[_-]?key|access[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|password|passwd|passphrase)["']?\s{0,4}[:=]\s{0,4}["']?(?!\[)[^\s"',;}]{6,256}/gi;

/** In their order: what comes first is not looked at again. */
const RULES: readonly Rule[] = [
  {
    name: "private key",
    find:
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  },
  {
    name: "key",
    find:
      /(?<![A-Za-z0-9])(?:sk-|sk_|pk_live_|pk_test_|rk_live_|rk_test_|xox[abeoprs]-|gh[opsru]_|github_pat_|glpat-|AIza|hf_|npm_|pypi-|gsk_|xai-|ya29\.|SG\.|whsec_|tgat-)[A-Za-z0-9_.+\/=-]{12,}/g,
  },
  { name: "key", find: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  {
    name: "token",
    find: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?/g,
  },
  {
    name: "token",
    find: /\bbearer\s{1,4}[A-Za-z0-9._~+\/=-]{16,}/gi,
    keep: (found) => found.slice(0, 7),
  },
  {
    name: "token",
    find: /\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?basic\s{1,4}[A-Za-z0-9+\/=_-]{8,}/gi,
    keep: (found) => found.slice(0, found.toLowerCase().indexOf("basic") + 6),
  },
  {
    name: "secret",
    find: NAMED_SECRET,
    keep: (found) => /^[^:=]{1,40}[:=]\s{0,4}["']?/.exec(found)![0],
  },
  {
    name: "secret",
    find: /(?<=:\/\/)[^\s\/:@"']{0,64}:[^\s\/@"']{1,256}(?=@)/g,
  },
  {
    name: "email",
    find:
      /(?<![\p{L}\p{N}._%+'-])[\p{L}\p{N}._%+'-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu,
  },
  {
    name: "iban",
    find:
      /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/gi,
    isOne: isIban,
  },
  { name: "card", find: /(?<!\d)[2-6](?:[ -]?\d){12,18}(?!\d)/g, isOne: isCard },
  { name: "phone", find: /(?<![\w+])\+\d(?:[ ().\/-]{0,2}\d){7,14}(?!\d)/g },
  { name: "phone", find: /(?<![\w.-])(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w-])/g },
  {
    name: "phone",
    find: /(?<![\w.-])\(?0\d{1,4}\)?(?: ?[\/-] ?| )\d{3,8}(?:[ -]\d{2,6}){0,3}(?![\w-])/g,
  },
];

export class Redactor {
  readonly #own: readonly OwnPattern[];
  readonly #counts: Record<string, number> = {};

  /** @param patterns The project's own; see {@linkcode OwnPattern}. */
  constructor(patterns: readonly string[] = []) {
    this.#own = patterns.map((pattern) => new OwnPattern(pattern));
  }

  /** The text with `[name]` in the place of everything that was found. */
  redact(text: string): string {
    let left = text;
    for (const own of this.#own) left = own.replaceIn(left, () => this.#mark("redacted"));
    for (const { name, find, isOne, keep } of RULES) {
      left = left.replaceAll(find, (found) => {
        if (isOne?.(found) === false) return found;
        return (keep?.(found) ?? "") + this.#mark(name);
      });
    }
    return left;
  }

  #mark(name: string): string {
    this.#counts[name] = (this.#counts[name] ?? 0) + 1;
    return `[${name}]`;
  }

  /** Everything that was found so far. */
  get redacted(): Redacted {
    return this.#counts;
  }
}

/** Luhn's sum, as every card number has it. */
function isCard(found: string): boolean {
  const digits = found.replaceAll(/\D/g, "");
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** ISO 13616: the rest by 97 of its digits, letters counted from 10, is 1. */
function isIban(found: string): boolean {
  const signs = found.replaceAll(/[ -]/g, "").toUpperCase();
  if (signs.length < 15 || signs.length > 34) return false;
  let rest = 0;
  for (const sign of signs.slice(4) + signs.slice(0, 4)) {
    const value = Number.parseInt(sign, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
