/**
 * `<id>/<name>`, with which references and paths of files end: the text of a regular expression with two groups. Pages use it too, so
 * it is free of zod. A name ends in a letter or a digit, so the full stop of a sentence is not part of it. Marks belong to the letters
 * of many languages, and of all of them in a text that was decomposed on its way.
 */
export const idAndName = String.raw`([0-9a-f]{24})\/([\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}._-]*[\p{L}\p{M}\p{N}_])?)`
