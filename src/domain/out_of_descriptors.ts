/**
 * How the system says that it has no file descriptor left.
 *
 * @module
 */

/** Whether an error says that this process (`EMFILE`) or the machine (`ENFILE`) has no descriptor left. */
export function isOutOfDescriptors(error: unknown): boolean {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return code === "EMFILE" || code === "ENFILE";
}
