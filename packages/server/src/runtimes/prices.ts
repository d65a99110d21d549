/** List prices in US dollars per million tokens, by family: a part of the ids of models that cost the same. */
export type FamilyPrices = Readonly<Record<string, { input: number; output: number }>>
