/**
 * Reads the dates of conditional requests (RFC 9110 section 5.6.7). `Date.parse` is no use: it
 * takes almost any text for a date, and the third form for local time.
 *
 * @module
 */

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const CLOCK = "(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)";
const MONTH = "(?<month>[A-Z][a-z]{2})";
const FORMS = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  new RegExp(`^[A-Z][a-z]{2}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${CLOCK} GMT$`),
  // Sunday, 06-Nov-94 08:49:37 GMT
  new RegExp(`^[A-Z][a-z]{5,8}, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${CLOCK} GMT$`),
  // Sun Nov  6 08:49:37 1994
  new RegExp(`^[A-Z][a-z]{2} ${MONTH} (?<day>[ \\d]\\d) ${CLOCK} (?<year>\\d{4})$`),
];
/** Years of two digits from here on are of the 1900s. */
const FIRST_YEAR_OF_1900S = 70;

/** The epoch milliseconds of a date in any of the three forms; `undefined` for everything else. */
export function parseHttpDate(text: string): number | undefined {
  for (const form of FORMS) {
    const fields = form.exec(text)?.groups;
    if (fields === undefined) continue;
    const month = MONTHS.indexOf(fields.month!) / 3;
    const [day, hour, minute, second] = [fields.day, fields.hour, fields.minute, fields.second]
      .map(Number) as [number, number, number, number];
    if (!Number.isInteger(month) || month < 0) return undefined;
    if (day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return undefined;
    return Date.UTC(fullYear(fields.year!), month, day, hour, minute, second);
  }
  return undefined;
}

function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return year < FIRST_YEAR_OF_1900S ? 2000 + year : 1900 + year;
}
