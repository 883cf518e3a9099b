/**
 * How much of what is wrong with a catalogue file is told at once.
 *
 * @module
 */

/** Of one list or mapping: more than anybody mends in one go, and too few to take long. */
export const FAULTS_TOLD = 50;
