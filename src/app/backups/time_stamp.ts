/**
 * Times in the names of files: names sort by time.
 *
 * @module
 */

/**
 * Such as `20261121-145306`, in UTC.
 *
 * @param now Milliseconds since the epoch.
 */
export function timeStamp(now: number): string {
  const digits = new Date(now).toISOString().replaceAll(/[-:]/g, "");
  return `${digits.slice(0, 8)}-${digits.slice(9, 15)}`;
}
