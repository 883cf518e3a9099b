/**
 * Looking again and again at what others may have changed.
 *
 * @module
 */

/**
 * Looks, one at a time: who asks while a look is under way gets none. The look never throws: it is asked for
 * again, and only the first trouble of several in turn is told, not every one for as long as the database is
 * away.
 */
export function oneLook<Asked extends readonly unknown[]>(
  look: (...asked: Asked) => Promise<void>,
  onTrouble: (error: unknown) => void,
): (...asked: Asked) => Promise<void> {
  let isLooking = false;
  let hasTrouble = false;
  return async (...asked) => {
    if (isLooking) return;
    isLooking = true;
    try {
      await look(...asked);
      hasTrouble = false;
    } catch (error) {
      if (!hasTrouble) onTrouble(error);
      hasTrouble = true;
    } finally {
      isLooking = false;
    }
  };
}
