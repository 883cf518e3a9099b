/**
 * Judges bills of materials by CycloneDX's own schema.
 *
 * @module
 */

// The library looks for these by name.
import "ajv";
import "ajv-formats";
import "ajv-formats-draft2019";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";

/** `validate()` resolves with null, or with what is wrong. */
export const SbomValidator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
