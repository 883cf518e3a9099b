/**
 * Forms that are wrong.
 *
 * @module
 */

import { type BadFilm, filmForm, FORM_TYPE } from "./bad_film.ts";
import { SMALL_FILM } from "../../support/films/film_gateway.ts";

const malformed = { type: FORM_TYPE, code: "malformed_request" };
const form = { type: FORM_TYPE };
const whole = filmForm([["input_reference", new Uint8Array(200).fill(7), "image/png"]]);

/** The form cut off at many places: at each of its last bytes, and every so often before. */
const cuts: readonly BadFilm[] = [
  ...Array.from({ length: 40 }, (_, index) => Math.floor(whole.length * index / 40)),
  ...Array.from({ length: 8 }, (_, index) => whole.length - 3 - index),
].map((length) => ({
  name: `cut off at ${length} of ${whole.length} bytes`,
  body: whole.slice(0, length),
  ...malformed,
}));

/** Forms that cannot be read, or say something twice. */
export const BAD_FORMS: readonly BadFilm[] = [
  ...cuts,
  { name: "no boundary", ...malformed, type: "multipart/form-data", body: filmForm() },
  {
    name: "an empty boundary",
    ...malformed,
    type: 'multipart/form-data; boundary=""',
    body: filmForm(),
  },
  {
    name: "a boundary that is too long",
    ...malformed,
    type: `multipart/form-data; boundary=${"b".repeat(71)}`,
    body: filmForm(),
  },
  {
    name: "another boundary",
    ...malformed,
    type: "multipart/form-data; boundary=other",
    body: filmForm(),
  },
  ...["prompt", "size", "seconds", "model"].map((name) => ({
    name: `${name} twice`,
    body: filmForm([[name, "1"]]),
    param: name,
    ...form,
  })),
  {
    name: "two images",
    body: filmForm([
      ["input_reference", new Uint8Array(10), "image/png"],
      ["input_reference", new Uint8Array(10), "image/png"],
    ]),
    param: "input_reference",
    ...form,
  },
  {
    name: "300 parts",
    body: filmForm(Array.from({ length: 300 }, (_, index) => [`field${index}`, "x"])),
    ...form,
  },
  {
    name: "a form without a prompt",
    body: filmForm([], { model: "film" }),
    code: "missing_required_parameter",
    param: "prompt",
    ...form,
  },
  {
    name: "an empty form",
    body: filmForm([], {}),
    code: "missing_required_parameter",
    param: "prompt",
    ...form,
  },
  {
    name: "an unknown file",
    body: filmForm([["mask", new Uint8Array(10), "image/png"]]),
    param: "mask",
    ...form,
  },
  {
    name: "a prompt that is a file",
    body: filmForm([["prompt", new Uint8Array(10), "text/plain"]], { model: "film" }),
    param: "prompt",
    ...form,
  },
  {
    name: "seconds in Arabic digits",
    body: filmForm([], { ...SMALL_FILM, seconds: "٤" }),
    param: "seconds",
    ...form,
  },
  {
    name: "a name that makes a prototype",
    body: filmForm([["__proto__[model]", "slow"]]),
    param: "__proto__[model]",
    ...form,
  },
  {
    name: "a name with brackets that do not close",
    body: filmForm([["source_policy[", "x"]]),
    param: "source_policy[",
    ...form,
  },
  {
    name: "a form of fields that is empty",
    type: "application/x-www-form-urlencoded",
    body: "",
    code: "missing_required_parameter",
    param: "prompt",
  },
];
