/**
 * Which form of create body an upstream takes, learnt from its answers.
 *
 * @module
 */

import type { UpstreamError } from "../../../domain/upstream_error.ts";

/** The two forms of a body that creates a video. */
export const VIDEO_FORMS = ["multipart", "json"] as const;

/** One of {@linkcode VIDEO_FORMS}. */
export type VideoForm = typeof VIDEO_FORMS[number];

/** The form tried first where the operator names none: OpenAI's SDKs send it, and vLLM-Omni takes no other. */
export const DEFAULT_VIDEO_FORM: VideoForm = "multipart";

interface Learnt {
  form: VideoForm;
  /** Whether the last order in this form was accepted: a refusal is then about the order. */
  isProven: boolean;
}

/** The memory of one provider. Orders with and without an image are apart: SGLang's differ. */
export class FormMemory {
  readonly #withImage: Learnt;
  readonly #without: Learnt;

  constructor(first: VideoForm) {
    this.#withImage = { form: first, isProven: false };
    this.#without = { form: first, isProven: false };
  }

  /** The form to try first. */
  formFor(hasImage: boolean): VideoForm {
    return this.#of(hasImage).form;
  }

  /** An order was accepted in this form. */
  accepted(form: VideoForm, hasImage: boolean): void {
    const learnt = this.#of(hasImage);
    learnt.form = form;
    learnt.isProven = true;
  }

  /**
   * An order was refused in the form that was tried first. After an acceptance the
   * first refusal is taken for the order's own fault; a second one in a row puts
   * the form in doubt again, since the server behind the URL may have been changed.
   *
   * @returns Whether to try the other form.
   */
  refused(error: UpstreamError, hasImage: boolean): boolean {
    if (!isRefusal(error)) return false;
    const learnt = this.#of(hasImage);
    const wasProven = learnt.isProven;
    learnt.isProven = false;
    return !wasProven || error.status === 415;
  }

  #of(hasImage: boolean): Learnt {
    return hasImage ? this.#withImage : this.#without;
  }
}

/** Whether an upstream has refused a request for what it says, and so has begun nothing. */
export function isRefusal({ failure, status }: UpstreamError): boolean {
  return failure !== "aborted" && (status === 400 || status === 415 || status === 422);
}

/**
 * Of the refusals in both forms the one that is about the order: "expected
 * multipart" or "input_reference file is required" helps no caller.
 */
export function tellingRefusal(first: UpstreamError, second: UpstreamError): UpstreamError {
  return isAboutForm(first) ? second : first;
}

function isAboutForm({ status, publicMessage = "" }: UpstreamError): boolean {
  return status === 415 ||
    /multipart|form-?data|content-?type|\bjson\b|input_reference/i.test(publicMessage);
}
